// SPDX-License-Identifier: MIT
// How far a sweep has come in a store: its own trials, and apart from them those that earlier sweeps left there.
#pragma once
#include "cli_sweep.h"
#include "store_view.h"

struct standing {
    const struct grid *grid;
    enum record_status *state; // (trials of the grid) done and diverged with every test length; else pending
    size_t planned, done, diverged, failed;
    size_t short_of_lengths; // of the grid's, whose results lack a test length and nothing else
    size_t earlier;          // trials with a result or a failure that the grid does not have
};

enum status_code standing_init(const struct grid *grid, struct arena *arena, struct standing *ret_standing,
                               struct status *status) MUST_CHECK;
void standing_take(struct standing *standing, const struct store_trial *trial); // each trial once
size_t standing_over(const struct standing *standing);

// The state of the store at `path` and of the sweep that it was last run with; without a grid where it does not say.
// Everything but the sweep is allocated from `arena`. cli_sweep_fini accepts what a failure left.
enum status_code standing_read(const char *path, struct arena *arena, struct store_summary *ret_summary,
                               struct cli_sweep *ret_sweep, struct standing *ret_standing, struct bytes *ret_warnings,
                               struct status *status) MUST_CHECK;
