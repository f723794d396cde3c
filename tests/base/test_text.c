// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_text.h"
#include "ulp.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

static void writes_the_shortest_number(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {0.1, "0.1"},
        {64, "64"},
        {1e-5, "1e-05"},
        {0, "0"},
        {-0.0, "-0"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
        {-NAN, "nan"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {0.0001, "0.0001"},
        {0.00012345, "0.00012345"},
        {100, "100"},
        {1e15, "1000000000000000"},
        {1e16, "1e+16"},
        {123456789012345680, "1.2345678901234568e+17"},
        {-2.5, "-2.5"},
        {5e-324, "5e-324"},
        {0x1.fffffffffffffp1023, "1.7976931348623157e+308"},
        {9007199254740993.0, "9007199254740992"},
        {1e23, "1e+23"},
        {2e-308, "2e-308"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[TEXT_NUMBER_SIZE];
        assert_int_equal(text_real(rows[i].value, text), strlen(rows[i].text));
        assert_string_equal(text, rows[i].text);
    }
}

static void written_numbers_read_back_exactly(void **state)
{
    (void)state;
    uint64_t words = 3;
    for (int i = 0; i < 20000; i++) {
        double value = double_of_bits(next_word(&words)), back;
        if (i % 2)
            value = (double)(next_word(&words) % 100000) / 1000;
        if (isnan(value))
            continue;
        char text[TEXT_NUMBER_SIZE];
        int length = text_real(value, text);
        assert_true(text_to_real(text, (size_t)length, &back));
        assert_true(bits_of_double(back) == bits_of_double(value));
        assert_true(strtod(text, NULL) == value);
    }
}

static void reads_every_form_of_a_number(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"1e-3", 1e-3},
        {"5e-3", 5e-3},
        {"1E-3", 1e-3},
        {".5", .5},
        {"1.", 1},
        {"+1", 1},
        {"-1.5e+2", -150},
        {"3e6", 3e6},
        {"010", 10},
        {"007.50", 7.5},
        {"0", 0},
        {"0.000", 0},
        {"0e99", 0},
        {".inf", INFINITY},
        {"-.inf", -INFINITY},
        {"+.Inf", INFINITY},
        {"inf", INFINITY},
        {"-inf", -INFINITY},
        {"1e400", INFINITY},
        {"1e-400", 0},
        {"1e999999999999", INFINITY},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
        {"9007199254740992.999999", 9007199254740993.0},
        {"2.4703282292062327208e-324", 0},
        {"2.4703282292062327209e-324", 5e-324},
        {"179769313486231580793e288", 0x1.fffffffffffffp1023},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = 77;
        assert_true(text_to_real(rows[i].text, strlen(rows[i].text), &value));
        assert_true(value == rows[i].value);
    }
}

static void reads_nan_as_one(void **state)
{
    (void)state;
    static const char *const rows[] = {"nan", ".nan", ".NaN", ".NAN"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = 77;
        assert_true(text_to_real(rows[i], strlen(rows[i]), &value));
        assert_true(isnan(value));
    }
}

static const char *const not_numbers[] = {
    "",      " ",  "1 ",  " 1",   "1,5",   "1_000", "0x10", "1e", "1e+",      "e5",  ".", "-",   "+",   "1.2.3", "--1",
    "1e5.5", "1f", "abc", "-nan", "+.nan", "INF",   ".iNF", "no", "infinity", "+-1", "١", "1e-", "0b1", "1e5e5", "1\t",
};

static void refuses_what_is_not_a_number(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof not_numbers / sizeof *not_numbers; i++) {
        size_t length = strlen(not_numbers[i]);
        double real = 77;
        int64_t integer = 77;
        uint64_t natural = 77;
        bool overflow = true;
        assert_false(text_to_real(not_numbers[i], length, &real));
        assert_false(text_to_int(not_numbers[i], length, &integer, &overflow));
        assert_false(overflow);
        assert_false(text_to_uint(not_numbers[i], length, &natural, &overflow));
        assert_true(real == 77 && integer == 77 && natural == 77);
    }
}

static void reads_no_further_than_the_length(void **state)
{
    (void)state;
    double value;
    assert_true(text_to_real("12345", 2, &value));
    assert_true(value == 12);
    assert_false(text_to_real("1e5", 2, &value));
    assert_false(text_to_real("5", 0, &value));
}

// 2^53 + 1 is halfway between two doubles; a digit far behind decides, and zeros do not.
static void digits_beyond_any_precision_still_count(void **state)
{
    (void)state;
    char text[2000];
    double value;
    int length = sprintf(text, "9007199254740993.%01500d", 0);
    assert_true(text_to_real(text, (size_t)length, &value));
    assert_true(value == 9007199254740992);
    text[length - 1] = '1';
    assert_true(text_to_real(text, (size_t)length, &value));
    assert_true(value == 9007199254740994);
    length = sprintf(text, "0.%01500d5e1501", 0);
    assert_true(text_to_real(text, (size_t)length, &value));
    assert_true(value == 5);
}

static void reads_integers_exactly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_int, int_overflows, is_uint, uint_overflows;
        int64_t signed_value;
        uint64_t unsigned_value;
    } rows[] = {
        {"0", true, false, true, false, 0, 0},
        {"-0", true, false, true, false, 0, 0},
        {"010", true, false, true, false, 10, 10},
        {"+7", true, false, true, false, 7, 7},
        {"-7", true, false, false, true, -7, 0},
        {"3e6", true, false, true, false, 3000000, 3000000},
        {"64.0", true, false, true, false, 64, 64},
        {"1.5e1", true, false, true, false, 15, 15},
        {"1200e-2", true, false, true, false, 12, 12},
        {"0.0e-99", true, false, true, false, 0, 0},
        {"1.5", false, false, false, false, 0, 0},
        {"1e-1", false, false, false, false, 0, 0},
        {"-0.5", false, false, false, false, 0, 0},
        {".inf", false, false, false, false, 0, 0},
        {"9007199254740993", true, false, true, false, 9007199254740993, 9007199254740993},
        {"9223372036854775807", true, false, true, false, INT64_MAX, INT64_MAX},
        {"9223372036854775808", false, true, true, false, 0, 9223372036854775808u},
        {"-9223372036854775808", true, false, false, true, INT64_MIN, 0},
        {"-9223372036854775809", false, true, false, true, 0, 0},
        {"18446744073709551615", false, true, true, false, 0, UINT64_MAX},
        {"18446744073709551616", false, true, false, true, 0, 0},
        {"1e19", false, true, true, false, 0, 10000000000000000000u},
        {"1e20", false, true, false, true, 0, 0},
        {"1e999999999", false, true, false, true, 0, 0},
        {"99999999999999999999999999", false, true, false, true, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t signed_value = 0;
        uint64_t unsigned_value = 0;
        bool overflow;
        size_t length = strlen(rows[i].text);
        assert_int_equal(text_to_int(rows[i].text, length, &signed_value, &overflow), rows[i].is_int);
        assert_int_equal(overflow, rows[i].int_overflows);
        assert_true(signed_value == rows[i].signed_value);
        assert_int_equal(text_to_uint(rows[i].text, length, &unsigned_value, &overflow), rows[i].is_uint);
        assert_int_equal(overflow, rows[i].uint_overflows);
        assert_true(unsigned_value == rows[i].unsigned_value);
    }
}

// A decimal comma in the process's locale, where this system has such a locale.
static void the_locale_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    char text[TEXT_NUMBER_SIZE];
    double value = 0;
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_ALL, names[i]) != NULL;
    text_real(1234.5625, text);
    assert_string_equal(text, "1234.5625");
    assert_string_equal(text_size(1536, text), "1.5 KiB");
    assert_true(text_to_real("1.5", 3, &value) && value == 1.5);
    assert_false(text_to_real("1,5", 3, &value));
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_the_shortest_number),
        cmocka_unit_test(written_numbers_read_back_exactly),
        cmocka_unit_test(reads_every_form_of_a_number),
        cmocka_unit_test(reads_nan_as_one),
        cmocka_unit_test(refuses_what_is_not_a_number),
        cmocka_unit_test(reads_no_further_than_the_length),
        cmocka_unit_test(digits_beyond_any_precision_still_count),
        cmocka_unit_test(reads_integers_exactly),
        cmocka_unit_test(the_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
