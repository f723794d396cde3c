// SPDX-License-Identifier: MIT
// `odds_first`: letters of the alphabet, uniform; the answer has those in the first, third, fifth … place, then the
// others.
#include "task_strings.h"

static long source(long length, long k)
{
    const long odd = (length + 1) / 2;
    return k < odd ? 2 * k : 2 * (k - odd) + 1;
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    return strings_make_copies(set, first, count, source, arena, ret_batch, status);
}

const struct task_kind_row task_odds_first = {
    .shape = token_shape,
    .init = strings_init_copies,
    .make = make,
    .sample_flops = token_sample_flops,
    .chance_error = strings_letters_chance,
    TOKEN_HOOKS,
    .symbol = strings_letter,
    .class = strings_letter,
};
