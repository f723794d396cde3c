// SPDX-License-Identifier: MIT
// Small trials and the comparison of their records, for the units of trial.
#pragma once
#include "support.h"

#include "trial.h"
#include <stdlib.h>
#include <string.h>

static const int64_t lengths[] = {6, 24};

static inline struct settings small_settings(void)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.dim = 18;
    settings.task.samples = 24;
    settings.task.train_length = 6;
    settings.task.noise_rate = 0.2;
    settings.model.head_dim = 6;
    settings.model.value_dim = 5;
    settings.train.steps = 60;
    settings.train.learning_rate = 0.2;
    settings.evaluate.points = 8;
    settings.evaluate.test_samples = 220;
    settings.evaluate.curve_samples = 200;
    settings.evaluate.validation_samples = 200;
    return settings;
}

static inline struct trial *create(const struct settings *settings)
{
    struct trial *trial = NULL;
    struct status status;
    assert_int_equal(trial_create(settings, lengths, 2, &trial, &status), STATUS_OK);
    return trial;
}

static inline struct record finish(struct trial *trial)
{
    struct record record = {0};
    struct status status;
    bool done = false;
    while (!done)
        assert_int_equal(trial_advance(trial, 0, &done, &status), STATUS_OK);
    assert_int_equal(trial_record(trial, &record, &status), STATUS_OK);
    trial_destroy(trial);
    return record;
}

static inline struct record run_to_record(const struct settings *settings)
{
    return finish(create(settings));
}

// The encoded record with its timings taken out.
static inline struct bytes science_bytes(struct record *record)
{
    struct bytes bytes = {0};
    for (size_t p = 0; p < record->parts_count; p++)
        for (size_t i = 0; i < record->parts[p].count; i++) {
            struct record_value *value = &record->parts[p].values[i];
            if (value->field->role == ROLE_RUN)
                memset(value->data, 0, record_size(value) * sizeof(double));
        }
    record_encode(record, &bytes);
    assert_false(bytes.failed);
    return bytes;
}
