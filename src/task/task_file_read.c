// SPDX-License-Identifier: MIT
// One set of a file. Nothing is taken from it unchecked: what passes here is what a model may read.
#include "task_file.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 65536 };

enum status_code file_out_of_memory(const struct file_reader *reader, const char *name, struct status *status)
{
    return status_set(status, STATUS_MEMORY, "out of memory for %s of %s; lower samples or test_samples", name,
                      reader->path);
}

static void name_column(struct file_column *column, const char *part)
{
    snprintf(column->name, sizeof column->name, "%s/%s", column->set->name, part);
}

bool file_has(struct file_reader *reader, struct task_source_set *set, const char *part)
{
    struct file_column column = {.reader = reader, .set = set};
    name_column(&column, part);
    return npz_has(reader->npz, column.name);
}

static enum status_code open_column(struct file_column *column, const char *part, struct status *status)
{
    name_column(column, part);
    return npz_begin(column->reader->npz, column->name, &column->stream, status);
}

static const struct npz_array *array_of(const struct file_column *column)
{
    return npz_stream_array(column->stream);
}

enum status_code file_wrong_shape(const struct file_column *column, const char *wanted, struct status *status)
{
    char shape[NPZ_SHAPE_SIZE];
    return status_set(status, STATUS_INVALID, "%s: %s has shape %s, but should have %s", column->reader->path,
                      column->name, npz_shape_text(array_of(column), shape), wanted);
}

enum status_code file_wrong_number(const struct file_column *column, int64_t at, bool each, int64_t number,
                                   const char *wanted, struct status *status)
{
    const struct task_source_set *set = column->set;
    char place[64];
    int64_t sample = 0;
    if (!each) {
        snprintf(place, sizeof place, "sample %" PRId64, column->per_sample ? at / column->per_sample : at);
    } else {
        while (sample + 1 < set->samples && set->offsets[sample + 1] <= at)
            sample++;
        snprintf(place, sizeof place, "sample %" PRId64 ", position %" PRId64, sample, at - set->offsets[sample]);
    }
    return status_set(status, STATUS_INVALID, "%s: %s has %" PRId64 " in %s, but %s", column->reader->path,
                      column->name, number, place, wanted);
}

// (samples + 1) numbers from 0 on that grow.
static enum status_code read_offsets(struct file_column *column, int64_t samples, struct status *status)
{
    struct task_source_set *set = column->set;
    enum status_code code = open_column(column, "offsets", status);
    if (code != STATUS_OK)
        return code;
    const struct npz_array *array = array_of(column);
    if (array->dimensions != 1 || array->count < 2)
        return file_wrong_shape(column, "(samples + 1,)", status);
    set->in_file = array->count - 1;
    set->samples = samples && samples < set->in_file ? samples : set->in_file;
    int64_t *offsets = arena_get(column->reader->arena, (size_t)set->samples + 1, sizeof *offsets);
    if (!offsets)
        return file_out_of_memory(column->reader, column->name, status);
    set->offsets = offsets;
    code = npz_read_whole(column->stream, set->samples + 1, offsets, status);
    for (int64_t i = 0; code == STATUS_OK && i <= set->samples; i++) {
        if (i == 0 && offsets[0] != 0)
            return file_wrong_number(column, 0, false, offsets[0], "the first sequence begins at 0", status);
        if (i > 0 && (offsets[i] <= offsets[i - 1] || offsets[i] - offsets[i - 1] > FILE_LENGTH_LIMIT))
            return file_wrong_number(column, i, false, offsets[i],
                                     "sequences have at least one token, at most 2^24, and follow each other", status);
    }
    return code;
}

// Of sequences that are all as long as the shape of their tokens says.
static enum status_code count_offsets(struct file_column *column, int64_t samples, struct status *status)
{
    struct task_source_set *set = column->set;
    const struct npz_array *array = array_of(column);
    if (array->dimensions != 2 || array->count == 0 || array->shape[1] > FILE_LENGTH_LIMIT)
        return file_wrong_shape(column, "(samples, length), or (rows,) with offsets that say where sequences begin",
                                status);
    set->in_file = array->shape[0];
    set->samples = samples && samples < set->in_file ? samples : set->in_file;
    int64_t *offsets = arena_get(column->reader->arena, (size_t)set->samples + 1, sizeof *offsets);
    if (!offsets)
        return file_out_of_memory(column->reader, column->name, status);
    for (int64_t i = 0; i <= set->samples; i++)
        offsets[i] = i * array->shape[1];
    set->offsets = offsets;
    return STATUS_OK;
}

static void measure(struct task_source_set *set)
{
    set->rows = set->offsets[set->samples];
    set->shortest = set->longest = set->offsets[1];
    for (int64_t i = 0; i < set->samples; i++) {
        const int64_t length = set->offsets[i + 1] - set->offsets[i];
        set->shortest = length < set->shortest ? length : set->shortest;
        set->longest = length > set->longest ? length : set->longest;
    }
}

// `count` numbers from 0 to below *limit, or where that is not given, whatever raises it. Those that a mask leaves out
// may be any, and become 0.
static enum status_code read_numbers(struct file_column *column, bool each, int64_t count, const uint8_t *mask,
                                     bool given, int64_t *limit, int32_t *ret_numbers, struct status *status)
{
    int64_t chunk[FILE_CHUNK];
    char wanted[96];
    for (int64_t at = 0; at < count;) {
        const int64_t some = count - at < FILE_CHUNK ? count - at : FILE_CHUNK;
        enum status_code code = npz_read_whole(column->stream, some, chunk, status);
        if (code != STATUS_OK)
            return code;
        for (int64_t i = 0; i < some; i++) {
            const bool counts = !mask || mask[at + i];
            if (counts && !given && chunk[i] >= *limit && chunk[i] < FEW)
                *limit = chunk[i] + 1;
            if (counts && (chunk[i] < 0 || chunk[i] >= *limit)) {
                snprintf(wanted, sizeof wanted, "numbers from 0 to %" PRId64 " belong there",
                         given ? *limit - 1 : (int64_t)FEW - 1);
                return file_wrong_number(column, at + i, each, chunk[i], wanted, status);
            }
            ret_numbers[at + i] = counts ? (int32_t)chunk[i] : 0;
        }
        at += some;
    }
    return STATUS_OK;
}

static enum status_code read_tokens(struct file_column *column, int64_t samples, struct status *status)
{
    struct file_reader *reader = column->reader;
    struct task_source_set *set = column->set;
    const bool packed = file_has(reader, set, "offsets");
    enum status_code code = STATUS_OK;
    if (packed) {
        struct file_column offsets = {.reader = reader, .set = set};
        code = read_offsets(&offsets, samples, status);
        npz_end(offsets.stream);
    }
    if (code == STATUS_OK)
        code = open_column(column, "tokens", status);
    if (code == STATUS_OK && !packed)
        code = count_offsets(column, samples, status);
    if (code != STATUS_OK)
        return code;
    measure(set);
    const struct npz_array *array = array_of(column);
    const bool fits = set->samples < set->in_file ? array->count >= set->rows : array->count == set->rows;
    if (packed && (array->dimensions != 1 || !fits)) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "(%" PRId64 ",), as its offsets say", set->rows);
        return file_wrong_shape(column, wanted, status);
    }
    int32_t *tokens = arena_get(reader->arena, (size_t)set->rows, sizeof *tokens);
    if (!tokens)
        return file_out_of_memory(reader, column->name, status);
    set->tokens = tokens;
    return read_numbers(column, true, set->rows, NULL, reader->vocabulary_given, &reader->vocabulary, tokens, status);
}

// Sets *ret_each: a number a token, not one a sequence.
static enum status_code match_shape(const struct file_column *column, bool *ret_each, struct status *status)
{
    const struct task_source_set *set = column->set;
    const struct npz_array *array = array_of(column);
    char wanted[160];
    const bool ragged = file_has(column->reader, column->set, "offsets");
    const bool one =
        array->shape[0] == set->in_file && (array->dimensions == 1 || (array->dimensions == 2 && array->shape[1] == 1));
    const bool whole = set->samples == set->in_file;
    const bool each =
        ragged ? array->dimensions == 1 && (whole ? array->count == set->rows : array->count >= set->rows)
               : array->dimensions == 2 && array->shape[0] == set->in_file && array->shape[1] == set->longest;
    if (one || each) {
        *ret_each = !one;
        return STATUS_OK;
    }
    if (ragged)
        snprintf(wanted, sizeof wanted, "(%" PRId64 ",) for one a sequence, or as its tokens (%" PRId64 ",)",
                 set->in_file, set->rows);
    else
        snprintf(wanted, sizeof wanted,
                 "(%" PRId64 ",) for one a sequence, or as its tokens (%" PRId64 ", %" PRId64 ")", set->in_file,
                 set->in_file, set->longest);
    return file_wrong_shape(column, wanted, status);
}

int64_t file_targets(const struct task_source_set *set)
{
    return set->every_token ? set->rows : set->samples;
}

static enum status_code read_form(struct file_column *column, struct status *status)
{
    return match_shape(column, &column->set->every_token, status);
}

static enum status_code like_targets(struct file_column *column, struct status *status)
{
    bool each = false;
    enum status_code code = match_shape(column, &each, status);
    if (code != STATUS_OK || each == column->set->every_token)
        return code;
    return file_wrong_shape(column, "the shape of the targets", status);
}

static enum status_code read_mask(struct file_column *column, struct status *status)
{
    struct task_source_set *set = column->set;
    const int64_t count = file_targets(set);
    int64_t chunk[FILE_CHUNK];
    enum status_code code = like_targets(column, status);
    uint8_t *mask = arena_get(column->reader->arena, (size_t)count, 1);
    if (code == STATUS_OK && !mask)
        code = file_out_of_memory(column->reader, column->name, status);
    for (int64_t at = 0, some; code == STATUS_OK && at < count; at += some) {
        some = count - at < FILE_CHUNK ? count - at : FILE_CHUNK;
        code = npz_read_whole(column->stream, some, chunk, status);
        for (int64_t i = 0; code == STATUS_OK && i < some; i++) {
            mask[at + i] = chunk[i] != 0;
            set->masked |= chunk[i] == 0;
        }
    }
    set->mask = mask;
    return code;
}

static enum status_code read_classes(struct file_column *column, const int32_t **ret_classes, struct status *status)
{
    struct task_source_set *set = column->set;
    struct file_reader *reader = column->reader;
    const int64_t count = file_targets(set);
    int32_t *classes = arena_get(reader->arena, (size_t)count, sizeof *classes);
    if (!classes)
        return file_out_of_memory(reader, column->name, status);
    *ret_classes = classes;
    return read_numbers(column, set->every_token, count, set->mask, reader->classes_given, &reader->classes, classes,
                        status);
}

static enum status_code read_targets(struct file_column *column, struct status *status)
{
    enum status_code code = read_classes(column, &column->set->targets, status);
    column->set->clean = column->set->targets;
    return code;
}

static enum status_code read_clean(struct file_column *column, struct status *status)
{
    enum status_code code = like_targets(column, status);
    return code == STATUS_OK ? read_classes(column, &column->set->clean, status) : code;
}

static void compare_clean(struct task_source_set *set)
{
    for (int64_t i = 0; i < file_targets(set) && !set->noisy; i++)
        set->noisy = set->clean[i] != set->targets[i];
}

// NaN where memory is out: then nobody knows.
static double chance_error(const struct task_source_set *set, int64_t classes)
{
    int64_t *counts = calloc((size_t)classes, sizeof *counts), all = 0, most = 0;
    for (int64_t i = 0; counts && i < file_targets(set); i++) {
        if (set->mask && !set->mask[i])
            continue;
        const int64_t count = ++counts[set->targets[i]];
        most = count > most ? count : most;
        all++;
    }
    free(counts);
    return all ? 1 - (double)most / (double)all : NAN;
}

// STATUS_INVALID where no target counts at all: nothing could be learned or measured.
static enum status_code count_idle(const struct file_reader *reader, struct task_source_set *set, struct status *status)
{
    int64_t idle = 0;
    set->idle = 0;
    if (!set->mask)
        return STATUS_OK;
    while (idle < file_targets(set) && !set->mask[idle])
        idle++;
    if (idle == file_targets(set))
        return status_set(status, STATUS_INVALID,
                          "%s: %s/mask is 0 everywhere, so that no target counts; write 1 where one does", reader->path,
                          set->name);
    while (set->every_token ? set->offsets[set->idle + 1] <= idle : set->idle < idle)
        set->idle++;
    return STATUS_OK;
}

// In this order, since each goes by those before it.
static const struct {
    const char *name;
    bool needed;
    enum status_code (*read)(struct file_column *column, struct status *status);
} parts[] = {{"targets", true, read_form},
             {"mask", false, read_mask},
             {"targets", true, read_targets},
             {"clean", false, read_clean},
             {"relevant", false, file_read_relevant}};

enum status_code file_read_set(struct file_reader *reader, int64_t samples, struct task_source_set *ret_set,
                               struct status *status)
{
    struct file_column tokens = {.reader = reader, .set = ret_set};
    if (file_has(reader, ret_set, "vectors"))
        return status_set(status, STATUS_INVALID, "%s: %s has vectors, but task file reads tokens; take task: signal",
                          reader->path, ret_set->name);
    enum status_code code = read_tokens(&tokens, samples, status);
    npz_end(tokens.stream);
    for (size_t i = 0; code == STATUS_OK && i < sizeof parts / sizeof *parts; i++) {
        struct file_column column = {.reader = reader, .set = ret_set};
        if (!parts[i].needed && !file_has(reader, ret_set, parts[i].name))
            continue;
        code = open_column(&column, parts[i].name, status);
        if (code == STATUS_OK)
            code = parts[i].read(&column, status);
        npz_end(column.stream);
    }
    if (code == STATUS_OK)
        code = count_idle(reader, ret_set, status);
    if (code != STATUS_OK)
        return code;
    compare_clean(ret_set);
    ret_set->chance_error = chance_error(ret_set, reader->classes);
    return STATUS_OK;
}
