// SPDX-License-Identifier: MIT
// A sweep's axes as trials, with stable identities and order. Station before: config_load; after: store_open.
//
// A cell is one point of the axes and replicates, test length left out. Cells whose settings differ only where they do
// not apply have one identity and share one trial. A trial with noise has a partner: the trial with the same settings
// at noise rate 0. Where the sweep wants twins and no cell is the partner, it is appended as a twin.
#pragma once
#include "base_arena.h"
#include "base_bytes.h"
#include "base_hash.h"
#include "base_status.h"
#include "spec_settings.h"
#include "spec_sweep.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One training: settings of everything but test length, and the lengths that it is tested at.
struct grid_trial {
    struct hash128 identity;
    struct settings settings;
    bool twin;   // run along for the verdict only (noise_rate 0), not in the cube
    size_t cell; // the first cell that it fills; of a twin, that of the first cell that asked for it
    size_t lengths_count;
    // Distinct, ascending; owned by the grid, shared by trials with equal ones. What its cells want; where the sweep
    // wants twins, a partner also has the lengths of the trials that it is the partner of, and its train length.
    const int64_t *lengths;
};

struct grid;

// Number of cells without building anything: 1 for a sweep without axes, never an overflow.
double grid_cells(const struct sweep *sweep);

// Builds the trials: cells in the axes' order (last axis fastest, then replicate), exclusions dropped, cells of equal
// identity merged, twins last, in the order in which they were asked for. The sweep must outlive the grid.
// STATUS_INVALID above `limit` cells (the text has count and limit), when no trial is left, and when settings of a cell
// contradict each other or a test length (the text has each contradiction once, with its first cell and the line to
// blame, in the order of the file); STATUS_MEMORY.
enum status_code grid_expand(const struct sweep *sweep, size_t limit, struct grid **ret_grid,
                             struct status *status) MUST_CHECK;
void grid_destroy(struct grid *grid); // accepts NULL

// Appends a warning, in the form of sweep_describe, for each setting that the file has and that applies to no trial
// (heads under model two_layer): its value has no effect, and its axis repeats the same trials.
void grid_warn_idle(const struct grid *grid, struct bytes *ret_warnings);

size_t grid_trials(const struct grid *grid);
const struct grid_trial *grid_trial(const struct grid *grid, size_t index);
ptrdiff_t grid_find(const struct grid *grid, struct hash128 identity); // index, or -1
// Index of the partner: the trial itself when it has no noise, -1 when there is none (twins switched off).
ptrdiff_t grid_twin(const struct grid *grid, size_t index);

// The cube: one extent for each axis in declared order, then replicates. Cell numbers are row-major over these.
size_t grid_cell_count(const struct grid *grid);
ptrdiff_t grid_cell_trial(const struct grid *grid, size_t cell); // trial index; -1 where excluded
// Every test length of any trial, twins included, ascending; owned by the grid. Returns their number.
size_t grid_lengths(const struct grid *grid, const int64_t **ret_lengths);
// True when the cell asks for this test length: it is among the sweep's for its train length and no exclusion names it.
bool grid_wants(const struct grid *grid, size_t cell, int64_t test_length);
