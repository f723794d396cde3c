// SPDX-License-Identifier: MIT
#include "support.h"

#include "store_rows.h"
#include <string.h>

enum { ROWS = 12 };

static struct arena *arena;
static struct store_row rows[ROWS];
static struct row_lookup lookup;

// Two values of snr by noise rates (0, 0.25) by three replicates, mixed.
static int set_up(void **state)
{
    (void)state;
    struct status status = {0};
    arena = arena_create(1 << 12, 0);
    for (size_t i = 0; i < ROWS; i++) {
        size_t mixed = i * 7 % ROWS;
        rows[i] = (struct store_row){.reason = ""};
        settings_defaults(&rows[i].settings);
        rows[i].settings.task.snr = mixed % 2 ? 4 : 1;
        rows[i].settings.task.noise_rate = mixed / 2 % 2 ? 0.25 : 0;
        rows[i].settings.replicate = (int64_t)(mixed / 4);
        rows[i].identity = settings_identity(&rows[i].settings);
    }
    return arena && store_rows_sort(rows, ROWS, arena, &lookup, &status) == STATUS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    arena_destroy(arena);
    return 0;
}

static void rows_are_found_by_identity(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        assert_int_equal(store_rows_find(&lookup, rows[i].identity), i);
    assert_int_equal(store_rows_find(&lookup, (struct hash128){0, 0}), -1);
    assert_int_equal(store_rows_find(&lookup, (struct hash128){UINT64_MAX, UINT64_MAX}), -1);
    assert_int_equal(store_rows_find(&(struct row_lookup){0}, rows[0].identity), -1);
}

static void groups_differ_in_more_than_the_replicate(void **state)
{
    (void)state;
    struct status status = {0};
    size_t *group;
    ptrdiff_t *twin;
    size_t most = 0;
    assert_int_equal(store_rows_relate(rows, ROWS, &lookup, arena, &group, &twin, &status), STATUS_OK);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < ROWS; j++) {
            bool same = rows[i].settings.task.snr == rows[j].settings.task.snr &&
                        rows[i].settings.task.noise_rate == rows[j].settings.task.noise_rate;
            assert_int_equal(group[i] == group[j], same);
        }
        assert_true(group[i] <= most); // counted by first appearance
        most = group[i] == most ? most + 1 : most;
    }
    assert_int_equal(most, 4);
}

static void twins_share_all_but_the_noise(void **state)
{
    (void)state;
    struct status status = {0};
    size_t *group;
    ptrdiff_t *twin;
    assert_int_equal(store_rows_relate(rows, ROWS, &lookup, arena, &group, &twin, &status), STATUS_OK);
    for (size_t i = 0; i < ROWS; i++) {
        assert_true(twin[i] >= 0);
        struct settings settings = rows[twin[i]].settings;
        assert_true(settings.task.noise_rate == 0);
        settings.task.noise_rate = rows[i].settings.task.noise_rate;
        assert_null(settings_differ(&settings, &rows[i].settings));
        assert_int_equal(twin[twin[i]], twin[i]);
    }
}

static void a_trial_may_lack_its_twin(void **state)
{
    (void)state;
    struct status status = {0};
    size_t *group;
    ptrdiff_t *twin;
    struct row_lookup two;
    rows[0].settings.task.noise_rate = 0.5;
    rows[0].identity = settings_identity(&rows[0].settings);
    assert_int_equal(store_rows_sort(rows, 1, arena, &two, &status), STATUS_OK);
    assert_int_equal(store_rows_relate(rows, 1, &two, arena, &group, &twin, &status), STATUS_OK);
    assert_int_equal(twin[0], -1);
    assert_int_equal(group[0], 0);
    assert_int_equal(store_rows_sort(NULL, 0, arena, &two, &status), STATUS_OK);
    assert_int_equal(store_rows_relate(NULL, 0, &two, arena, &group, &twin, &status), STATUS_OK);
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        UNIT(rows_are_found_by_identity),
        UNIT(groups_differ_in_more_than_the_replicate),
        UNIT(twins_share_all_but_the_noise),
        UNIT(a_trial_may_lack_its_twin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
