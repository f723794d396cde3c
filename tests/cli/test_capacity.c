// SPDX-License-Identifier: MIT
#include "support.h"

#include "../../src/cli/capacity.h"
#include "trial.h"
#include <stdlib.h>
#include <string.h>

static const char text[] = "twins: false\n"
                           "task: {dim: 100, samples: 2000}\n"
                           "model:\n"
                           "  kind: transformer\n"
                           "  width: 64\n"
                           "grid:\n"
                           "  layers: [1, 64]\n"
                           "  train_length: [8, 16]\n"
                           "  test_length: [1x, 256x]\n";

static int load(void **state)
{
    struct cli_sweep *sweep = calloc(1, sizeof *sweep);
    struct status status = {0};
    enum status_code code = cli_sweep_parse("s.yaml", text, strlen(text), sweep, &status);
    if (code)
        print_error("%s\n", status.text);
    *state = sweep;
    return (int)code;
}

static int unload(void **state)
{
    cli_sweep_fini(*state);
    free(*state);
    return 0;
}

static struct capacity_trial trial_at(const struct cli_sweep *sweep, size_t index)
{
    const struct grid_trial *trial = grid_trial(sweep->grid, index);
    return (struct capacity_trial){&trial->settings, trial->lengths, trial->lengths_count};
}

static double need_of(const struct capacity_trial *trial)
{
    return trial_memory(trial->settings, trial->lengths, trial->lengths_count);
}

static void a_trial_that_just_fits_is_none_of_its_business(void **state)
{
    const struct cli_sweep *sweep = *state;
    struct status status = {0};
    for (size_t i = 0; i < grid_trials(sweep->grid); i++) {
        const struct capacity_trial trial = trial_at(sweep, i);
        assert_int_equal(capacity_check(&sweep->sweep, &trial, need_of(&trial), &status), STATUS_OK);
        assert_int_equal(capacity_check(&sweep->sweep, &trial, need_of(&trial) - 1, &status), STATUS_INVALID);
    }
}

static void names_what_to_lower_and_its_line(void **state)
{
    const struct cli_sweep *sweep = *state;
    static const struct {
        int64_t lengths[2], samples, layers, width;
        const char *place, *culprit;
    } rows[] = {
        {{16, 20}, 10000000, 1, 64, "s.yaml:2:18: ", "; lower samples (10000000) "},
        {{16, 20}, 10, 64, 1024, "s.yaml:5:3: ", "; lower width (1024) or layers (64) or "},
        {{16, 4096}, 10, 1, 64, "s.yaml:2:8: ", "; lower dim (100) or test_length (4096) "},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = sweep->sweep.base;
        struct status status = {0};
        settings.task.train_length = 16;
        settings.task.samples = rows[r].samples;
        settings.model.layers = rows[r].layers;
        settings.model.width = rows[r].width;
        const struct capacity_trial trial = {&settings, rows[r].lengths, 2};
        assert_int_equal(capacity_check(&sweep->sweep, &trial, 1e6, &status), STATUS_INVALID);
        if (strncmp(status.text, rows[r].place, strlen(rows[r].place)) != 0 || !strstr(status.text, rows[r].culprit))
            fail_msg("'%s' and '%s' are not in: %s", rows[r].place, rows[r].culprit, status.text);
        assert_non_null(strstr(status.text, "a trial needs "));
        assert_null(strstr(status.text, "heads ("));
        assert_non_null(strstr(status.text, "but this machine has "));
    }
}

static void names_nothing_that_saves_little(void **state)
{
    const struct cli_sweep *sweep = *state;
    static const int64_t length = 2000;
    struct settings settings = sweep->sweep.base;
    settings.task.kind = TASK_ACCUMULATOR;
    settings.task.samples = 10000000;
    settings.task.train_length = length;
    for (settings.task.modulus = 5; settings.task.modulus <= 500; settings.task.modulus *= 100) {
        struct status status = {0};
        const struct capacity_trial trial = {&settings, &length, 1};
        assert_int_equal(capacity_check(&sweep->sweep, &trial, 1e6, &status), STATUS_INVALID);
        assert_non_null(strstr(status.text, "train_length (2000)"));
        assert_int_equal(strstr(status.text, "modulus (") != NULL, settings.task.modulus == 500);
    }
}

static void only_what_is_left_to_run_counts(void **state)
{
    struct cli_sweep *sweep = *state;
    struct standing standing;
    struct status status = {0};
    double need[4];
    assert_int_equal(grid_trials(sweep->grid), 4);
    for (size_t i = 0; i < 4; i++) {
        const struct capacity_trial trial = trial_at(sweep, i);
        need[i] = need_of(&trial);
    }
    assert_int_equal(standing_init(sweep->grid, sweep->arena, &standing, &status), STATUS_OK);
    const double most = need[3] - 1; // 64 layers, 4,096 tokens
    assert_true(need[0] < most && need[1] < most && need[2] < most);
    assert_int_equal(capacity_check_rest(sweep, &standing, need, most, &status), STATUS_INVALID);
    assert_non_null(strstr(status.text, "(at layers=64 train_length=16 replicate=0)"));
    standing.state[3] = RECORD_DONE;
    assert_int_equal(capacity_check_rest(sweep, &standing, need, most, &status), STATUS_OK);
    for (size_t i = 0; i < 4; i++)
        standing.state[i] = RECORD_DONE;
    assert_int_equal(capacity_check_rest(sweep, &standing, need, 0, &status), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trial_that_just_fits_is_none_of_its_business),
        cmocka_unit_test(names_what_to_lower_and_its_line),
        cmocka_unit_test(names_nothing_that_saves_little),
        cmocka_unit_test(only_what_is_left_to_run_counts),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
