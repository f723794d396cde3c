// SPDX-License-Identifier: MIT
// `modular`: `length` terms, each one symbol below `modulus` (in testing `test_modulus`, unless that is 0) and uniform,
//   t1 + t2 + … + tn = s end
// with s their sum modulo it. The tokens are all but the last symbol, the target at a row is the next one, and those
// behind the equals sign count. Symbols are those of task_digits.h with terms as numerals.
#include "task_digits.h"
#include <string.h>

enum { PLUS, EQUALS, END }; // behind the terms

struct modular_rule {
    struct random_key term;
    uint32_t modulus;
    int32_t marks;
};

static void write_sequence(const void *rule_of_set, uint64_t sample, struct token_sequence *sequence)
{
    const struct modular_rule *rule = rule_of_set;
    const long equals = 2 * sequence->length - 1;
    int32_t *tokens = sequence->tokens;
    uint64_t sum = 0;
    for (long i = 0; i < sequence->length; i++) {
        const uint32_t term = random_below(rule->term, sample, (uint32_t)i, 0, rule->modulus);
        sum += term;
        tokens[2 * i] = (int32_t)term;
        tokens[2 * i + 1] = rule->marks + PLUS;
    }
    tokens[equals] = rule->marks + EQUALS;
    tokens[equals + 1] = (int32_t)(sum % rule->modulus);
    memcpy(sequence->targets, tokens + 1, (size_t)(equals + 1) * sizeof *tokens);
    sequence->targets[equals + 1] = rule->marks + END;
    memset(sequence->mask, 0, (size_t)equals);
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    const struct modular_rule rule = {.term = task_key(set, "digit"),
                                      .modulus = (uint32_t)settings_modulus(set->settings, set->split == SPLIT_TEST),
                                      .marks = (int32_t)settings_numerals(set->settings)};
    return token_make(set, first, count, (struct token_rule){write_sequence, &rule}, arena, ret_batch, status);
}

// The sum is uniform, and the end is certain.
static double chance_error(const struct settings *settings, long length)
{
    (void)length;
    return (1 - 1 / (double)settings_modulus(settings, true)) / 2;
}

static void symbol(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE])
{
    digits_symbol(settings, token, "+", ret_text);
}

const struct task_kind_row task_modular = {
    .shape = digits_shape,
    .init = token_init,
    .make = make,
    .sample_flops = token_sample_flops,
    .chance_error = chance_error,
    TOKEN_HOOKS,
    .symbol = symbol,
    .class = symbol,
};
