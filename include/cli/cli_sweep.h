// SPDX-License-Identifier: MIT
// What several commands share: a sweep with its grid, and the choice of one trial in it.
#pragma once
#include "cli.h"
#include "config.h"
#include "grid.h"
#include "spec_sweep.h"

struct task_file;

enum { CLI_GRID_LIMIT = 1000000 };

struct cli_sweep {
    struct arena *arena;
    struct sweep sweep;
    struct grid *grid;
    struct task_file *file; // what the sweep's file holds, as its trials were checked against; NULL for none
};

// Loads, warns on stderr, expands (up to `limit` cells; 0: no grid). cli_sweep_fini accepts what a failure left.
enum status_code cli_sweep_load(const char *path, size_t limit, struct cli_sweep *ret_sweep,
                                struct status *status) MUST_CHECK;
// The grid of a sweep that was loaded without; warns of settings that have no effect.
enum status_code cli_sweep_expand(struct cli_sweep *sweep, size_t limit, struct status *status) MUST_CHECK;
// Sweep and grid from the text of a sweep file that a store kept; without warnings.
enum status_code cli_sweep_parse(const char *path, const char *text, size_t size, struct cli_sweep *ret_sweep,
                                 struct status *status) MUST_CHECK;
void cli_sweep_fini(struct cli_sweep *sweep);

// The trial that `select` names: "snr=4,encoding=rope,replicate=2,test_length=64". Every axis of more than one value
// has to be named, but for replicate (0) and test_length (all). `ret_length` is 0 for all.
enum status_code cli_select(const struct cli_sweep *sweep, const char *select, const struct grid_trial **ret_trial,
                            int64_t *ret_length, struct status *status) MUST_CHECK;

// Whether test sequences of a length that --length names can be made and read with these settings, as the grid asks of
// those in a sweep file; before anything else is done with it.
enum status_code cli_check_length(const struct settings *settings, int64_t length, struct status *status) MUST_CHECK;

// Appends the settings that differ from their defaults, a line each, and where a trial does not start from fresh draws
// a line that says from what, as far as the sweep tells.
void cli_settings_text(const struct sweep *sweep, const struct settings *settings, struct bytes *ret_text);

// Appends what tells a trial from the others of its sweep: "snr=4 encoding=rope replicate=0", axes in their order, then
// whatever else is not as in the sweep (a twin's noise rate).
void cli_trial_text(const struct sweep *sweep, const struct settings *settings, struct bytes *ret_text);
