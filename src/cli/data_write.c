// SPDX-License-Identifier: MIT
#include "base_text.h"
#include "data.h"
#include "dispatch_signals.h"
#include "npz.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 24 };

// Arrays of one set; -1 for those that it lacks.
struct arrays {
    int tokens, vectors, offsets, targets, clean, mask, relevant;
};

struct writing {
    struct npz_writer *writer;
    struct arena *arena;
    bool draws; // how far it is
    struct bytes summary;
};

// Test sets go by their tokens, which are what a file has, whatever the task counts lengths in.
static void name_set(const struct task_set *set, char ret_name[TASK_SET_NAME])
{
    if (set->split == SPLIT_TEST)
        snprintf(ret_name, TASK_SET_NAME, "test/%ld", set->tokens);
    else
        snprintf(ret_name, TASK_SET_NAME, "%s", set->name);
}

static int add(struct writing *writing, const struct task_set *set, const char *part, enum npz_type type, bool packed,
               int dimensions, const int64_t *rest)
{
    char name[NPZ_NAME_SIZE], of[TASK_SET_NAME];
    name_set(set, of);
    snprintf(name, sizeof name, "%s/%s", of, part);
    return npz_add(writing->writer, name, type, packed ? dimensions - 1 : dimensions, packed ? rest + 1 : rest);
}

static bool is_each(const struct task_set *set)
{
    return set->positions > 1 || (set->shape.vocabulary && settings_every_step(set->settings));
}

// False where memory is out.
static bool add_arrays(struct writing *writing, const struct task_set *set, struct arrays *ret_arrays)
{
    const bool packed = set->ragged, each = is_each(set);
    const int64_t rest[] = {set->tokens, set->shape.dim}, places[] = {set->tokens, set->relevant_count};
    const bool own = set->relevant_each;
    const int lines = each ? 2 : 1;
    struct arrays *a = ret_arrays;
    *a = (struct arrays){-1, -1, -1, -1, -1, -1, -1};
    if (set->shape.vocabulary)
        a->tokens = add(writing, set, "tokens", NPZ_INT32, packed, 2, rest);
    else
        a->vectors = add(writing, set, "vectors", NPZ_FLOAT32, packed, 3, rest);
    if (packed)
        a->offsets = add(writing, set, "offsets", NPZ_INT64, false, 1, NULL);
    a->targets = add(writing, set, "targets", NPZ_INT32, packed && each, lines, rest);
    a->clean = add(writing, set, "clean", NPZ_INT32, packed && each, lines, rest);
    if (set->masked)
        a->mask = add(writing, set, "mask", NPZ_UINT8, packed && each, lines, rest);
    if (set->relevant_count)
        a->relevant = add(writing, set, "relevant", NPZ_INT32, packed && own, own ? 3 : 2, own ? places : places + 1);
    return (a->tokens >= 0 || a->vectors >= 0) && (a->offsets >= 0) == packed && a->targets >= 0 && a->clean >= 0 &&
           (a->mask >= 0) == set->masked && (a->relevant >= 0) == (set->relevant_count > 0);
}

// Where `array` is there and `numbers` are.
static enum status_code put(struct writing *writing, int array, const void *numbers, int64_t count,
                            struct status *status)
{
    if (array < 0 || !numbers)
        return STATUS_OK;
    return npz_put(writing->writer, array, numbers, (size_t)count, status);
}

static enum status_code put_mask(struct writing *writing, int array, const struct batch *batch, struct status *status)
{
    const int64_t count = batch_target(batch, batch->samples);
    const uint8_t *mask = batch->mask;
    if (array >= 0 && !mask) { // all of this part count
        uint8_t *ones = arena_get(writing->arena, (size_t)count, 1);
        if (!ones)
            return status_set(status, STATUS_MEMORY, "out of memory for a mask");
        memset(ones, 1, (size_t)count);
        mask = ones;
    }
    return put(writing, array, mask, count, status);
}

// Ends of the batch's sequences in the whole set, whose first `rows` rows are written.
static enum status_code put_offsets(struct writing *writing, int array, const struct batch *batch, int64_t rows,
                                    struct status *status)
{
    enum status_code code = STATUS_OK;
    for (long i = 0; array >= 0 && code == STATUS_OK && i < batch->samples; i++) {
        const int64_t end = rows + batch_row(batch, i + 1);
        code = put(writing, array, &end, 1, status);
    }
    return code;
}

static enum status_code put_batch(struct writing *writing, const struct arrays *arrays, const struct batch *batch,
                                  int64_t rows, struct status *status)
{
    const int64_t tokens = batch_row(batch, batch->samples), targets = batch_target(batch, batch->samples);
    enum status_code code = put(writing, arrays->tokens, batch->tokens, tokens, status);
    if (code == STATUS_OK)
        code = put(writing, arrays->vectors, batch->vectors, tokens * batch->dim, status);
    if (code == STATUS_OK)
        code = put_offsets(writing, arrays->offsets, batch, rows, status);
    if (code == STATUS_OK)
        code = put(writing, arrays->targets, batch->targets, targets, status);
    if (code == STATUS_OK)
        code = put(writing, arrays->clean, batch->clean, targets, status);
    if (code == STATUS_OK)
        code = put_mask(writing, arrays->mask, batch, status);
    return code == STATUS_OK ? put(writing, arrays->relevant, batch->relevant,
                                   batch_relevant(batch, batch->samples) * batch->relevant_count, status)
                             : code;
}

static void draw(const struct writing *writing, const struct task_set *set, long done, long count)
{
    if (writing->draws)
        fprintf(stderr, "\r%s: %ld of %ld samples\033[K", set->name, done, count);
}

static void note(struct writing *writing, const struct task_set *set, long count)
{
    char text[TASK_SET_NAME + 48], name[TASK_SET_NAME];
    name_set(set, name);
    const int length = snprintf(text, sizeof text, "%s%s %ld", writing->summary.size ? ", " : "", name, count);
    bytes_raw(&writing->summary, text, (size_t)length);
}

static enum status_code write_set(struct writing *writing, const struct task_set *set, long count,
                                  struct status *status)
{
    const size_t each = task_sample_bytes(set);
    const long most = each < CHUNK_BYTES ? (long)(CHUNK_BYTES / (each ? each : 1)) : 1;
    const int64_t begin = 0;
    struct arrays arrays;
    int64_t rows = 0;
    if (!add_arrays(writing, set, &arrays))
        return status_set(status, STATUS_MEMORY, "out of memory for the list of arrays");
    enum status_code code = put(writing, arrays.offsets, &begin, 1, status);
    for (long first = 0, some; code == STATUS_OK && first < count; first += some) {
        struct batch batch;
        some = count - first < most ? count - first : most;
        arena_reset(writing->arena);
        code = task_make(set, first, some, writing->arena, &batch, status);
        if (code == STATUS_OK)
            code = put_batch(writing, &arrays, &batch, rows, status);
        rows += code == STATUS_OK ? batch_row(&batch, some) : 0;
        draw(writing, set, first + some, count);
    }
    note(writing, set, count);
    return code;
}

static enum status_code write_number(struct writing *writing, const char *name, int64_t number, struct status *status)
{
    const int array = npz_add(writing->writer, name, NPZ_INT64, 0, NULL);
    if (array < 0)
        return status_set(status, STATUS_MEMORY, "out of memory for the list of arrays");
    return put(writing, array, &number, 1, status);
}

static enum status_code write_all(struct writing *writing, const struct grid_trial *trial,
                                  const struct task_source *source, long train_count, struct status *status)
{
    const struct settings *settings = &trial->settings;
    const long length = (long)settings->task.train_length;
    enum status_code code = STATUS_OK;
    struct task_set set;
    for (size_t i = 0; code == STATUS_OK && i < trial->lengths_count + 2; i++) {
        const enum task_split split = i == 0 ? SPLIT_TRAIN : i == 1 ? SPLIT_VALIDATION : SPLIT_TEST;
        task_set_init(&set, settings, split, split == SPLIT_TEST ? (long)trial->lengths[i - 2] : length);
        task_set_from(&set, source);
        code = write_set(writing, &set, split == SPLIT_TRAIN ? train_count : set.samples, status);
    }
    if (code == STATUS_OK && set.shape.vocabulary)
        code = write_number(writing, "vocabulary", set.shape.vocabulary, status);
    return code == STATUS_OK ? write_number(writing, "classes", set.shape.classes, status) : code;
}

static void report(const struct writing *writing, const char *path)
{
    struct stat facts;
    char size[TEXT_NUMBER_SIZE];
    const double bytes = stat(path, &facts) == 0 ? (double)facts.st_size : 0;
    printf("%s: %s samples, %s\n", path, (const char *)writing->summary.data, text_size(bytes, size));
}

static bool asked(void *signals)
{
    return dispatch_signals_asked(signals) > 0;
}

static enum status_code write_file(struct writing *writing, const struct grid_trial *trial,
                                   const struct task_source *source, long train_count, const char *path,
                                   struct dispatch_signals *signals, struct status *status)
{
    enum status_code code = npz_create(path, &writing->writer, status);
    if (code != STATUS_OK)
        return code;
    npz_stop_when(writing->writer, asked, signals);
    code = write_all(writing, trial, source, train_count, status);
    if (writing->draws)
        fprintf(stderr, "\r\033[K");
    if (code == STATUS_OK)
        return npz_finish(writing->writer, status);
    npz_abandon(writing->writer);
    return code;
}

enum status_code data_write(const struct grid_trial *trial, const struct task_source *source, long train_count,
                            const char *path, bool quiet, struct status *status)
{
    struct writing writing = {.draws = !quiet && cli_is_terminal(STDERR_FILENO)};
    struct dispatch_signals signals;
    enum status_code code = dispatch_signals_open(&signals, status);
    if (code != STATUS_OK)
        return code;
    writing.arena = arena_create(CHUNK_BYTES, 0);
    code = writing.arena ? write_file(&writing, trial, source, train_count, path, &signals, status)
                         : status_set(status, STATUS_MEMORY, "out of memory for data");
    dispatch_signals_close(&signals);
    bytes_u8(&writing.summary, 0);
    if (code == STATUS_OK && !writing.summary.failed && !quiet)
        report(&writing, path);
    bytes_fini(&writing.summary);
    arena_destroy(writing.arena);
    return code;
}
