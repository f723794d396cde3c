// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include "store_writer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct fixture fixture;
static struct store_lock *lock;
static char path[FIXTURE_PATH];

static int set_up(void **state)
{
    (void)state;
    struct status status = {0};
    fixture_init(&fixture, &(struct fixture_plan){0});
    fixture_file(&fixture, ".journal", path);
    return store_lock_acquire(fixture.path, NULL, &lock, NULL, &status) == STATUS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    store_lock_release(lock);
    fixture_fini(&fixture);
    return 0;
}

static struct store_writer *open_at(uint64_t end)
{
    struct store_writer *writer = NULL;
    struct status status = {0};
    fixture_ok(store_writer_open(path, end, lock, &writer, &status), &status);
    return writer;
}

static uint64_t append(struct store_writer *writer, const char *text)
{
    struct bytes bytes = {0};
    struct status status = {0};
    uint64_t end = 0;
    bytes_raw(&bytes, text, strlen(text));
    fixture_ok(store_writer_append(writer, &bytes, &end, &status), &status);
    bytes_fini(&bytes);
    return end;
}

static void assert_file(const char *expected)
{
    size_t size;
    unsigned char *data = fixture_read(path, &size);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(data, expected, size);
    free(data);
}

static void what_is_appended_follows_the_end_that_was_given(void **state)
{
    (void)state;
    struct status status = {0};
    fixture_write(path, "header torn", 11);
    struct store_writer *writer = open_at(7);
    assert_file("header ");
    assert_int_equal(store_writer_synced(writer), 7);
    assert_int_equal(append(writer, "one "), 11);
    assert_int_equal(append(writer, "two "), 15);
    fixture_ok(store_writer_wait(writer, &status), &status);
    assert_int_equal(store_writer_synced(writer), 15);
    assert_file("header one two ");
    assert_int_equal(append(writer, "three"), 20);
    store_writer_close(writer); // writes what is left
    assert_file("header one two three");
    store_writer_close(NULL);
}

static void waiting_with_nothing_queued_returns(void **state)
{
    (void)state;
    struct status status = {0};
    fixture_write(path, "", 0);
    struct store_writer *writer = open_at(0);
    fixture_ok(store_writer_wait(writer, &status), &status);
    fixture_ok(store_writer_health(writer, &status), &status);
    store_writer_close(writer);
    assert_file("");
}

static void groups_keep_the_order_of_many_entries(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    struct status status = {0};
    fixture_write(path, "", 0);
    struct store_writer *writer = open_at(0);
    for (int i = 0; i < MANY; i++) {
        char text[16];
        snprintf(text, sizeof text, "%06d\n", i);
        assert_int_equal(append(writer, text), 7 * (i + 1));
    }
    fixture_ok(store_writer_wait(writer, &status), &status);
    store_writer_close(writer);
    size_t size;
    unsigned char *data = fixture_read(path, &size);
    assert_int_equal(size, 7 * MANY);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(atoi((char *)data + 7 * i), i);
    free(data);
}

static void a_missing_journal_is_an_error(void **state)
{
    (void)state;
    struct store_writer *writer = NULL;
    struct status status = {0};
    assert_int_equal(store_writer_open(path, 0, lock, &writer, &status), STATUS_SYSTEM);
    assert_non_null(strstr(status.text, path));
    assert_null(writer);
}

static void after_an_error_nothing_more_is_taken(void **state)
{
    (void)state;
    char lock_path[FIXTURE_PATH];
    struct status status = {0};
    struct bytes bytes = {0};
    uint64_t end = 0;
    fixture_write(path, "", 0);
    struct store_writer *writer = open_at(0);
    append(writer, "kept");
    fixture_ok(store_writer_wait(writer, &status), &status);
    assert_int_equal(unlink(fixture_file(&fixture, ".lock", lock_path)), 0);
    append(writer, "lost");
    assert_int_equal(store_writer_wait(writer, &status), STATUS_IN_USE);
    assert_int_equal(store_writer_health(writer, &status), STATUS_IN_USE);
    bytes_raw(&bytes, "more", 4);
    assert_int_equal(store_writer_append(writer, &bytes, &end, &status), STATUS_IN_USE);
    assert_int_equal(store_writer_synced(writer), 4);
    store_writer_close(writer);
    assert_file("kept");
    bytes_fini(&bytes);
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        UNIT(what_is_appended_follows_the_end_that_was_given),
        UNIT(waiting_with_nothing_queued_returns),
        UNIT(groups_keep_the_order_of_many_entries),
        UNIT(a_missing_journal_is_an_error),
        UNIT(after_an_error_nothing_more_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
