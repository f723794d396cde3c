// SPDX-License-Identifier: MIT
// The weights that trials of a sweep start from and leave.
#include "run.h"
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static bool source_path(const struct run *run, const struct settings *settings, char path[WEIGHTS_PATH_SIZE])
{
    struct hash128 identity;
    int64_t step;
    return sweep_source(&run->loaded.sweep, settings, &identity, &step) &&
           weights_path(run->loaded.sweep.init.from, identity, step, path);
}

struct trainer_files run_files(const struct run *run, const struct run_job *job, char path[WEIGHTS_PATH_SIZE])
{
    const struct sweep *sweep = &run->loaded.sweep;
    const struct settings *settings = &grid_trial(run->loaded.grid, job->trial)->settings;
    return (struct trainer_files){.init = source_path(run, settings, path) ? path : NULL,
                                  .store = sweep->saves_count > 0 ? run->options.store_path : NULL,
                                  .saves_count = sweep->saves_count,
                                  .saves = sweep->saves};
}

static enum status_code lacks(const struct run *run, const struct settings *settings, const char *path, size_t missing,
                              struct status *status)
{
    const struct sweep *sweep = &run->loaded.sweep;
    char message[WEIGHTS_PATH_SIZE + 512];
    struct bytes text = {0}, trial = {0};
    cli_trial_text(sweep, settings, &trial);
    snprintf(message, sizeof message,
             "%zu trial%s no weights to start from, the first of them %.*s: %s is missing. Run the sweep of %s with "
             "`save`, and name in 'with' every setting in which its trials differ from these",
             missing, missing == 1 ? " has" : "s have", (int)(trial.size < 300 ? trial.size : 300),
             trial.data ? (const char *)trial.data : "", path, sweep->init.from);
    sweep_describe(sweep, sweep->init.place, message, &text);
    enum status_code code =
        status_set(status, STATUS_INVALID, "%.*s", (int)text.size, text.data ? (const char *)text.data : message);
    bytes_fini(&text);
    bytes_fini(&trial);
    return code;
}

enum status_code run_check_weights(const struct run *run, struct status *status)
{
    char path[WEIGHTS_PATH_SIZE], first[WEIGHTS_PATH_SIZE];
    const struct settings *blamed = NULL;
    size_t missing = 0;
    for (size_t i = 0; i < run->jobs_count; i++) {
        const struct settings *settings = &grid_trial(run->loaded.grid, run->jobs[i].trial)->settings;
        if (!source_path(run, settings, path) || access(path, R_OK) == 0)
            continue;
        if (missing++ == 0) {
            blamed = settings;
            snprintf(first, sizeof first, "%s", path);
        }
    }
    return missing > 0 ? lacks(run, blamed, first, missing, status) : STATUS_OK;
}
