// SPDX-License-Identifier: MIT
#include "train_batches.h"
#include "base_random.h"
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, COLUMNS = TRAIN_BATCH_COLUMNS };
enum { INDEX_BITS = 40 }; // of drawn samples in `order`, below their length

enum train_batches_kind train_batches_kind(const struct settings *settings)
{
    const bool all = settings_batch_size(settings) == settings->task.samples && settings->train.accumulation == 1;
    if (settings->train.data == DATA_STREAM)
        return BATCHES_STREAM;
    if (settings->train.curriculum != CURRICULUM_NONE)
        return BATCHES_DRAWN;
    return all ? BATCHES_WHOLE : BATCHES_SHUFFLED;
}

static bool gathers(enum train_batches_kind kind)
{
    return kind == BATCHES_SHUFFLED || kind == BATCHES_DRAWN;
}

// A member of a batch, and its bytes.
struct column {
    const void *data;
    size_t bytes;
};

static void columns_of(const struct batch *batch, size_t rows, size_t targets, struct column ret[COLUMNS])
{
    const size_t lists = batch->relevant_each ? targets : 1;
    ret[0] = (struct column){batch->vectors, rows * (size_t)batch->dim * sizeof(float)};
    ret[1] = (struct column){batch->tokens, rows * sizeof(int32_t)};
    ret[2] = (struct column){batch->targets, targets * sizeof(int32_t)};
    ret[3] = (struct column){batch->clean, targets * sizeof(int32_t)};
    ret[4] = (struct column){batch->mask, targets};
    ret[5] = (struct column){batch->relevant, lists * (size_t)batch->relevant_count * sizeof(int32_t)};
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

// Storage for `size` samples like that of the batch, and of the longest.
static bool create_store(struct train_batches *batches, const struct batch *like, struct arena *arena)
{
    const struct task_set *set = &batches->set;
    const size_t size = (size_t)batches->size;
    struct column column[COLUMNS];
    columns_of(like, (size_t)set->tokens, (size_t)set->positions, column);
    batches->batch = *like;
    batches->index = arena_get(arena, size, sizeof *batches->index);
    batches->offsets = set->ragged ? arena_get(arena, size + 1, sizeof *batches->offsets) : NULL;
    bool whole = batches->index && (batches->offsets || !set->ragged);
    for (int c = 0; c < COLUMNS && whole; c++)
        if (column[c].data) {
            batches->store[c] = arena_get(arena, size, column[c].bytes);
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

static int compare_numbers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void sort_by_length(struct train_batches *batches)
{
    for (int64_t i = 0; i < batches->samples; i++)
        batches->order[i] = (int64_t)task_length(&batches->set, (long)i) << INDEX_BITS | i;
    qsort(batches->order, (size_t)batches->samples, sizeof *batches->order, compare_numbers);
}

// How many samples are no longer than `length`; where there is none, how many are as short as the shortest.
static int64_t no_longer(const struct train_batches *batches, int64_t length)
{
    const int64_t shortest = batches->order[0] >> INDEX_BITS, most = length > shortest ? length : shortest;
    int64_t low = 1, high = batches->samples;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (batches->order[middle] >> INDEX_BITS <= most)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void train_batches_set_longest(struct train_batches *batches, int64_t longest)
{
    batches->set.longest = (long)longest;
    if (batches->kind == BATCHES_DRAWN)
        batches->fitting = no_longer(batches, longest);
}

static enum status_code create_gathering(struct train_batches *batches, struct arena *arena, struct status *status)
{
    const struct arena_mark mark = arena_mark(arena);
    struct batch like;
    enum status_code code = get_sample(batches->train, 0, arena, &like, status);
    if (code != STATUS_OK)
        return code;
    arena_release(arena, mark);
    batches->order = arena_get(arena, (size_t)batches->samples, sizeof *batches->order);
    if (!batches->order || !create_store(batches, &like, arena))
        return status_set(status, STATUS_MEMORY, "out of memory for batches of %lld; lower batch_size or samples",
                          (long long)batches->size);
    if (batches->kind == BATCHES_DRAWN) {
        sort_by_length(batches);
        batches->short_ones = no_longer(batches, batches->set.settings->train.curriculum_start);
        train_batches_set_longest(batches, batches->set.length);
    }
    return STATUS_OK;
}

enum status_code train_batches_create(const struct train_data *train, struct arena *arena,
                                      struct train_batches *ret_batches, struct status *status)
{
    const struct settings *settings = train->set.settings;
    struct train_batches batches = {.kind = train_batches_kind(settings),
                                    .train = train,
                                    .set = train->set,
                                    .samples = settings->task.samples,
                                    .size = settings_batch_size(settings),
                                    .accumulation = settings->train.accumulation,
                                    .epoch = -1};
    enum status_code code = gathers(batches.kind) ? create_gathering(&batches, arena, status) : STATUS_OK;
    if (code == STATUS_OK)
        *ret_batches = batches;
    return code;
}

static struct random_key key_of(const struct train_batches *batches, const char *purpose)
{
    const struct settings *settings = batches->set.settings;
    return random_key(settings->seed, settings_data_seed(settings), purpose);
}

static void shuffle(struct train_batches *batches, int64_t epoch)
{
    const struct random_key key = key_of(batches, "train/shuffle");
    if (batches->epoch == epoch)
        return;
    for (int64_t i = 0; i < batches->samples; i++) {
        const int64_t j = random_below(key, (uint64_t)epoch, (uint32_t)i, 0, (uint32_t)(i + 1));
        batches->order[i] = batches->order[j];
        batches->order[j] = i;
    }
    batches->epoch = epoch;
}

// The samples of a micro-batch into `index`; how many there are.
static int64_t choose_shuffled(struct train_batches *batches, int64_t number)
{
    const int64_t size = batches->size, epoch_batches = (batches->samples + size - 1) / size;
    const int64_t first = number % epoch_batches * size, left = batches->samples - first;
    const int64_t count = left < size ? left : size;
    shuffle(batches, number / epoch_batches);
    memcpy(batches->index, batches->order + first, (size_t)count * sizeof *batches->index);
    return count;
}

static int64_t choose_drawn(struct train_batches *batches, int64_t number)
{
    const struct random_key key = key_of(batches, "train/curriculum");
    const double keep = batches->set.settings->train.curriculum_keep;
    for (int64_t i = 0; i < batches->size; i++) {
        const bool kept = random_uniform(key, (uint64_t)number, (uint32_t)i, 0) < keep;
        const int64_t from = kept && batches->short_ones < batches->fitting ? batches->short_ones : batches->fitting;
        const int64_t place = random_below(key, (uint64_t)number, (uint32_t)i, 1, (uint32_t)from);
        batches->index[i] = batches->order[place] & ((INT64_C(1) << INDEX_BITS) - 1);
    }
    return batches->size;
}

// What a gathered batch is, beside its members: packed where lengths differ.
static void shape_batch(struct train_batches *batches, int64_t count)
{
    struct batch *batch = &batches->batch;
    long longest = batches->set.tokens;
    bool differ = false;
    if (batches->offsets) {
        batch->offsets = batches->offsets;
        longest = 0;
        for (long s = 0; s < (long)count; s++) {
            const long length = batch_length(batch, s);
            differ |= s > 0 && length != longest;
            longest = length > longest ? length : longest;
        }
    }
    batch->samples = (long)count;
    batch->length = longest;
    batch->positions = batches->set.positions == 1 ? 1 : longest;
    batch->offsets = differ ? batches->offsets : NULL;
}

static enum status_code gather(struct train_batches *batches, int64_t count, struct arena *arena, struct status *status)
{
    const struct arena_mark mark = arena_mark(arena);
    size_t used[COLUMNS] = {0};
    for (int64_t i = 0; i < count; i++) {
        struct batch sample;
        struct column column[COLUMNS];
        enum status_code code = get_sample(batches->train, batches->index[i], arena, &sample, status);
        if (code != STATUS_OK)
            return code;
        columns_of(&sample, (size_t)batch_row(&sample, 1), (size_t)batch_target(&sample, 1), column);
        for (int c = 0; c < COLUMNS; c++)
            if (column[c].data) {
                memcpy(batches->store[c] + used[c], column[c].data, column[c].bytes);
                used[c] += column[c].bytes;
            }
        if (batches->offsets)
            batches->offsets[i + 1] = batches->offsets[i] + batch_row(&sample, 1);
        arena_release(arena, mark);
    }
    shape_batch(batches, count);
    return STATUS_OK;
}

enum status_code train_batches_get(struct train_batches *batches, int64_t step, int64_t part, struct arena *arena,
                                   struct batch *ret_batch, struct status *status)
{
    const int64_t number = step * batches->accumulation + part, size = batches->size;
    if (batches->kind == BATCHES_STREAM)
        return task_make(&batches->set, (long)(number * size), (long)size, arena, ret_batch, status);
    if (batches->kind == BATCHES_WHOLE) {
        *ret_batch = batches->train->batch;
        return STATUS_OK;
    }
    const int64_t count =
        batches->kind == BATCHES_DRAWN ? choose_drawn(batches, number) : choose_shuffled(batches, number);
    enum status_code code = gather(batches, count, arena, status);
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
    if (!gathers(train_batches_kind(settings)))
        return 0;
    return size * (task_sample_bytes(train) + sizeof(int64_t)) + (size_t)train->samples * sizeof(int64_t) +
           (train->ragged ? (size + 1) * sizeof(int64_t) + ALIGNMENT : 0) + (COLUMNS + 2) * ALIGNMENT;
}

size_t train_make_bytes(const struct task_set *train, bool cached)
{
    const struct settings *settings = train->settings;
    if (train_batches_kind(settings) == BATCHES_STREAM)
        return task_make_bytes(train, (long)settings_batch_size(settings));
    return cached ? 0 : task_make_bytes(train, 1);
}
