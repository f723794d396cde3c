// SPDX-License-Identifier: MIT
// `reverse_string`: letters of the alphabet, uniform; the answer is the string from its end to its start.
#include "task_strings.h"

static long source(long length, long k)
{
    return length - 1 - k;
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    return strings_make_copies(set, first, count, source, arena, ret_batch, status);
}

const struct task_kind_row task_reverse_string = {
    .shape = token_shape,
    .init = strings_init_copies,
    .make = make,
    .sample_flops = token_sample_flops,
    .chance_error = strings_letters_chance,
    TOKEN_HOOKS,
    .symbol = strings_letter,
    .class = strings_letter,
};
