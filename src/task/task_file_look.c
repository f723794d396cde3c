// SPDX-License-Identifier: MIT
// A whole file, before any trial: what it holds, and whether trials can do with it. Station before: config_load; after:
// grid_expand, which gets the settings that are assigned here.
#include "task_file.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = VOCABULARY_LIMIT };

static enum status_code read_count(struct file_reader *reader, const char *name, int64_t least, bool *ret_given,
                                   int64_t *ret_count, struct status *status)
{
    struct npz_stream *stream = NULL;
    *ret_count = least;
    *ret_given = npz_has(reader->npz, name);
    if (!*ret_given)
        return STATUS_OK;
    enum status_code code = npz_begin(reader->npz, name, &stream, status);
    if (code == STATUS_OK && npz_stream_array(stream)->count != 1)
        code = status_set(status, STATUS_INVALID, "%s: %s is one number, not %" PRId64, reader->path, name,
                          npz_stream_array(stream)->count);
    if (code == STATUS_OK)
        code = npz_read_whole(stream, 1, ret_count, status);
    if (code == STATUS_OK && (*ret_count < least || *ret_count > LIMIT))
        code = status_set(status, STATUS_INVALID, "%s: %s is %" PRId64 "; from %" PRId64 " to %d are possible",
                          reader->path, name, *ret_count, least, LIMIT);
    npz_end(stream);
    return code;
}

// How many of its sequences are needed; 0 where the set is not.
static int64_t needed(const struct task_file_need *need, const struct task_source_set *set)
{
    if (set->split != SPLIT_TEST)
        return set->split == SPLIT_TRAIN ? need->samples : need->validation_samples;
    for (size_t i = 0; i < need->lengths_count; i++)
        if (need->lengths[i] == set->length)
            return need->test_samples;
    return 0;
}

// Looks at one set; its arrays go again.
static enum status_code look_at_set(struct file_reader *reader, const struct task_file_need *need,
                                    struct task_source_set *set, struct status *status)
{
    const int64_t samples = need ? needed(need, set) : 0;
    if (need && samples == 0)
        return STATUS_OK;
    enum status_code code = file_read_set(reader, samples, set, status);
    set->offsets = NULL;
    set->tokens = set->targets = set->clean = set->relevant = NULL;
    set->mask = NULL;
    arena_reset(reader->arena);
    return code;
}

static enum status_code list_sets(const struct npz *npz, struct arena *arena, struct task_file *file,
                                  struct status *status)
{
    char name[NPZ_NAME_SIZE];
    file->sets = arena_get(arena, npz_count(npz) + 2, sizeof *file->sets);
    if (!file->sets)
        return status_set(status, STATUS_MEMORY, "out of memory for the list of sets in %s", file->path);
    file->sets[file->count++] = (struct task_source_set){.name = "train", .split = SPLIT_TRAIN};
    file->sets[file->count++] = (struct task_source_set){.name = "validation", .split = SPLIT_VALIDATION};
    for (size_t i = 0; i < npz_count(npz); i++) {
        const int64_t length = npz_name(npz, i, name) ? file_test_length(name) : 0;
        if (!length)
            continue;
        struct task_source_set *set = &file->sets[file->count++];
        *set = (struct task_source_set){.split = SPLIT_TEST, .length = length};
        snprintf(set->name, sizeof set->name, "test/%" PRId64, length);
    }
    return STATUS_OK;
}

static enum status_code look(struct file_reader *reader, const struct task_file_need *need, struct arena *arena,
                             struct task_file *file, struct status *status)
{
    enum status_code code = npz_hash(reader->npz, &file->hash, status);
    if (code == STATUS_OK)
        code = list_sets(reader->npz, arena, file, status);
    if (code == STATUS_OK)
        code = file_find_strays(reader->npz, arena, file, status);
    if (code == STATUS_OK)
        code = read_count(reader, "vocabulary", 1, &reader->vocabulary_given, &reader->vocabulary, status);
    if (code == STATUS_OK)
        code = read_count(reader, "classes", 2, &reader->classes_given, &reader->classes, status);
    const bool whole = !reader->vocabulary_given || !reader->classes_given;
    for (size_t i = 0; code == STATUS_OK && i < file->count; i++)
        code = look_at_set(reader, whole ? NULL : need, &file->sets[i], status);
    file->vocabulary = reader->vocabulary;
    file->classes = reader->classes;
    return code;
}

// What is missing may be there under a name that is nearly right.
static void tell_of_stray(const struct task_file *file, enum status_code code, struct status *status)
{
    for (size_t i = 0; code == STATUS_INVALID && i < file->strays_count; i++)
        if (file->strays[i].nearest && strstr(status->text, file->strays[i].nearest)) {
            status_set(status, code, "%s; or is it %s, which is not read?", status->text, file->strays[i].name);
            return;
        }
}

enum status_code task_file_look(const char *path, const struct task_file_need *need, struct arena *arena,
                                struct task_file *ret_file, struct status *status)
{
    struct task_file file = {.path = path};
    struct file_reader reader = {.path = path, .arena = arena_create(1 << 20, 0)};
    enum status_code code = reader.arena ? npz_open(path, &reader.npz, status)
                                         : status_set(status, STATUS_MEMORY, "out of memory for %s", path);
    if (code == STATUS_OK) {
        code = look(&reader, need, arena, &file, status);
        tell_of_stray(&file, code, status);
    }
    npz_close(reader.npz);
    arena_destroy(reader.arena);
    if (code == STATUS_OK)
        *ret_file = file;
    return code;
}

void task_file_tell(const struct task_file *file, struct settings *settings)
{
    struct task_settings *task = &settings->task;
    task->file_hash = file->hash;
    task->file_vocabulary = file->vocabulary;
    task->file_classes = file->classes;
    task->file_shortest = file->sets[0].shortest;
    for (size_t i = 0; i < file->count; i++) {
        task->file_masked |= file->sets[i].masked;
        if (file->sets[i].relevant_count > task->file_relevant)
            task->file_relevant = file->sets[i].relevant_count;
    }
}

const struct task_source_set *file_find(const struct task_source_set *sets, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(sets[i].name, name) == 0)
            return &sets[i];
    return NULL;
}

static bool blame(struct task_file_fault *ret_fault, const char *setting)
{
    ret_fault->blamed = setting;
    return true;
}

// Of one set, from which `samples` sequences of at most `length` tokens are wanted.
static bool set_fault(const struct task_file *file, const struct task_source_set *set, const char *setting,
                      int64_t samples, int64_t length, const struct settings *settings,
                      struct task_file_fault *ret_fault)
{
    struct status *why = &ret_fault->why;
    const struct task_source_set *train = &file->sets[0];
    const bool every_token = settings->task.supervision == SUPERVISION_STEPS;
    const int64_t least = (int64_t)setting_find(setting, strlen(setting))->low;
    if (samples > set->in_file) {
        status_set(why, STATUS_INVALID, "%s is %" PRId64 ", but %s of %s has %" PRId64 " sequences; lower it to that",
                   setting, samples, set->name, file->path, set->in_file);
        if (set->in_file < least)
            status_set(why, STATUS_INVALID, "%s of %s has %" PRId64 " sequences; add some, until they are %" PRId64,
                       set->name, file->path, set->in_file, least);
        return blame(ret_fault, setting);
    }
    if (samples <= set->idle) {
        status_set(why, STATUS_INVALID,
                   "%s is %" PRId64 ", but %s/mask of %s is 0 everywhere in the first %" PRId64
                   " sequences, so that no target counts; put others first, or raise it",
                   setting, samples, set->name, file->path, set->idle);
        return blame(ret_fault, setting);
    }
    if (set->longest > length) {
        status_set(why, STATUS_INVALID,
                   "sequences of %s in %s have up to %" PRId64 " tokens, more than the %" PRId64
                   " that they may have; shorten them",
                   set->name, file->path, set->longest, length);
        return blame(ret_fault, "path");
    }
    if (set->every_token != train->every_token && set->rows != set->samples && train->rows != train->samples) {
        status_set(why, STATUS_INVALID,
                   "targets of %s in %s are one a %s, but those of train one a %s; save both in one of these ways",
                   set->name, file->path, set->every_token ? "token" : "sequence",
                   set->every_token ? "sequence" : "token");
        return blame(ret_fault, "path");
    }
    if (set->every_token != every_token && set->rows != set->samples) {
        status_set(why, STATUS_INVALID,
                   "supervision is %s, but targets of %s in %s are one a %s; write supervision: %s",
                   every_token ? "steps" : "final", set->name, file->path, set->every_token ? "token" : "sequence",
                   set->every_token ? "steps" : "final");
        return blame(ret_fault, "supervision");
    }
    return false;
}

static bool train_fault(const struct task_file *file, const struct settings *settings,
                        struct task_file_fault *ret_fault)
{
    const struct task_source_set *set = &file->sets[0];
    if (set_fault(file, set, "samples", settings->task.samples, INT64_MAX, settings, ret_fault))
        return true;
    if (set->longest > settings->task.train_length) {
        status_set(&ret_fault->why, STATUS_INVALID,
                   "train_length is %" PRId64 ", but the longest training sequence of %s has %" PRId64
                   " tokens; write train_length: %" PRId64,
                   settings->task.train_length, file->path, set->longest, set->longest);
        return blame(ret_fault, "train_length");
    }
    if (!set->noisy || settings->task.noise_rate == 0)
        return false;
    status_set(&ret_fault->why, STATUS_INVALID,
               "noise_rate is %g, but train/targets of %s have noise already, since they differ from train/clean; "
               "write noise_rate: 0",
               settings->task.noise_rate, file->path);
    return blame(ret_fault, "noise_rate");
}

bool task_file_fault(const struct task_file *file, const struct settings *settings, const int64_t *lengths,
                     size_t lengths_count, struct task_file_fault *ret_fault)
{
    char name[TASK_SET_NAME];
    if (train_fault(file, settings, ret_fault) ||
        set_fault(file, &file->sets[1], "validation_samples", settings->evaluate.validation_samples,
                  settings->task.train_length, settings, ret_fault))
        return true;
    for (size_t i = 0; i < lengths_count; i++) {
        snprintf(name, sizeof name, "test/%" PRId64, lengths[i]);
        const struct task_source_set *set = file_find(file->sets, file->count, name);
        if (!set) {
            status_set(&ret_fault->why, STATUS_INVALID,
                       "test length %" PRId64 " has no set in %s; add %s/tokens and %s/targets, or leave it out",
                       lengths[i], file->path, name, name);
            ret_fault->place = i;
            return blame(ret_fault, NULL);
        }
        if (set_fault(file, set, "test_samples", settings->evaluate.test_samples, lengths[i], settings, ret_fault))
            return true;
    }
    return false;
}
