// SPDX-License-Identifier: MIT
#include "standing.h"

enum status_code standing_init(const struct grid *grid, struct arena *arena, struct standing *ret_standing,
                               struct status *status)
{
    size_t planned = grid ? grid_trials(grid) : 0;
    enum record_status *state = arena_get(arena, planned + 1, sizeof *state);
    if (!state)
        return status_set(status, STATUS_MEMORY, "out of memory for the state of %zu trials", planned);
    *ret_standing = (struct standing){.grid = grid, .state = state, .planned = planned};
    return STATUS_OK;
}

static bool has_lengths(const struct store_trial *trial, const struct grid_trial *wanted)
{
    size_t found = 0;
    for (size_t i = 0; i < trial->lengths_count && found < wanted->lengths_count; i++)
        found += trial->lengths[i] == wanted->lengths[found];
    return found == wanted->lengths_count;
}

void standing_take(struct standing *standing, const struct store_trial *trial)
{
    ptrdiff_t index = standing->grid ? grid_find(standing->grid, trial->identity) : -1;
    bool result = trial->status == RECORD_DONE || trial->status == RECORD_DIVERGED;
    if (index < 0) {
        standing->earlier += result || trial->status == RECORD_FAILED;
        return;
    }
    if (result && !has_lengths(trial, grid_trial(standing->grid, (size_t)index))) {
        standing->short_of_lengths++;
        return;
    }
    standing->state[index] = trial->status;
    standing->done += trial->status == RECORD_DONE;
    standing->diverged += trial->status == RECORD_DIVERGED;
    standing->failed += trial->status == RECORD_FAILED;
}

size_t standing_over(const struct standing *standing)
{
    return standing->done + standing->diverged + standing->failed;
}

enum status_code standing_read(const char *path, struct arena *arena, struct store_summary *ret_summary,
                               struct cli_sweep *ret_sweep, struct standing *ret_standing, struct bytes *ret_warnings,
                               struct status *status)
{
    *ret_sweep = (struct cli_sweep){0};
    enum status_code code = store_journal_summary(path, arena, ret_summary, ret_warnings, status);
    if (code == STATUS_OK && ret_summary->sweep_text)
        code = cli_sweep_parse(path, ret_summary->sweep_text, ret_summary->sweep_text_size, ret_sweep, status);
    if (code == STATUS_OK)
        code = standing_init(ret_sweep->grid, arena, ret_standing, status);
    for (size_t i = 0; code == STATUS_OK && i < ret_summary->trials_count; i++)
        standing_take(ret_standing, &ret_summary->trials[i]);
    return code;
}
