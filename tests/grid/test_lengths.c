// SPDX-License-Identifier: MIT
#include "support.h"

#include "../../src/grid/grid_sets.h"
#include "fixture.h"
#include <string.h>

static void lengths_are_resolved_for_each_train_length(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.sweep.twins = false;
    fixture_axis(&f, "train_length", "8 16 100");
    fixture_lengths(&f, "4x 1x 64 0.5x 32");
    struct grid *grid = fixture_expand(&f);
    const int64_t *all;
    assert_string_equal(trial_lengths(grid, 0), "4 8 32 64");
    assert_string_equal(trial_lengths(grid, 1), "8 16 32 64");
    assert_string_equal(trial_lengths(grid, 2), "32 50 64 100 400");
    const int64_t expected[] = {4, 8, 16, 32, 50, 64, 100, 400};
    assert_int_equal(grid_lengths(grid, &all), 8);
    assert_memory_equal(all, expected, sizeof expected);
    grid_destroy(grid);
    fixture_fini(&f);
}

// Axes: snr 1 2, train_length 8 16. Lengths 1x, 4x, 64.
static void exclusions_take_single_lengths(void **state)
{
    (void)state;
    const struct {
        const char *exclude[2], *lengths[4]; // of the cells; NULL: the cell is out
    } rows[] = {
        {{"snr=1 test_length=64"}, {"8 32", "16", "8 32 64", "16 64"}},
        {{"snr=1 test_length=4x"}, {"8 64", "16", "8 32 64", "16 64"}},
        {{"train_length=16 test_length=4x"}, {"8 32 64", "16", "8 32 64", "16"}},
        {{"test_length=64"}, {"8 32", "16", "8 32", "16"}},
        {{"test_length=8x"}, {"8 32", "16 64", "8 32", "16 64"}},
        {{"test_length=1x,4x"}, {"64", NULL, "64", NULL}},
        {{"snr=1 test_length=1x", "snr=1 test_length=64"}, {"32", NULL, "8 32 64", "16 64"}},
        {{"snr=1 test_length=1x", "snr=2"}, {"32 64", "64", NULL, NULL}},
        {{"snr=2 test_length=5"}, {"8 32 64", "16 64", "8 32 64", "16 64"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        fixture_init(&f);
        f.sweep.twins = false;
        fixture_axis(&f, "snr", "1 2");
        fixture_axis(&f, "train_length", "8 16");
        fixture_lengths(&f, "1x 4x 64");
        for (size_t k = 0; k < 2 && rows[i].exclude[k]; k++)
            fixture_exclude(&f, rows[i].exclude[k]);
        struct grid *grid = fixture_expand(&f);
        for (size_t cell = 0; cell < 4; cell++) {
            ptrdiff_t trial = grid_cell_trial(grid, cell);
            assert_int_equal(trial < 0, !rows[i].lengths[cell]);
            if (trial < 0) {
                assert_false(grid_wants(grid, cell, 8));
                continue;
            }
            assert_string_equal(trial_lengths(grid, (size_t)trial), rows[i].lengths[cell]);
            const int64_t asked[] = {8, 16, 32, 64};
            for (size_t l = 0; l < 4; l++) {
                const struct grid_trial *at = grid_trial(grid, (size_t)trial);
                bool has = false;
                for (size_t k = 0; k < at->lengths_count; k++)
                    has |= at->lengths[k] == asked[l];
                assert_int_equal(grid_wants(grid, cell, asked[l]), has);
            }
        }
        grid_destroy(grid);
        fixture_fini(&f);
    }
}

static void cells_that_share_a_trial_join_their_lengths(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.sweep.twins = false;
    fixture_axis(&f, "rope_base", "100 1000");
    fixture_lengths(&f, "1x 2x 4x");
    fixture_exclude(&f, "rope_base=100 test_length=1x");
    fixture_exclude(&f, "rope_base=1000 test_length=4x");
    struct grid *grid = fixture_expand(&f);
    assert_int_equal(grid_trials(grid), 1);
    assert_string_equal(trial_lengths(grid, 0), "8 16 32");
    assert_false(grid_wants(grid, 0, 8));
    assert_true(grid_wants(grid, 0, 16));
    assert_true(grid_wants(grid, 0, 32));
    assert_true(grid_wants(grid, 1, 8));
    assert_false(grid_wants(grid, 1, 32));
    assert_false(grid_wants(grid, 1, 99));
    grid_destroy(grid);
    fixture_fini(&f);
}

static void equal_sets_are_kept_once(void **state)
{
    (void)state;
    struct arena *arena = arena_create(1 << 12, 0);
    struct length_sets sets;
    assert_true(sets_init(&sets, arena));
    int64_t one[] = {4, 2, 4, 8}, two[] = {8, 4, 2}, three[] = {2, 16}, four[] = {4};
    uint32_t a = sets_add(&sets, one, 4), b = sets_add(&sets, two, 3), c = sets_add(&sets, three, 2);
    assert_int_equal(a, b);
    assert_int_not_equal(a, c);
    assert_int_equal(sets.set[a].count, 3);
    assert_int_equal(sets_union(&sets, a, sets_add(&sets, four, 1)), a);
    assert_int_equal(sets_union(&sets, 0, a), a);
    assert_int_equal(sets_union(&sets, a, 0), a);
    uint32_t both = sets_union(&sets, a, c);
    const int64_t expected[] = {2, 4, 8, 16};
    assert_int_equal(sets.set[both].count, 4);
    assert_memory_equal(sets.set[both].lengths, expected, sizeof expected);
    assert_int_equal(sets_union(&sets, c, a), both);
    assert_int_equal(sets_union(&sets, TABLE_NONE, a), TABLE_NONE);
    sets_fini(&sets);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_are_resolved_for_each_train_length),
        cmocka_unit_test(exclusions_take_single_lengths),
        cmocka_unit_test(cells_that_share_a_trial_join_their_lengths),
        cmocka_unit_test(equal_sets_are_kept_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
