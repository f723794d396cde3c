// SPDX-License-Identifier: MIT
// Settings, batches and an independent transformer for its tests: straight loops in double, written from the formulas
// in nn_model.h, that read nothing of src/nn but the tensors' values.
#pragma once
#include "base_random.h"
#include "nn_model.h"
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is not given is the first of its choices.
struct shape {
    long samples, length, heads, head_dim;
    bool vectors;
    int norm, activation, head, mask, encoding, parametrization;
    bool tied, head_bias, masked, orthonormal;
    double dropout, noise;
};

struct nn_case {
    struct settings settings;
    struct batch_shape shape;
    struct arena *arena;
    struct nn_model *model;
    struct batch batch;
    float *vectors;
    int32_t *tokens, *targets, *relevant;
    uint8_t *mask;
    real *logits;
};

enum { CASE_VOCABULARY = 7, CASE_CLASSES = 5, CASE_DIM = 6, CASE_LAYERS = 2 };

static inline struct settings case_settings(const struct shape *shape)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.kind = shape->vectors ? TASK_SIGNAL : TASK_ACCUMULATOR;
    settings.task.samples = shape->samples;
    settings.task.train_length = shape->length;
    settings.task.dim = CASE_DIM;
    settings.task.snr = 4;
    struct model_settings *model = &settings.model;
    model->kind = MODEL_TRANSFORMER;
    model->layers = CASE_LAYERS;
    model->heads = shape->heads;
    model->width = shape->heads * shape->head_dim;
    model->base_width = shape->heads * 4;
    model->ffn_factor = 2;
    model->norm = shape->norm;
    model->ffn_activation = shape->activation;
    model->pooling = shape->vectors ? POOLING_MEAN : shape->head;
    model->attention_mask = shape->mask;
    model->encoding = shape->encoding;
    model->parametrization = shape->parametrization;
    model->tied = shape->tied;
    model->head_bias = shape->head_bias;
    model->embeddings = shape->orthonormal ? EMBEDDINGS_ORTHONORMAL : EMBEDDINGS_TRAINED;
    model->dropout = shape->dropout;
    model->attention_noise = shape->noise;
    model->position_scale = 0.5;
    model->relative_clip = 5;
    return settings;
}

static inline void *case_take(long count, size_t size)
{
    void *memory = calloc((size_t)(count > 0 ? count : 1), size);
    assert_non_null(memory);
    return memory;
}

// Draws depend on (sample, position) alone.
static inline void case_batch(struct nn_case *c, long samples, long length, bool masked)
{
    const struct random_key key = random_key(7, 0, "test");
    const bool single = settings_pooling(&c->settings) != POOLING_PER_POSITION;
    const long positions = single ? 1 : length;
    c->vectors = case_take(samples * length * CASE_DIM, sizeof *c->vectors);
    c->tokens = case_take(samples * length, sizeof *c->tokens);
    c->targets = case_take(samples * positions, sizeof *c->targets);
    c->mask = case_take(samples * positions, sizeof *c->mask);
    c->relevant = case_take(2 * samples, sizeof *c->relevant);
    c->logits = case_take(samples * positions * CASE_CLASSES, sizeof *c->logits);
    for (long s = 0; s < samples; s++) {
        for (long l = 0; l < length; l++) {
            random_normals(key, (uint64_t)s, (uint32_t)l, CASE_DIM, c->vectors + (s * length + l) * CASE_DIM);
            c->tokens[s * length + l] = (int32_t)random_below(key, (uint64_t)s, (uint32_t)l, 9, CASE_VOCABULARY);
        }
        for (long p = 0; p < positions; p++) {
            c->targets[s * positions + p] =
                (int32_t)random_below(key, (uint64_t)s, (uint32_t)p, 10, (uint32_t)c->shape.classes);
            c->mask[s * positions + p] = p % 3 != 1;
        }
        c->relevant[2 * s] = (int32_t)random_below(key, (uint64_t)s, 0, 11, (uint32_t)((length + 1) / 2));
        c->relevant[2 * s + 1] = (int32_t)(c->relevant[2 * s] + length / 2);
    }
    c->batch = (struct batch){.samples = samples,
                              .length = length,
                              .dim = c->shape.dim,
                              .vectors = c->shape.dim ? c->vectors : NULL,
                              .tokens = c->shape.dim ? NULL : c->tokens,
                              .positions = positions,
                              .targets = c->targets,
                              .clean = c->targets,
                              .mask = masked ? c->mask : NULL,
                              .relevant_count = length > 1 ? 2 : 1,
                              .relevant = c->relevant,
                              .classes = c->shape.classes,
                              .binary = c->shape.binary,
                              .set = "train"};
    for (long s = 0; length == 1 && s < samples; s++)
        c->relevant[s] = 0;
}

static inline void case_model(struct nn_case *c, const struct settings *settings, long max_length)
{
    struct status status = {0};
    const bool vectors = settings->task.kind == TASK_SIGNAL;
    c->settings = *settings;
    c->shape = vectors ? (struct batch_shape){.dim = CASE_DIM, .classes = 2, .binary = true}
                       : (struct batch_shape){.vocabulary = CASE_VOCABULARY, .classes = CASE_CLASSES};
    c->arena = arena_create(1 << 16, 0);
    assert_non_null(c->arena);
    if (nn_model_create(settings, &c->shape, max_length, c->arena, &c->model, &status) != STATUS_OK)
        fail_msg("%s", status.text);
}

static inline void case_open(struct nn_case *c, const struct shape *shape)
{
    const struct settings settings = case_settings(shape);
    case_model(c, &settings, shape->length);
    case_batch(c, shape->samples, shape->length, shape->masked);
}

static inline void case_drop_batch(struct nn_case *c)
{
    free(c->vectors);
    free(c->tokens);
    free(c->targets);
    free(c->mask);
    free(c->relevant);
    free(c->logits);
}

static inline void case_close(struct nn_case *c)
{
    case_drop_batch(c);
    arena_destroy(c->arena);
}

static inline struct nn_tensor *case_tensor(const struct nn_case *c, const char *name)
{
    for (size_t i = 0; i < nn_tensor_count(c->model); i++)
        if (!strcmp(nn_tensor(c->model, i)->name, name))
            return nn_tensor(c->model, i);
    return NULL;
}

static inline long case_logits(const struct nn_case *c)
{
    return c->batch.samples * c->batch.positions * nn_outputs_width(c->model);
}

// Moves biases and gains off 0 and 1, so that their places are seen, and Kerple's numbers off their lower bound.
static inline void case_stir(struct nn_case *c)
{
    const struct random_key key = random_key(8, 0, "test/stir");
    for (size_t i = 0; i < nn_tensor_count(c->model); i++) {
        struct nn_tensor *tensor = nn_tensor(c->model, i);
        const bool bounded = strstr(tensor->name, "kerple");
        const bool moved = strstr(tensor->name, "bias") || strstr(tensor->name, "gain") || bounded;
        for (long k = 0; moved && tensor->rows == 1 && k < tensor->columns; k++)
            tensor->value[nn_tensor_at(tensor, 0, k)] +=
                (real)(random_uniform(key, i, 0, (uint32_t)k) - (bounded ? 0 : 0.5)) * (real)0.5;
    }
}
