// SPDX-License-Identifier: MIT
// `multiplication`: two numbers with digits that are uniform, `length` of them and `multiplier_digits` or, where that
// is 0, as many as addition's second operand has, and their product with as many digits as both. Sequences are those of
// task_digits.h.
#include "task_digits.h"
#include <math.h>
#include <stdlib.h>

// Digit by digit from the lowest: the sum of what two digits give there, and what is carried. Below 2^49, since numbers
// have at most 2^16 digits, each below 2^16.
static void multiply(const struct digits_format *format, int32_t *tokens)
{
    const long n = format->digits[NUMBER_FIRST], m = format->digits[NUMBER_SECOND];
    const long up = format->reversed ? format->step : -format->step; // to the next higher digit
    const int32_t *first = tokens + digits_place(format, NUMBER_FIRST, 0),
                  *second = tokens + digits_place(format, NUMBER_SECOND, 0);
    uint64_t sum = 0;
    for (long i = 0; i < n + m; i++) {
        for (long j = i < n ? 0 : i - n + 1; j <= i && j < m; j++)
            sum += (uint64_t)first[up * (i - j)] * (uint64_t)second[up * j];
        tokens[digits_place(format, NUMBER_ANSWER, i)] = (int32_t)(sum % format->base);
        sum /= format->base;
    }
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    return digits_make(set, first, count, (struct digits_operation){.answer = multiply}, arena, ret_batch, status);
}

static double sample_flops(const struct task_set *set)
{
    const struct digits_format format = digits_format(set->settings, set->split == SPLIT_TEST, set->length);
    return token_sample_flops(set) + (double)format.digits[NUMBER_FIRST] * (double)format.digits[NUMBER_SECOND];
}

static void symbol(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE])
{
    digits_symbol(settings, token, "*", ret_text);
}

// How often the answers of many pairs of operands have each digit in each row.
enum { LONGEST = DIGITS_SHOWN / 2, ALL_PAIRS = 1 << 20, DRAWN_PAIRS = 1 << 16, HALVES = 2 };
struct tally {
    struct digits_format format; // of numbers that are cut in their middle, without hints
    struct random_key key;
    long pairs[HALVES], end[HALVES][ODDS_LIMIT];
    uint32_t *digit; // (HALVES, digits of an answer, base)
};

static uint32_t *tally_row(const struct tally *tally, int half, long k)
{
    return tally->digit + (half * tally->format.digits[NUMBER_ANSWER] + k) * (long)tally->format.base;
}

static void count_answer(struct tally *tally, int half, int32_t *tokens)
{
    const struct digits_format *format = &tally->format;
    long digits = format->digits[NUMBER_ANSWER];
    multiply(format, tokens);
    while (!format->padded && digits > 1 && tokens[digits_place(format, NUMBER_ANSWER, digits - 1)] == 0)
        digits--;
    for (long k = 0; k < digits; k++) {
        const long i = format->reversed ? k : digits - 1 - k;
        tally_row(tally, half, k)[tokens[digits_place(format, NUMBER_ANSWER, i)]]++;
    }
    tally->end[half][digits]++;
    tally->pairs[half]++;
}

// Sets the operands to the next pair; false after the last.
static bool next_pair(const struct digits_format *format, int32_t *tokens)
{
    for (int number = NUMBER_FIRST; number <= NUMBER_SECOND; number++)
        for (long i = 0; i < format->digits[number]; i++) {
            uint32_t from, to;
            int32_t *digit = &tokens[digits_place(format, (enum digits_number)number, i)];
            digits_range(format, (enum digits_number)number, i, &from, &to);
            if ((uint32_t)++ * digit < to)
                return true;
            *digit = (int32_t)from;
        }
    return false;
}

static void set_pair(const struct tally *tally, bool drawn, uint64_t pair, int32_t *tokens)
{
    for (int number = NUMBER_FIRST; number <= NUMBER_SECOND; number++)
        for (long i = 0; i < tally->format.digits[number]; i++) {
            uint32_t from, to;
            digits_range(&tally->format, (enum digits_number)number, i, &from, &to);
            const uint32_t above = drawn ? random_below(tally->key, pair, (uint32_t)i, (uint32_t)number, to - from) : 0;
            tokens[digits_place(&tally->format, (enum digits_number)number, i)] = (int32_t)(from + above);
        }
}

// All pairs where they are few; else draws, of which the first half says what to guess and the second how often that
// is right.
static bool count_pairs(struct tally *tally)
{
    int32_t tokens[4 * LONGEST + 2];
    const long digits = tally->format.digits[NUMBER_ANSWER];
    double pairs = 1;
    for (long i = 0; i < digits; i++)
        pairs *= tally->format.base;
    const bool drawn = pairs > ALL_PAIRS;
    if (!drawn) {
        set_pair(tally, false, 0, tokens);
        do
            count_answer(tally, 0, tokens);
        while (next_pair(&tally->format, tokens));
        return false;
    }
    for (uint64_t pair = 0; pair < DRAWN_PAIRS; pair++) {
        set_pair(tally, true, pair, tokens);
        count_answer(tally, (int)(pair % HALVES), tokens);
    }
    return true;
}

static double likeliest(const struct tally *tally, int judge, long k)
{
    const uint32_t *row = tally_row(tally, 0, k);
    uint32_t digit = 0;
    for (uint32_t x = 1; x < tally->format.base; x++)
        digit = row[x] > row[digit] ? x : digit;
    return (double)tally_row(tally, judge, k)[digit] / (double)tally->pairs[judge];
}

// Only so many digits of an operand are looked at: the lowest and the highest of a product hardly know of those
// between.
static struct digits_format cut(const struct digits_format *format)
{
    struct digits_format shown = *format;
    long digits[2];
    for (int number = NUMBER_FIRST; number <= NUMBER_SECOND; number++)
        digits[number] = format->digits[number] < LONGEST ? format->digits[number] : LONGEST;
    shown.step = 1;
    for (int number = 0; number < NUMBERS; number++) {
        shown.digits[number] = number == NUMBER_ANSWER ? digits[0] + digits[1] : digits[number];
        shown.at[number] = number == NUMBER_FIRST ? 0 : shown.at[number - 1] + shown.digits[number - 1] + 1;
    }
    return shown;
}

static double chance_error(const struct settings *settings, long length)
{
    const struct digits_format format = digits_format(settings, true, length);
    struct tally tally = {.format = cut(&format), .key = random_key(0, 0, "chance")};
    const long digits = tally.format.digits[NUMBER_ANSWER], middle = digits / 2;
    tally.digit = calloc((size_t)(HALVES * digits) * tally.format.base, sizeof *tally.digit);
    if (!tally.digit)
        return NAN;
    const int judge = count_pairs(&tally) ? 1 : 0;
    struct digits_odds odds = {.digits = digits};
    for (long k = 0; k <= digits; k++) {
        const bool stands_for_more = (format.reversed ? k : digits - 1 - k) == middle;
        odds.end[k] = (double)tally.end[judge][k] / (double)tally.pairs[judge];
        odds.digit[k] = k < digits ? likeliest(&tally, judge, k) : 0;
        odds.weight[k] = stands_for_more ? (double)(1 + format.digits[NUMBER_ANSWER] - digits) : 1;
    }
    free(tally.digit);
    return digits_chance_error(&format, &odds);
}

const struct task_kind_row task_multiplication = {
    .shape = digits_shape,
    .init = token_init,
    .make = make,
    .sample_flops = sample_flops,
    .chance_error = chance_error,
    TOKEN_HOOKS,
    .symbol = symbol,
    .class = symbol,
};
