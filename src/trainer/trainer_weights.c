// SPDX-License-Identifier: MIT
// Weights that a trial starts from, and those that it leaves.
#include "spec_sweep.h"
#include "trainer_private.h"
#include "weights.h"
#include <inttypes.h>
#include <stdio.h>

// Those that were asked for before the first step are saved here, too.
enum status_code job_read_weights(struct job *job, struct status *status)
{
    trial_set_stops(job->trial, job->saves, job->saves_count);
    if (job->init[0] != '\0') {
        enum status_code code = weights_read(trial_model(job->trial), job->init, status);
        if (code != STATUS_OK)
            return code == STATUS_SYSTEM ? status_set(status, STATUS_INVALID, "%s", status->text) : code;
    }
    return job->saves_count > 0 ? job_save_weights(job, false, status) : STATUS_OK;
}

static bool asks(const struct job *job, int64_t step)
{
    for (size_t i = 0; i < job->saves_count; i++)
        if (job->saves[i] == step)
            return true;
    return false;
}

// Under the name of step `called`.
static enum status_code save(struct job *job, int64_t called, struct status *status)
{
    const int64_t step = trial_step(job->trial);
    const struct hash128 identity = settings_identity(&job->settings);
    char path[WEIGHTS_PATH_SIZE], name[HASH_TEXT_SIZE], step_text[24], numerics[16];
    struct bytes canonical = {0};
    enum status_code code;
    if (!weights_path(job->store, identity, called, path))
        return status_set(status, STATUS_INVALID, "the path of the weights of %.200s… is too long", job->store);
    settings_canonical(&job->settings, &canonical);
    bytes_u8(&canonical, 0);
    if (canonical.failed) {
        bytes_fini(&canonical);
        return status_set(status, STATUS_MEMORY, "no memory for the settings beside weights");
    }
    hash_text(identity, name);
    snprintf(step_text, sizeof step_text, "%" PRId64, step);
    snprintf(numerics, sizeof numerics, "%d", NUMERICS);
    const struct weights_note notes[] = {{"program", "lgsweep " LGSWEEP_VERSION},
                                         {"numerics", numerics},
                                         {"trial", name},
                                         {"step", step_text},
                                         {"settings", (const char *)canonical.data}};
    code = weights_write(trial_model(job->trial), path, notes, sizeof notes / sizeof *notes, status);
    bytes_fini(&canonical);
    return code;
}

// A trial that diverged has no last weights.
enum status_code job_save_weights(struct job *job, bool done, struct status *status)
{
    const int64_t step = trial_step(job->trial), last = settings_last_step(&job->settings);
    const bool by_number = asks(job, step), as_last = done && asks(job, STEP_LAST);
    enum status_code code = STATUS_OK;
    if (done && trial_diverged(job->trial))
        return code;
    if (by_number || (as_last && last != STEP_LAST))
        code = save(job, step, status);
    return code == STATUS_OK && as_last && last == STEP_LAST ? save(job, STEP_LAST, status) : code;
}
