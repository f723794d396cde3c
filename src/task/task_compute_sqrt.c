// SPDX-License-Identifier: MIT
// `compute_sqrt`: a number of `length` bits (strings_number), the highest first; the answer is its square root rounded
// down, likewise in half as many bits, rounded up.
#include "task_numbers.h"
#include "task_strings.h"
#include <math.h>

static long write_string(const struct strings_rule *rule, uint64_t sample, long length, int32_t *input, int32_t *answer)
{
    strings_number(rule, sample, 0, length, input);
    number_root(input, length, answer);
    return (length + 1) / 2;
}

static double sample_flops(const struct task_set *set)
{
    const double bits = (double)set->length;
    return token_sample_flops(set) + bits * bits / 64;
}

static void symbol(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE])
{
    static const char *const blank[] = {"_"};
    (void)settings;
    strings_sign(token, 2, blank, ret_text);
}

// r is the root of 2r + 1 numbers. Where bit j is 1 r lies in [2c + 1, 2c + 2) 2^j, c = 0, 1, …, and the numbers with
// such roots are ((2c + 2)^2 - (2c + 1)^2) 4^j, those of the last c that are below 2^length. In units of 4^j there are
// `all` numbers, and below the block of the last c lie 4c^2.
static double one(long length, long j)
{
    if (length - 2 * j > 100)
        return 0.5;
    const double all = ldexp(1, (int)(length - 2 * j)), last = floor(sqrt(all) / 2);
    const double rest = all - (2 * last + 1) * (2 * last + 1);
    return (2 * last * last + last + (rest > 0 ? rest : 0)) / all;
}

static double chance_error(const struct settings *settings, long length)
{
    const long bits = (length + 1) / 2;
    const double some = 1 - ldexp(1, (int)-length); // P(the number is not 0), which has no bit in its root
    double right = 0;
    (void)settings;
    for (long j = 0; j < bits; j++) {
        const double p = one(length, j) / some;
        right += p > 0.5 ? p : 1 - p;
    }
    return 1 - right / (double)bits;
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    return strings_make(set, first, count, write_string, arena, ret_batch, status);
}

const struct task_kind_row task_compute_sqrt = {
    .shape = token_shape,
    .init = token_init,
    .make = make,
    .sample_flops = sample_flops,
    .chance_error = chance_error,
    TOKEN_HOOKS,
    .symbol = symbol,
    .class = strings_bit,
};
