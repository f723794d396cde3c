// SPDX-License-Identifier: MIT
// `duplicate_string`: letters of the alphabet, uniform; the answer is the string twice.
#include "task_strings.h"

static long write_string(const struct strings_rule *rule, uint64_t sample, long length, int32_t *input, int32_t *answer)
{
    strings_letters(rule, sample, length, input);
    for (long k = 0; k < length; k++)
        answer[k] = answer[length + k] = input[k];
    return 2 * length;
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    return strings_make(set, first, count, write_string, arena, ret_batch, status);
}

const struct task_kind_row task_duplicate_string = {
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
