// SPDX-License-Identifier: MIT
// Memory that runs out at any moment is an error with a text, and nothing is lost or left behind.
#include "support.h"

#include "fixture.h"
#include "store_diff.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// The linker sends the program's allocations here (--wrap), the library's own do not come by.
static atomic_long allowed = -1; // allocations before one fails; negative: none fails

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__wrap_strdup(const char *text);

static bool may_have(void)
{
    return atomic_load(&allowed) < 0 || atomic_fetch_sub(&allowed, 1) > 0;
}

void *__wrap_malloc(size_t size)
{
    return may_have() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return may_have() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    return may_have() ? __real_realloc(old, size) : NULL;
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
    return may_have() ? __real_reallocarray(old, count, size) : NULL;
}

char *__wrap_strdup(const char *text)
{
    return may_have() ? __real_strdup(text) : NULL;
}

static struct fixture fixture;

static int set_up(void **state)
{
    (void)state;
    fixture_init(&fixture, &(struct fixture_plan){.snr_count = 1, .replicates = 1, .lengths_count = 1});
    struct store *store = fixture_open(&fixture);
    fixture_append(&fixture, store, 0, 1);
    fixture_publish(&fixture);
    store_close(store);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_fini(&fixture);
    return 0;
}

// Once a counter is down to its last allocation, later ones fail as well: memory does not come back by itself.
static void assert_fails_cleanly(enum status_code (*work)(struct status *status))
{
    long failures = 0, after = 0;
    for (enum status_code code = STATUS_MEMORY; code != STATUS_OK; after += 1 + after / 16) {
        struct status status = {0};
        atomic_store(&allowed, after);
        code = work(&status);
        atomic_store(&allowed, -1);
        if (code != STATUS_OK && code != STATUS_MEMORY)
            fail_msg("after %ld allocations: status %d: %s", after, (int)code, status.text);
        failures += code == STATUS_MEMORY;
        assert_true(code == STATUS_OK || *status.text);
        assert_int_equal(fixture_count(&fixture, "."), 0);
        assert_int_equal(fixture_count(&fixture, "测试 s.h5.lock"), 0);
        assert_true(fixture_exists(fixture.path));
    }
    assert_true(failures > 5);
}

static enum status_code open_and_append(struct status *status)
{
    struct store *store = NULL;
    struct record record;
    long left = atomic_exchange(&allowed, -1);
    fixture_record(grid_trial(fixture.grid, 1), FIXTURE_EVALS, &record);
    atomic_store(&allowed, left);
    enum status_code code = store_open(fixture.path, &fixture.sweep, fixture.grid, NULL, &store, NULL, status);
    if (code == STATUS_OK)
        code = store_append_result(store, &record, NULL, NULL, status);
    if (code == STATUS_OK)
        code = store_append_attempt(store, (struct hash128){5, 6}, NULL, status);
    if (code == STATUS_OK)
        code = store_sync(store, status);
    store_close(store);
    atomic_store(&allowed, -1);
    record_fini(&record);
    return code;
}

static enum status_code publish(struct status *status)
{
    return store_publish(fixture.path, &fixture.sweep, fixture.grid, NULL, NULL, status);
}

static enum status_code read_record(struct status *status)
{
    struct store_view *view = NULL;
    struct record record;
    enum status_code code = store_view_open(fixture.path, &view, status);
    if (code == STATUS_OK)
        code = store_view_record(view, 0, &record, status);
    if (code == STATUS_OK)
        record_fini(&record);
    store_view_close(view);
    return code;
}

static enum status_code in_an_arena(enum status_code (*work)(struct arena *arena, struct status *status),
                                    struct status *status)
{
    long left = atomic_exchange(&allowed, -1);
    struct arena *arena = arena_create(1 << 10, 0);
    assert_non_null(arena);
    atomic_store(&allowed, left);
    enum status_code code = work(arena, status);
    arena_destroy(arena);
    return code;
}

static enum status_code summarise_in(struct arena *arena, struct status *status)
{
    struct store_summary summary;
    return store_journal_summary(fixture.path, arena, &summary, NULL, status);
}

static enum status_code summarise(struct status *status)
{
    return in_an_arena(summarise_in, status);
}

static enum status_code compare_in(struct arena *arena, struct status *status)
{
    const char *const paths[] = {fixture.path, fixture.path};
    struct store_differences found;
    return store_diff(paths, 2, 3, arena, &found, status);
}

static enum status_code compare(struct status *status)
{
    return in_an_arena(compare_in, status);
}

static void opening_and_appending(void **state)
{
    (void)state;
    assert_fails_cleanly(open_and_append);
}

static void publishing(void **state)
{
    (void)state;
    assert_fails_cleanly(publish);
}

static void reading(void **state)
{
    (void)state;
    assert_fails_cleanly(read_record);
}

static void summarising(void **state)
{
    (void)state;
    assert_fails_cleanly(summarise);
}

static void comparing(void **state)
{
    (void)state;
    assert_fails_cleanly(compare);
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {UNIT(opening_and_appending), UNIT(publishing), UNIT(reading), UNIT(summarising),
                                       UNIT(comparing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
