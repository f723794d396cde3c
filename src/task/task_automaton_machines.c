// SPDX-License-Identifier: MIT
#include "task_automaton.h"
#include <assert.h>

static struct automaton_symbols every_symbol(const struct automaton *automaton, int state)
{
    (void)state;
    return (struct automaton_symbols){0, automaton->symbols};
}

static int same(const struct automaton *automaton, int state)
{
    (void)automaton;
    return state;
}

static int parity_next(const struct automaton *automaton, int state, int symbol)
{
    (void)automaton;
    return state ^ symbol;
}

static int cycle_next(const struct automaton *automaton, int state, int symbol)
{
    static const int step[] = {0, 1, 4};
    (void)automaton;
    return (state + step[symbol]) % 5;
}

// 0 at the start, then 1 + 2 * the first symbol + the last.
static int pairs_next(const struct automaton *automaton, int state, int symbol)
{
    (void)automaton;
    const int first = state ? (state - 1) / 2 : symbol;
    return 1 + 2 * first + symbol;
}

static int pairs_output(const struct automaton *automaton, int state)
{
    (void)automaton;
    return state == 2 || state == 3;
}

enum { UNWRITTEN = 2 };

static struct automaton_symbols flip_flop_legal(const struct automaton *automaton, int state)
{
    (void)automaton;
    return state == UNWRITTEN ? (struct automaton_symbols){FLIP_FLOP_HOLD + 1, 2} : (struct automaton_symbols){0, 3};
}

static int flip_flop_next(const struct automaton *automaton, int state, int symbol)
{
    (void)automaton;
    return symbol == FLIP_FLOP_HOLD ? state : symbol - 1;
}

// After a number the sum of the finished terms and the term that goes on, both modulo 5; after + or - the sum, of which
// the first number of all finds 0; after a product sign both again.
enum { NUMBERS = 5, PLUS = 5, MINUS, TIMES, AFTER_NUMBER = 0, AFTER_PLUS = 25, AFTER_MINUS = 30, AFTER_TIMES = 35 };

static struct automaton_symbols modular_legal(const struct automaton *automaton, int state)
{
    (void)automaton;
    return state < AFTER_PLUS ? (struct automaton_symbols){PLUS, 3} : (struct automaton_symbols){0, NUMBERS};
}

static int modular_output(const struct automaton *automaton, int state)
{
    (void)automaton;
    if (state >= AFTER_PLUS && state < AFTER_TIMES)
        return state % NUMBERS;
    const int pair = state < AFTER_PLUS ? state : state - AFTER_TIMES;
    return (pair / NUMBERS + pair % NUMBERS) % NUMBERS;
}

static int modular_next(const struct automaton *automaton, int state, int symbol)
{
    if (symbol == TIMES)
        return AFTER_TIMES + state;
    if (symbol == PLUS || symbol == MINUS)
        return (symbol == PLUS ? AFTER_PLUS : AFTER_MINUS) + modular_output(automaton, state);
    if (state < AFTER_MINUS)
        return AFTER_NUMBER + state % NUMBERS * NUMBERS + symbol;
    if (state < AFTER_TIMES)
        return AFTER_NUMBER + state % NUMBERS * NUMBERS + (NUMBERS - symbol) % NUMBERS;
    const int pair = state - AFTER_TIMES;
    return AFTER_NUMBER + pair / NUMBERS * NUMBERS + pair % NUMBERS * symbol % NUMBERS;
}

static const struct automaton machines[AUTOMATON_CYCLIC] = {
    [AUTOMATON_PARITY] = {.states = 2, .symbols = 2, .legal = every_symbol, .next = parity_next, .output = same},
    [AUTOMATON_CYCLE_NAVIGATION] =
        {.states = 5, .symbols = 3, .legal = every_symbol, .next = cycle_next, .output = same},
    [AUTOMATON_EVEN_PAIRS] =
        {.states = 5, .symbols = 2, .legal = every_symbol, .next = pairs_next, .output = pairs_output},
    [AUTOMATON_MODULAR_ARITHMETIC] = {.states = AFTER_TIMES + NUMBERS * NUMBERS,
                                      .start = AFTER_PLUS,
                                      .symbols = 8,
                                      .legal = modular_legal,
                                      .next = modular_next,
                                      .output = modular_output},
    [AUTOMATON_FLIP_FLOP] = {.states = 3,
                             .start = UNWRITTEN,
                             .symbols = 3,
                             .legal = flip_flop_legal,
                             .next = flip_flop_next,
                             .output = same},
};

static int table_next(const struct automaton *automaton, int state, int symbol)
{
    return automaton->table->next[state * automaton->symbols + symbol];
}

static int table_output(const struct automaton *automaton, int state)
{
    return automaton->table->output[state];
}

static void init_table(struct automaton *automaton, const struct settings *settings, struct automaton_table *table)
{
    const enum status_code code = settings_automaton_table(settings, table, NULL);
    assert(code == STATUS_OK); // settings_check refuses others
    (void)code;
    *automaton = (struct automaton){.states = table->states,
                                    .start = table->start,
                                    .symbols = table->symbols,
                                    .legal = every_symbol,
                                    .next = table_next,
                                    .output = table_output,
                                    .table = table};
}

void automaton_init(struct automaton *automaton, const struct settings *settings, struct automaton_table *table)
{
    if (settings->task.automaton == AUTOMATON_TABLE) {
        init_table(automaton, settings, table);
        return;
    }
    if (settings->task.automaton < AUTOMATON_CYCLIC) {
        *automaton = machines[settings->task.automaton];
        return;
    }
    automaton_init_group(automaton, settings);
    automaton->legal = every_symbol;
    automaton->output = same;
}
