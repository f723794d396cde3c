// SPDX-License-Identifier: MIT
#include "train_tally.h"
#include <string.h>

enum { CHUNK_SAMPLES = 128, CHUNK_BYTES = 1 << 20, OUTPUTS = 5, ALIGNMENT = 64 };

long train_chunk(const struct task_set *set)
{
    size_t fit = CHUNK_BYTES / (task_sample_bytes(set) + 1);
    return fit < 1 ? 1 : fit > CHUNK_SAMPLES ? CHUNK_SAMPLES : (long)fit;
}

size_t train_tally_bytes(const struct task_set *set)
{
    return task_make_bytes(set, train_chunk(set)) + OUTPUTS * (CHUNK_SAMPLES * sizeof(real) + ALIGNMENT);
}

enum status_code train_data_cache(struct train_data *data, long count, struct arena *arena, struct status *status)
{
    enum status_code code = task_make(&data->set, 0, count, arena, &data->batch, status);
    if (code == STATUS_OK)
        data->cached = count;
    return code;
}

static struct batch batch_view(const struct batch *batch, long first, long count)
{
    struct batch view = *batch;
    view.samples = count;
    if (view.vectors)
        view.vectors += first * batch->length * batch->dim;
    if (view.tokens)
        view.tokens += first * batch->length;
    view.targets += first * batch->positions;
    view.clean += first * batch->positions;
    if (view.mask)
        view.mask += first * batch->positions;
    view.relevant += first * batch->relevant_count;
    return view;
}

static bool is_right(int32_t target, real logit)
{
    return target ? logit > 0 : logit < 0; // false for NaN
}

static void tally_batch(struct nn_model *model, const struct batch *batch, struct nn_outputs outputs, real *losses,
                        struct train_tally *tally)
{
    nn_predict(model, batch, &outputs);
    nn_losses(batch, outputs.logits, losses);
    for (long i = 0; i < batch->samples; i++) {
        tally->count += 1;
        tally->wrong += !is_right(batch->targets[i], outputs.logits[i]);
        tally->loss += (double)losses[i];
        tally->mass += (double)outputs.relevant_mass[i];
        tally->signal_norm += (double)outputs.relevant_value_norm[i];
        tally->noise_norm += (double)outputs.irrelevant_value_norm[i];
    }
}

enum status_code train_tally(struct nn_model *model, const struct train_data *data, long first, long count,
                             struct arena *arena, struct train_tally *tally, struct status *status)
{
    struct arena_mark start = arena_mark(arena);
    enum status_code code = STATUS_OK;
    real *memory[OUTPUTS];
    for (int i = 0; i < OUTPUTS; i++) {
        memory[i] = arena_get(arena, CHUNK_SAMPLES, sizeof(real));
        if (!memory[i])
            code = status_set(status, STATUS_MEMORY, "out of memory for %d predictions", CHUNK_SAMPLES);
    }
    struct nn_outputs outputs = {memory[0], memory[1], memory[2], memory[3]};
    struct arena_mark chunk_start = arena_mark(arena);
    for (long at = first, end = first + count, size; code == STATUS_OK && at < end; at += size) {
        struct batch batch;
        long limit = at < data->cached ? data->cached : end;
        size = at < data->cached ? CHUNK_SAMPLES : train_chunk(&data->set);
        limit = limit < end ? limit : end;
        size = size < limit - at ? size : limit - at;
        if (at < data->cached)
            batch = batch_view(&data->batch, at, size);
        else
            code = task_make(&data->set, at, size, arena, &batch, status);
        if (code == STATUS_OK)
            tally_batch(model, &batch, outputs, memory[4], tally);
        arena_release(arena, chunk_start);
    }
    arena_release(arena, start);
    return code;
}

void train_fit(const struct batch *batch, const real *logits, struct train_fit *ret_fit)
{
    struct train_fit fit = {.count = batch->samples};
    for (long i = 0; i < batch->samples; i++) {
        bool given = is_right(batch->targets[i], logits[i]), flipped = batch->targets[i] != batch->clean[i];
        fit.wrong_given += !given;
        fit.wrong_clean += !is_right(batch->clean[i], logits[i]);
        fit.unflipped += !flipped;
        fit.wrong_unflipped += !flipped && !given;
        fit.flips += flipped;
        fit.flips_fitted += flipped && given;
    }
    *ret_fit = fit;
}
