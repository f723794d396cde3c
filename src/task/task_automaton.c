// SPDX-License-Identifier: MIT
// `automaton`: from its start a finite automaton goes to the next state with each symbol, which is uniform among those
// that may come in the state. The target at a position is the class of the state after it; under supervision final the
// last alone. By the setting `automaton`:
//   parity              symbols 0 and 1; the number of ones modulo 2
//   cycle_navigation    5 places in a circle; 0 stays, 1 goes forward, 2 back; the place, at first 0
//   even_pairs          symbols 0 and 1; whether the last differs from the first, that is whether the number of
//                       neighbours that differ is odd
//   modular_arithmetic  numbers 0 to 4 and between them operators 5 (+), 6 (-), 7 (times), which binds first; the value
//                       modulo 5 of the expression so far, at an operator that of what stands before it
//   flip_flop           0 holds, 1 writes 0, 2 writes 1; what was written last. The first symbol writes. Relevant: the
//   last
//                       write
//   cyclic, dihedral, symmetric, alternating5
//                       words of Z_n, D_n, S_n, A_5 with n = `order`: the state is the product so far, at first the
//                       identity, and a symbol acts after what came before. By group_symbols a symbol is any element,
//                       or one of two generators: 0 and 1 of Z_n; the turn by one corner and the mirror of D_n; the
//                       swap of two points and the cycle of all of S_n; the cycles of three points and of all of A_5.
//                       Numbers of elements: see task_automaton.h
//   table               the states, symbols and classes that the settings list: see spec_automaton.h
// Sources: Deletang et al. 2023 (the first four), Liu et al. 2023 (the others).
#include "task_automaton.h"
#include "task_tokens.h"
#include <inttypes.h>
#include <stdio.h>

struct automaton_rule {
    struct random_key symbol;
    struct automaton automaton;
    struct automaton_table table;
};

static void write_sequence(const void *rule_of_set, uint64_t sample, struct token_sequence *sequence)
{
    const struct automaton_rule *rule = rule_of_set;
    const struct automaton *automaton = &rule->automaton;
    int state = automaton->start, corrupted = state;
    long written = 0;
    for (long t = 0; t < sequence->length; t++) {
        const struct automaton_symbols legal = automaton->legal(automaton, state);
        const int token = legal.first + (int)random_below(rule->symbol, sample, (uint32_t)t, 0, (uint32_t)legal.count);
        state = automaton->next(automaton, state, token);
        sequence->tokens[t] = token;
        sequence->targets[t * sequence->stride] = automaton->output(automaton, state);
        if (sequence->chain) {
            corrupted = automaton->next(automaton, corrupted, token);
            corrupted = token_corrupted(sequence->chain, sample, t, corrupted, automaton->states);
            sequence->given[t * sequence->stride] = automaton->output(automaton, corrupted);
        }
        written = token == FLIP_FLOP_HOLD ? written : t;
        if (sequence->relevant)
            sequence->relevant[t * sequence->relevant_stride] = (int32_t)written;
    }
}

static void init(struct task_set *set)
{
    token_init(set);
    set->relevant_count = set->settings->task.automaton == AUTOMATON_FLIP_FLOP;
    set->relevant_each = set->relevant_count > 0 && settings_every_step(set->settings);
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    struct automaton_rule rule;
    rule.symbol = task_key(set, "symbol");
    automaton_init(&rule.automaton, set->settings, &rule.table);
    return token_make(set, first, count, (struct token_rule){write_sequence, &rule}, arena, ret_batch, status);
}

static void symbol(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE])
{
    static const char *const steps[] = {"0", "+1", "-1"}, *const writes[] = {"hold", "w0", "w1"},
                             *const terms[] = {"0", "1", "2", "3", "4", "+", "-", "*"};
    const char *const *names = settings->task.automaton == AUTOMATON_CYCLE_NAVIGATION     ? steps
                               : settings->task.automaton == AUTOMATON_FLIP_FLOP          ? writes
                               : settings->task.automaton == AUTOMATON_MODULAR_ARITHMETIC ? terms
                                                                                          : NULL;
    if (names)
        snprintf(ret_text, TASK_SYMBOL_SIZE, "%s", names[token]);
    else
        snprintf(ret_text, TASK_SYMBOL_SIZE, "%" PRId32, token);
}

const struct task_kind_row task_automaton = {
    .shape = token_shape,
    .init = init,
    .make = make,
    .sample_flops = token_sample_flops,
    .chance_error = automaton_chance_error,
    TOKEN_HOOKS,
    .symbol = symbol,
};
