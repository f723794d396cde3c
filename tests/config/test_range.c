// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void ranges_are_written_out(void **state)
{
    (void)state;
    const struct {
        const char *setting, *range, *values;
    } rows[] = {
        // Decimal steps are the doubles nearest to what one would write.
        {"snr", "{from: 1, to: 1.6, step: 0.1}", "1 1.1 1.2 1.3 1.4 1.5 1.6"},
        {"noise_rate", "{from: 0, to: 0.9, step: 0.1}", "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9"},
        {"noise_rate", "{from: 0, to: 0.9, points: 10}", "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9"},
        {"noise_rate", "{from: 0, to: 3e-1, points: 4, scale: linear}", "0 0.1 0.2 0.3"},
        {"snr", "{from: 1, to: 2, points: 2}", "1 2"},
        {"snr", "{from: '1', to: \"2\", points: '3'}", "1 1.5 2"},
        // The end is there when steps reach it, and is never passed.
        {"snr", "{from: 1, to: 1.65, step: 0.1}", "1 1.1 1.2 1.3 1.4 1.5 1.6"},
        {"snr", "{from: 1, to: 2, step: 3}", "1"},
        {"snr", "{from: 3, to: 1, step: -1}", "3 2 1"},
        {"snr", "{from: 64, to: 1, points: 4}", "64 43 22 1"},
        // Decimals that do not end: 12 significant digits.
        {"snr", "{from: 1, to: 2, points: 4}", "1 1.33333333333 1.66666666667 2"},
        {"noise_rate", "{from: 0, to: 1e-5, points: 4}", "0 3.33333333333e-06 6.66666666667e-06 1e-05"},
        {"snr", "{from: 1000, to: 4000, points: 8}",
         "1000 1428.57142857 1857.14285714 2285.71428571 2714.28571429 3142.85714286 3571.42857143 4000"},
        // Decimals that end are exact, however many digits they need.
        {"snr", "{from: 1, to: 2, points: 9}", "1 1.125 1.25 1.375 1.5 1.625 1.75 1.875 2"},
        {"snr", "{from: 1.00000000000001, to: 1.00000000000002, points: 3}",
         "1.00000000000001 1.000000000000015 1.00000000000002"},
        {"snr", "{from: 1e-300, to: 3e-300, points: 3}", "1e-300 2e-300 3e-300"},
        // Log: ends as written, the rest to 12 digits.
        {"snr", "{from: 1, to: 64, points: 7, scale: log}", "1 2 4 8 16 32 64"},
        {"snr", "{from: 64, to: 1, points: 7, scale: log}", "64 32 16 8 4 2 1"},
        {"learning_rate", "{from: 1e-4, to: 1, points: 5, scale: log}", "0.0001 0.001 0.01 0.1 1"},
        {"snr", "{from: 1, to: 2, points: 3, scale: log}", "1 1.41421356237 2"},
        {"snr", "{from: 0.3, to: 0.7, points: 2, scale: log}", "0.3 0.7"},
        {"snr", "{from: 0.1234567890123456, to: 1, points: 3, scale: log}", "0.1234567890123456 0.351364182882 1"},
        // Integers.
        {"samples", "{from: 10, to: 40, points: 4}", "10 20 30 40"},
        {"samples", "{from: 10, to: 40, step: 15}", "10 25 40"},
        {"samples", "{from: 1e1, to: 4e1, step: 15.0}", "10 25 40"},
        {"samples", "{from: 10, to: 160, points: 5, scale: log}", "10 20 40 80 160"},
        {"samples", "{from: 1, to: 10, points: 10, scale: log}", "1 2 3 4 5 6 8 10"},
        {"samples", "{from: 10, to: 1, points: 10, scale: log}", "10 8 6 5 4 3 2 1"},
        {"samples", "{from: 1, to: 2, points: 5, scale: log}", "1 2"},
        {"seed", "{from: 9007199254740993, to: 9007199254740995, step: 1}",
         "9007199254740993 9007199254740994 9007199254740995"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        struct parsed parsed;
        snprintf(text, sizeof text, "grid:\n  %s: %s\n", rows[i].setting, rows[i].range);
        parse_good(text, &parsed);
        assert_string_equal(column_text(&parsed, &parsed.sweep.axes[0], 0), rows[i].values);
        parsed_fini(&parsed);
    }
}

static void test_lengths_have_ranges_too(void **state)
{
    (void)state;
    const struct {
        const char *range, *lengths;
    } rows[] = {
        {"{from: 1x, to: 64x, points: 7, scale: log}", "1x 2x 4x 8x 16x 32x 64x"},
        {"{from: 1x, to: 3x, step: 0.5x}", "1x 1.5x 2x 2.5x 3x"},
        {"{from: 1x, to: 3x, step: 0.5}", "1x 1.5x 2x 2.5x 3x"},
        {"{from: 8, to: 64, points: 4, scale: log}", "8 16 32 64"},
        {"{from: 8, to: 32, step: 8}", "8 16 24 32"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        struct parsed parsed;
        snprintf(text, sizeof text, "evaluate:\n  test_length: %s\n", rows[i].range);
        parse_good(text, &parsed);
        assert_string_equal(lengths_text(&parsed), rows[i].lengths);
        parsed_fini(&parsed);
    }
}

// Value i is the nearest double to the decimal, never a sum of steps.
static void thousand_steps_are_the_doubles_of_their_literals(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_good("grid: {snr: {from: 0.001, to: 1, step: 0.001}}\n", &parsed);
    const struct axis *axis = &parsed.sweep.axes[0];
    assert_int_equal(axis->count, 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_true(axis->columns[0].values[i].r == (double)(i + 1) / 1000);
    parsed_fini(&parsed);
}

static void log_ranges_have_exact_ends_and_even_ratios(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_good("grid: {learning_rate: {from: 3e-7, to: 0.7, points: 500, scale: log}}\n", &parsed);
    const struct axis *axis = &parsed.sweep.axes[0];
    const union setting_value *values = axis->columns[0].values;
    assert_int_equal(axis->count, 500);
    assert_true(values[0].r == 3e-7 && values[499].r == 0.7);
    double ratio = pow(0.7 / 3e-7, 1.0 / 499);
    for (size_t i = 1; i < 500; i++)
        assert_true(fabs(values[i].r / values[i - 1].r / ratio - 1) < 1e-11);
    parsed_fini(&parsed);
}

static void refuses_what_is_no_range(void **state)
{
    (void)state;
    const struct {
        const char *setting, *range, *fragment;
    } rows[] = {
        {"snr", "{to: 2, points: 3}", "2:8: a range needs 'from'"},
        {"snr", "{from: 2, points: 3}", "2:8: a range needs 'to'"},
        {"snr", "{from: 1, to: 2}", "2:8: a range needs either 'points' or 'step'"},
        {"snr", "{from: 1, to: 2, points: 3, step: 1}", "2:8: a range needs either 'points' or 'step'"},
        {"snr", "{}", "2:8: a range needs 'from'"},
        {"snr", "{from: 1, to: 2, pionts: 3}", "2:25: unknown key 'pionts' in a range; did you mean 'points'?"},
        {"snr", "{from: 1, to: 2, zebra: 3}", "unknown key 'zebra' in a range; it has from, to, and points or step"},
        {"snr", "{start: 1, to: 2, points: 3}", "2:9: unknown key 'start' in a range"},
        {"snr", "{from: [1], to: 2, points: 3}", "2:15: 'from' of a range must be a single value"},
        {"snr", "{from: a, to: 2, points: 3}", "2:15: 'a' is not a finite number"},
        {"snr", "{from: 1, to: .inf, points: 3}", "'.inf' is not a finite number"},
        {"snr", "{from: 1, to: .nan, points: 3}", "'.nan' is not a finite number"},
        {"snr", "{from: 2, to: 2.0, points: 3}", "both ends of the range are the same"},
        {"snr", "{from: 1, to: 2, points: 1}", "points: '1' is not an integer from 2 to 10000"},
        {"snr", "{from: 1, to: 2, points: 2.5}", "points: '2.5' is not an integer"},
        {"snr", "{from: 1, to: 2, points: 10001}", "points: '10001' is not an integer from 2 to 10000"},
        {"snr", "{from: 1, to: 2, step: 0}", "step '0' does not lead from 'from' to 'to'"},
        {"snr", "{from: 1, to: 2, step: -0.1}", "step '-0.1' does not lead from 'from' to 'to'"},
        {"snr", "{from: 1, to: 2, step: 1e-9}", "a range of 1000000001 points; at most 10000 are possible"},
        {"snr", "{from: 1, to: 2, step: 0.1, scale: log}", "a log scale needs points, not a step"},
        {"snr", "{from: 1, to: 2, points: 3, scale: lgo}", "scale: 'lgo' is not known; it is linear or log"},
        {"noise_rate", "{from: 0, to: 0.5, points: 3, scale: log}", "a log scale needs positive ends"},
        {"noise_rate", "{from: 0, to: 1.5, points: 4}", "2:15: noise_rate: '1' is out of range"},
        {"noise_rate", "{from: -1, to: 0.5, points: 4}", "noise_rate: '-1' is out of range"},
        {"snr", "{from: 1e-9, to: 1e15, step: 1}", "differ too much in size to be added exactly"},
        {"snr", "{from: 0.123456789012345678901, to: 1, points: 3}", "is not a decimal number of at most 17 digits"},
        {"samples", "{from: 1, to: 4, points: 3}", "the range has the point 2.5, which is not an integer"},
        {"samples", "{from: 1, to: 2, step: 0.5}", "the range has the point 1.5, which is not an integer"},
        {"samples", "{from: 1.5, to: 8, points: 3, scale: log}", "samples: '1.5' is not an integer"},
        {"encoding", "{from: none, to: rope, points: 3}", "2:13: a range is for numbers; list the values"},
        {"project_noise", "{from: 0, to: 1, points: 2}", "a range is for numbers"},
        {"test_length", "{from: 1x, to: 64, points: 3}", "both ends are relative ('4x') or neither is"},
        {"test_length", "{from: 8, to: 11, points: 3}", "the range has the point 9.5, which is not an integer"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "grid:\n  %s: %s\n", rows[i].setting, rows[i].range);
        assert_refused(text, rows[i].fragment);
    }
}

static void a_range_out_of_range_is_one_error(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_text("grid: {noise_rate: {from: 2, to: 1000, points: 500}}\n", &parsed);
    assert_int_equal(parsed.code, STATUS_INVALID);
    assert_null(strstr(parsed.status.text + 1, "s.yaml:"));
    assert_null(strstr(parsed.status.text, "more errors"));
    parsed_fini(&parsed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_written_out),
        cmocka_unit_test(test_lengths_have_ranges_too),
        cmocka_unit_test(thousand_steps_are_the_doubles_of_their_literals),
        cmocka_unit_test(log_ranges_have_exact_ends_and_even_ratios),
        cmocka_unit_test(refuses_what_is_no_range),
        cmocka_unit_test(a_range_out_of_range_is_one_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
