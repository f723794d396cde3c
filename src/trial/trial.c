// SPDX-License-Identifier: MIT
// Before this: trainer, which got settings and lengths from its pipe. After it: train, and analyse for the record.
#include "trial.h"
#include "analyse.h"
#include "base_text.h"
#include "spec_sweep.h"
#include "train_budget.h"
#include "trial_private.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 0x1p60
enum { ALIGNMENT = 64 };         // of what an arena gives
enum { TEXTS_BLOCK = 1 << 10 };  // of a record
enum { RECORD_BYTES = 1 << 16 }; // what is left over, and a saved state or record of usual size

static enum status_code check(const struct settings *settings, const int64_t *lengths, size_t lengths_count,
                              struct status *status)
{
    const struct setting *blamed = NULL;
    enum status_code code = settings_check(settings, &blamed, status);
    if (code == STATUS_OK)
        code = trial_check(settings, status);
    if (code != STATUS_OK)
        return code;
    if (lengths_count == 0)
        return status_set(status, STATUS_INVALID, "a trial needs at least one test length");
    for (size_t i = 0; i < lengths_count; i++)
        if (lengths[i] < 1 || lengths[i] > TEST_LENGTH_LIMIT || (i > 0 && lengths[i] <= lengths[i - 1]))
            return status_set(status, STATUS_INVALID,
                              "test length %" PRId64 " in place %zu: lengths are from 1 to %d, distinct and ascending",
                              lengths[i], i, TEST_LENGTH_LIMIT);
    return STATUS_OK;
}

enum status_code trial_create(const struct settings *settings, const int64_t *lengths, size_t lengths_count,
                              struct trial **ret_trial, struct status *status)
{
    enum status_code code = check(settings, lengths, lengths_count, status);
    if (code != STATUS_OK)
        return code;
    struct trial *trial = calloc(1, sizeof *trial);
    if (!trial)
        return status_set(status, STATUS_MEMORY, "out of memory for a trial");
    trial->settings = *settings;
    trial->lengths_count = lengths_count;
    double bytes = trial_memory(settings, lengths, lengths_count);
    // One block for all of it, of which the system gives what is touched.
    trial->arena = bytes < MOST_BYTES ? arena_create((size_t)bytes, 0) : NULL;
    trial->lengths = trial->arena ? arena_get(trial->arena, lengths_count, sizeof *lengths) : NULL;
    if (!trial->lengths || !settings_keep(&trial->settings, trial->arena)) {
        char need[TEXT_NUMBER_SIZE];
        code = status_set(status, STATUS_MEMORY,
                          "the trial needs %s of memory; lower samples, batch_size, width, dim, points, test_length or "
                          "curve_samples",
                          text_size(bytes, need));
        goto out;
    }
    memcpy(trial->lengths, lengths, lengths_count * sizeof *lengths);
    code = train_create(&trial->settings, lengths, lengths_count, trial->arena, &trial->run, status);
    if (code != STATUS_OK)
        goto out;
    *ret_trial = trial;
    trial = NULL;
out:
    trial_destroy(trial);
    return code;
}

void trial_destroy(struct trial *trial)
{
    if (!trial)
        return;
    arena_destroy(trial->arena);
    free(trial);
}

enum status_code trial_advance(struct trial *trial, double seconds, bool *ret_done, struct status *status)
{
    return train_advance(trial->run, seconds, &trial->evaluated, ret_done, status);
}

void trial_set_stops(struct trial *trial, const int64_t *steps, size_t count)
{
    train_set_stops(trial->run, steps, count);
}

struct nn_model *trial_model(struct trial *trial)
{
    return train_model(trial->run);
}

int64_t trial_step(const struct trial *trial)
{
    struct train_progress progress;
    train_progress(trial->run, &progress);
    return progress.step;
}

bool trial_diverged(const struct trial *trial)
{
    return train_diverged(trial->run);
}

// A run that has come so far with so many steps takes as many again for each further part as long.
static int64_t steps_in_all(const struct train_progress *progress)
{
    if (progress->position == 0)
        return progress->positions;
    return (int64_t)rint((double)progress->step * ((double)progress->positions / (double)progress->position));
}

void trial_progress(const struct trial *trial, struct trial_progress *ret_progress)
{
    struct train_progress progress;
    train_progress(trial->run, &progress);
    *ret_progress = (struct trial_progress){
        .step = trial->evaluated ? progress.evaluation_step : progress.step,
        .steps = steps_in_all(&progress),
        .evaluated = trial->evaluated,
        .train_loss = progress.train_loss,
        .train_error = progress.train_error,
        .validation_error = progress.validation_error,
        .lengths_count = trial->lengths_count,
        .lengths = trial->lengths,
        .test_error = progress.test_error,
    };
}

// A record outlives its trial.
static enum status_code keep_texts(struct record *record, struct status *status)
{
    record->texts = arena_create(TEXTS_BLOCK, 0);
    if (record->texts && settings_keep(&record->settings, record->texts))
        return STATUS_OK;
    return status_set(status, STATUS_MEMORY, "out of memory for the record of a trial");
}

enum status_code trial_record(const struct trial *trial, struct record *ret_record, struct status *status)
{
    struct record record;
    if (!train_done(trial->run))
        return status_set(status, STATUS_INTERNAL, "a trial that is not over has no record");
    record_init(&record, &trial->settings);
    enum status_code code = keep_texts(&record, status);
    if (code == STATUS_OK)
        code = train_record(trial->run, &record, status);
    if (code == STATUS_OK)
        code = analyse_phases(&record, status);
    if (code == STATUS_OK)
        *ret_record = record;
    else
        record_fini(&record);
    return code;
}

enum status_code trial_check(const struct settings *settings, struct status *status)
{
    return train_check_warmup(settings, status);
}

int64_t trial_steps(const struct settings *settings)
{
    return train_steps(settings);
}

double trial_cost(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    return train_cost(settings, lengths, lengths_count);
}

// What settings_keep takes.
static double texts_memory(const struct settings *settings)
{
    double bytes = 0;
    for (size_t i = 0; i < settings_count; i++)
        if (settings_table[i].type == SETTING_TEXT)
            bytes += (double)strlen(setting_get(&settings_table[i], settings).text) + ALIGNMENT;
    return bytes;
}

double trial_memory(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    return train_memory(settings, lengths, lengths_count) + texts_memory(settings) +
           (double)lengths_count * sizeof *lengths + RECORD_BYTES;
}
