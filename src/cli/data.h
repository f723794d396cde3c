// SPDX-License-Identifier: MIT
// The command data: data.c chooses, data_print.c shows a few samples, data_write.c writes all of a trial's sets.
#pragma once
#include "cli.h"
#include "grid.h"
#include "task.h"

// Samples first, first + 1, … of a set that was opened, in readable form.
enum status_code data_print(const struct task_set *set, long first, long count, struct status *status) MUST_CHECK;

// Every set of the trial to `path`, by the names of task_source.h; of the training set `train_count` samples. Prints
// how far it is on stderr where that is a terminal, and what it wrote. A signal that ends a run ends it with
// STATUS_STOPPED, and nothing is left.
enum status_code data_write(const struct grid_trial *trial, const struct task_source *source, long train_count,
                            const char *path, bool quiet, struct status *status) MUST_CHECK;
