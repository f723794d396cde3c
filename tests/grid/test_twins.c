// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <string.h>

static void noisy_trials_get_a_twin_each_setting_once(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.sweep.replicates = 2;
    fixture_axis(&f, "noise_rate", "0.1 0.2");
    fixture_axis(&f, "snr", "1 4");
    struct grid *grid = fixture_expand(&f);
    assert_int_equal(grid_cell_count(grid), 8);
    assert_int_equal(grid_trials(grid), 12);
    for (size_t i = 0; i < 8; i++) {
        assert_false(grid_trial(grid, i)->twin);
        assert_int_equal(grid_twin(grid, i), 8 + i % 4);
    }
    for (size_t i = 8; i < 12; i++) {
        const struct grid_trial *twin = grid_trial(grid, i);
        struct settings expected = grid_trial(grid, i - 8)->settings;
        expected.task.noise_rate = 0;
        assert_true(twin->twin);
        assert_int_equal(twin->cell, i - 8);
        assert_memory_equal(&twin->settings, &expected, sizeof expected);
        assert_true(hash_equal(twin->identity, settings_identity(&expected)));
        assert_int_equal(grid_find(grid, twin->identity), i);
        assert_int_equal(grid_twin(grid, i), i);
    }
    grid_destroy(grid);
    fixture_fini(&f);
}

static void a_trial_of_the_grid_is_partner_before_any_twin(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_axis(&f, "noise_rate", "0.1 0 0.2");
    fixture_axis(&f, "snr", "1 4");
    struct grid *grid = fixture_expand(&f);
    assert_int_equal(grid_trials(grid), 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(grid_twin(grid, i), 2 + i % 2);
    grid_destroy(grid);
    // The cell is out, but the verdicts of its neighbours need it.
    fixture_exclude(&f, "noise_rate=0 snr=4");
    grid = fixture_expand(&f);
    assert_int_equal(grid_trials(grid), 6);
    assert_int_equal(grid_cell_trial(grid, 3), -1);
    assert_true(grid_trial(grid, 5)->twin);
    assert_int_equal(grid_twin(grid, 1), 5);
    assert_int_equal(grid_twin(grid, 0), 2);
    grid_destroy(grid);
    fixture_fini(&f);
}

static void without_twins_none_is_added(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.sweep.twins = false;
    fixture_lengths(&f, "4x");
    fixture_axis(&f, "noise_rate", "0.1 0");
    fixture_axis(&f, "snr", "1 4");
    fixture_exclude(&f, "noise_rate=0 snr=4");
    struct grid *grid = fixture_expand(&f);
    assert_int_equal(grid_trials(grid), 3);
    assert_int_equal(grid_twin(grid, 0), 2);
    assert_int_equal(grid_twin(grid, 1), -1);
    assert_int_equal(grid_twin(grid, 2), 2);
    assert_string_equal(trial_lengths(grid, 2), "32");
    grid_destroy(grid);
    fixture_fini(&f);
}

static void a_partner_is_tested_where_it_is_asked_for_and_at_the_train_length(void **state)
{
    (void)state;
    const struct {
        const char *noise_rates, *lengths, *exclude, *partner, *all;
    } rows[] = {
        {"0.1", "4x 64", NULL, "8 32 64", "8 32 64"},
        {"0.1", "1x", NULL, "8", "8"},
        {"0.1 0.2", "2x 4x", "noise_rate=0.1 test_length=2x", "8 16 32", "8 16 32"},
        {"0.1 0.2", "2x 4x 8x", "test_length=2x", "8 32 64", "8 32 64"},
        {"0.1 0", "4x", NULL, "8 32", "8 32"},
        {"0.1 0", "2x 4x", "noise_rate=0 test_length=2x", "8 16 32", "8 16 32"},
        {"0", "4x", NULL, "32", "32"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        const int64_t *all;
        fixture_init(&f);
        fixture_axis(&f, "noise_rate", rows[i].noise_rates);
        fixture_lengths(&f, rows[i].lengths);
        if (rows[i].exclude)
            fixture_exclude(&f, rows[i].exclude);
        struct grid *grid = fixture_expand(&f);
        ptrdiff_t partner = grid_twin(grid, 0);
        assert_true(partner >= 0);
        assert_string_equal(trial_lengths(grid, (size_t)partner), rows[i].partner);
        size_t count = grid_lengths(grid, &all);
        assert_int_equal(count, grid_trial(grid, (size_t)partner)->lengths_count);
        assert_memory_equal(all, grid_trial(grid, (size_t)partner)->lengths, count * sizeof *all);
        grid_destroy(grid);
        fixture_fini(&f);
    }
}

static void what_a_partner_gets_is_not_what_its_cell_wants(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_axis(&f, "noise_rate", "0.1 0");
    fixture_lengths(&f, "4x");
    struct grid *grid = fixture_expand(&f);
    assert_string_equal(trial_lengths(grid, 1), "8 32");
    assert_false(grid_wants(grid, 1, 8));
    assert_true(grid_wants(grid, 1, 32));
    grid_destroy(grid);
    fixture_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noisy_trials_get_a_twin_each_setting_once),
        cmocka_unit_test(a_trial_of_the_grid_is_partner_before_any_twin),
        cmocka_unit_test(without_twins_none_is_added),
        cmocka_unit_test(a_partner_is_tested_where_it_is_asked_for_and_at_the_train_length),
        cmocka_unit_test(what_a_partner_gets_is_not_what_its_cell_wants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
