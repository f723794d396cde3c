// SPDX-License-Identifier: MIT
// `file`: sequences and targets as a file has them. Batches are views of what was read; noise on labels, where the file
// has none of its own, is that of the other tasks on tokens.
#include "task_file.h"
#include "task_tokens.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void name_set(enum task_split split, int64_t length, char ret_name[TASK_SET_NAME])
{
    if (split == SPLIT_TEST)
        snprintf(ret_name, TASK_SET_NAME, "test/%" PRId64, length);
    else
        snprintf(ret_name, TASK_SET_NAME, split == SPLIT_TRAIN ? "train" : "validation");
}

static enum status_code check_hash(struct npz *npz, const struct settings *settings, struct status *status)
{
    uint64_t hash;
    enum status_code code = npz_hash(npz, &hash, status);
    if (code != STATUS_OK || hash == settings->task.file_hash)
        return code;
    return status_set(status, STATUS_INVALID,
                      "%s has changed since the sweep began with it; put that file back and try again what failed with "
                      "--retry-failed, or begin another store with -o",
                      settings->task.path);
}

enum status_code task_file_check(const struct settings *settings, struct status *status)
{
    struct npz *npz = NULL;
    if (settings->task.kind != TASK_FILE)
        return STATUS_OK;
    enum status_code code = npz_open(settings->task.path, &npz, status);
    if (code == STATUS_OK)
        code = check_hash(npz, settings, status);
    npz_close(npz);
    return code;
}

static enum status_code read_sets(struct file_reader *reader, const struct settings *settings, const int64_t *lengths,
                                  size_t lengths_count, struct task_source *source, struct status *status)
{
    enum status_code code = STATUS_OK;
    for (size_t i = 0; code == STATUS_OK && i < lengths_count + 2; i++) {
        struct task_source_set *set = &source->sets[i];
        set->split = i == 0 ? SPLIT_TRAIN : i == 1 ? SPLIT_VALIDATION : SPLIT_TEST;
        set->length = i < 2 ? settings->task.train_length : lengths[i - 2];
        const int64_t wanted = i == 0   ? settings->task.samples
                               : i == 1 ? settings->evaluate.validation_samples
                                        : settings->evaluate.test_samples;
        name_set(set->split, set->length, set->name);
        code = file_read_set(reader, wanted, set, status);
        if (code == STATUS_OK && (set->samples < wanted || set->longest > set->length ||
                                  (set->rows != set->samples && set->every_token != settings_every_step(settings))))
            code = status_set(status, STATUS_INVALID,
                              "%s: %s has fewer or longer sequences, or other targets, than the trial asks for",
                              reader->path, set->name);
    }
    return code;
}

static enum status_code open_source(const struct settings *settings, const int64_t *lengths, size_t lengths_count,
                                    struct arena *arena, const struct task_source **ret_source, struct status *status)
{
    const struct task_settings *task = &settings->task;
    struct file_reader reader = {.path = task->path,
                                 .arena = arena,
                                 .vocabulary = task->file_vocabulary,
                                 .classes = task->file_classes,
                                 .vocabulary_given = true,
                                 .classes_given = true};
    struct task_source *source = arena_get(arena, 1, sizeof *source);
    struct task_source_set *sets = arena_get(arena, lengths_count + 2, sizeof *sets);
    if (!source || !sets)
        return status_set(status, STATUS_MEMORY, "out of memory for the data of %s", task->path);
    source->sets = sets;
    source->count = lengths_count + 2;
    enum status_code code = npz_open(task->path, &reader.npz, status);
    if (code == STATUS_OK)
        code = check_hash(reader.npz, settings, status);
    if (code == STATUS_OK)
        code = read_sets(&reader, settings, lengths, lengths_count, source, status);
    npz_close(reader.npz);
    if (code == STATUS_OK)
        *ret_source = source;
    return code;
}

enum status_code task_source_open(const struct settings *settings, const int64_t *lengths, size_t lengths_count,
                                  struct arena *arena, const struct task_source **ret_source, struct status *status)
{
    if (settings->task.kind == TASK_FILE)
        return open_source(settings, lengths, lengths_count, arena, ret_source, status);
    *ret_source = NULL;
    return STATUS_OK;
}

// Of the columns of a set, each with what an arena may add.
static double set_bytes(const struct settings *settings, enum task_split split, int64_t length)
{
    enum { COLUMNS = 6 };
    struct task_set set;
    task_set_init(&set, settings, split, (long)length);
    return (double)set.samples * (double)task_sample_bytes(&set) + COLUMNS * TASK_ALIGNMENT + 2 * sizeof(int64_t);
}

double task_source_bytes(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    if (settings->task.kind != TASK_FILE)
        return 0;
    double bytes = (double)(lengths_count + 2) * sizeof(struct task_source_set) + sizeof(struct task_source) +
                   2 * TASK_ALIGNMENT + set_bytes(settings, SPLIT_TRAIN, settings->task.train_length) +
                   set_bytes(settings, SPLIT_VALIDATION, settings->task.train_length);
    for (size_t i = 0; i < lengths_count; i++)
        bytes += set_bytes(settings, SPLIT_TEST, lengths[i]);
    return bytes;
}

void task_set_from(struct task_set *set, const struct task_source *source)
{
    set->source = source ? file_find(source->sets, source->count, set->name) : NULL;
    if (!set->source)
        return;
    set->ragged = set->source->shortest < set->tokens;
    set->masked = set->source->masked;
    set->relevant_count = (long)set->source->relevant_count;
    set->relevant_each = set->source->relevant_each;
}

long file_length(const struct task_source_set *source, long sample)
{
    return (long)(source->offsets[sample + 1] - source->offsets[sample]);
}

static void init(struct task_set *set)
{
    token_init(set);
    set->relevant_count = (long)set->settings->task.file_relevant;
    set->relevant_each = settings_every_step(set->settings); // at most: see task_set_from
}

// Clean targets with noise on them, from `arena`.
static const int32_t *noisy_targets(const struct task_set *set, long first, long count, struct arena *arena)
{
    const struct task_source_set *source = set->source;
    const struct token_noise noise = token_noise(set);
    const int64_t *offsets = source->offsets + first;
    const int64_t begin = source->every_token ? offsets[0] : first;
    const int64_t end = source->every_token ? offsets[count] : first + count;
    int32_t *targets = arena_get(arena, (size_t)(end - begin), sizeof *targets);
    for (long i = 0; targets && i < count; i++) {
        const int64_t at = source->every_token ? offsets[i] : first + i;
        const long each = source->every_token ? (long)(offsets[i + 1] - offsets[i]) : 1;
        token_add_noise(&noise, (uint64_t)(first + i), source->clean + at, source->mask ? source->mask + at : NULL,
                        each, targets + (at - begin));
    }
    return targets;
}

static bool adds_noise(const struct task_set *set)
{
    return set->split == SPLIT_TRAIN && set->settings->task.noise_rate > 0;
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    const struct task_source_set *source = set->source;
    if (!source || first + count > source->samples)
        return status_set(status, STATUS_INTERNAL, "samples %ld to %ld of %s were not read from its file", first,
                          first + count - 1, set->name);
    const int64_t *offsets = source->offsets + first;
    const int64_t target = source->every_token ? offsets[0] : first, list = set->relevant_each ? target : first;
    const int32_t *targets = adds_noise(set) ? noisy_targets(set, first, count, arena) : source->targets + target;
    if (!targets)
        return status_set(status, STATUS_MEMORY, "out of memory for the targets of %ld sequences; lower samples",
                          count);
    long longest = 0;
    bool differ = false;
    for (long i = 0; i < count; i++) {
        const long length = file_length(source, first + i);
        differ |= i > 0 && length != longest;
        longest = length > longest ? length : longest;
    }
    *ret_batch = (struct batch){
        .samples = count,
        .length = longest,
        .offsets = differ ? offsets : NULL,
        .tokens = source->tokens + offsets[0],
        .positions = settings_every_step(set->settings) ? longest : 1,
        .targets = targets,
        .clean = source->clean + target,
        .mask = source->mask ? source->mask + target : NULL,
        .relevant_count = set->relevant_count,
        .relevant_each = set->relevant_each,
        .relevant = source->relevant ? source->relevant + list * set->relevant_count : NULL,
        .classes = set->shape.classes,
        .set = set->name,
        .first = first,
    };
    return STATUS_OK;
}

// Of what it is a view of: a copy of a batch takes as much.
static size_t sample_bytes(const struct task_set *set)
{
    const long relevant = set->relevant_count * (set->relevant_each ? set->positions : 1);
    return (size_t)(set->tokens + 2 * set->positions + relevant) * sizeof(int32_t) + (size_t)set->positions +
           sizeof(int64_t);
}

static size_t make_bytes(const struct task_set *set, long count)
{
    return adds_noise(set) ? (size_t)count * (size_t)set->positions * sizeof(int32_t) + TASK_ALIGNMENT : 0;
}

static double sample_flops(const struct task_set *set)
{
    return (adds_noise(set) ? 200 : 1) * (double)set->positions;
}

// Only the file knows: see task_set_chance_error.
static double unknown(const struct settings *settings, long length)
{
    (void)settings, (void)length;
    return NAN;
}

const struct task_kind_row task_file = {
    .shape = token_shape,
    .init = init,
    .make = make,
    .sample_bytes = sample_bytes,
    .make_bytes = make_bytes,
    .sample_flops = sample_flops,
    .chance_error = unknown,
    .bayes_error = unknown,
    .bayes_flops = token_bayes_flops,
};
