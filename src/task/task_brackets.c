// SPDX-License-Identifier: MIT
// `brackets`: k = `bracket_types` kinds; symbol j < k opens kind j, symbol k + j closes it. At each position a bracket
// opens or the innermost one closes, with equal chances where both may: none closes where none is open, none opens
// where `depth` are, in test sequences `test_depth` unless that is 0. The kind of one that opens is uniform. The target
// at a position is 0 where none is open after it, else 1 + the kind of the innermost open one; under supervision final
// the last alone. Relevant is where that one opened; where none is open, nothing, but under final the last symbol.
#include "task_tokens.h"
#include <inttypes.h>
#include <stdio.h>

enum { DEPTH_LIMIT = 256 }; // of the settings table

static long depth_of(const struct settings *settings, bool test)
{
    return (long)(test && settings->task.test_depth ? settings->task.test_depth : settings->task.depth);
}

struct brackets_rule {
    struct random_key symbol;
    int types;
    long depth;
};

// One draw below 2k: its half says whether to open, its rest the kind.
static void write_sequence(const void *rule_of_set, uint64_t sample, struct token_sequence *sequence)
{
    const struct brackets_rule *rule = rule_of_set;
    int32_t kind[DEPTH_LIMIT], place[DEPTH_LIMIT];
    long open = 0;
    for (long t = 0; t < sequence->length; t++) {
        const int draw = (int)random_below(rule->symbol, sample, (uint32_t)t, 0, 2 * (uint32_t)rule->types);
        if (open == 0 || (open < rule->depth && draw < rule->types)) {
            kind[open] = draw % rule->types;
            place[open] = (int32_t)t;
            sequence->tokens[t] = kind[open++];
        } else {
            sequence->tokens[t] = rule->types + kind[--open];
        }
        sequence->targets[t * sequence->stride] = open ? 1 + kind[open - 1] : 0;
        if (open)
            sequence->relevant[t * sequence->relevant_stride] = place[open - 1];
        else if (sequence->relevant_stride == 0)
            sequence->relevant[0] = (int32_t)t;
    }
}

static void init(struct task_set *set)
{
    token_init(set);
    set->relevant_count = 1;
    set->relevant_each = settings_every_step(set->settings);
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    const struct brackets_rule rule = {.symbol = task_key(set, "symbol"),
                                       .types = (int)set->settings->task.bracket_types,
                                       .depth = depth_of(set->settings, set->split == SPLIT_TEST)};
    return token_make(set, first, count, (struct token_rule){write_sequence, &rule}, arena, ret_batch, status);
}

// p[t % 3][d]: how likely d brackets are open after t symbols.
struct brackets_chain {
    long t, depth;
    double types, p[3][DEPTH_LIMIT + 1];
};

static void step(const double *p, long depth, double *ret_next)
{
    for (long d = 0; d <= depth; d++) {
        const double from_below = d == 0 ? 0 : d == 1 ? p[0] : p[d - 1] / 2;
        const double from_above = d == depth ? 0 : d == depth - 1 ? p[depth] : p[d + 1] / 2;
        ret_next[d] = from_below + from_above;
    }
}

static bool next(void *chain_of_chance, double *ret_most)
{
    struct brackets_chain *chain = chain_of_chance;
    double *now = chain->p[(chain->t + 1) % 3];
    step(chain->p[chain->t % 3], chain->depth, now);
    const double none = now[0], kind = (1 - none) / chain->types;
    *ret_most = none > kind ? none : kind;
    chain->t++;
    return chain->t >= 2 && token_chance_equal(now, chain->p[(chain->t + 1) % 3], chain->depth + 1);
}

static double chance_error(const struct settings *settings, long length)
{
    struct brackets_chain chain = {
        .depth = depth_of(settings, true), .types = (double)settings->task.bracket_types, .p = {{1}}};
    return token_chance_error(settings, length, next, &chain);
}

static void write_bracket(const char *forms, int32_t kind, char ret_text[TASK_SYMBOL_SIZE])
{
    if (kind < 4)
        snprintf(ret_text, TASK_SYMBOL_SIZE, "%c", forms[kind]);
    else
        snprintf(ret_text, TASK_SYMBOL_SIZE, "%c%" PRId32, forms[0], kind);
}

static void symbol(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE])
{
    const int32_t types = (int32_t)settings->task.bracket_types;
    write_bracket(token < types ? "([{<" : ")]}>", token % types, ret_text);
}

static void class(const struct settings *settings, int32_t target, char ret_text[TASK_SYMBOL_SIZE])
{
    (void)settings;
    if (target == 0)
        snprintf(ret_text, TASK_SYMBOL_SIZE, "-");
    else
        write_bracket("([{<", target - 1, ret_text);
}

const struct task_kind_row task_brackets = {
    .shape = token_shape,
    .init = init,
    .make = make,
    .sample_flops = token_sample_flops,
    .chance_error = chance_error,
    TOKEN_HOOKS,
    .symbol = symbol,
    .class = class,
};
