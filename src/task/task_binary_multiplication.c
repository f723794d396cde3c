// SPDX-License-Identifier: MIT
// `binary_multiplication`: two numbers and a times sign (strings_numbers); the answer is their product, the lowest bit
// first, without leading zeros, and an end (class 2).
#include "task_numbers.h"
#include "task_strings.h"
#include <math.h>

static long write_string(const struct strings_rule *rule, uint64_t sample, long length, int32_t *input, int32_t *answer)
{
    const long first = strings_numbers(rule, sample, length, input), second = length - 1 - first;
    long bits = length - 1;
    number_multiply(input, first, input + first + 1, second, answer);
    while (bits > 1 && !answer[bits - 1])
        bits--;
    answer[bits] = 2;
    return bits + 1;
}

static double sample_flops(const struct task_set *set)
{
    const double bits = (double)set->length;
    return token_sample_flops(set) + bits * bits / 4096;
}

static void symbol(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE])
{
    static const char *const signs[] = {"*", "_"};
    (void)settings;
    strings_sign(token, 2, signs, ret_text);
}

// Products of factors with SHOWN bits in all tell those of longer ones: the lowest and the highest bits hardly know of
// those between. For each way to share them out, pairs of factors give bits `many` and higher and the end: all pairs
// where the factors have FEW_BITS in all, else so many draws. The standard error of the chance error is below 0.0005.
enum { SHOWN = 63, FEW = SHOWN / 2, FEW_BITS = 16, DRAWN_PAIRS = 1 << 14 };
struct tally {
    double one[SHOWN + 1], end[SHOWN + 1]; // of each row
};

static void count_pair(uint64_t product, long many, double weight, struct tally *tally)
{
    long bits = many;
    for (uint64_t rest = product >> many; rest; rest >>= 1)
        tally->one[bits++] += rest & 1 ? weight : 0;
    while (!(product >> (bits - 1)))
        bits--;
    tally->end[bits] += weight;
}

// Uniform from 1 to 2^bits - 1.
static uint64_t drawn(uint32_t high, uint32_t low, long bits)
{
    const uint64_t word = (uint64_t)high << 32 | low, least = word >> (64 - bits);
    return least ? least : 1 + word % (((uint64_t)1 << bits) - 1);
}

static void count_pairs(long few, long many, double weight, struct tally *tally)
{
    const struct random_key key = random_key(0, 0, "chance");
    const uint64_t x_end = (uint64_t)1 << few, y_end = (uint64_t)1 << many;
    const bool all = few + many <= FEW_BITS;
    const double pairs = all ? (double)(x_end - 1) * (double)(y_end - 1) : DRAWN_PAIRS;
    for (uint64_t x = 1; all && x < x_end; x++)
        for (uint64_t y = 1; y < y_end; y++)
            count_pair(x * y, many, weight / pairs, tally);
    for (uint64_t pair = 0; !all && pair < DRAWN_PAIRS; pair++) {
        uint32_t word[4];
        random_block(key, pair, (uint32_t)few, 0, word);
        count_pair(drawn(word[0], word[1], few) * drawn(word[2], word[3], many), many, weight / pairs, tally);
    }
}

// Bits below `many`: where k + 1 bits of the shorter factor are not all 0, those of the longer one make bit k uniform.
static void add_low_bits(long few, long many, double weight, struct tally *tally)
{
    const double some = (1 - ldexp(1, (int)-few)) * (1 - ldexp(1, (int)-many));
    for (long k = 0; k < many; k++)
        tally->one[k] += weight * (1 - ldexp(1, (int)-(k + 1 < few ? k + 1 : few))) / 2 / some;
}

static double chance_error(const struct settings *settings, long length)
{
    const long bits = length - 1, shown = bits < SHOWN ? bits : SHOWN, most_few = shown / 2;
    struct tally tally = {{0}, {0}};
    struct strings_odds odds = {0, 0, 1};
    (void)settings;
    for (long few = 1; few <= most_few; few++) {
        const double splits = few < most_few ? 2 : (double)(bits - 1 - 2 * (most_few - 1));
        count_pairs(few, shown - few, splits / (double)(bits - 1), &tally);
        add_low_bits(few, shown - few, splits / (double)(bits - 1), &tally);
    }
    for (long k = 0; k <= shown; k++)
        strings_odds_row(&odds, tally.one[k], tally.end[k], k == FEW ? (double)(1 + bits - shown) : 1);
    return 1 - odds.right / odds.counted;
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    return strings_make(set, first, count, write_string, arena, ret_batch, status);
}

const struct task_kind_row task_binary_multiplication = {
    .shape = token_shape,
    .init = token_init,
    .make = make,
    .sample_flops = sample_flops,
    .chance_error = chance_error,
    TOKEN_HOOKS,
    .symbol = symbol,
    .class = strings_bit,
};
