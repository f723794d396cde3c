// SPDX-License-Identifier: MIT
// Models and batches whose sequences have lengths of their own.
#pragma once
#include "base_random.h"
#include "nn_model.h"
#include "support.h"
#include "written.h"
#include <stdlib.h>
#include <string.h>

enum { RAGGED_VOCABULARY = 10, RAGGED_CLASSES = 5, RAGGED_DIM = 7, RAGGED_TRAINED = 48 };

struct ragged_lengths {
    long samples;
    const int64_t *length;
};

struct ragged {
    struct settings settings;
    struct batch_shape shape;
    struct arena *arena;
    struct nn_model *model;
    struct batch batch; // samples are number 7 s + 3 of their set
    long rows, targets;
    int64_t *offsets, *index;
    float *vectors;
    int32_t *tokens, *labels, *relevant;
    uint8_t *mask;
    real *logits;
};

static inline void *ragged_take(struct ragged *r, long count, size_t size)
{
    void *memory = arena_get(r->arena, (size_t)(count > 0 ? count : 1), size);
    assert_non_null(memory);
    return memory;
}

static inline void ragged_draw(struct ragged *r)
{
    const struct random_key key = random_key(5, 0, "test/ragged");
    for (long i = 0; i < r->rows; i++) {
        random_normals(key, (uint64_t)i, 0, RAGGED_DIM, r->vectors + i * RAGGED_DIM);
        r->tokens[i] = (int32_t)random_below(key, (uint64_t)i, 1, 0, RAGGED_VOCABULARY);
        r->labels[i] = (int32_t)random_below(key, (uint64_t)i, 2, 0, (uint32_t)r->shape.classes);
        r->mask[i] = i % 3 != 1;
    }
    for (long s = 0; s < r->batch.samples; s++) {
        r->index[s] = 7 * s + 3;
        r->relevant[s] = (int32_t)random_below(key, (uint64_t)s, 3, 0, (uint32_t)batch_length(&r->batch, s));
    }
}

static inline void ragged_batch(struct ragged *r, struct ragged_lengths lengths, bool masked)
{
    int64_t longest = 0;
    r->offsets = ragged_take(r, lengths.samples + 1, sizeof *r->offsets);
    for (long s = 0; s < lengths.samples; s++) {
        r->offsets[s + 1] = r->offsets[s] + lengths.length[s];
        longest = lengths.length[s] > longest ? lengths.length[s] : longest;
    }
    r->rows = (long)r->offsets[lengths.samples];
    r->index = ragged_take(r, lengths.samples, sizeof *r->index);
    r->vectors = ragged_take(r, r->rows * RAGGED_DIM, sizeof *r->vectors);
    r->tokens = ragged_take(r, r->rows, sizeof *r->tokens);
    r->labels = ragged_take(r, r->rows, sizeof *r->labels);
    r->mask = ragged_take(r, r->rows, sizeof *r->mask);
    r->relevant = ragged_take(r, lengths.samples, sizeof *r->relevant);
    r->batch = (struct batch){.samples = lengths.samples,
                              .length = (long)longest,
                              .offsets = r->offsets,
                              .dim = r->shape.dim,
                              .vectors = r->shape.dim ? r->vectors : NULL,
                              .tokens = r->shape.dim ? NULL : r->tokens,
                              .positions = settings_pooling(&r->settings) == POOLING_PER_POSITION ? (long)longest : 1,
                              .targets = r->labels,
                              .clean = r->labels,
                              .mask = masked ? r->mask : NULL,
                              .relevant_count = 1,
                              .relevant = r->relevant,
                              .classes = r->shape.classes,
                              .binary = r->shape.binary,
                              .set = "train",
                              .index = r->index};
    r->targets = (long)batch_target(&r->batch, r->batch.samples);
    r->logits = ragged_take(r, r->targets * nn_outputs_width(r->model), sizeof *r->logits);
    ragged_draw(r);
}

// `text`: settings beside those of a narrow model of 2 layers. Sequences may be longer than RAGGED_TRAINED, for
// prediction.
static inline void ragged_open(struct ragged *r, const char *text, struct ragged_lengths lengths, bool masked)
{
    struct status status = {0};
    long longest = RAGGED_TRAINED;
    for (long s = 0; s < lengths.samples; s++)
        longest = lengths.length[s] > longest ? (long)lengths.length[s] : longest;
    *r = (struct ragged){.arena = arena_create(1 << 16, 0)};
    assert_non_null(r->arena);
    settings_defaults(&r->settings);
    r->settings.task.train_length = RAGGED_TRAINED;
    r->settings.task.dim = RAGGED_DIM;
    r->settings.model.width = 12;
    r->settings.model.heads = 2;
    r->settings.model.ffn_factor = 2;
    written_read(text, &r->settings);
    r->shape = r->settings.task.kind == TASK_SIGNAL
                   ? (struct batch_shape){.dim = RAGGED_DIM, .classes = 2, .binary = true}
                   : (struct batch_shape){.vocabulary = RAGGED_VOCABULARY, .classes = RAGGED_CLASSES};
    if (nn_model_create(&r->settings, &r->shape, longest, r->arena, &r->model, &status) != STATUS_OK)
        fail_msg("%s: %s", text, status.text);
    ragged_batch(r, lengths, masked);
}

static inline void ragged_close(struct ragged *r)
{
    arena_destroy(r->arena);
}

// The samples from … to - 1 as a batch of their own, without offsets where `even`: then they have one length.
static inline struct batch ragged_part(const struct ragged *r, long from, long to, bool even)
{
    struct batch part = r->batch;
    const int64_t row = batch_row(&r->batch, from), target = batch_target(&r->batch, from);
    part.samples = to - from;
    part.length = 0;
    for (long s = from; s < to; s++)
        part.length = batch_length(&r->batch, s) > part.length ? batch_length(&r->batch, s) : part.length;
    part.offsets = even ? NULL : r->offsets + from;
    part.positions = r->batch.positions == 1 ? 1 : part.length;
    part.vectors = part.vectors ? part.vectors + row * part.dim : NULL;
    part.tokens = part.tokens ? part.tokens + row : NULL;
    part.targets += target;
    part.clean += target;
    part.mask = part.mask ? part.mask + target : NULL;
    part.relevant += batch_relevant(&r->batch, from) * r->batch.relevant_count;
    part.index += from;
    return part;
}
