// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_clock.h"
#include "fixture.h"
#include <stdio.h>
#include <string.h>

static void a_sweep_without_axes_is_one_trial(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.sweep.twins = false;
    struct grid *grid = fixture_expand(&f);
    assert_true(grid_cells(&f.sweep) == 1);
    assert_int_equal(grid_cell_count(grid), 1);
    assert_int_equal(grid_trials(grid), 1);
    assert_int_equal(grid_cell_trial(grid, 0), 0);
    assert_memory_equal(&grid_trial(grid, 0)->settings, &f.sweep.base, sizeof f.sweep.base);
    assert_string_equal(trial_lengths(grid, 0), "8");
    grid_destroy(grid);
    fixture_fini(&f);
}

static void cells_run_through_the_last_axis_first_then_replicates(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.sweep.twins = false;
    f.sweep.replicates = 2;
    fixture_axis(&f, "snr", "4 1");
    fixture_axis(&f, "encoding", "rope none alibi");
    struct grid *grid = fixture_expand(&f);
    const double snr[] = {4, 1};
    const int encoding[] = {ENCODING_ROPE, ENCODING_NONE, ENCODING_ALIBI};
    assert_int_equal(grid_trials(grid), 12);
    for (size_t cell = 0; cell < 12; cell++) {
        const struct grid_trial *trial = grid_trial(grid, (size_t)grid_cell_trial(grid, cell));
        assert_int_equal(grid_cell_trial(grid, cell), cell);
        assert_int_equal(trial->cell, cell);
        assert_true(trial->settings.task.snr == snr[cell / 6]);
        assert_int_equal(trial->settings.model.encoding, encoding[cell / 2 % 3]);
        assert_int_equal(trial->settings.replicate, cell % 2);
        assert_true(hash_equal(trial->identity, settings_identity(&trial->settings)));
        assert_int_equal(grid_find(grid, trial->identity), cell);
    }
    assert_int_equal(grid_find(grid, (struct hash128){1, 2}), -1);
    grid_destroy(grid);
    fixture_fini(&f);
}

static void a_zip_block_is_one_axis(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.sweep.twins = false;
    fixture_axis(&f, "dim", "8 16 32");
    fixture_column(&f, "learning_rate", "0.1 0.2 0.3");
    fixture_axis(&f, "snr", "1 2");
    struct grid *grid = fixture_expand(&f);
    const double learning_rate[] = {0.1, 0.2, 0.3};
    assert_int_equal(grid_trials(grid), 6);
    for (size_t i = 0; i < 6; i++) {
        const struct settings *settings = &grid_trial(grid, i)->settings;
        assert_int_equal(settings->task.dim, 8 << i / 2);
        assert_true(settings->train.learning_rate == learning_rate[i / 2]);
    }
    grid_destroy(grid);
    fixture_fini(&f);
}

static void settings_that_do_not_apply_make_no_trials(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.sweep.twins = false;
    fixture_axis(&f, "encoding", "none rope");
    fixture_axis(&f, "rope_base", "100 1000 10000");
    struct grid *grid = fixture_expand(&f);
    const ptrdiff_t trials[] = {0, 0, 0, 1, 2, 3};
    assert_int_equal(grid_trials(grid), 4);
    for (size_t cell = 0; cell < 6; cell++)
        assert_int_equal(grid_cell_trial(grid, cell), trials[cell]);
    assert_int_equal(grid_trial(grid, 0)->cell, 0);
    assert_int_equal(grid_trial(grid, 2)->cell, 4);
    grid_destroy(grid);
    fixture_fini(&f);
}

static void excluded_cells_are_dropped(void **state)
{
    (void)state;
    const struct {
        const char *exclude[2], *cells; // x where a cell is left out; axes snr 1 2 4, encoding none rope
    } rows[] = {
        {{"snr=1"}, "xx...."},
        {{"snr=1,4"}, "xx..xx"},
        {{"encoding=rope"}, ".x.x.x"},
        {{"snr=2 encoding=none"}, "..x..."},
        {{"snr=1 encoding=rope", "snr=4 encoding=none"}, ".x..x."},
        {{"snr=1,2 encoding=none,rope"}, "xxxx.."},
        {{"snr=1 dim=64"}, "xx...."},
        {{"snr=1 dim=65"}, "......"},
        {{"test_length=1x"}, "xxxxxx"},
        {{"snr=1 test_length=8"}, "xx...."},
        {{"snr=1 test_length=16"}, "......"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        struct grid *grid;
        char cells[7] = "";
        fixture_init(&f);
        f.sweep.twins = false;
        fixture_axis(&f, "snr", "1 2 4");
        fixture_axis(&f, "encoding", "none rope");
        for (size_t k = 0; k < 2 && rows[i].exclude[k]; k++)
            fixture_exclude(&f, rows[i].exclude[k]);
        struct status status;
        enum status_code code = grid_expand(&f.sweep, 100, &grid, &status);
        if (strchr(rows[i].cells, '.')) {
            assert_int_equal(code, STATUS_OK);
            for (size_t cell = 0; cell < 6; cell++)
                cells[cell] = grid_cell_trial(grid, cell) < 0 ? 'x' : '.';
            assert_string_equal(cells, rows[i].cells);
            grid_destroy(grid);
        } else {
            assert_int_equal(code, STATUS_INVALID);
            assert_string_equal(status.text, "s.yaml: no trial is left: the exclusions take every cell");
        }
        fixture_fini(&f);
    }
}

static void reordering_changes_no_identity(void **state)
{
    (void)state;
    struct fixture a, b;
    fixture_init(&a);
    fixture_init(&b);
    fixture_axis(&a, "snr", "1 2 4");
    fixture_axis(&a, "noise_rate", "0.1 0.2");
    fixture_axis(&b, "noise_rate", "0.2 0.1 0.3");
    fixture_axis(&b, "snr", "4 1 2");
    struct grid *first = fixture_expand(&a), *second = fixture_expand(&b);
    assert_int_equal(grid_trials(first), 9);
    assert_int_equal(grid_trials(second), 12);
    for (size_t i = 0; i < grid_trials(first); i++) {
        ptrdiff_t at = grid_find(second, grid_trial(first, i)->identity);
        assert_true(at >= 0);
        assert_memory_equal(&grid_trial(first, i)->settings, &grid_trial(second, (size_t)at)->settings,
                            sizeof(struct settings));
    }
    grid_destroy(first);
    grid_destroy(second);
    fixture_fini(&a);
    fixture_fini(&b);
}

static void a_grid_beyond_the_limit_is_refused_at_once(void **state)
{
    (void)state;
    struct fixture f;
    struct grid *grid = NULL;
    struct status status;
    const char *const names[] = {"snr", "samples", "steps", "init_scale", "learning_rate", "train_length"};
    char values[400] = "1";
    for (int i = 2; i <= 100; i++)
        snprintf(values + strlen(values), sizeof values - strlen(values), " %d", i);
    fixture_init(&f);
    for (size_t a = 0; a < 6; a++)
        fixture_axis(&f, names[a], values);
    double start = clock_cpu();
    assert_true(grid_cells(&f.sweep) == 1e12);
    assert_int_equal(grid_expand(&f.sweep, 1000000, &grid, &status), STATUS_INVALID);
    assert_true(clock_cpu() - start < 0.1);
    assert_null(grid);
    assert_string_equal(
        status.text,
        "s.yaml: the grid has 1000000000000 cells (100 snr x 100 samples x 100 steps x 100 init_scale x "
        "100 learning_rate x 100 train_length x 1 replicates), more than the limit of 1000000; shorten some axes");
    f.sweep.axes_count = 1;
    f.sweep.replicates = 3;
    assert_int_equal(grid_expand(&f.sweep, 299, &grid, &status), STATUS_INVALID);
    assert_int_equal(grid_expand(&f.sweep, 300, &grid, &status), STATUS_OK);
    grid_destroy(grid);
    f.sweep.replicates = INT64_MAX;
    assert_int_equal(grid_expand(&f.sweep, SIZE_MAX, &grid, &status), STATUS_INVALID);
    fixture_fini(&f);
}

static void settings_at_odds_are_refused_with_their_line(void **state)
{
    (void)state;
    struct fixture f;
    struct grid *grid = NULL;
    struct status status;
    fixture_init(&f);
    fixture_axis(&f, "encoding", "none rope");
    fixture_axis(&f, "head_dim", "16 15");
    assert_int_equal(grid_expand(&f.sweep, 100, &grid, &status), STATUS_INVALID);
    assert_non_null(strstr(status.text, "s.yaml:2:1: head_dim is 15"));
    assert_non_null(strstr(status.text, " (at encoding=rope, head_dim=15, replicate=0)\n     2 | two\n"));
    fixture_exclude(&f, "encoding=rope head_dim=15");
    grid = fixture_expand(&f);
    assert_int_equal(grid_trials(grid), 6);
    grid_destroy(grid);
    fixture_fini(&f);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

static void all_contradictions_are_told_once_in_the_order_of_the_file(void **state)
{
    (void)state;
    struct fixture f;
    struct grid *grid = NULL;
    struct status status;
    fixture_init(&f);
    f.sweep.replicates = 3;
    fixture_set(&f, "curve_samples", "5000");
    fixture_set(&f, "model", "transformer");
    fixture_axis(&f, "warmup", "0.5 900");
    fixture_axis(&f, "heads", "5 7 8");
    assert_int_equal(grid_expand(&f.sweep, 100, &grid, &status), STATUS_INVALID);
    assert_null(grid);
    assert_int_equal(count_of(status.text, "s.yaml"), 4);
    const char *whole = strstr(status.text, "s.yaml: curve_samples is 5000"),
               *first = strstr(status.text, "s.yaml:1:1: warmup is 900"),
               *second = strstr(status.text, "s.yaml:2:1: width is 64, which heads = 5 do not divide"),
               *third = strstr(status.text, "s.yaml:2:1: width is 64, which heads = 7 do not divide");
    assert_true(whole && first > whole && second > first && third > second);
    assert_non_null(strstr(whole, "(at warmup=0.5, heads=5, replicate=0, and 17 more cells)"));
    assert_non_null(strstr(first, "(at warmup=900, heads=5, replicate=0, and 8 more cells)"));
    assert_non_null(strstr(third, "(at warmup=0.5, heads=7, replicate=0, and 5 more cells)"));
    fixture_fini(&f);
}

static void a_long_list_of_contradictions_is_cut(void **state)
{
    (void)state;
    struct fixture f;
    struct grid *grid = NULL;
    struct status status;
    fixture_init(&f);
    fixture_set(&f, "model", "transformer");
    fixture_axis(&f, "width", "1 2 3 5 6 7 9 10 11 13 14 15 17 18 19 21 22 23 25 26 27 29 30 31");
    assert_int_equal(grid_expand(&f.sweep, 100, &grid, &status), STATUS_INVALID);
    assert_int_equal(count_of(status.text, "do not divide"), 20);
    assert_non_null(strstr(status.text, "\nand more errors, once these are mended"));
    fixture_fini(&f);
}

static void the_line_is_that_of_a_setting_that_the_file_has(void **state)
{
    (void)state;
    const struct {
        const char *axis, *values, *set[2], *lengths, *message;
    } rows[] = {
        {"width", "64 30", {"heads", "4"}, "1x", "s.yaml:1:1: width is 30"},
        {"heads", "4 5", {"width", "64"}, "1x", "s.yaml:1:1: width is 64"},
        {"train_length", "8 16", {"random_positions", "12"}, "1x", "s.yaml:1:1: random_positions is 12, fewer"},
        {"random_positions", "64 0", {"encoding", "t5"}, "1x 128 64", "s.yaml:3:1: test sequences of 128 tokens have"},
        {"encoding", "t5", {"random_positions", "64"}, "9x", "s.yaml:3:1: test sequences of 72 tokens have more"},
        {"width", "64", {"heads", "4"}, "1x 65536 65537", "s.yaml:3:1: test sequences of 65537 tokens are longer"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        struct grid *grid = NULL;
        struct status status;
        fixture_init(&f);
        fixture_set(&f, "model", "transformer");
        fixture_set(&f, "encoding", "alibi");
        fixture_set(&f, rows[i].set[0], rows[i].set[1]);
        fixture_axis(&f, rows[i].axis, rows[i].values);
        fixture_lengths(&f, rows[i].lengths);
        assert_int_equal(grid_expand(&f.sweep, 100, &grid, &status), STATUS_INVALID);
        assert_int_equal(count_of(status.text, "s.yaml"), 1);
        assert_memory_equal(status.text, rows[i].message, strlen(rows[i].message));
        fixture_fini(&f);
    }
}

static void warns_of_settings_that_no_trial_uses(void **state)
{
    (void)state;
    struct fixture f;
    struct bytes text = {0};
    fixture_init(&f);
    fixture_axis(&f, "encoding", "none rope");
    fixture_axis(&f, "heads", "2 4");
    fixture_axis(&f, "rope_base", "100 1000");
    struct grid *grid = fixture_expand(&f);
    grid_warn_idle(grid, &text);
    bytes_u8(&text, 0);
    assert_false(text.failed);
    assert_int_equal(count_of((const char *)text.data, "warning"), 1);
    assert_non_null(strstr((const char *)text.data, "s.yaml:2:1: warning: heads has no effect in any trial"));
    bytes_fini(&text);
    grid_destroy(grid);
    fixture_fini(&f);
}

static void test_lengths_that_are_no_tokens_are_refused_with_their_line(void **state)
{
    (void)state;
    struct fixture f;
    struct grid *grid = NULL;
    struct status status;
    fixture_init(&f);
    fixture_axis(&f, "train_length", "8 9");
    fixture_lengths(&f, "1x 0.5x");
    assert_int_equal(grid_expand(&f.sweep, 100, &grid, &status), STATUS_INVALID);
    assert_non_null(strstr(status.text, "s.yaml:3:1: test_length: 0.5x of train_length 9 is not an integer"));
    assert_null(strstr(status.text, "(at "));
    fixture_fini(&f);
}

static void a_hundred_thousand_cells_take_a_blink(void **state)
{
    (void)state;
    struct fixture f;
    char values[2048] = "0.001";
    for (int i = 2; i <= 250; i++)
        snprintf(values + strlen(values), sizeof values - strlen(values), " 0.%03d", i);
    fixture_init(&f);
    f.sweep.replicates = 4;
    fixture_lengths(&f, "1x 4x 16x 256");
    fixture_axis(&f, "encoding", "none sinusoidal absolute relative");
    fixture_axis(&f, "noise_rate", "0 0.1 0.2 0.3 0.4");
    fixture_axis(&f, "train_length", "8 16 32 64 128");
    fixture_axis(&f, "learning_rate", values);
    double start = clock_cpu();
    struct grid *grid = fixture_expand(&f);
    double seconds = clock_cpu() - start;
    assert_int_equal(grid_trials(grid), 100000);
    grid_destroy(grid);
#ifndef LGSWEEP_SANITIZE
    assert_true(seconds < 10); // a hundredth of it is usual
#else
    (void)seconds;
#endif
    fixture_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_without_axes_is_one_trial),
        cmocka_unit_test(cells_run_through_the_last_axis_first_then_replicates),
        cmocka_unit_test(a_zip_block_is_one_axis),
        cmocka_unit_test(settings_that_do_not_apply_make_no_trials),
        cmocka_unit_test(excluded_cells_are_dropped),
        cmocka_unit_test(reordering_changes_no_identity),
        cmocka_unit_test(a_grid_beyond_the_limit_is_refused_at_once),
        cmocka_unit_test(settings_at_odds_are_refused_with_their_line),
        cmocka_unit_test(all_contradictions_are_told_once_in_the_order_of_the_file),
        cmocka_unit_test(a_long_list_of_contradictions_is_cut),
        cmocka_unit_test(the_line_is_that_of_a_setting_that_the_file_has),
        cmocka_unit_test(warns_of_settings_that_no_trial_uses),
        cmocka_unit_test(test_lengths_that_are_no_tokens_are_refused_with_their_line),
        cmocka_unit_test(a_hundred_thousand_cells_take_a_blink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
