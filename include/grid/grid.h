// SPDX-License-Identifier: MIT
// A sweep's axes as trials: lazily, with stable identities and order.
#pragma once
#include "base_arena.h"
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
    bool twin;               // run along for the verdict only (noise_rate 0), not in the cube
    size_t cell;             // the first cell that it fills; of a twin, that of the first cell that asked for it
    size_t lengths_count;
    const int64_t *lengths;  // distinct, ascending; owned by the grid
};

struct grid;

// Number of cells (axes times replicates, test length left out) without building anything; infinity-safe.
double grid_cells(const struct sweep *sweep);

// Builds the trials: cells in the axes' order (last axis fastest, then replicate), exclusions dropped, cells of equal
// identity merged, twins last. STATUS_INVALID above `limit` cells (the text has count and limit) or when no trial is
// left. The sweep must outlive the grid.
enum status_code grid_expand(const struct sweep *sweep, size_t limit, struct grid **ret_grid,
                             struct status *status) MUST_CHECK;
void grid_destroy(struct grid *grid); // accepts NULL

size_t grid_trials(const struct grid *grid);
const struct grid_trial *grid_trial(const struct grid *grid, size_t index);
ptrdiff_t grid_find(const struct grid *grid, struct hash128 identity); // index, or -1
ptrdiff_t grid_twin(const struct grid *grid, size_t index); // index of the η = 0 trial of the same setting, or -1

// The cube: one extent for each axis in declared order, then replicates. Cell numbers are row-major over these.
size_t grid_cell_count(const struct grid *grid);
ptrdiff_t grid_cell_trial(const struct grid *grid, size_t cell); // trial index; -1 where excluded
// Test lengths of the cube: the sorted union. A cell's wanted ones are its trial's, less what exclusions name.
size_t grid_lengths(const struct grid *grid, const int64_t **ret_lengths);
bool grid_wants(const struct grid *grid, size_t cell, int64_t test_length);
