// SPDX-License-Identifier: MIT
// Relevant positions of a set of a file: those of each sequence, or of each target.
#include "task_file.h"
#include <inttypes.h>
#include <stdio.h>

// Sets *ret_each: positions of each target, not of each sequence.
static enum status_code match_relevant(const struct file_column *column, bool *ret_each, struct status *status)
{
    const struct task_source_set *set = column->set;
    const struct npz_array *array = npz_stream_array(column->stream);
    const bool packed = file_has(column->reader, column->set, "offsets"), pair = array->dimensions == 2;
    const bool whole = set->samples == set->in_file;
    const bool fits = pair && (whole ? array->shape[0] == set->rows : array->shape[0] >= set->rows);
    const bool cube = array->dimensions == 3 && array->shape[0] == set->in_file && array->shape[1] == set->longest;
    const bool one = pair && array->shape[0] == set->in_file;
    const bool each = file_targets(set) == set->rows && (packed ? fits : cube);
    char wanted[96];
    *ret_each = !one;
    if (one || each)
        return STATUS_OK;
    snprintf(wanted, sizeof wanted, "(%" PRId64 ", k) for k positions a sequence, or the shape of its tokens and k",
             set->in_file);
    return file_wrong_shape(column, wanted, status);
}

// What is wrong with position `at` of all, NULL where nothing is. Behind a target's last one there are -1.
static const char *wrong_place(const struct task_source_set *set, const int32_t *relevant, int64_t at, int64_t length)
{
    const bool first = at % set->relevant_count == 0;
    if (set->relevant_each && relevant[at] == -1)
        return NULL;
    if (relevant[at] < 0 || relevant[at] >= length ||
        (!first && (relevant[at - 1] < 0 || relevant[at] <= relevant[at - 1])))
        return "relevant positions ascend and lie in their sequence, none of them twice";
    return NULL;
}

// From lists `begin` to `end` - 1, which are of a sequence of that length.
static enum status_code check_relevant(struct file_column *column, int64_t begin, int64_t end, int64_t length,
                                       int32_t *relevant, struct status *status)
{
    const struct task_source_set *set = column->set;
    for (int64_t list = begin; list < end; list++)
        for (int64_t k = 0; k < set->relevant_count; k++) {
            const int64_t at = list * set->relevant_count + k;
            if (set->relevant_each && set->mask && !set->mask[list])
                relevant[at] = -1;
            const char *wrong = wrong_place(set, relevant, at, length);
            if (wrong)
                return file_wrong_number(column, set->relevant_each ? list : at, set->relevant_each, relevant[at],
                                         wrong, status);
        }
    return STATUS_OK;
}

static enum status_code read_places(struct file_column *column, int64_t count, int32_t *ret_places,
                                    struct status *status)
{
    const int64_t limit = FILE_LENGTH_LIMIT;
    int64_t chunk[FILE_CHUNK];
    enum status_code code = STATUS_OK;
    for (int64_t at = 0, some; code == STATUS_OK && at < count; at += some) {
        some = count - at < FILE_CHUNK ? count - at : FILE_CHUNK;
        code = npz_read_whole(column->stream, some, chunk, status);
        for (int64_t i = 0; code == STATUS_OK && i < some; i++)
            ret_places[at + i] = (int32_t)(chunk[i] < -limit ? -limit : chunk[i] > limit ? limit : chunk[i]);
    }
    return code;
}

enum status_code file_read_relevant(struct file_column *column, struct status *status)
{
    struct task_source_set *set = column->set;
    enum status_code code = match_relevant(column, &set->relevant_each, status);
    if (code != STATUS_OK)
        return code;
    const bool each = set->relevant_each;
    const struct npz_array *array = npz_stream_array(column->stream);
    set->relevant_count = column->per_sample = array->shape[array->dimensions - 1];
    const int64_t count = (each ? set->rows : set->samples) * set->relevant_count;
    int32_t *relevant = arena_get(column->reader->arena, (size_t)count + 1, sizeof *relevant);
    if (!relevant)
        return file_out_of_memory(column->reader, column->name, status);
    set->relevant = relevant;
    code = read_places(column, count, relevant, status);
    for (int64_t i = 0; code == STATUS_OK && i < set->samples; i++) {
        const int64_t *offsets = set->offsets + i;
        code = check_relevant(column, each ? offsets[0] : i, each ? offsets[1] : i + 1, offsets[1] - offsets[0],
                              relevant, status);
    }
    return code;
}
