// SPDX-License-Identifier: MIT
#include "support.h"

#include "../../src/task/task_numbers.h"
#include "base_random.h"
#include <stdbool.h>
#include <string.h>

static void bits_of(uint64_t value, long bits, bool highest_first, int32_t *ret_bits)
{
    for (long i = 0; i < bits; i++)
        ret_bits[highest_first ? bits - 1 - i : i] = (int32_t)(value >> i & 1);
}

static uint64_t value_of(const int32_t *bits, long count, bool highest_first)
{
    uint64_t value = 0;
    for (long i = 0; i < count; i++)
        value |= (uint64_t)bits[highest_first ? count - 1 - i : i] << i;
    return value;
}

static void products_are_those_of_the_machine(void **state)
{
    (void)state;
    const struct random_key key = random_key(1, 0, "numbers");
    for (uint64_t i = 0; i < 3000; i++) {
        int32_t a[32], b[32], product[64];
        uint32_t word[4];
        random_block(key, i, 0, 0, word);
        const long first = 1 + word[2] % 32, second = 1 + word[3] % 32;
        const uint64_t x = word[0] >> (32 - first), y = word[1] >> (32 - second);
        bits_of(x, first, false, a);
        bits_of(y, second, false, b);
        number_multiply(a, first, b, second, product);
        assert_true(value_of(product, first + second, false) == x * y);
    }
}

static void roots_are_those_of_all_small_numbers(void **state)
{
    (void)state;
    for (long bits = 1; bits <= 13; bits++)
        for (uint64_t x = 0; x < (uint64_t)1 << bits; x++) {
            int32_t number[13], root[7];
            bits_of(x, bits, true, number);
            number_root(number, bits, root);
            const uint64_t r = value_of(root, (bits + 1) / 2, true);
            assert_true(r * r <= x && x < (r + 1) * (r + 1));
        }
}

static int compare(const int32_t *a, const int32_t *b, long bits)
{
    while (bits-- > 0)
        if (a[bits] != b[bits])
            return a[bits] < b[bits] ? -1 : 1;
    return 0;
}

// Lowest bit first; the carry past the last is 0.
static void add_to(int32_t *sum, const int32_t *term, long bits)
{
    int32_t carry = 0;
    for (long i = 0; i < bits; i++) {
        carry += sum[i] + term[i];
        sum[i] = carry % 2;
        carry /= 2;
    }
    assert_int_equal(carry, 0);
}

// r^2 <= x, and x - r^2 <= 2r: the product, which is another algorithm, says whether the root is right.
static void roots_of_long_numbers_have_them_as_squares(void **state)
{
    (void)state;
    static const long lengths[] = {63, 64, 65, 127, 128, 129, 130, 999, 4097};
    enum { MOST = 4100 };
    static int32_t number[MOST], root[MOST], low[MOST], square[2 * MOST], above[2 * MOST];
    const struct random_key key = random_key(2, 0, "numbers");
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
        for (uint64_t sample = 0; sample < 20; sample++) {
            const long bits = lengths[l], half = (bits + 1) / 2;
            for (long i = 0; i < bits; i++) // the first all ones, which is the largest number
                number[i] = sample == 0 || random_below(key, sample, (uint32_t)i, 0, 2);
            number_root(number, bits, root);
            memset(above, 0, sizeof above);
            for (long i = 0; i < half; i++)
                low[i] = root[half - 1 - i];
            for (long i = 0; i < bits; i++)
                above[i] = number[bits - 1 - i];
            number_multiply(low, half, low, half, square);
            memset(square + 2 * half, 0, 4 * sizeof *square);
            assert_true(compare(square, above, 2 * half + 4) <= 0);
            int32_t more[2 * MOST] = {1}; // r^2 + 2r + 1
            add_to(square, more, 2 * half + 2);
            memset(more, 0, sizeof more);
            memcpy(more + 1, low, (size_t)half * sizeof *low);
            add_to(square, more, 2 * half + 2);
            assert_true(compare(square, above, 2 * half + 4) > 0);
        }
}

static void the_longest_product_keeps_its_carries(void **state)
{
    (void)state;
    static int32_t ones[NUMBER_BITS / 2], product[NUMBER_BITS];
    const long half = NUMBER_BITS / 2;
    for (long i = 0; i < half; i++)
        ones[i] = 1;
    number_multiply(ones, half, ones, half, product); // (2^h - 1)^2 = 2^2h - 2^(h + 1) + 1
    for (long i = 0; i < 2 * half; i++)
        assert_int_equal(product[i], i == 0 || i > half);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_machine),
        cmocka_unit_test(roots_are_those_of_all_small_numbers),
        cmocka_unit_test(roots_of_long_numbers_have_them_as_squares),
        cmocka_unit_test(the_longest_product_keeps_its_carries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
