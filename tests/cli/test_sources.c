// SPDX-License-Identifier: MIT
// Which trials those are that a sweep starts from.
#include "cli_sweep.h"
#include "support.h"
#include <stdio.h>
#include <string.h>

static struct hash128 identity_in(struct grid *grid, size_t index)
{
    return grid_trial(grid, index)->identity;
}

static struct grid *expand(struct cli_sweep *loaded, const char *text)
{
    struct status status = {0};
    if (cli_sweep_parse("s.yaml", text, strlen(text), loaded, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    return loaded->grid;
}

// The trials that a sweep starts from are those of the sweep that trained them.
static void sources_are_the_other_sweeps_trials(void **state)
{
    (void)state;
#define AXES "replicates: 2\ngrid: {encoding: [none, rope], noise_rate: [0.1]}\n"
    struct cli_sweep first, second, plain;
    struct grid *a = expand(&first, AXES "task: {train_length: 4}\ntrain: {steps: 30}\n");
    struct grid *b = expand(&second, AXES "init: {from: a.h5, with: {train_length: 4, steps: 30}}\n");
    struct grid *c = expand(&plain, AXES);
    assert_int_equal(grid_trials(a), 8);
    assert_int_equal(grid_trials(b), 8);
    for (size_t i = 0; i < grid_trials(b); i++) {
        struct hash128 source;
        int64_t step = 0;
        const struct grid_trial *trial = grid_trial(b, i);
        assert_true(sweep_source(&second.sweep, &trial->settings, &source, &step));
        assert_true(hash_equal(source, identity_in(a, i)));
        assert_int_equal(step, 30);
        assert_false(hash_equal(trial->identity, identity_in(c, i)));
        assert_true(trial->settings.init_source != 0);
        for (size_t k = 0; k < i; k++)
            assert_true(grid_trial(b, k)->settings.init_source != trial->settings.init_source);
        assert_false(sweep_source(&plain.sweep, &trial->settings, &source, &step));
    }
    cli_sweep_fini(&first);
    cli_sweep_fini(&second);
    cli_sweep_fini(&plain);
}

static void another_step_is_another_trial(void **state)
{
    (void)state;
    struct cli_sweep first, second;
    struct grid *a = expand(&first, "task: {noise_rate: 0}\ninit: {from: a.h5}\n");
    struct grid *b = expand(&second, "task: {noise_rate: 0}\ninit: {from: elsewhere/a.h5, step: 7}\n");
    assert_false(hash_equal(identity_in(a, 0), identity_in(b, 0)));
    cli_sweep_fini(&second);
    b = expand(&second, "task: {noise_rate: 0}\ninit: {from: elsewhere/a.h5, step: last}\n");
    assert_true(hash_equal(identity_in(a, 0), identity_in(b, 0))); // the same weights, wherever they lie
    cli_sweep_fini(&first);
    cli_sweep_fini(&second);
}

// How many steps a budget of tokens or operations comes to shows at its end.
static void the_last_step_of_a_budget_has_a_name(void **state)
{
    (void)state;
    static const char *const budgets[] = {"tokens", "flops"};
    char path[WEIGHTS_PATH_SIZE], text[128];
    for (int b = 0; b < 2; b++) {
        struct cli_sweep first, second;
        snprintf(text, sizeof text, "train: {budget: %s}\n", budgets[b]);
        struct grid *a = expand(&first, text);
        snprintf(text, sizeof text, "init: {from: a.h5, with: {budget: %s}}\n", budgets[b]);
        const struct settings settings = grid_trial(expand(&second, text), 0)->settings;
        struct hash128 source;
        int64_t step = 0;
        assert_int_equal(settings_last_step(&settings), 800);
        assert_int_equal(settings_last_step(&grid_trial(a, 0)->settings), STEP_LAST);
        assert_true(sweep_source(&second.sweep, &settings, &source, &step));
        assert_int_equal(step, STEP_LAST);
        assert_true(hash_equal(source, identity_in(a, 0)));
        cli_sweep_fini(&first);
        cli_sweep_fini(&second);
    }
    assert_true(weights_path("a.h5", (struct hash128){1, 2}, STEP_LAST, path));
    assert_string_equal(path, "a.h5.weights/00000000000000010000000000000002-last.safetensors");
}

static void paths_are_beside_the_store(void **state)
{
    (void)state;
    char path[WEIGHTS_PATH_SIZE], long_name[WEIGHTS_PATH_SIZE];
    assert_true(weights_path("results/a.h5", (struct hash128){1, 2}, 30, path));
    assert_string_equal(path, "results/a.h5.weights/00000000000000010000000000000002-30.safetensors");
    assert_true(weights_folder("results/a.h5", path));
    assert_string_equal(path, "results/a.h5.weights");
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    assert_false(weights_path(long_name, (struct hash128){1, 2}, 30, path));
    assert_false(weights_folder(long_name, path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_are_the_other_sweeps_trials),
        cmocka_unit_test(another_step_is_another_trial),
        cmocka_unit_test(the_last_step_of_a_budget_has_a_name),
        cmocka_unit_test(paths_are_beside_the_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
