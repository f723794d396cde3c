// SPDX-License-Identifier: MIT
// `odds_first`: letters of the alphabet, uniform; the answer has those in the first, third, fifth … place, then the
// others.
#include "task_strings.h"

static long write_string(const struct strings_rule *rule, uint64_t sample, long length, int32_t *input, int32_t *answer)
{
    const long odd = (length + 1) / 2;
    strings_letters(rule, sample, length, input);
    for (long k = 0; k < length; k++)
        answer[k] = input[k < odd ? 2 * k : 2 * (k - odd) + 1];
    return length;
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    return strings_make(set, first, count, write_string, arena, ret_batch, status);
}

const struct task_kind_row task_odds_first = {
    .shape = token_shape,
    .init = token_init,
    .make = make,
    .sample_bytes = token_sample_bytes,
    .make_bytes = token_make_bytes,
    .sample_flops = token_sample_flops,
    .chance_error = strings_letters_chance,
    .bayes_error = token_bayes_error,
    .bayes_flops = token_bayes_flops,
    .symbol = strings_letter,
    .class = strings_letter,
};
