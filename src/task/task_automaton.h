// SPDX-License-Identifier: MIT
// The machines of the task `automaton`: states and symbols are numbers from 0.
#pragma once
#include "spec_automaton.h"
#include <stdint.h>

enum { AUTOMATON_POINTS = 5, AUTOMATON_PERMUTATIONS = 120 };

// The symbols that may come in a state, all equally likely.
struct automaton_symbols {
    int first, count;
};

struct automaton {
    int states, start, symbols;
    struct automaton_symbols (*legal)(const struct automaton *automaton, int state);
    int (*next)(const struct automaton *automaton, int state, int symbol);
    int (*output)(const struct automaton *automaton, int state); // the class of a target there
    // Of groups. Elements of D_n: k < n turns by k corners, n + k mirrors and then turns by k. Permutations are in
    // lexicographic order; A_5 keeps every even one, which is one of each pair 2e, 2e + 1.
    int order;
    bool even;
    int generator[2]; // elements that stand for the symbols 0 and 1; -1: each symbol is its element
    uint8_t element[AUTOMATON_PERMUTATIONS][AUTOMATON_POINTS];
    const struct automaton_table *table; // of `automaton: table`
};

// `table` is room for that of `automaton: table`, which has to live as long as the automaton.
void automaton_init(struct automaton *automaton, const struct settings *settings, struct automaton_table *table);
void automaton_init_group(struct automaton *automaton, const struct settings *settings); // all but legal and output

double automaton_chance_error(const struct settings *settings, long length); // of task_kind_row

enum { FLIP_FLOP_HOLD = 0 }; // the symbol that leaves the state; the others write
