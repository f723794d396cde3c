// SPDX-License-Identifier: MIT
// `addition`: two numbers with digits that are uniform, `length` of them and as many less `operand_offset`, and their
// sum with one digit more than the first. Sequences are those of task_digits.h. Relevant to digit i of the sum: digits
// i and i - 1 of both numbers, as far as these have them, and the digit of the sum that is written before it.
#include "task_digits.h"

static void add(const struct digits_format *format, int32_t *tokens)
{
    int32_t carry = 0;
    for (long i = 0; i < format->digits[NUMBER_ANSWER]; i++) {
        int32_t sum = carry;
        for (int number = NUMBER_FIRST; number <= NUMBER_SECOND; number++)
            sum += i < format->digits[number] ? tokens[digits_place(format, (enum digits_number)number, i)] : 0;
        carry = sum >= (int32_t)format->base;
        tokens[digits_place(format, NUMBER_ANSWER, i)] = carry ? sum - (int32_t)format->base : sum;
    }
}

enum { RELEVANT = 5 };

static void name_relevant(const struct digits_format *format, long i, int32_t *ret_relevant)
{
    const long in_order[] = {format->reversed ? i - 1 : i, format->reversed ? i : i - 1}; // as they are written
    const long before = format->reversed ? i - 1 : i + 1;
    int count = 0;
    for (enum digits_number number = NUMBER_FIRST; number <= NUMBER_SECOND; number++)
        for (int k = 0; k < 2; k++)
            if (in_order[k] >= 0 && in_order[k] < format->digits[number])
                ret_relevant[count++] = (int32_t)digits_place(format, number, in_order[k]);
    if (before >= 0 && before < format->digits[NUMBER_ANSWER])
        ret_relevant[count++] = (int32_t)digits_place(format, NUMBER_ANSWER, before);
    while (count < RELEVANT)
        ret_relevant[count++] = -1;
}

static void init(struct task_set *set)
{
    token_init(set);
    set->relevant_count = RELEVANT;
    set->relevant_each = true;
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    const struct digits_operation addition = {add, name_relevant};
    return digits_make(set, first, count, addition, arena, ret_batch, status);
}

static void symbol(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE])
{
    digits_symbol(settings, token, "+", ret_text);
}

// Carries from digit to digit: how likely one comes into digit i, and how likely the last is one, given that into i.
struct carries {
    struct digits_format format; // of numbers that are cut in their middle
    double in[ODDS_LIMIT], last[ODDS_LIMIT][2];
};

// P(digit i of the sum is x and `out` is carried | `in` is carried): pairs of digits whose sum with `in` is x + out B.
static double transition(const struct digits_format *format, long i, uint32_t x, int in, int out)
{
    uint32_t from, to;
    long low[2] = {0, 0}, high[2] = {0, 0};
    double pairs = 1;
    for (int number = NUMBER_FIRST; number <= NUMBER_SECOND; number++) {
        if (i >= format->digits[number])
            continue;
        digits_range(format, (enum digits_number)number, i, &from, &to);
        low[number] = from;
        high[number] = (long)to - 1;
        pairs *= to - from;
    }
    const long sum = (long)x + out * (long)format->base - in;
    const long least = sum - high[1] > low[0] ? sum - high[1] : low[0],
               most = sum - low[1] < high[0] ? sum - low[1] : high[0];
    return most < least ? 0 : (double)(most - least + 1) / pairs;
}

static double carried(const struct digits_format *format, long i, int in)
{
    double sum = 0;
    for (uint32_t x = 0; x < format->base; x++)
        sum += transition(format, i, x, in, 1);
    return sum;
}

static void follow(struct carries *carries)
{
    const long digits = carries->format.digits[NUMBER_FIRST];
    double out[ODDS_LIMIT][2];
    carries->in[0] = 0;
    for (long i = 0; i < digits; i++) {
        for (int in = 0; in < 2; in++)
            out[i][in] = carried(&carries->format, i, in);
        carries->in[i + 1] = carries->in[i] * out[i][1] + (1 - carries->in[i]) * out[i][0];
    }
    carries->last[digits][0] = 0;
    carries->last[digits][1] = 1;
    for (long i = digits - 1; i >= 0; i--)
        for (int in = 0; in < 2; in++)
            carries->last[i][in] = out[i][in] * carries->last[i + 1][1] + (1 - out[i][in]) * carries->last[i + 1][0];
}

// P(digit i of the sum is x and the last carry is `last`).
static double joint(const struct carries *carries, long i, uint32_t x, int last)
{
    double sum = 0;
    if (i == carries->format.digits[NUMBER_FIRST])
        return x != (uint32_t)last ? 0 : last ? carries->in[i] : 1 - carries->in[i];
    for (int in = 0; in < 2; in++)
        for (int out = 0; out < 2; out++) {
            const double then = carries->last[i + 1][out], now = in ? carries->in[i] : 1 - carries->in[i];
            sum += now * transition(&carries->format, i, x, in, out) * (last ? then : 1 - then);
        }
    return sum;
}

// Of the likeliest digit in row k. Without padding the number of digits goes with the last carry.
static double likeliest(const struct carries *carries, long k)
{
    const struct digits_format *format = &carries->format;
    double most = 0;
    for (uint32_t x = 0; x < format->base; x++) {
        double sum = 0;
        for (int last = 0; last < 2; last++) {
            const long digits = format->digits[NUMBER_ANSWER] - (!format->padded && !last);
            if (k < digits)
                sum += joint(carries, format->reversed ? k : digits - 1 - k, x, last);
        }
        most = sum > most ? sum : most;
    }
    return most;
}

// Where both operands have digits, and where the first alone has, no more than DIGITS_SHOWN are looked at.
static struct digits_format cut(const struct digits_format *format, long ret_stands_for[ODDS_LIMIT])
{
    struct digits_format shown = *format;
    const long both = format->digits[NUMBER_SECOND], alone = format->digits[NUMBER_FIRST] - both;
    const long shown_both = both < DIGITS_SHOWN ? both : DIGITS_SHOWN,
               shown_alone = alone < DIGITS_SHOWN ? alone : DIGITS_SHOWN;
    shown.digits[NUMBER_SECOND] = shown_both;
    shown.digits[NUMBER_FIRST] = shown_both + shown_alone;
    shown.digits[NUMBER_ANSWER] = shown_both + shown_alone + 1;
    for (long i = 0; i < shown.digits[NUMBER_ANSWER]; i++)
        ret_stands_for[i] = 1;
    ret_stands_for[shown_both / 2] += both - shown_both;
    ret_stands_for[shown_both + shown_alone / 2] += alone - shown_alone;
    return shown;
}

static double chance_error(const struct settings *settings, long length)
{
    const struct digits_format format = digits_format(settings, true, length);
    long stands_for[ODDS_LIMIT];
    struct carries carries = {.format = cut(&format, stands_for)};
    follow(&carries);
    const long digits = carries.format.digits[NUMBER_ANSWER];
    struct digits_odds odds = {.digits = digits};
    for (long k = 0; k < digits; k++) {
        odds.digit[k] = likeliest(&carries, k);
        odds.weight[k] = (double)stands_for[format.reversed ? k : digits - 1 - k];
    }
    odds.end[digits - 1] = format.padded ? 0 : 1 - carries.in[digits - 1];
    odds.end[digits] = 1 - odds.end[digits - 1];
    return digits_chance_error(&format, &odds);
}

const struct task_kind_row task_addition = {
    .shape = digits_shape,
    .init = init,
    .make = make,
    .sample_flops = token_sample_flops,
    .chance_error = chance_error,
    TOKEN_HOOKS,
    .symbol = symbol,
    .class = symbol,
};
