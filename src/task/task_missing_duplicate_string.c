// SPDX-License-Identifier: MIT
// `missing_duplicate_string`: a string of ⌊length / 2⌋ letters, uniform, twice, with a placeholder for one of all its
// letters, any with the same chance; that letter is the answer. A padding symbol ends inputs of odd length. Placeholder
// and padding are the symbols behind the alphabet.
#include "task_strings.h"

static long write_string(const struct strings_rule *rule, uint64_t sample, long length, int32_t *input, int32_t *answer)
{
    const long half = length / 2;
    const int32_t missing = (int32_t)rule->alphabet, padding = missing + 1;
    const long place = (long)random_below(rule->place, sample, 0, 0, (uint32_t)(2 * half));
    strings_letters(rule, sample, half, input);
    for (long t = 0; t < half; t++)
        input[half + t] = input[t];
    if (length % 2)
        input[length - 1] = padding;
    answer[0] = input[place];
    input[place] = missing;
    return 1;
}

static void symbol(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE])
{
    static const char *const signs[] = {"?", ".", "_"};
    if (token < settings->task.alphabet)
        strings_letter(settings, token, ret_text);
    else
        strings_sign(token, (int32_t)settings->task.alphabet, signs, ret_text);
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    return strings_make(set, first, count, write_string, arena, ret_batch, status);
}

const struct task_kind_row task_missing_duplicate_string = {
    .shape = token_shape,
    .init = token_init,
    .make = make,
    .sample_flops = token_sample_flops,
    .chance_error = strings_letters_chance,
    TOKEN_HOOKS,
    .symbol = symbol,
    .class = strings_letter,
};
