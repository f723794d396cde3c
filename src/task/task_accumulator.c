// SPDX-License-Identifier: MIT
// `accumulator`: symbols gate * m + value with a gate of 0 or 1 and a value below m, each uniform; the state starts at
// 0 and becomes state + gate * value mod m. The target at a position is the state after it; under supervision final the
// last alone.
#include "task_tokens.h"
#include <inttypes.h>
#include <stdio.h>

struct accumulator_rule {
    struct random_key symbol;
    uint32_t modulus;
};

static void write_sequence(const void *rule_of_set, uint64_t sample, struct token_sequence *sequence)
{
    const struct accumulator_rule *rule = rule_of_set;
    const uint32_t modulus = rule->modulus;
    uint32_t state = 0, corrupted = 0;
    for (long t = 0; t < sequence->length; t++) {
        const uint32_t token = random_below(rule->symbol, sample, (uint32_t)t, 0, 2 * modulus);
        const uint32_t value = token >= modulus ? token - modulus : 0;
        state = (state + value) % modulus;
        sequence->tokens[t] = (int32_t)token;
        sequence->targets[t * sequence->stride] = (int32_t)state;
        if (!sequence->chain)
            continue;
        corrupted = (uint32_t)token_corrupted(sequence->chain, sample, t, (int32_t)((corrupted + value) % modulus),
                                              (int32_t)modulus);
        sequence->given[t * sequence->stride] = (int32_t)corrupted;
    }
}

static enum status_code accumulator_make(const struct task_set *set, long first, long count, struct arena *arena,
                                         struct batch *ret_batch, struct status *status)
{
    const struct accumulator_rule rule = {.symbol = task_key(set, "symbol"),
                                          .modulus = (uint32_t)set->settings->task.modulus};
    return token_make(set, first, count, (struct token_rule){write_sequence, &rule}, arena, ret_batch, status);
}

// The state after a step is uniform but for the share of sequences without an addition yet, and 0 is the likeliest.
static double accumulator_chance_error(const struct settings *settings, long length)
{
    const double modulus = (double)settings->task.modulus;
    const long first = settings_every_step(settings) ? 1 : length;
    double idle = 1, zero = 0;
    for (long t = 1; t <= length; t++) {
        idle *= 0.5;
        if (t >= first)
            zero += idle + (1 - idle) / modulus;
    }
    return 1 - zero / (double)(length - first + 1);
}

// What is added; a value that the gate shuts out does not matter.
static void symbol(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE])
{
    const int32_t modulus = (int32_t)settings->task.modulus;
    if (token < modulus)
        snprintf(ret_text, TASK_SYMBOL_SIZE, "·");
    else
        snprintf(ret_text, TASK_SYMBOL_SIZE, "+%" PRId32, token - modulus);
}

const struct task_kind_row task_accumulator = {
    .shape = token_shape,
    .init = token_init,
    .make = accumulator_make,
    .sample_flops = token_sample_flops,
    .chance_error = accumulator_chance_error,
    TOKEN_HOOKS,
    .symbol = symbol,
};
