// SPDX-License-Identifier: MIT
// `bucket_sort`: letters of the alphabet, uniform; the answer has the same letters in the alphabet's order.
#include "task_strings.h"
#include <math.h>
#include <stdlib.h>

enum { ALPHABET_LIMIT = 1024 }; // of the settings table

static long write_string(const struct strings_rule *rule, uint64_t sample, long length, int32_t *input, int32_t *answer)
{
    long count[ALPHABET_LIMIT] = {0}, k = 0;
    strings_letters(rule, sample, length, input);
    for (long t = 0; t < length; t++)
        count[input[t]]++;
    for (int32_t letter = 0; letter < (int32_t)rule->alphabet; letter++)
        while (count[letter]-- > 0)
            answer[k++] = letter;
    return length;
}

// ret_some[k]: P(more than k of `length` events of probability p), from terms relative to the likeliest.
static void more_than(double p, long length, double *ret_some)
{
    const long mode = (long)floor((double)(length + 1) * p);
    double sum = 0;
    ret_some[mode] = 1;
    for (long k = mode; k < length; k++)
        ret_some[k + 1] = ret_some[k] * (double)(length - k) / (double)(k + 1) * p / (1 - p);
    for (long k = mode; k > 0; k--)
        ret_some[k - 1] = ret_some[k] * (double)k / (double)(length - k + 1) * (1 - p) / p;
    for (long k = length; k >= 0; k--) {
        const double term = ret_some[k];
        ret_some[k] = sum;
        sum += term;
    }
    for (long k = 0; k <= length; k++)
        ret_some[k] /= sum;
}

// The letter at place k is at most c where more than k letters are.
static double chance_error(const struct settings *settings, long length)
{
    const long letters = (long)settings->task.alphabet, room = length + 1;
    double *storage = calloc(3 * (size_t)room, sizeof *storage), right = 0;
    if (!storage)
        return NAN;
    double *most = storage, *at_most = storage + room, *lower = storage + 2 * room;
    for (long letter = 0; letter < letters; letter++) {
        double *spare = lower;
        lower = at_most;
        at_most = spare;
        if (letter < letters - 1)
            more_than((double)(letter + 1) / (double)letters, length, at_most);
        for (long k = 0; k < length; k++) {
            const double share = (letter < letters - 1 ? at_most[k] : 1) - lower[k];
            most[k] = share > most[k] ? share : most[k];
        }
    }
    for (long k = 0; k < length; k++)
        right += most[k];
    free(storage);
    return 1 - right / (double)length;
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    return strings_make(set, first, count, write_string, arena, ret_batch, status);
}

const struct task_kind_row task_bucket_sort = {
    .shape = token_shape,
    .init = token_init,
    .make = make,
    .sample_flops = token_sample_flops,
    .chance_error = chance_error,
    TOKEN_HOOKS,
    .symbol = strings_letter,
    .class = strings_letter,
};
