// SPDX-License-Identifier: MIT
// `solve_equation`: an expression (task_expressions.h, without products) of length - 2 symbols, = and its value modulo
// `modulus`, with x for one of its numbers, which is the answer: the first from a place on that is uniform in the
// expression, going round. It is the only solution.
#include "task_expressions.h"

enum { UNKNOWN = EXPRESSION_SIGNS, EQUALS };

static long write_string(const struct strings_rule *rule, uint64_t sample, long length, int32_t *input, int32_t *answer)
{
    const int32_t signs = (int32_t)rule->modulus;
    const long part = length - 2;
    expression_write(rule, sample, part, false, input);
    input[length - 2] = signs + EQUALS;
    input[length - 1] = expression_value(input, part, rule->modulus);
    long place = (long)random_below(rule->symbol, sample, (uint32_t)part, 0, (uint32_t)part);
    while (input[place] >= signs)
        place = (place + 1) % part;
    answer[0] = input[place];
    input[place] = signs + UNKNOWN;
    return 1;
}

static void symbol(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE])
{
    static const char *const signs[] = {"+", "-", "(", ")", "x", "=", "_"};
    strings_sign(token, (int32_t)settings->task.modulus, signs, ret_text);
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    return strings_make(set, first, count, write_string, arena, ret_batch, status);
}

const struct task_kind_row task_solve_equation = {
    .shape = token_shape,
    .init = token_init,
    .make = make,
    .sample_flops = token_sample_flops,
    .chance_error = strings_residue_chance,
    TOKEN_HOOKS,
    .symbol = symbol,
};
