// SPDX-License-Identifier: MIT
// Whether a machine can hold a trial.
#pragma once
#include "standing.h"

struct capacity_trial {
    const struct settings *settings;
    const int64_t *lengths; // (lengths_count) ascending, at least one
    size_t lengths_count;
};

// STATUS_INVALID when the trial needs more than the `machine` bytes that there are in all: with the need, what halving
// saves most of it, and the line of that. What only does not fit at the moment is no error.
enum status_code capacity_check(const struct sweep *sweep, const struct capacity_trial *trial, double machine,
                                struct status *status) MUST_CHECK;
// The same for the largest of the trials that are left to run; need: (trials of the grid) bytes of each.
enum status_code capacity_check_rest(const struct cli_sweep *sweep, const struct standing *standing, const double *need,
                                     double machine, struct status *status) MUST_CHECK;
