// SPDX-License-Identifier: MIT
#include "grid.h"
#include "grid_private.h"
#include <stdio.h>
#include <stdlib.h>

double grid_cells(const struct sweep *sweep)
{
    double cells = (double)sweep->replicates;
    for (size_t a = 0; a < sweep->axes_count; a++)
        cells *= (double)sweep->axes[a].count;
    return cells;
}

void grid_destroy(struct grid *grid)
{
    if (!grid)
        return;
    free(grid->cell_trial);
    free(grid->trials);
    free(grid->partner);
    table_fini(&grid->identities);
    sets_fini(&grid->sets);
    arena_destroy(grid->arena);
    free(grid);
}

static bool is_idle(const struct grid *grid, const struct setting *setting)
{
    for (size_t i = 0; i < grid->identities.count; i++)
        if (setting_applies(setting, &grid->trials[i].settings))
            return false;
    return true;
}

void grid_warn_idle(const struct grid *grid, struct bytes *ret_warnings)
{
    const struct sweep *sweep = grid->sweep;
    for (size_t i = 0; sweep->places && i < settings_count; i++) {
        const struct setting *setting = &settings_table[i];
        char message[160];
        if (!sweep->places[i].line || !setting->applies || !is_idle(grid, setting))
            continue;
        snprintf(message, sizeof message,
                 "warning: %s has no effect in any trial of this sweep; remove it, or choose the task, model or other "
                 "setting that uses it",
                 setting->name);
        sweep_describe(sweep, sweep->places[i], message, ret_warnings);
    }
}

size_t grid_trials(const struct grid *grid)
{
    return grid->identities.count;
}

const struct grid_trial *grid_trial(const struct grid *grid, size_t index)
{
    return &grid->trials[index];
}

static ptrdiff_t index_or_none(uint32_t index)
{
    return index == TABLE_NONE ? -1 : (ptrdiff_t)index;
}

ptrdiff_t grid_find(const struct grid *grid, struct hash128 identity)
{
    return index_or_none(table_find(&grid->identities, identity));
}

ptrdiff_t grid_twin(const struct grid *grid, size_t index)
{
    return index_or_none(grid->partner[index]);
}

size_t grid_cell_count(const struct grid *grid)
{
    return grid->cells;
}

ptrdiff_t grid_cell_trial(const struct grid *grid, size_t cell)
{
    return index_or_none(grid->cell_trial[cell]);
}

size_t grid_lengths(const struct grid *grid, const int64_t **ret_lengths)
{
    const struct length_set *all = &grid->sets.set[grid->all_lengths];
    *ret_lengths = all->lengths;
    return all->count;
}

bool grid_wants(const struct grid *grid, size_t cell, int64_t test_length)
{
    const struct sweep *sweep = grid->sweep;
    if (grid->cell_trial[cell] == TABLE_NONE)
        return false;
    int64_t train_length = grid->trials[grid->cell_trial[cell]].settings.task.train_length;
    for (size_t l = 0; l < sweep->lengths_count; l++)
        if (test_length_tokens(sweep->lengths[l], train_length) == test_length)
            return !cell_length_is_excluded(grid, cell, train_length, test_length);
    return false;
}
