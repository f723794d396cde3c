// SPDX-License-Identifier: MIT
#include "train_batches.h"
#include "base_random.h"
#include <string.h>

enum { ALIGNMENT = 64, COLUMNS = TRAIN_BATCH_COLUMNS };

enum train_batches_kind train_batches_kind(const struct settings *settings)
{
    const bool all = settings_batch_size(settings) == settings->task.samples && settings->train.accumulation == 1;
    if (settings->train.data == DATA_STREAM)
        return BATCHES_STREAM;
    return all ? BATCHES_WHOLE : BATCHES_SHUFFLED;
}

// A member of a batch: `bytes` a sample.
struct column {
    const void *data;
    size_t bytes;
};

static void columns_of(const struct batch *batch, struct column ret[COLUMNS])
{
    const size_t length = (size_t)batch->length, positions = (size_t)batch->positions;
    ret[0] = (struct column){batch->vectors, length * (size_t)batch->dim * sizeof(float)};
    ret[1] = (struct column){batch->tokens, length * sizeof(int32_t)};
    ret[2] = (struct column){batch->targets, positions * sizeof(int32_t)};
    ret[3] = (struct column){batch->clean, positions * sizeof(int32_t)};
    ret[4] = (struct column){batch->mask, positions};
    ret[5] = (struct column){batch->relevant, (size_t)batch->relevant_count * sizeof(int32_t)};
}

static void point_to_store(struct train_batches *batches)
{
    struct batch *batch = &batches->batch;
    batch->vectors = (const float *)(const void *)batches->store[0];
    batch->tokens = (const int32_t *)(const void *)batches->store[1];
    batch->targets = (const int32_t *)(const void *)batches->store[2];
    batch->clean = (const int32_t *)(const void *)batches->store[3];
    batch->mask = (const uint8_t *)batches->store[4];
    batch->relevant = (const int32_t *)(const void *)batches->store[5];
    batch->index = batches->index;
}

// Storage for `size` samples like those of the batch.
static bool create_store(struct train_batches *batches, const struct batch *like, struct arena *arena)
{
    struct column column[COLUMNS];
    columns_of(like, column);
    batches->batch = *like;
    batches->order = arena_get(arena, (size_t)batches->samples, sizeof *batches->order);
    batches->index = arena_get(arena, (size_t)batches->size, sizeof *batches->index);
    bool whole = batches->order && batches->index;
    for (int c = 0; c < COLUMNS && whole; c++)
        if (column[c].data) {
            batches->store[c] = arena_get(arena, (size_t)batches->size, column[c].bytes);
            whole = batches->store[c] != NULL;
        }
    point_to_store(batches);
    return whole;
}

// One sample of the set; what it takes from the arena is the caller's to release.
static enum status_code get_sample(const struct train_data *train, int64_t index, struct arena *arena,
                                   struct batch *ret_batch, struct status *status)
{
    if (index >= train->cached)
        return task_make(&train->set, (long)index, 1, arena, ret_batch, status);
    *ret_batch = train_batch_view(&train->batch, (long)index, 1);
    return STATUS_OK;
}

enum status_code train_batches_create(const struct train_data *train, struct arena *arena,
                                      struct train_batches *ret_batches, struct status *status)
{
    const struct settings *settings = train->set.settings;
    const struct arena_mark mark = arena_mark(arena);
    struct train_batches batches = {.kind = train_batches_kind(settings),
                                    .train = train,
                                    .samples = settings->task.samples,
                                    .size = settings_batch_size(settings),
                                    .accumulation = settings->train.accumulation,
                                    .epoch = -1};
    if (batches.kind == BATCHES_SHUFFLED) {
        struct batch like;
        enum status_code code = get_sample(train, 0, arena, &like, status);
        if (code != STATUS_OK)
            return code;
        arena_release(arena, mark);
        if (!create_store(&batches, &like, arena))
            return status_set(status, STATUS_MEMORY, "out of memory for batches of %lld; lower batch_size or samples",
                              (long long)batches.size);
    }
    *ret_batches = batches;
    return STATUS_OK;
}

static void shuffle(struct train_batches *batches, int64_t epoch)
{
    const struct settings *settings = batches->train->set.settings;
    const struct random_key key = random_key(settings->seed, settings_data_seed(settings), "train/shuffle");
    if (batches->epoch == epoch)
        return;
    for (int64_t i = 0; i < batches->samples; i++) {
        const int64_t j = random_below(key, (uint64_t)epoch, (uint32_t)i, 0, (uint32_t)(i + 1));
        batches->order[i] = batches->order[j];
        batches->order[j] = i;
    }
    batches->epoch = epoch;
}

static enum status_code gather(struct train_batches *batches, int64_t first, int64_t count, struct arena *arena,
                               struct status *status)
{
    const struct arena_mark mark = arena_mark(arena);
    for (int64_t i = 0; i < count; i++) {
        struct batch sample;
        struct column column[COLUMNS];
        enum status_code code = get_sample(batches->train, batches->order[first + i], arena, &sample, status);
        if (code != STATUS_OK)
            return code;
        columns_of(&sample, column);
        for (int c = 0; c < COLUMNS; c++)
            if (column[c].data)
                memcpy(batches->store[c] + (size_t)i * column[c].bytes, column[c].data, column[c].bytes);
        batches->index[i] = batches->order[first + i];
        arena_release(arena, mark);
    }
    batches->batch.samples = (long)count;
    return STATUS_OK;
}

enum status_code train_batches_get(struct train_batches *batches, int64_t step, int64_t part, struct arena *arena,
                                   struct batch *ret_batch, struct status *status)
{
    const int64_t number = step * batches->accumulation + part, size = batches->size;
    if (batches->kind == BATCHES_STREAM)
        return task_make(&batches->train->set, (long)(number * size), (long)size, arena, ret_batch, status);
    if (batches->kind == BATCHES_WHOLE) {
        *ret_batch = batches->train->batch;
        return STATUS_OK;
    }
    const int64_t epoch_batches = (batches->samples + size - 1) / size, first = number % epoch_batches * size;
    const int64_t left = batches->samples - first;
    shuffle(batches, number / epoch_batches);
    enum status_code code = gather(batches, first, left < size ? left : size, arena, status);
    if (code == STATUS_OK)
        *ret_batch = batches->batch;
    return code;
}

int64_t train_batches_rest(const struct settings *settings)
{
    const int64_t size = settings_batch_size(settings), samples = settings->task.samples;
    if (settings->train.data == DATA_STREAM)
        return size;
    return samples - (samples - 1) / size * size;
}

void train_batches_count(const struct settings *settings, int64_t count, int64_t *ret_full, int64_t *ret_rest)
{
    const int64_t size = settings_batch_size(settings), samples = settings->task.samples;
    const bool finite = settings->train.data == DATA_FINITE;
    *ret_rest = finite ? count / ((samples + size - 1) / size) : 0;
    *ret_full = count - *ret_rest;
}

size_t train_batches_bytes(const struct task_set *train)
{
    const struct settings *settings = train->settings;
    const size_t size = (size_t)settings_batch_size(settings);
    if (train_batches_kind(settings) != BATCHES_SHUFFLED)
        return 0;
    return size * (task_sample_bytes(train) + sizeof(int64_t)) + (size_t)train->samples * sizeof(int64_t) +
           (COLUMNS + 2) * ALIGNMENT;
}

size_t train_make_bytes(const struct task_set *train, bool cached)
{
    const struct settings *settings = train->settings;
    if (train_batches_kind(settings) == BATCHES_STREAM)
        return task_make_bytes(train, (long)settings_batch_size(settings));
    return cached ? 0 : task_make_bytes(train, 1);
}
