// SPDX-License-Identifier: MIT
// How many symbols, classes and tokens a task has.
#include "spec_private.h"

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

static bool has_state(const struct settings *settings)
{
    const int kind = settings->task.kind;
    return kind == TASK_ACCUMULATOR || kind == TASK_AUTOMATON || kind == TASK_BRACKETS;
}

int64_t settings_begin_tokens(const struct settings *settings)
{
    return has_state(settings) && settings->task.begin_token;
}

int64_t settings_query_tokens(const struct settings *settings)
{
    return has_state(settings) && settings->task.query_token && settings->task.supervision == SUPERVISION_FINAL;
}

int64_t settings_tokens(const struct settings *settings, bool test, int64_t length)
{
    if (settings_autoregressive(settings))
        return arithmetic_tokens(settings, test, length);
    if (is_on_strings(settings))
        return length + settings_answer_tokens(settings, length);
    return length + settings_begin_tokens(settings) + settings_query_tokens(settings);
}

bool settings_every_step(const struct settings *settings)
{
    return settings_autoregressive(settings) || fills_blanks(settings) ||
           ((has_state(settings) || settings->task.kind == TASK_FILE) &&
            settings->task.supervision == SUPERVISION_STEPS);
}

bool settings_masked(const struct settings *settings)
{
    if (settings->task.kind == TASK_FILE)
        return settings->task.file_masked;
    return settings_autoregressive(settings) || fills_blanks(settings) ||
           (settings_every_step(settings) && settings_begin_tokens(settings) > 0);
}

bool settings_ragged(const struct settings *settings)
{
    if (settings->task.kind == TASK_FILE && settings->task.file_shortest < settings->task.train_length)
        return true;
    return settings->task.length_distribution != LENGTHS_FIXED || settings->train.curriculum != CURRICULUM_NONE;
}

// Symbols of the task's own.
static int64_t symbols(const struct settings *settings)
{
    const struct task_settings *task = &settings->task;
    if (is_on_strings(settings))
        return string_symbols(settings);
    switch (task->kind) {
    case TASK_ACCUMULATOR:
        return 2 * task->modulus;
    case TASK_AUTOMATON:
        if (task->automaton == AUTOMATON_TABLE)
            return table_symbols(settings);
        if (task->automaton < AUTOMATON_CYCLIC)
            return automata[task->automaton].symbols;
        return task->group_symbols == SYMBOLS_GENERATORS ? 2 : group_elements(task);
    case TASK_BRACKETS:
        return 2 * task->bracket_types;
    case TASK_ADDITION:
    case TASK_MULTIPLICATION:
    case TASK_MODULAR:
        return arithmetic_symbols(settings);
    case TASK_FILE:
        return task->file_vocabulary;
    default:
        return 0;
    }
}

int64_t settings_vocabulary(const struct settings *settings)
{
    return symbols(settings) + settings_begin_tokens(settings) + settings_query_tokens(settings);
}

int64_t settings_classes(const struct settings *settings)
{
    const struct task_settings *task = &settings->task;
    if (is_on_strings(settings))
        return string_classes(settings);
    switch (task->kind) {
    case TASK_ACCUMULATOR:
        return task->modulus;
    case TASK_AUTOMATON:
        if (task->automaton == AUTOMATON_TABLE)
            return table_classes(settings);
        return task->automaton < AUTOMATON_CYCLIC ? automata[task->automaton].classes : group_elements(task);
    case TASK_BRACKETS:
        return task->bracket_types + 1;
    case TASK_ADDITION:
    case TASK_MULTIPLICATION:
    case TASK_MODULAR:
        return arithmetic_symbols(settings);
    case TASK_FILE:
        return task->file_classes;
    default:
        return 2;
    }
}
