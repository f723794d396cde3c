// SPDX-License-Identifier: MIT
// Shared by the files of the layer alone.
#pragma once
#include "grid.h"
#include "grid_sets.h"
#include "grid_table.h"

// A condition of an exclusion: the rows of one axis that it matches, ascending.
struct rule_test {
    size_t axis;
    size_t count;
    const size_t *rows;
};

// An exclusion, ready to be asked. With lengths it takes these from the cells that it matches, else the cells
// themselves.
struct rule {
    size_t tests_count;
    const struct rule_test *tests;
    bool never; // a condition on a setting that is no axis, and has another value
    bool by_length;
    size_t lengths_count;
    const struct test_length *lengths;
};

struct grid {
    const struct sweep *sweep;
    struct arena *arena;
    size_t cells;
    const size_t *stride; // (axes) cells between neighbours on the axis
    size_t rules_count;
    const struct rule *rules;
    uint32_t *cell_trial;      // (cells) TABLE_NONE where excluded
    struct table identities;   // of trials, in their order
    struct grid_trial *trials; // (identities.count)
    uint32_t *partner;         // (identities.count) TABLE_NONE for none
    struct length_sets sets;
    uint32_t all_lengths; // the union, a set
};

// Strides and rules of grid->sweep; false when memory is out.
bool cells_init(struct grid *grid);
size_t cell_row(const struct grid *grid, size_t cell, size_t axis);
void cell_settings(const struct grid *grid, size_t cell, struct settings *ret_settings);
bool cell_is_excluded(const struct grid *grid, size_t cell); // whole
// Whether some exclusion takes lengths, which cell_length_is_excluded then tells, from this cell.
bool cell_lacks_lengths(const struct grid *grid, size_t cell);
bool cell_length_is_excluded(const struct grid *grid, size_t cell, int64_t train_length, int64_t tokens);
// The cell as "snr=4, encoding=rope, replicate=0", cut to `size` bytes. Returns `ret_text`.
char *cell_text(const struct grid *grid, size_t cell, char *ret_text, size_t size);
