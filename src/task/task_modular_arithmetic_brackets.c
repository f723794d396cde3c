// SPDX-License-Identifier: MIT
// `modular_arithmetic_brackets`: an expression (task_expressions.h, with products); the answer is its value modulo
// `modulus`.
#include "task_expressions.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static long write_string(const struct strings_rule *rule, uint64_t sample, long length, int32_t *input, int32_t *answer)
{
    expression_write(rule, sample, length, true, input);
    answer[0] = expression_value(input, length, rule->modulus);
    return 1;
}

static void symbol(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE])
{
    static const char *const signs[] = {"+", "-", "(", ")", "*", "_"};
    strings_sign(token, (int32_t)settings->task.modulus, signs, ret_text);
}

// How likely values are. Multiplying all values by a number without a common divisor with the modulus changes nothing
// in that, so that values with the same greatest common divisor with it are alike: a class each.
enum { MODULUS_LIMIT = 1024, CLASSES = 32, EXACT = 256 }; // spec refuses a larger modulus
struct values {
    long modulus, classes, room;
    long size[CLASSES];                   // values in it
    double to[CLASSES][CLASSES][CLASSES]; // P(class of a result | classes of what an operator joins)
    double *share;                        // (classes, room): P(class | length)
};

static long common_divisor(long a, long b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

static void find_classes(struct values *values)
{
    long class[MODULUS_LIMIT], divisor[CLASSES];
    for (long v = 0; v < values->modulus; v++) {
        const long common = common_divisor(values->modulus, v);
        for (class[v] = 0; class[v] < values -> classes &&divisor[class[v]] != common;)
            class[v]++;
        if (class[v] == values->classes)
            divisor[values->classes++] = common;
        values->size[class[v]]++;
    }
    for (long u = 0; u < values->modulus; u++)
        for (long v = 0; v < values->modulus; v++) {
            const double pairs = (double)(values->size[class[u]] * values->size[class[v]]);
            double *to = values->to[class[u]][class[v]];
            to[class[(u + v) % values->modulus]] += 2 / (3 * pairs); // a difference is alike
            to[class[u * v % values->modulus]] += 1 / (3 * pairs);
        }
}

static double *share_of(const struct values *values, long class)
{
    return values->share + class * values->room;
}

// The shares at a length, from those of all shorter ones: of two classes it is all one which is on the left.
static void join(const struct values *values, long length)
{
    const long splits = length - 4;
    double joined[CLASSES] = {0};
    for (long i = 0; i < values->classes; i++)
        for (long j = i; j < values->classes; j++) {
            const double *left = share_of(values, i), *right = share_of(values, j);
            double sum[4] = {0};
            for (long l = 1; l <= splits; l++)
                sum[l % 4] += left[l] * right[length - 3 - l];
            const double both = ((sum[0] + sum[1]) + (sum[2] + sum[3])) * (i == j ? 1 : 2) / (double)splits;
            for (long k = 0; k < values->classes; k++)
                joined[k] += values->to[i][j][k] * both;
        }
    for (long k = 0; k < values->classes; k++)
        share_of(values, k)[length] = joined[k];
}

// The shares between two lengths lie on a line.
static void fill(const struct values *values, long from, long to)
{
    for (long k = 0; k < values->classes; k++) {
        double *share = share_of(values, k);
        for (long l = from + 1; l < to; l++)
            share[l] = share[from] + (share[to] - share[from]) * (double)(l - from) / (double)(to - from);
    }
}

// Exact up to length EXACT. Longer ones go in steps of that share of them, first with what is between as before it.
static void follow(const struct values *values, long length)
{
    for (long k = 0; k < values->classes; k++)
        for (long l = 1; l <= 4; l++)
            share_of(values, k)[l] = (double)values->size[k] / (double)values->modulus;
    for (long from = 4; from < length;) {
        const long next = from + 1 + from / EXACT, to = next < length ? next : length;
        for (long k = 0; k < values->classes; k++)
            share_of(values, k)[to] = share_of(values, k)[from];
        for (int pass = 0; pass < (to > from + 1 ? 2 : 1); pass++) {
            fill(values, from, to);
            join(values, to);
        }
        fill(values, from, to);
        from = to;
    }
}

static double chance_error(const struct settings *settings, long length)
{
    double most = 0;
    struct values *values = calloc(1, sizeof *values);
    if (!values)
        return NAN;
    values->modulus = (long)settings->task.modulus;
    values->room = length > 4 ? length + 1 : 5;
    find_classes(values);
    values->share = calloc((size_t)(values->classes * values->room), sizeof *values->share);
    if (values->share) {
        follow(values, length);
        for (long k = 0; k < values->classes; k++) {
            const double one = share_of(values, k)[length] / (double)values->size[k];
            most = one > most ? one : most;
        }
    }
    const double error = values->share ? 1 - most : NAN;
    free(values->share);
    free(values);
    return error;
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    return strings_make(set, first, count, write_string, arena, ret_batch, status);
}

const struct task_kind_row task_modular_arithmetic_brackets = {
    .shape = token_shape,
    .init = token_init,
    .make = make,
    .sample_flops = token_sample_flops,
    .chance_error = chance_error,
    TOKEN_HOOKS,
    .symbol = symbol,
};
