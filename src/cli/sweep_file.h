// SPDX-License-Identifier: MIT
// The file of a sweep's task `file`, between config_load and the first trial.
#pragma once
#include "cli_sweep.h"

// Looks at the file where any cell may read it, puts what it says into the sweep's base settings, and adds the file's
// hash to the sweep's text where that lacks it: so that the text that a store keeps tells of which data it is. Errors
// show the line of `path`.
enum status_code sweep_file_resolve(struct cli_sweep *sweep, struct status *status) MUST_CHECK;
// Checks every trial of the grid against the file, and shows the line of what is to blame.
enum status_code sweep_file_check(const struct cli_sweep *sweep, struct status *status) MUST_CHECK;
