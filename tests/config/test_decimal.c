// SPDX-License-Identifier: MIT
#include "support.h"

#include "../../src/config/config_decimal.h"
#include <stdio.h>
#include <string.h>

static void decimals_are_read_exactly(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int64_t mantissa;
        int exponent;
    } rows[] = {
        {"0", 0, 0},         {"-0.00", 0, 0},  {"0.1", 1, -1},      {"100", 1, 2},
        {"1.50", 15, -1},    {"+.5", 5, -1},   {"1.", 1, 0},        {"-2.5e3", -25, 2},
        {"1E-3", 1, -3},     {"12e+2", 12, 2}, {"0.00120", 12, -4}, {"12345678901234567", 12345678901234567, 0},
        {"1e-300", 1, -300},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct decimal decimal;
        assert_true(decimal_parse(rows[i].text, strlen(rows[i].text), &decimal));
        assert_int_equal(decimal.mantissa, rows[i].mantissa);
        assert_int_equal(decimal.exponent, rows[i].exponent);
    }
    const char *const refused[] = {"",    "-",  "x", "1x", ".inf", "nan", "1e", "1e999999999999", "1234567890123456789",
                                   "1 2", "0x1"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct decimal decimal;
        assert_false(decimal_parse(refused[i], strlen(refused[i]), &decimal));
    }
}

static void aligned_decimals_share_an_exponent(void **state)
{
    (void)state;
    struct decimal number[3] = {{1, 2}, {0, 0}, {5, -1}};
    assert_true(decimal_align(number, 3));
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(number[i].exponent, -1);
    assert_int_equal(number[0].mantissa, 1000);
    assert_int_equal(number[1].mantissa, 0);
    assert_int_equal(number[2].mantissa, 5);
    struct decimal far[2] = {{1, 15}, {1, -9}};
    assert_false(decimal_align(far, 2));
    struct decimal zeros[2] = {{0, 3}, {0, -7}};
    assert_true(decimal_align(zeros, 2));
    assert_int_equal(zeros[0].exponent, zeros[1].exponent);
}

static void texts_are_short(void **state)
{
    (void)state;
    const struct {
        struct decimal decimal;
        const char *text;
    } rows[] = {
        {{0, 0}, "0"},      {{0, -5}, "0"},     {{0, 7}, "0"},
        {{25, -1}, "2.5"},  {{2500, -2}, "25"}, {{-3, -1}, "-0.3"},
        {{3, 2}, "300"},    {{1, -9}, "1e-09"}, {{12, 30}, "120000000000000000e14"},
        {{-5, 3}, "-5000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[DECIMAL_TEXT_SIZE];
        assert_int_equal(decimal_text(rows[i].decimal, text), strlen(rows[i].text));
        assert_string_equal(text, rows[i].text);
    }
}

static void points_between_are_exact_or_rounded_to_twelve_digits(void **state)
{
    (void)state;
    const struct {
        struct decimal from, to;
        int64_t index, count;
        const char *text;
    } rows[] = {
        {{0, -1}, {9, -1}, 3, 10, "0.3"},
        {{0, 0}, {1, 0}, 1, 3, "0.5"},
        {{0, 0}, {1, 0}, 1, 4, "0.333333333333"},
        {{0, 0}, {2, 0}, 1, 4, "0.666666666667"},
        {{0, 0}, {-2, 0}, 1, 4, "-0.666666666667"},
        {{1, 0}, {0, 0}, 1, 4, "0.666666666667"},
        {{-1, 0}, {1, 0}, 1, 3, "0"},
        {{0, 0}, {1, 0}, 1, 9, "0.125"},
        {{0, 0}, {1, 0}, 1, 1025, "0.0009765625"},
        {{0, 0}, {999999999999999999, 0}, 1, 2, "999999999999999999"},
        {{100000000000000000, 0}, {-100000000000000000, 0}, 1, 4, "33333333333300000"},
        {{999999999999999999, 0}, {999999999999999999, 0}, 5000, 10000, "999999999999999999"},
        {{0, 0}, {1, 0}, 1, 10000, "0.000100010001"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[DECIMAL_TEXT_SIZE];
        struct decimal point = decimal_between(rows[i].from, rows[i].to, rows[i].index, rows[i].count);
        decimal_text(point, text);
        assert_string_equal(text, rows[i].text);
    }
}

static void doubles_are_rounded_to_twelve_digits(void **state)
{
    (void)state;
    const struct {
        double value;
        const char *text;
    } rows[] = {
        {1, "1"},
        {2.0000000000001, "2"},
        {1.99999999999999, "2"},
        {1.41421356237309505, "1.41421356237"},
        {9.9999999999996e-5, "0.0001"},
        {123456789012345, "123456789012000"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "179769313486000000e291"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[DECIMAL_TEXT_SIZE];
        decimal_text(decimal_round(rows[i].value), text);
        assert_string_equal(text, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_read_exactly),
        cmocka_unit_test(aligned_decimals_share_an_exponent),
        cmocka_unit_test(texts_are_short),
        cmocka_unit_test(points_between_are_exact_or_rounded_to_twelve_digits),
        cmocka_unit_test(doubles_are_rounded_to_twelve_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
