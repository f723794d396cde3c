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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_known_steps),
        cmocka_unit_test(is_ascending_from_zero_to_the_last),
        cmocka_unit_test(is_log_spaced_where_steps_are_far_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
