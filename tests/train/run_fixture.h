// SPDX-License-Identifier: MIT
// A small run from its settings to its record, for the units of train.
#pragma once
#include "support.h"

#include "train_run.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline struct settings small_settings(void)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.dim = 20;
    settings.task.samples = 30;
    settings.task.train_length = 5;
    settings.task.noise_rate = 0.2;
    settings.task.snr = 64;
    settings.model.head_dim = 4;
    settings.model.value_dim = 4;
    settings.train.steps = 120;
    settings.train.learning_rate = 0.1;
    settings.evaluate.points = 12;
    settings.evaluate.test_samples = 300;
    settings.evaluate.curve_samples = 200;
    settings.evaluate.validation_samples = 200;
    return settings;
}

struct run {
    struct arena *arena;
    struct train_run *run;
    struct record record; // of a finished run
};

static inline struct run run_begin(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    struct run run = {.arena = arena_create((size_t)train_memory(settings, lengths, lengths_count), 0)};
    struct status status;
    assert_int_equal(train_create(settings, lengths, lengths_count, run.arena, &run.run, &status), STATUS_OK);
    record_init(&run.record, settings);
    return run;
}

static inline void run_finish(struct run *run, double seconds)
{
    struct status status;
    bool done = false, evaluated;
    while (!done)
        assert_int_equal(train_advance(run->run, seconds, &evaluated, &done, &status), STATUS_OK);
    assert_true(train_done(run->run));
    assert_int_equal(train_record(run->run, &run->record, &status), STATUS_OK);
}

static inline struct run run_whole(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    struct run run = run_begin(settings, lengths, lengths_count);
    run_finish(&run, 0);
    return run;
}

static inline void run_end(struct run *run)
{
    record_fini(&run->record);
    arena_destroy(run->arena);
}

static inline double training_real(const struct run *run, enum record_field_id id, size_t at)
{
    return record_real(record_find_part(&run->record, RECORD_TRAINING, 0), id, at);
}

static inline double test_real(const struct run *run, int64_t length, enum record_field_id id, size_t at)
{
    return record_real(record_find_part(&run->record, RECORD_TEST, length), id, at);
}

// The same bits in every value but timings.
static inline void assert_same_part(const struct run *a, const struct run *b, enum record_part_kind kind,
                                    int64_t length)
{
    const struct record_part *x = record_find_part(&a->record, kind, length);
    const struct record_part *y = record_find_part(&b->record, kind, length);
    assert_int_equal(x->count, y->count);
    for (size_t i = 0; i < x->count; i++) {
        const struct record_value *u = &x->values[i], *v = &y->values[i];
        assert_string_equal(u->name, v->name);
        assert_int_equal(record_size(u), record_size(v));
        static const unsigned char size[] = {4, 8, 4, 8, 1};
        if (u->field->role != ROLE_RUN && memcmp(u->data, v->data, record_size(u) * size[u->type]) != 0)
            fail_msg("%s differs", u->name);
    }
}
