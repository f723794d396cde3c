// SPDX-License-Identifier: MIT
#include "support.h"

#include "train_schedule.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void has_known_steps(void **state)
{
    const struct {
        int64_t points, steps;
        size_t count;
        int64_t expected[12];
    } rows[] = {
        {1, 0, 1, {0}},
        {9, 0, 1, {0}},
        {1, 800, 1, {800}},
        {2, 800, 2, {0, 800}},
        {3, 800, 3, {0, 1, 800}},
        {5, 1000, 5, {0, 1, 10, 100, 1000}},
        {12, 3, 4, {0, 1, 2, 3}},
        {4, 3, 4, {0, 1, 2, 3}},
        {9, 10, 9, {0, 1, 2, 3, 4, 5, 6, 7, 10}},
        {8, 8, 8, {0, 1, 2, 3, 4, 5, 6, 8}},
        {12, 1048576, 12, {0, 1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        int64_t steps[12];
        assert_int_equal(train_evaluations(rows[r].points, rows[r].steps), rows[r].count);
        train_evaluation_steps(rows[r].points, rows[r].steps, steps);
        assert_memory_equal(steps, rows[r].expected, rows[r].count * sizeof *steps);
    }
    (void)state;
}

static void is_ascending_from_zero_to_the_last(void **state)
{
    for (int64_t points = 2; points < 200; points += 7)
        for (int64_t steps = 1; steps < 100000; steps = steps * 3 / 2 + 1) {
            size_t count = train_evaluations(points, steps);
            int64_t *step = calloc(count, sizeof *step);
            train_evaluation_steps(points, steps, step);
            assert_int_equal(step[0], 0);
            assert_int_equal(step[count - 1], steps);
            for (size_t i = 1; i < count; i++)
                assert_true(step[i] > step[i - 1]);
            free(step);
        }
    (void)state;
}

static void is_log_spaced_where_steps_are_far_apart(void **state)
{
    int64_t step[64];
    train_evaluation_steps(64, 100000, step);
    for (int i = 40; i < 64; i++)
        assert_true(fabs((double)step[i] - pow(100000, (double)(i - 1) / 62)) < 0.51);
    (void)state;
}

// Values were computed apart, with Python's decimal module where they do not end.
static void learning_rates_are_those_of_the_formulas(void **state)
{
    const struct {
        int schedule;
        int64_t steps;
        double warmup, parameter; // final_rate or decay_every
        int64_t at[5];
        double expected[5]; // of a learning rate of 0.5
    } rows[] = {
        {SCHEDULE_CONSTANT, 100, 0, 0, {0, 1, 50, 98, 99}, {.5, .5, .5, .5, .5}},
        {SCHEDULE_CONSTANT, 100, 4, 0, {0, 1, 2, 3, 4}, {.125, .25, .375, .5, .5}},
        {SCHEDULE_CONSTANT, 100, 0.04, 0, {0, 1, 2, 3, 4}, {.125, .25, .375, .5, .5}},
        {SCHEDULE_CONSTANT, 2, 10, 0, {0, 1, 1, 1, 1}, {.05, .1, .1, .1, .1}},
        {SCHEDULE_COSINE,
         100,
         0,
         0,
         {0, 25, 50, 75, 99},
         {.5, .42677669529663687, .25, .07322330470336313, 1.233599085671e-4}},
        {SCHEDULE_COSINE, 100, 0, .1, {0, 25, 50, 75, 100}, {.5, .43409902576697318, .275, .11590097423302682, .05}},
        {SCHEDULE_COSINE, 110, 10, 0, {9, 10, 35, 60, 85}, {.5, .5, .42677669529663687, .25, .07322330470336313}},
        {SCHEDULE_COSINE, 10, 10, 0, {0, 4, 8, 9, 9}, {.05, .25, .45, .5, .5}},
        {SCHEDULE_STEP, 100, 0, 30, {0, 29, 30, 59, 90}, {.5, .5, .1, .1, .004}},
        {SCHEDULE_STEP, 100, 0, .25, {24, 25, 50, 75, 99}, {.5, .1, .02, .004, .004}},
        {SCHEDULE_STEP, 100, 10, 30, {9, 10, 39, 40, 70}, {.5, .5, .5, .1, .02}},
        {SCHEDULE_STEP, 3, 0, .01, {0, 1, 2, 2, 2}, {.5, .1, .02, .02, .02}},
        {SCHEDULE_INVERSE_SQRT, 100, 0, 0, {0, 1, 3, 8, 99}, {.5, .35355339059327376, .25, .16666666666666667, .05}},
        {SCHEDULE_INVERSE_SQRT, 100, 16, 0, {0, 15, 16, 25, 64}, {.03125, .5, .5, .4, .25}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (size_t i = 0; i < 5; i++) {
            struct settings settings;
            settings_defaults(&settings);
            settings.train.learning_rate = 0.5;
            settings.train.schedule = rows[r].schedule;
            settings.train.steps = rows[r].steps;
            settings.train.warmup = rows[r].warmup;
            settings.train.final_rate = settings.train.decay_every = rows[r].parameter;
            settings.train.decay_factor = 0.2;
            double rate = train_learning_rate(&settings, rows[r].steps, rows[r].at[i]);
            if (!(fabs(rate - rows[r].expected[i]) <= 1e-15))
                fail_msg("row %zu: %.17g at step %d, not %.17g", r, rate, (int)rows[r].at[i], rows[r].expected[i]);
        }
    (void)state;
}

static void shares_are_of_the_steps_that_epochs_make(void **state)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.samples = 90;
    settings.train.steps = 7;
    settings.train.epochs = 20;
    settings.train.batch_size = 20; // 100 steps
    settings.train.warmup = 0.5;
    settings.train.learning_rate = 1;
    const int64_t steps = settings_steps(&settings);
    assert_true(fabs(train_learning_rate(&settings, steps, 24) - 0.5) < 1e-15);
    assert_true(train_learning_rate(&settings, steps, 50) == 1);
    (void)state;
}

static struct settings curriculum_settings(int64_t start, int64_t last, double share)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.train.curriculum = CURRICULUM_SCHEDULE;
    settings.train.curriculum_start = start;
    settings.train.curriculum_share = share;
    settings.task.train_length = last;
    return settings;
}

static void scheduled_lengths_grow_evenly(void **state)
{
    const struct {
        int64_t start, last, steps;
        double share;
        int64_t at[6], expected[6];
    } rows[] = {
        {2, 10, 100, 0.4, {0, 4, 5, 20, 39, 40}, {2, 2, 3, 6, 9, 10}},
        {2, 10, 100, 1, {0, 12, 13, 50, 99, 100}, {2, 2, 3, 6, 9, 10}},
        {2, 10, 100, 0, {0, 1, 2, 3, 99, 100}, {10, 10, 10, 10, 10, 10}},
        {1, 3, 1, 0.5, {0, 1, 1, 1, 1, 1}, {1, 3, 3, 3, 3, 3}},
        {7, 7, 50, 0.5, {0, 1, 24, 25, 26, 50}, {7, 7, 7, 7, 7, 7}},
        {5, 65536, 10, 1, {0, 1, 5, 9, 10, 10}, {5, 6558, 32770, 58982, 65536, 65536}},
        {2, 8, 0, 0.5, {0, 0, 0, 0, 0, 0}, {8, 8, 8, 8, 8, 8}},
        {2, 10, 100, 0.55, {0, 6, 7, 48, 54, 55}, {2, 2, 3, 8, 9, 10}},
        {1, 334, 100, 0.333, {0, 1, 2, 32, 33, 34}, {1, 11, 21, 321, 331, 334}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const struct settings settings = curriculum_settings(rows[r].start, rows[r].last, rows[r].share);
        for (size_t i = 0; i < 6; i++)
            assert_int_equal(train_scheduled_length(&settings, rows[r].steps, rows[r].at[i]), rows[r].expected[i]);
    }
    (void)state;
}

// In hundredths, the formulas in whole numbers are exact.
static void shares_are_as_exact_as_their_decimals(void **state)
{
    static const int64_t all_steps[] = {7, 50, 100, 230, 999, 1000, 1000000000};
    for (size_t s = 0; s < sizeof all_steps / sizeof all_steps[0]; s++)
        for (int64_t hundredths = 1; hundredths < 100; hundredths++) {
            const int64_t steps = all_steps[s], product = hundredths * steps, whole = product / 100;
            const double share = (double)hundredths / 100;
            struct settings settings = curriculum_settings(2, 10, share);
            assert_true(product % 100 || train_share(share, (double)steps) == (double)whole);
            for (int64_t k = 1; k <= 8; k++) {
                const int64_t reached = (product * k + 799) / 800; // the first t with 8 t >= k share S
                assert_int_equal(train_scheduled_length(&settings, steps, reached),
                                 2 + reached * 800 / product < 10 ? 2 + reached * 800 / product : 10);
                assert_true(train_scheduled_length(&settings, steps, reached - 1) < 2 + k);
            }
            // Warm-up: the nearest whole number, the even one from a half.
            const int64_t rest = product % 100, warmup = whole + (rest > 50 || (rest == 50 && whole % 2));
            settings.train.warmup = share;
            settings.train.learning_rate = 1;
            if (warmup > 1) {
                assert_true(train_learning_rate(&settings, steps, warmup - 1) == 1);
                assert_true(train_learning_rate(&settings, steps, warmup - 2) == (double)(warmup - 1) / (double)warmup);
            }
            // A decay comes after as many steps.
            settings.train.warmup = 0;
            settings.train.schedule = SCHEDULE_STEP;
            settings.train.decay_every = share;
            settings.train.decay_factor = 0.5;
            if (warmup > 0) {
                assert_true(train_learning_rate(&settings, steps, warmup - 1) == 1);
                assert_true(train_learning_rate(&settings, steps, warmup) == 0.5);
            }
        }
    (void)state;
}

// Expressions of modular arithmetic that are asked for once have odd lengths.
static void curricula_leave_out_lengths_that_the_task_cannot_make(void **state)
{
    struct settings settings = curriculum_settings(4, 11, 1);
    settings.task.kind = TASK_AUTOMATON;
    settings.task.automaton = AUTOMATON_MODULAR_ARITHMETIC;
    settings.task.supervision = SUPERVISION_FINAL;
    assert_int_equal(train_first_length(&settings), 3);
    const int64_t scheduled[] = {3, 5, 5, 7, 7, 9, 9, 11};
    for (int64_t position = 0; position <= 7; position++)
        assert_int_equal(train_scheduled_length(&settings, 7, position), scheduled[position]);
    settings.train.curriculum_increment = 1;
    assert_int_equal(train_next_length(&settings, 3), 5);
    settings.train.curriculum_increment = 2;
    assert_int_equal(train_next_length(&settings, 3), 5);
    settings.train.curriculum_increment = 3;
    assert_int_equal(train_next_length(&settings, 3), 7);
    settings.train.curriculum_increment = 100;
    assert_int_equal(train_next_length(&settings, 3), 11);
    assert_int_equal(train_next_length(&settings, 11), 11);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_known_steps),
        cmocka_unit_test(is_ascending_from_zero_to_the_last),
        cmocka_unit_test(is_log_spaced_where_steps_are_far_apart),
        cmocka_unit_test(learning_rates_are_those_of_the_formulas),
        cmocka_unit_test(shares_are_of_the_steps_that_epochs_make),
        cmocka_unit_test(scheduled_lengths_grow_evenly),
        cmocka_unit_test(shares_are_as_exact_as_their_decimals),
        cmocka_unit_test(curricula_leave_out_lengths_that_the_task_cannot_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
