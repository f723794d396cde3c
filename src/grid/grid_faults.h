// SPDX-License-Identifier: MIT
// Contradictions in the cells of a grid, gathered so that one run tells them all.
#pragma once
#include "grid_private.h"

enum { FAULTS_LIMIT = 20, FAULT_TEXT = 480, FAULT_NO_CELL = -1 };

struct grid_fault {
    struct source_place place;
    ptrdiff_t cell; // the first with it, or FAULT_NO_CELL
    size_t cells;   // how many have it
    char why[FAULT_TEXT];
};

struct grid_faults {
    size_t count;
    bool more; // a further one came when the list was full
    struct grid_fault fault[FAULTS_LIMIT];
};

// Each text at each place once. No list but a full one ends the search.
void faults_add(struct grid_faults *faults, struct source_place place, ptrdiff_t cell, const char *why);
// Whatever settings_next_fault and settings_length_fault find in the cell, whose test lengths are `lengths`.
void faults_check_cell(struct grid_faults *faults, const struct grid *grid, size_t cell,
                       const struct settings *settings, const struct length_set *lengths);
// STATUS_OK for an empty list; else each with its line, in the order of the file, as far as the text has room.
enum status_code faults_status(const struct grid_faults *faults, const struct grid *grid,
                               struct status *status) MUST_CHECK;
