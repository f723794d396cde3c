// SPDX-License-Identifier: MIT
// Small files of data: a good one of which arrays are replaced, added or left out.
#pragma once
#include "support.h"

#include "npz.h"
#include "task_source.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// `numbers` in rows of `rest` (0: one dimension), and these of `deep` (0: no third); none: the array is left out.
struct file_array {
    const char *name;
    int64_t rest;
    size_t count;
    int32_t numbers[24];
    int64_t deep;
};

// Six training sequences of four tokens below 3, targets below 2, one a sequence.
static const struct file_array good_arrays[] = {
    {"train/tokens", 4, 24, {0, 1, 2, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0, 1, 2, 1, 2, 0, 2, 0, 2}},
    {"train/targets", 0, 6, {0, 1, 0, 1, 1, 1}},
    {"validation/tokens", 4, 8, {0, 0, 0, 0, 1, 1, 1, 1}},
    {"validation/targets", 0, 2, {0, 1}},
    {"test/8/tokens", 8, 16, {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2}},
    {"test/8/targets", 0, 2, {0, 1}},
};
enum { GOOD_ARRAYS = sizeof good_arrays / sizeof *good_arrays, CHANGES = 3 };

static inline void add_array(struct npz_writer *writer, const struct file_array *array)
{
    struct status status = {0};
    if (!array->count)
        return;
    const int64_t rest[] = {array->rest, array->deep};
    const int number = npz_add(writer, array->name, NPZ_INT32, array->deep ? 3 : array->rest ? 2 : 1, rest);
    assert_true(number >= 0);
    assert_int_equal(npz_put(writer, number, array->numbers, array->count, &status), STATUS_OK);
}

static inline void write_file(const char *path, const struct file_array *changes, size_t count)
{
    struct npz_writer *writer = NULL;
    struct status status = {0};
    if (npz_create(path, &writer, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    for (size_t i = 0; i < GOOD_ARRAYS; i++) {
        bool changed = false;
        for (size_t c = 0; c < count; c++)
            changed |= changes[c].name && strcmp(changes[c].name, good_arrays[i].name) == 0;
        if (!changed)
            add_array(writer, &good_arrays[i]);
    }
    for (size_t c = 0; c < count; c++)
        if (changes[c].name)
            add_array(writer, &changes[c]);
    assert_int_equal(npz_finish(writer, &status), STATUS_OK);
}

struct file_fixture {
    char folder[64], path[96];
    struct arena *arena;
    struct task_file file;
    struct settings settings;
};

static inline void open_file_fixture(struct file_fixture *f)
{
    *f = (struct file_fixture){.folder = "/tmp/file-XXXXXX"};
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/a.npz", f->folder);
    f->arena = arena_create(1 << 16, 0);
    assert_non_null(f->arena);
}

static inline void close_file_fixture(struct file_fixture *f)
{
    unlink(f->path);
    assert_int_equal(rmdir(f->folder), 0);
    arena_destroy(f->arena);
}

// The settings of a trial on the whole of a file that was looked at.
static inline void look(struct file_fixture *f)
{
    struct status status = {0};
    if (task_file_look(f->path, NULL, f->arena, &f->file, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    settings_defaults(&f->settings);
    f->settings.seed = 7;
    f->settings.task.kind = TASK_FILE;
    f->settings.task.path = f->path;
    f->settings.task.supervision = f->file.sets[0].every_token ? SUPERVISION_STEPS : SUPERVISION_FINAL;
    f->settings.task.noise_rate = 0;
    f->settings.task.samples = f->file.sets[0].in_file;
    f->settings.task.train_length = f->file.sets[0].longest;
    f->settings.evaluate.validation_samples = f->file.sets[1].in_file;
    f->settings.evaluate.test_samples = 2;
    task_file_tell(&f->file, &f->settings);
}

static inline void assert_says(const struct status *status, const char *part)
{
    if (!strstr(status->text, part))
        fail_msg("\"%s\" does not say \"%s\"", status->text, part);
}

static inline const struct task_source *open_source(struct file_fixture *f, const int64_t *lengths, size_t count)
{
    const struct task_source *source = NULL;
    struct status status = {0};
    if (task_source_open(&f->settings, lengths, count, f->arena, &source, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    return source;
}

static inline struct batch make(const struct task_set *set, long first, long count, struct arena *arena)
{
    struct batch batch = {0};
    struct status status = {0};
    if (task_make(set, first, count, arena, &batch, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    return batch;
}

// What changes in the good file, and what is said of it then.
struct wrong_file {
    struct file_array change[CHANGES];
    const char *want;
};
static inline void assert_refused(const struct wrong_file *wrong)
{
    struct file_fixture f;
    struct status status = {0};
    open_file_fixture(&f);
    write_file(f.path, wrong->change, CHANGES);
    assert_true(task_file_look(f.path, NULL, f.arena, &f.file, &status) != STATUS_OK);
    assert_says(&status, f.path);
    assert_says(&status, wrong->want);
    close_file_fixture(&f);
}

// Sequences of 4, 2 and 3 tokens.
static const struct file_array ragged[] = {
    {"train/tokens", 0, 9, {0, 1, 2, 0, 1, 1, 2, 2, 2}},
    {"train/offsets", 0, 4, {0, 4, 6, 9}},
    {"train/targets", 0, 9, {0, 1, 0, 1, -100, 1, 1, 0, 1}},
    {"train/mask", 0, 9, {1, 1, 1, 1, 0, 1, 1, 1, 1}},
    {"train/relevant", 2, 6, {0, 3, 0, 1, 1, 2}},
    {"validation/targets", 4, 8, {0, 1, 0, 1, 0, 1, 0, 1}},
    {"test/8/targets", 8, 16, {0}},
};
enum { RAGGED = sizeof ragged / sizeof *ragged };
