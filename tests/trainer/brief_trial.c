// SPDX-License-Identifier: MIT
// Trials of one step and no memory: this stands in for the layer trial where any settings may come.
#include "trial.h"
#include <stdlib.h>

struct trial {
    struct settings settings;
};

enum status_code trial_create(const struct settings *settings, const int64_t *lengths, size_t lengths_count,
                              struct trial **ret_trial, struct status *status)
{
    for (size_t i = 0; i < lengths_count; i++)
        if (lengths[i] < 1)
            return status_set(status, STATUS_INVALID, "no such test length");
    struct trial *trial = calloc(1, sizeof *trial);
    if (trial == NULL)
        return status_set(status, STATUS_MEMORY, "no memory");
    trial->settings = *settings;
    *ret_trial = trial;
    return STATUS_OK;
}

void trial_destroy(struct trial *trial)
{
    free(trial);
}

enum status_code trial_advance(struct trial *trial, double seconds, bool *ret_done, struct status *status)
{
    (void)trial;
    (void)seconds;
    (void)status;
    *ret_done = true;
    return STATUS_OK;
}

void trial_progress(const struct trial *trial, struct trial_progress *ret_progress)
{
    *ret_progress = (struct trial_progress){.step = 1, .steps = trial->settings.train.steps};
}

enum status_code trial_record(const struct trial *trial, struct record *ret_record, struct status *status)
{
    record_init(ret_record, &trial->settings);
    ret_record->status = RECORD_DONE;
    if (record_part(ret_record, RECORD_TRAINING, 0, true) == NULL)
        return status_set(status, STATUS_MEMORY, "no memory");
    return STATUS_OK;
}

double trial_memory(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    (void)settings;
    (void)lengths;
    return (double)lengths_count;
}
