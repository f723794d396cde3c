// SPDX-License-Identifier: MIT
// The machine that the settings table, outputs and start describe, for `automaton: table`. States, symbols and classes
// are numbers from 0.
//   table    a row of next states for each state, one for each symbol: rows apart by ';', states by spaces, as config
//            writes [[0, 1], [1, 0]]
//   outputs  the class of each state, apart by spaces; empty: the number of the state
//   start    the state before the first symbol
#pragma once
#include "spec_settings.h"

enum {
    AUTOMATON_STATES = 512,
    AUTOMATON_TRANSITIONS = (SETTING_BYTES + 1) / 2, // a text has no room for more
};

struct automaton_table {
    int states, symbols, classes, start;
    int16_t next[AUTOMATON_TRANSITIONS]; // (states, symbols)
    int16_t output[AUTOMATON_STATES];    // (states)
};

// STATUS_INVALID names the setting, and the state and symbol where it is wrong: rows of unequal length, a transition
// that is missing ('-', '~', null) or leads to no state, a state that the start does not reach, classes that are not
// one for each state, leave a number out or are all the same. *ret_table is undefined then. Allocates nothing.
enum status_code settings_automaton_table(const struct settings *settings, struct automaton_table *ret_table,
                                          struct status *status) MUST_CHECK;
