// SPDX-License-Identifier: MIT
// Settings, batches and models of two_layer for the tests of nn.
#pragma once
#include "base_random.h"
#include "nn_model.h"
#include "support.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct shape {
    long samples, length, dim, head_dim, value_dim;
};

struct nn_case {
    struct settings settings;
    struct arena *arena;
    struct nn_model *model;
    struct batch batch;
    float *vectors;
    int32_t *targets, *relevant;
};

static inline struct settings case_settings(struct shape shape, int encoding, int activation, int readout, bool freeze)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.samples = shape.samples;
    settings.task.train_length = shape.length;
    settings.task.dim = shape.dim;
    settings.model.encoding = encoding;
    settings.model.head_dim = shape.head_dim;
    settings.model.value_dim = shape.value_dim;
    settings.model.activation = activation;
    settings.model.readout = readout;
    settings.model.freeze_attention = freeze;
    settings.model.init_scale = 1 / sqrt((double)shape.dim);
    settings.model.output_scale = 1.5;
    settings.model.relative_clip = 5;
    settings.model.alibi_slope = 0.125;
    settings.model.t5_buckets = 12;
    settings.model.t5_distance = 20;
    settings.model.fire_width = 9;
    settings.model.fire_threshold = 6.5;
    return settings;
}

// `length` tokens a sample; draws depend on (sample, position) alone.
static inline void case_batch(struct nn_case *c, long samples, long length)
{
    const long dim = c->settings.task.dim;
    struct random_key key = random_key(7, 0, "test/vectors");
    c->vectors = malloc((size_t)(samples * length * dim) * sizeof *c->vectors);
    c->targets = malloc((size_t)samples * sizeof *c->targets);
    c->relevant = malloc((size_t)samples * sizeof *c->relevant);
    assert_true(c->vectors && c->targets && c->relevant);
    for (long s = 0; s < samples; s++) {
        c->targets[s] = (int32_t)random_below(key, (uint64_t)s, 1u << 20, 0, 2);
        c->relevant[s] = (int32_t)random_below(key, (uint64_t)s, 1u << 20, 1, (uint32_t)length);
        for (long l = 0; l < length; l++)
            random_normals(key, (uint64_t)s, (uint32_t)l, (size_t)dim, c->vectors + (s * length + l) * dim);
    }
    c->batch = (struct batch){.samples = samples,
                              .length = length,
                              .dim = dim,
                              .vectors = c->vectors,
                              .positions = 1,
                              .targets = c->targets,
                              .clean = c->targets,
                              .relevant_count = 1,
                              .relevant = c->relevant,
                              .classes = 2,
                              .binary = true,
                              .set = "train"};
}

static inline struct batch_shape case_task(const struct settings *settings)
{
    return (struct batch_shape){.dim = (long)settings->task.dim, .classes = 2, .binary = true};
}

static inline void case_model(struct nn_case *c, const struct settings *settings, long max_length)
{
    struct status status = {0};
    c->settings = *settings;
    c->arena = arena_create(1 << 16, 0);
    assert_non_null(c->arena);
    const struct batch_shape task = case_task(settings);
    if (nn_model_create(settings, &task, max_length, c->arena, &c->model, &status) != STATUS_OK)
        fail_msg("%s", status.text);
}

static inline void case_open(struct nn_case *c, const struct settings *settings)
{
    case_model(c, settings, settings->task.train_length);
    case_batch(c, settings->task.samples, settings->task.train_length);
}

static inline void case_drop_batch(struct nn_case *c)
{
    free(c->vectors);
    free(c->targets);
    free(c->relevant);
}

static inline void case_close(struct nn_case *c)
{
    case_drop_batch(c);
    arena_destroy(c->arena);
}

static inline struct nn_tensor *case_tensor(struct nn_case *c, const char *name)
{
    for (size_t i = 0; i < nn_tensor_count(c->model); i++)
        if (!strcmp(nn_tensor(c->model, i)->name, name))
            return nn_tensor(c->model, i);
    return NULL;
}

// Moves every weight, so that none is at an initial value of zero.
static inline void case_stir(struct nn_case *c)
{
    const struct random_key key = random_key(8, 0, "test/stir");
    for (size_t i = 0; i < nn_tensor_count(c->model); i++) {
        struct nn_tensor *tensor = nn_tensor(c->model, i);
        for (long r = 0; r < tensor->rows; r++)
            for (long k = 0; k < tensor->columns; k++)
                tensor->value[nn_tensor_at(tensor, r, k)] +=
                    (real)(0.2 * random_uniform(key, i, (uint32_t)r, (uint32_t)k) - 0.1);
    }
}
