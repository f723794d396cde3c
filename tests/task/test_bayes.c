// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_random.h"
#include "task.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct settings noisy_settings(double snr)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.snr = snr;
    settings.task.signal_noise = true;
    settings.task.project_noise = false;
    return settings;
}

static double normal_tail(double x)
{
    return 0.5 * erfc(x / sqrt(2));
}

static void exact_signals_leave_no_error(void **state)
{
    for (int r = 0; r < 3; r++) {
        struct settings settings = noisy_settings(r == 2 ? INFINITY : 1);
        settings.task.signal_noise = r != 0;
        settings.task.project_noise = r == 1;
        assert_true(task_bayes_error(&settings, 8) == 0);
    }
    (void)state;
}

static void known_places_agree_with_the_normal_tail(void **state)
{
    const struct {
        int geometry, position;
        double tokens, snr;
        long length;
        double argument; // of the tail
    } rows[] = {
        {GEOMETRY_ANTIPODAL, POSITION_FIRST, 1, 1, 8, 1},
        {GEOMETRY_ANTIPODAL, POSITION_FIRST, 4, 0.5, 8, 1.4142135623730951},
        {GEOMETRY_ORTHOGONAL, POSITION_FIRST, 1, 4, 512, 1.4142135623730951},
        {GEOMETRY_ORTHOGONAL, POSITION_FIRST, 3, 1, 8, 1.2247448713915890},
        {GEOMETRY_ORTHOGONAL, POSITION_RANDOM, 1, 2, 1, 1}, // one token is in the only place
        {GEOMETRY_ORTHOGONAL, POSITION_RANDOM, 8, 0.5, 8, 1.4142135623730951},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = noisy_settings(rows[r].snr);
        settings.task.signal_geometry = rows[r].geometry;
        settings.task.signal_position = rows[r].position;
        settings.task.signal_tokens = rows[r].tokens;
        double error = task_bayes_error(&settings, rows[r].length), exact = normal_tail(rows[r].argument);
        assert_true(fabs(error - exact) < 0.003);
    }
    (void)state;
}

// Likelihood by enumeration of all places, and the error as a share of wrong guesses.
static double enumerated_error(double snr, long length, long count, bool antipodal)
{
    enum { DRAWS = 20000 };
    struct random_key key = random_key(99, 0, "enumerated");
    double norm = sqrt(snr), wrong = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        float normal[2 * 8];
        double like[2] = {0, 0};
        random_normals(key, i, 0, 16, normal);
        for (unsigned places = 0; places < 1U << length; places++) {
            double sum[2] = {0, 0};
            if (__builtin_popcount(places) != count)
                continue;
            for (long t = 0; t < length; t++)
                if (places >> t & 1) {
                    double along = (double)normal[2 * t] + (t < count ? norm : 0);
                    sum[0] += norm * along;
                    sum[1] += norm * (antipodal ? -along : (double)normal[2 * t + 1]);
                }
            like[0] += exp(sum[0]);
            like[1] += exp(sum[1]);
        }
        wrong += like[0] < like[1] ? 1 : like[0] == like[1] ? 0.5 : 0;
    }
    return wrong / DRAWS;
}

static void random_places_agree_with_enumeration(void **state)
{
    const struct {
        double snr;
        long length, count;
        bool antipodal;
    } rows[] = {{4, 6, 1, false}, {2, 6, 2, false}, {1, 7, 3, false},
                {1, 5, 4, false}, {2, 6, 2, true},  {4, 8, 1, true}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = noisy_settings(rows[r].snr);
        settings.task.signal_tokens = (double)rows[r].count;
        settings.task.signal_geometry = rows[r].antipodal ? GEOMETRY_ANTIPODAL : GEOMETRY_ORTHOGONAL;
        double error = task_bayes_error(&settings, rows[r].length);
        double other = enumerated_error(rows[r].snr, rows[r].length, rows[r].count, rows[r].antipodal);
        assert_true(error > 0 && error < 0.5);
        assert_true(fabs(error - other) < 0.01);
    }
    (void)state;
}

static void long_sequences_hide_the_signal(void **state)
{
    struct settings settings = noisy_settings(9);
    double before = 0;
    for (long length = 1; length <= 512; length *= 8) {
        double error = task_bayes_error(&settings, length);
        assert_true(error > before && error < 0.5);
        before = error;
    }
    (void)state;
}

static void a_share_of_many_tokens_and_extreme_signals_stay_finite(void **state)
{
    const double snrs[] = {1e-12, 0.05, 1, 1e4, 1e12};
    for (size_t i = 0; i < 5; i++) {
        struct settings settings = noisy_settings(snrs[i]);
        settings.task.signal_tokens = 0.125;
        double error = task_bayes_error(&settings, 256);
        assert_true(error >= 0 && error <= 0.5);
        assert_true(snrs[i] > 1e-3 || error > 0.49);
        assert_true(snrs[i] < 1e3 || error < 1e-9);
    }
    (void)state;
}

static void depends_on_the_task_alone(void **state)
{
    struct settings settings = noisy_settings(3), other = settings;
    other.seed = 8;
    other.replicate = 4;
    other.task.samples = 7;
    other.task.dim = 100;
    other.model.head_dim = 3;
    assert_true(task_bayes_error(&settings, 16) == task_bayes_error(&other, 16));
    assert_true(task_chance_error(&settings, 16) == 0.5);
    (void)state;
}

static void costs_nothing_where_nothing_is_drawn(void **state)
{
    struct settings settings = noisy_settings(3), exact = settings;
    exact.task.signal_noise = false;
    assert_true(task_bayes_flops(&exact, 64) == 0);
    assert_true(task_bayes_flops(&settings, 64) > task_bayes_flops(&settings, 8));
    exact = settings;
    settings.task.signal_tokens = 3;
    assert_true(task_bayes_flops(&settings, 8) > 3 * task_bayes_flops(&exact, 8));
    settings.task.signal_position = POSITION_FIRST;
    assert_true(task_bayes_flops(&settings, 8) > 0 && task_bayes_flops(&settings, 8) < task_bayes_flops(&exact, 8));
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_signals_leave_no_error),
        cmocka_unit_test(known_places_agree_with_the_normal_tail),
        cmocka_unit_test(random_places_agree_with_enumeration),
        cmocka_unit_test(long_sequences_hide_the_signal),
        cmocka_unit_test(a_share_of_many_tokens_and_extreme_signals_stay_finite),
        cmocka_unit_test(depends_on_the_task_alone),
        cmocka_unit_test(costs_nothing_where_nothing_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
