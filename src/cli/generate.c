// SPDX-License-Identifier: MIT
#include "generate.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { GENERATE_SAMPLES = 64 }; // in step

struct generated_rows generate_rows(const struct batch *batch, long sample)
{
    const long length = batch_targets(batch, sample);
    const uint8_t *mask = batch->mask ? batch->mask + batch_target(batch, sample) : NULL;
    long first = 0, last = length - 1;
    while (mask && first < length && !mask[first])
        first++;
    while (mask && last > first && !mask[last])
        last--;
    return (struct generated_rows){first, first < length ? last - first + 1 : 0};
}

struct sequence {
    long sample, length;
    struct generated_rows rows;
};

// By length, by what is given, and in the order of samples.
static int ascending(const void *left, const void *right)
{
    const struct sequence *a = left, *b = right;
    const long x[] = {a->length, a->rows.first, a->sample}, y[] = {b->length, b->rows.first, b->sample};
    for (int i = 0; i < 3; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

struct generator {
    const struct batch *batch;
    struct nn_decode *decode;
    struct sequence *sequence; // (samples)
    int32_t *prompt, *made;    // (GENERATE_SAMPLES, tokens)
    int64_t *index;            // (GENERATE_SAMPLES)
};

static long together(long samples)
{
    return samples < GENERATE_SAMPLES ? samples : GENERATE_SAMPLES;
}

static size_t rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

size_t generate_bytes(const struct nn_model *model, long samples, long tokens)
{
    const size_t some = (size_t)together(samples);
    return nn_decode_bytes(model, (long)some, tokens) + rounded((size_t)samples * sizeof(struct sequence)) +
           2 * rounded(some * (size_t)tokens * sizeof(int32_t)) + rounded(some * sizeof(int64_t));
}

static enum status_code create(struct generator *g, struct nn_model *model, const struct batch *batch,
                               struct arena *arena, struct status *status)
{
    const long samples = batch->samples, some = together(samples);
    g->batch = batch;
    g->sequence = arena_get(arena, (size_t)samples, sizeof *g->sequence);
    g->prompt = arena_get(arena, (size_t)(some * batch->length), sizeof *g->prompt);
    g->made = arena_get(arena, (size_t)(some * batch->length), sizeof *g->made);
    g->index = arena_get(arena, (size_t)some, sizeof *g->index);
    if (!g->sequence || !g->prompt || !g->made || !g->index)
        return status_set(status, STATUS_MEMORY, "no memory to generate %ld sequences; lower --length", samples);
    for (long s = 0; s < samples; s++)
        g->sequence[s] = (struct sequence){s, batch_length(batch, s), generate_rows(batch, s)};
    qsort(g->sequence, (size_t)samples, sizeof *g->sequence, ascending);
    return nn_decode_create(model, some, batch->length, arena, &g->decode, status);
}

// `count` sequences that are alike, from the `from`th on.
static void generate_some(struct generator *g, long from, long count, int32_t *ret_classes)
{
    const struct sequence *sequence = g->sequence + from;
    const long given = sequence->rows.first + 1;
    long steps = 0;
    if (sequence->rows.count == 0)
        return;
    for (long i = 0; i < count; i++) {
        const int32_t *tokens = g->batch->tokens + batch_row(g->batch, sequence[i].sample);
        memcpy(g->prompt + i * given, tokens, (size_t)given * sizeof *g->prompt);
        g->index[i] = batch_index(g->batch, sequence[i].sample);
        steps = sequence[i].rows.count > steps ? sequence[i].rows.count : steps;
    }
    nn_decode_begin(g->decode,
                    &(struct nn_decode_start){
                        .samples = count, .length = sequence->length, .set = g->batch->set, .index = g->index});
    nn_decode_greedy(g->decode, g->prompt, given, steps, g->made);
    for (long i = 0; i < count; i++) {
        const struct generated_rows rows = sequence[i].rows;
        memcpy(ret_classes + batch_target(g->batch, sequence[i].sample) + rows.first, g->made + i * steps,
               (size_t)rows.count * sizeof *ret_classes);
    }
}

static bool alike(const struct sequence *a, const struct sequence *b)
{
    return a->length == b->length && a->rows.first == b->rows.first;
}

enum status_code generate(struct nn_model *model, const struct batch *batch, struct arena *arena, int32_t *ret_classes,
                          struct status *status)
{
    struct generator g = {0};
    const struct arena_mark mark = arena_mark(arena);
    assert(batch->positions != 1 || batch->length == 1);
    enum status_code code = create(&g, model, batch, arena, status);
    for (long from = 0, count; code == STATUS_OK && from < batch->samples; from += count) {
        for (count = 1; count < GENERATE_SAMPLES && from + count < batch->samples; count++)
            if (!alike(&g.sequence[from], &g.sequence[from + count]))
                break;
        generate_some(&g, from, count, ret_classes);
    }
    arena_release(arena, mark);
    return code;
}
