// SPDX-License-Identifier: MIT
// `binary_addition`: two numbers and a plus (strings_numbers); the answer is their sum, the lowest bit first, without
// leading zeros, and an end (class 2).
#include "task_strings.h"
#include <math.h>

static long write_string(const struct strings_rule *rule, uint64_t sample, long length, int32_t *input, int32_t *answer)
{
    const long first = strings_numbers(rule, sample, length, input), second = length - 1 - first;
    long bits = 0;
    int32_t carry = 0;
    for (long i = 0; i < length; i++) {
        carry += i < first ? input[i] : 0;
        carry += i < second ? input[first + 1 + i] : 0;
        answer[i] = carry % 2;
        carry /= 2;
        bits = answer[i] ? i + 1 : bits;
    }
    answer[bits] = 2;
    return bits + 1;
}

static void symbol(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE])
{
    static const char *const signs[] = {"+", "_"};
    (void)settings;
    strings_sign(token, 2, signs, ret_text);
}

static double power(long exponent)
{
    return ldexp(1, (int)exponent);
}

// Of x uniform on `few` bits and y on `many`, both but 0: P(x + y < 2^k), from all pairs less those with a 0.
static double below(long few, long many, long k)
{
    const double x = power(-few), y = power(-many), some = (1 - x) * (1 - y);
    double all = 1, no_x = k < many ? power(k - many) : 1, no_y = k < few ? power(k - few) : 1;
    if (k <= few)
        all = (power(2 * k - few - many) + power(k - few - many)) / 2;
    else if (k <= many)
        all = power(k - many) - (power(few - many) - y) / 2;
    return (all - x * no_x - y * no_y + x * y) / some;
}

// The same of bit k of the sum: of all pairs it is 1 in one half, of those of a 0 and a number too, as far as that
// goes.
static double one(long few, long many, long k)
{
    const double x = power(-few), y = power(-many), some = (1 - x) * (1 - y);
    const double carried = k == many ? (power(few - many) - y) / 2 : 0;
    return (k < many ? (1 - x - (k < few ? y : 0)) / 2 : carried) / some;
}

// Splits by the bits of the longer number: below k - 1 of them the sum has ended, and WINDOW more than k leave bit k as
// likely 1 as 0 and the sum no chance to end there.
static double chance_error(const struct settings *settings, long length)
{
    enum { WINDOW = 64 };
    struct strings_odds odds = {0, 0, 1};
    const long splits = length - 2, bits = length - 1, half = (bits + 1) / 2;
    (void)settings;
    for (long k = 0; k <= bits; k++) {
        double ones = 0, ends = 0;
        for (long many = k - 1 > half ? k - 1 : half; many < bits; many++) {
            const long few = bits - many, both = few < many ? 2 : 1;
            if (many >= k + WINDOW) {
                ones += 0.5 * (double)(2 * (bits - many) - (few == many));
                break;
            }
            ones += both * one(few, many, k);
            ends += both * (below(few, many, k) - (k > 0 ? below(few, many, k - 1) : 0));
        }
        strings_odds_row(&odds, ones / (double)splits, ends / (double)splits, 1);
    }
    return 1 - odds.right / odds.counted;
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    return strings_make(set, first, count, write_string, arena, ret_batch, status);
}

const struct task_kind_row task_binary_addition = {
    .shape = token_shape,
    .init = token_init,
    .make = make,
    .sample_flops = token_sample_flops,
    .chance_error = chance_error,
    TOKEN_HOOKS,
    .symbol = symbol,
    .class = strings_bit,
};
