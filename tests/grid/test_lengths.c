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

// Between lengths that can be made, below the train length, and at it where tests differ from training.
static void lengths_that_a_task_cannot_make_are_refused_wherever_they_stand(void **state)
{
    (void)state;
    const struct {
        const char *settings[4][2], *lengths, *why; // NULL: none
    } rows[] = {
        {{{"task", "solve_equation"}}, "2 1x", "test_length is 2"},
        {{{"task", "solve_equation"}}, "3 1x", NULL},
        {{{"task", "addition"}, {"operand_offset", "5"}}, "1 1x 4x", "test_length = 1 "},
        {{{"task", "addition"}, {"test_operand_offset", "8"}}, "1x 4x", "test_length = 8 "},
        {{{"task", "addition"}, {"test_operand_offset", "8"}}, "4x", NULL},
        {{{"task", "automaton"}, {"automaton", "modular_arithmetic"}, {"supervision", "final"}, {"train_length", "7"}},
         "1x 28 35",
         "test_length is 28"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        struct grid *grid = NULL;
        struct status status = {0};
        fixture_init(&f);
        for (size_t k = 0; k < 4 && rows[i].settings[k][0]; k++)
            fixture_set(&f, rows[i].settings[k][0], rows[i].settings[k][1]);
        fixture_set(&f, "model", "rnn");
        fixture_lengths(&f, rows[i].lengths);
        enum status_code code = grid_expand(&f.sweep, 10, &grid, &status);
        assert_int_equal(code, rows[i].why ? STATUS_INVALID : STATUS_OK);
        if (rows[i].why && !strstr(status.text, rows[i].why))
            fail_msg("row %zu: %s", i, status.text);
        grid_destroy(grid);
        fixture_fini(&f);
    }
}

static void a_twin_is_not_tested_at_a_train_length_that_tests_cannot_have(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_set(&f, "task", "addition");
    fixture_set(&f, "test_operand_offset", "8");
    fixture_set(&f, "noise_rate", "0.1");
    fixture_set(&f, "model", "rnn");
    fixture_lengths(&f, "4x");
    struct grid *grid = fixture_expand(&f);
    assert_int_equal(grid_trials(grid), 2);
    assert_string_equal(trial_lengths(grid, (size_t)grid_twin(grid, 0)), "32");
    grid_destroy(grid);
    fixture_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_that_a_task_cannot_make_are_refused_wherever_they_stand),
        cmocka_unit_test(a_twin_is_not_tested_at_a_train_length_that_tests_cannot_have),
        cmocka_unit_test(lengths_are_resolved_for_each_train_length),
        cmocka_unit_test(exclusions_take_single_lengths),
        cmocka_unit_test(cells_that_share_a_trial_join_their_lengths),
        cmocka_unit_test(equal_sets_are_kept_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
