// SPDX-License-Identifier: MIT
// Chance errors of arithmetic against counts over all operands, and in closed form.
#include "token_cases.h"

#include <math.h>

enum { ROWS = 64, SYMBOLS = 64 };

static long power(long base, long digits)
{
    long product = 1;
    while (digits-- > 0)
        product *= base;
    return product;
}

// Targets of one answer, with hints from `start` on where it is not negative; returns how many.
static long write_answer(const struct settings *settings, long value, long digits, long start, int *ret_targets)
{
    const long base = (long)settings_base(settings, true), marks = (long)settings_numerals(settings);
    long written = digits, rows = 0;
    while (!settings->task.zero_padding && written > 1 && value < power(base, written - 1))
        written--;
    for (long k = 0; k < written; k++) {
        const long i = settings->task.digit_order == DIGITS_REVERSED ? k : written - 1 - k;
        if (start >= 0)
            ret_targets[rows++] = (int)(marks + 3 + start + i);
        ret_targets[rows++] = (int)(value / power(base, i) % base);
    }
    ret_targets[rows++] = (int)marks + 2;
    return rows;
}

static double error_over_all(const struct settings *settings, long length)
{
    const long base = (long)settings_base(settings, true),
               second = (long)settings_second_digits(settings, true, length),
               digits = (long)settings_answer_digits(settings, true, length);
    const bool padded = settings->task.zero_padding, hints = settings->task.index_hints > 0;
    const long least_a = padded || length == 1 ? 0 : power(base, length - 1),
               least_b = padded || second == 1 ? 0 : power(base, second - 1);
    const long starts = hints ? (long)settings->task.index_hints - digits + 1 : 1;
    long seen[ROWS][SYMBOLS];
    memset(seen, 0, sizeof seen);
    for (long a = least_a; a < power(base, length); a++)
        for (long b = least_b; b < power(base, second); b++)
            for (long start = 0; start < starts; start++) {
                int targets[ROWS];
                const long value = settings->task.kind == TASK_ADDITION ? a + b : a * b;
                const long rows = write_answer(settings, value, digits, hints ? start : -1, targets);
                for (long t = 0; t < rows; t++)
                    seen[t][targets[t]]++;
            }
    long right = 0, all = 0;
    for (long t = 0; t < ROWS; t++) {
        long most = 0;
        for (long x = 0; x < SYMBOLS; x++) {
            most = seen[t][x] > most ? seen[t][x] : most;
            all += seen[t][x];
        }
        right += most;
    }
    return 1 - (double)right / (double)all;
}

static void check_over_all(const char *const pairs[CASE_SETTINGS][2], long length, double tolerance)
{
    for (int reversed = 0; reversed < 2; reversed++)
        for (int padded = 0; padded < 2; padded++) {
            struct settings settings = case_settings(pairs);
            settings.task.digit_order = reversed;
            settings.task.zero_padding = padded;
            assert_float_equal(task_chance_error(&settings, length), error_over_all(&settings, length), tolerance);
        }
}

static const char *const few[][CASE_SETTINGS][2] = {
    {{"task", "addition"}},
    {{"task", "addition"}, {"base", "3"}, {"test_base", "2"}},
    {{"task", "addition"}, {"base", "4"}, {"index_hints", "4"}},
    {{"task", "addition"}, {"base", "4"}, {"index_hints", "5"}},
    {{"task", "addition"}, {"base", "4"}, {"index_hints", "11"}},
    {{"task", "addition"}, {"base", "5"}, {"test_operand_offset", "1"}},
    {{"task", "addition"}, {"base", "2"}, {"operand_offset", "2"}, {"index_hints", "6"}},
    {{"task", "multiplication"}},
    {{"task", "multiplication"}, {"base", "2"}},
    {{"task", "multiplication"}, {"base", "3"}, {"index_hints", "6"}},
    {{"task", "multiplication"}, {"base", "4"}, {"index_hints", "7"}, {"test_operand_offset", "1"}},
    {{"task", "multiplication"}, {"base", "6"}, {"multiplier_digits", "1"}, {"index_hints", "4"}},
    {{"task", "multiplication"}, {"base", "6"}, {"multiplier_digits", "1"}, {"index_hints", "12"}},
};

static void chance_is_exact_where_operands_are_few(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof few / sizeof few[0]; f++)
        for (long length = 1; length <= 3; length++) {
            const struct settings settings = case_settings(few[f]);
            struct settings_fault fault;
            if (!settings_length_fault(&settings, length, &fault))
                check_over_all(few[f], length, 1e-12);
        }
}

// 2^21 pairs are drawn from.
static void chance_of_products_is_near_where_operands_are_many(void **state)
{
    (void)state;
    static const char *const pairs[CASE_SETTINGS][2] = {
        {"task", "multiplication"}, {"base", "2"}, {"operand_offset", "1"}};
    check_over_all(pairs, 11, 0.004);
}

// Digits are uniform but the highest, which is the last carry.
static double addition_chance(double base, long length, long second)
{
    double carry = 0;
    for (long i = 0; i < length; i++)
        carry = i < second ? ((base - 1) * (1 - carry) + (base + 1) * carry) / (2 * base) : carry / base;
    return ((double)length * (1 - 1 / base) + (carry < 0.5 ? carry : 1 - carry)) / (double)(length + 2);
}

static void sums_of_any_length_follow_the_carry(void **state)
{
    (void)state;
    static const long lengths[] = {1, 2, 5, 63, 64, 65, 66, 130, 1000, 65536}, bases[] = {2, 3, 10, 1000};
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
        for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++)
            for (long offset = 0; offset < lengths[l]; offset = 3 * offset + 1) {
                struct settings settings;
                settings_defaults(&settings);
                settings.task.kind = TASK_ADDITION;
                settings.task.base = bases[b];
                settings.task.operand_offset = offset;
                assert_float_equal(task_chance_error(&settings, lengths[l]),
                                   addition_chance((double)bases[b], lengths[l], lengths[l] - offset), 1e-9);
            }
}

// Nearly all digits of a long answer are uniform, whatever the format.
static void long_answers_leave_the_base_to_guess(void **state)
{
    (void)state;
    for (int task = TASK_ADDITION; task <= TASK_MULTIPLICATION; task++)
        for (int format = 0; format < 4; format++) {
            struct settings settings;
            settings_defaults(&settings);
            settings.task.kind = task;
            settings.task.digit_order = format % 2;
            settings.task.zero_padding = format / 2;
            assert_float_equal(task_chance_error(&settings, 2000), 0.9, 0.004);
            settings.task.index_hints = 5000;
            const double starts = task == TASK_ADDITION ? 3000 : 1001;
            assert_float_equal(task_chance_error(&settings, 2000), (0.9 + 1 - 1 / starts) / 2, 0.004);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chance_is_exact_where_operands_are_few),
        cmocka_unit_test(chance_of_products_is_near_where_operands_are_many),
        cmocka_unit_test(sums_of_any_length_follow_the_carry),
        cmocka_unit_test(long_answers_leave_the_base_to_guess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
