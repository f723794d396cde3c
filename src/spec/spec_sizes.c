// SPDX-License-Identifier: MIT
// How many symbols and classes a task has.
#include "spec_settings.h"

// Of groups: every element is a state.
static int64_t group_elements(const struct task_settings *task)
{
    int64_t elements = 1;
    if (task->automaton == AUTOMATON_CYCLIC)
        return task->order;
    if (task->automaton == AUTOMATON_DIHEDRAL)
        return 2 * task->order;
    if (task->automaton == AUTOMATON_ALTERNATING5)
        return 60;
    for (int64_t i = 2; i <= task->order && i <= 5; i++)
        elements *= i;
    return elements;
}

static const struct {
    int64_t symbols, classes;
} automata[AUTOMATON_CYCLIC] = {
    [AUTOMATON_PARITY] = {2, 2},     [AUTOMATON_CYCLE_NAVIGATION] = {3, 5},
    [AUTOMATON_EVEN_PAIRS] = {2, 2}, [AUTOMATON_MODULAR_ARITHMETIC] = {8, 5},
    [AUTOMATON_FLIP_FLOP] = {3, 2},
};

int64_t settings_vocabulary(const struct settings *settings)
{
    const struct task_settings *task = &settings->task;
    switch (task->kind) {
    case TASK_ACCUMULATOR:
        return 2 * task->modulus;
    case TASK_AUTOMATON:
        if (task->automaton < AUTOMATON_CYCLIC)
            return automata[task->automaton].symbols;
        return task->group_symbols == SYMBOLS_GENERATORS ? 2 : group_elements(task);
    case TASK_BRACKETS:
        return 2 * task->bracket_types;
    default:
        return 0;
    }
}

int64_t settings_classes(const struct settings *settings)
{
    const struct task_settings *task = &settings->task;
    switch (task->kind) {
    case TASK_ACCUMULATOR:
        return task->modulus;
    case TASK_AUTOMATON:
        return task->automaton < AUTOMATON_CYCLIC ? automata[task->automaton].classes : group_elements(task);
    case TASK_BRACKETS:
        return task->bracket_types + 1;
    default:
        return 2;
    }
}
