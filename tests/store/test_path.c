// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include "store_path.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void assert_text(char *text, const char *expected)
{
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void names_are_made_from_the_stores(void **state)
{
    static const struct {
        const char *path, *folder, *temporary;
    } rows[] = {
        {"s.h5", ".", ".s.h5.tmp-12"},
        {"results/s.h5", "results", "results/.s.h5.tmp-12"},
        {"./a b/测试.h5", "./a b", "./a b/.测试.h5.tmp-12"},
        {"/s.h5", "/", "/.s.h5.tmp-12"},
        {"/x/y/s.h5", "/x/y", "/x/y/.s.h5.tmp-12"},
        {"a\xff/b\xfe.h5", "a\xff", "a\xff/.b\xfe.h5.tmp-12"}, // bytes that are no UTF-8
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_text(store_path_folder(rows[i].path), rows[i].folder);
        assert_text(store_path_temporary(rows[i].path, 12), rows[i].temporary);
    }
    assert_text(store_path_join("s.h5", ".lock"), "s.h5.lock");
    assert_text(store_path_join("", ""), "");
}

static void links_are_followed_to_what_they_lead_to(void **state)
{
    (void)state;
    struct fixture fixture;
    char link[FIXTURE_PATH], second[FIXTURE_PATH], beside[FIXTURE_PATH];
    fixture_init(&fixture, &(struct fixture_plan){0});
    assert_text(store_path_target(fixture.path), fixture.path); // there is nothing
    fixture_write(fixture.path, "x", 1);
    assert_text(store_path_target(fixture.path), fixture.path);
    assert_int_equal(symlink("测试 s.h5", fixture_file(&fixture, ".link", link)), 0);
    assert_text(store_path_target(link), fixture.path);
    assert_text(store_path_beside(link, ".lock"), fixture_file(&fixture, ".lock", beside));
    assert_int_equal(unlink(fixture.path), 0);
    assert_text(store_path_target(link), fixture.path); // where a store will be
    assert_int_equal(symlink(fixture.path, fixture_file(&fixture, ".second", second)), 0);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink(second, link), 0);
    assert_text(store_path_target(link), fixture.path); // over two links, and absolute ones
    assert_int_equal(unlink(second), 0);
    assert_int_equal(symlink(link, second), 0); // in a circle
    assert_int_equal(store_path_check(link, NULL), STATUS_OK);
    fixture_fini(&fixture);
}

static void no_store_is_where_none_can_be(void **state)
{
    (void)state;
    struct fixture fixture;
    struct status status = {0};
    char path[FIXTURE_PATH], name[300];
    fixture_init(&fixture, &(struct fixture_plan){0});
    memset(name, 'x', sizeof name);
    const struct {
        const char *path, *fragment;
    } rows[] = {
        {fixture.folder, "is a folder"},
        {"/dev/null", "is no regular file"},
        {"", "names no file"},
        {"/nonexistent/", "names no file"},
        {name, "too long"},
        {fixture.path, NULL},
        {"/nonexistent/also/its/folder", NULL},
    };
    name[216] = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum status_code code = store_path_check(rows[i].path, &status);
        assert_int_equal(code, rows[i].fragment ? STATUS_INVALID : STATUS_OK);
        if (rows[i].fragment && !strstr(status.text, rows[i].fragment))
            fail_msg("'%s' is not in: %s", rows[i].fragment, status.text);
    }
    char path_of_slashes[4057];
    memset(path_of_slashes, '/', sizeof path_of_slashes);
    memcpy(path_of_slashes + 4055, "s", 2);
    assert_int_equal(store_path_check(path_of_slashes, &status), STATUS_INVALID);
    fixture_ok(store_path_check(path_of_slashes + 1, &status), &status);
    name[215] = '\0';
    fixture_ok(store_path_check(name, &status), &status);
    assert_int_equal(mkfifo(fixture_file(&fixture, ".fifo", path), 0666), 0);
    assert_int_equal(store_path_check(path, &status), STATUS_INVALID);
    fixture_fini(&fixture);
}

static void errors_say_what_to_do(void **state)
{
    static const struct {
        int error;
        enum status_code code;
        const char *fragment;
    } rows[] = {
        {ENOSPC, STATUS_FULL, "free some space"},
        {EDQUOT, STATUS_FULL, "free some space"},
        {EFBIG, STATUS_FULL, "ulimit -f"},
        {ENOENT, STATUS_SYSTEM, "No such file"},
        {EACCES, STATUS_SYSTEM, "Permission denied"},
        {ENOMEM, STATUS_MEMORY, "memory"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct status status = {0};
        assert_int_equal(store_path_errno(&status, rows[i].error, "cannot write", "/x/s.h5"), rows[i].code);
        assert_int_equal(status.code, rows[i].code);
        assert_non_null(strstr(status.text, "cannot write /x/s.h5"));
        assert_non_null(strstr(status.text, rows[i].fragment));
        assert_int_equal(store_path_errno(NULL, rows[i].error, "cannot write", "/x/s.h5"), rows[i].code);
    }
}

static void syncing_reaches_files_and_folders(void **state)
{
    (void)state;
    struct fixture fixture;
    struct status status = {0};
    fixture_init(&fixture, &(struct fixture_plan){0});
    assert_int_equal(store_path_sync_file(fixture.path, &status), STATUS_SYSTEM);
    assert_false(store_path_exists(fixture.path));
    fixture_write(fixture.path, "x", 1);
    assert_true(store_path_exists(fixture.path));
    fixture_ok(store_path_sync_file(fixture.path, &status), &status);
    fixture_ok(store_path_sync_folder(fixture.path, &status), &status);
    assert_int_equal(store_path_sync_folder("/nonexistent/s.h5", &status), STATUS_SYSTEM);
    fixture_fini(&fixture);
}

static void only_leftovers_of_the_same_store_and_of_dead_processes_go(void **state)
{
    static const struct {
        const char *name;
        bool stays;
    } rows[] = {
        {".s.h5.tmp-99999999", false}, // no process has such a number
        {".s.h5.tmp-99999998", false},
        {".s.h5.tmp-1", true}, // lives
        {".s.h5.tmp-0", true},
        {".s.h5.tmp-", true},
        {".s.h5.tmp-99999999x", true},
        {".s.h5.tmp--5", true},
        {".other.h5.tmp-99999999", true},
        {"s.h5.tmp-99999999", true},
    };
    (void)state;
    struct fixture fixture;
    char path[FIXTURE_PATH];
    fixture_init(&fixture, &(struct fixture_plan){0});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", fixture.folder, rows[i].name);
        fixture_write(path, "x", 1);
    }
    snprintf(path, sizeof path, "%s/s.h5", fixture.folder);
    store_path_remove_stale(path);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", fixture.folder, rows[i].name);
        assert_int_equal(fixture_exists(path), rows[i].stays);
    }
    store_path_remove_stale("/nonexistent/s.h5");
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    siginfo_t ended;
    assert_int_equal(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0); // dead, and still in the table
    snprintf(path, sizeof path, "%s/.s.h5.tmp-%d", fixture.folder, (int)child);
    fixture_write(path, "x", 1);
    snprintf(path, sizeof path, "%s/s.h5", fixture.folder);
    store_path_remove_stale(path);
    snprintf(path, sizeof path, "%s/.s.h5.tmp-%d", fixture.folder, (int)child);
    assert_false(fixture_exists(path));
    assert_int_equal(waitpid(child, NULL, 0), child);
    fixture_fini(&fixture);
}

static void times_are_written_in_one_form(void **state)
{
    (void)state;
    char text[STORE_TIME_SIZE];
    assert_string_equal(store_path_time(1796043971.9, true, text), "2026-11-30T13:06:11Z");
    assert_string_equal(store_path_time(0, true, text), "1970-01-01T00:00:00Z");
    setenv("TZ", "UTC-2", 1);
    tzset();
    assert_string_equal(store_path_time(1796043971, false, text), "2026-11-30 15:06:11");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_made_from_the_stores),
        cmocka_unit_test(links_are_followed_to_what_they_lead_to),
        cmocka_unit_test(no_store_is_where_none_can_be),
        cmocka_unit_test(errors_say_what_to_do),
        cmocka_unit_test(syncing_reaches_files_and_folders),
        cmocka_unit_test(only_leftovers_of_the_same_store_and_of_dead_processes_go),
        cmocka_unit_test(times_are_written_in_one_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
