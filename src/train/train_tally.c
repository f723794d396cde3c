// SPDX-License-Identifier: MIT
#include "train_tally.h"
#include <math.h>

enum { CHUNK_SAMPLES = 128, CHUNK_BYTES = 1 << 20, OUTPUT_BYTES = 1 << 22, OUTPUTS = 6, ALIGNMENT = 64 };

static long between(size_t count)
{
    return count < 1 ? 1 : count > CHUNK_SAMPLES ? CHUNK_SAMPLES : (long)count;
}

static long outputs_of(const struct task_set *set)
{
    return set->shape.binary ? 1 : set->shape.classes;
}

// Bytes that hold what the model says of one sample.
static size_t output_bytes(const struct task_set *set)
{
    return (size_t)set->positions * ((size_t)(outputs_of(set) + 1) * sizeof(real) + sizeof(int32_t));
}

// Samples that are predicted at once where they are in memory.
static long room(const struct task_set *set)
{
    return between(OUTPUT_BYTES / (output_bytes(set) + 1));
}

long train_chunk(const struct task_set *set)
{
    const long fit = between(CHUNK_BYTES / (task_sample_bytes(set) + 1)), most = room(set);
    return fit < most ? fit : most;
}

size_t train_tally_bytes(const struct task_set *set)
{
    return task_make_bytes(set, train_chunk(set)) + (size_t)room(set) * (output_bytes(set) + 3 * sizeof(real)) +
           OUTPUTS * ALIGNMENT;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t train_tally_most_bytes(const struct task_set *set)
{
    const size_t sample = task_sample_bytes(set), output = output_bytes(set);
    return task_make_bytes(set, 0) + least(CHUNK_SAMPLES * sample, most(CHUNK_BYTES, sample)) +
           least(CHUNK_SAMPLES * output, most(OUTPUT_BYTES, output)) + CHUNK_SAMPLES * 3 * sizeof(real) +
           OUTPUTS * ALIGNMENT;
}

enum status_code train_data_cache(struct train_data *data, long count, struct arena *arena, struct status *status)
{
    enum status_code code = task_make(&data->set, 0, count, arena, &data->batch, status);
    if (code == STATUS_OK)
        data->cached = count;
    return code;
}

// Lengths of a part of a packed batch, which need not be packed itself.
static void view_lengths(struct batch *view)
{
    const bool each = view->positions != 1;
    const long first = batch_length(view, 0);
    bool differ = false;
    view->length = first;
    for (long s = 1; s < view->samples; s++) {
        const long length = batch_length(view, s);
        differ |= length != first;
        view->length = length > view->length ? length : view->length;
    }
    view->positions = each ? view->length : 1;
    if (!differ)
        view->offsets = NULL;
}

struct batch train_batch_view(const struct batch *batch, long first, long count)
{
    const int64_t row = batch_row(batch, first), target = batch_target(batch, first);
    struct batch view = *batch;
    view.samples = count;
    if (view.vectors)
        view.vectors += row * batch->dim;
    if (view.tokens)
        view.tokens += row;
    view.targets += target;
    view.clean += target;
    if (view.mask)
        view.mask += target;
    if (view.relevant)
        view.relevant += batch_relevant(batch, first) * batch->relevant_count;
    if (view.index)
        view.index += first;
    view.first += first;
    if (view.offsets) {
        view.offsets += first;
        view_lengths(&view);
    }
    return view;
}

static void fit_sequence(const struct batch *batch, long sample, const int32_t *predicted, struct train_fit *fit)
{
    const int64_t first = batch_target(batch, sample), end = first + batch_targets(batch, sample);
    const long before = fit->wrong_given;
    for (int64_t t = first; t < end; t++) {
        const bool given = predicted[t] == batch->targets[t], flipped = batch->targets[t] != batch->clean[t];
        if (batch->mask && !batch->mask[t])
            continue;
        fit->targets++;
        fit->wrong_given += !given;
        fit->wrong_clean += predicted[t] != batch->clean[t];
        fit->unflipped += !flipped;
        fit->wrong_unflipped += !flipped && !given;
        fit->flips += flipped;
        fit->flips_fitted += flipped && given;
    }
    fit->sequences++;
    fit->wrong_sequences += fit->wrong_given > before;
}

void train_fit(const struct batch *batch, const int32_t *predicted, struct train_fit *fit)
{
    for (long s = 0; s < batch->samples; s++)
        fit_sequence(batch, s, predicted, fit);
}

// What a chunk's predictions are written to.
struct workspace {
    struct nn_outputs outputs;
    real *losses;
    int32_t *predicted;
};

static enum status_code create_workspace(const struct task_set *set, struct arena *arena, struct workspace *ret,
                                         struct status *status)
{
    const size_t samples = (size_t)room(set), targets = samples * (size_t)set->positions;
    struct nn_outputs outputs = {.logits = arena_get(arena, targets, (size_t)outputs_of(set) * sizeof(real))};
    real *losses = arena_get(arena, targets, sizeof *losses);
    int32_t *predicted = arena_get(arena, targets, sizeof *predicted);
    bool whole = outputs.logits && losses && predicted;
    if (set->relevant_count > 0) {
        outputs.relevant_mass = arena_get(arena, samples, sizeof(real));
        outputs.relevant_value_norm = arena_get(arena, samples, sizeof(real));
        outputs.irrelevant_value_norm = arena_get(arena, samples, sizeof(real));
        whole = whole && outputs.relevant_mass && outputs.relevant_value_norm && outputs.irrelevant_value_norm;
    }
    if (!whole)
        return status_set(status, STATUS_MEMORY, "out of memory for %zu predictions", targets);
    *ret = (struct workspace){outputs, losses, predicted};
    return STATUS_OK;
}

static void tally_batch(struct nn_model *model, const struct batch *batch, const struct workspace *workspace,
                        struct train_tally *tally)
{
    const struct nn_outputs *outputs = &workspace->outputs;
    nn_predict(model, batch, outputs);
    nn_losses(batch, outputs->logits, workspace->losses);
    nn_classes(batch, outputs->logits, workspace->predicted);
    train_fit(batch, workspace->predicted, &tally->fit);
    for (int64_t t = 0, targets = batch_target(batch, batch->samples); t < targets; t++)
        tally->loss += (double)workspace->losses[t];
    for (long i = 0; i < batch->samples; i++) {
        const bool naming = !batch->relevant_each || batch_naming(batch, i) > 0;
        tally->naming += naming;
        if (naming)
            tally->mass += outputs->relevant_mass ? (double)outputs->relevant_mass[i] : NAN;
        tally->signal_norm += outputs->relevant_mass ? (double)outputs->relevant_value_norm[i] : NAN;
        tally->noise_norm += outputs->relevant_mass ? (double)outputs->irrelevant_value_norm[i] : NAN;
    }
}

// The samples from `first` on that are in memory or are made at once: at most `most`.
static enum status_code next_batch(const struct train_data *data, long first, long most, struct arena *arena,
                                   struct batch *ret_batch, struct status *status)
{
    const bool cached = first < data->cached;
    const long limit = cached ? room(&data->set) : train_chunk(&data->set);
    long count = most < limit ? most : limit;
    if (!cached)
        return task_make(&data->set, first, count, arena, ret_batch, status);
    count = count < data->cached - first ? count : data->cached - first;
    *ret_batch = train_batch_view(&data->batch, first, count);
    return STATUS_OK;
}

enum status_code train_tally(struct nn_model *model, const struct train_data *data, long first, long count,
                             struct arena *arena, struct train_tally *tally, struct status *status)
{
    const struct arena_mark start = arena_mark(arena);
    struct workspace workspace;
    struct batch batch = {0};
    enum status_code code = create_workspace(&data->set, arena, &workspace, status);
    const struct arena_mark chunk_start = arena_mark(arena);
    for (long at = first, end = first + count; code == STATUS_OK && at < end; at += batch.samples) {
        code = next_batch(data, at, end - at, arena, &batch, status);
        if (code == STATUS_OK)
            tally_batch(model, &batch, &workspace, tally);
        arena_release(arena, chunk_start);
    }
    arena_release(arena, start);
    return code;
}

enum status_code train_count_flips(const struct train_data *data, struct arena *arena, long *ret_flips,
                                   struct status *status)
{
    const struct arena_mark start = arena_mark(arena);
    enum status_code code = STATUS_OK;
    struct batch batch = {0};
    long flips = 0;
    for (long at = 0; code == STATUS_OK && at < data->set.samples; at += batch.samples) {
        code = next_batch(data, at, data->set.samples - at, arena, &batch, status);
        for (int64_t t = 0; code == STATUS_OK && t < batch_target(&batch, batch.samples); t++)
            flips += batch.targets[t] != batch.clean[t] && (!batch.mask || batch.mask[t]);
        arena_release(arena, start);
    }
    if (code == STATUS_OK)
        *ret_flips = flips;
    return code;
}
