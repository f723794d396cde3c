// SPDX-License-Identifier: MIT
// Shared by what reads files of data: task_file_read.c reads a set, task_file_look.c a whole file, task_file.c is the
// task.
#pragma once
#include "npz.h"
#include "task_source.h"

// What is known when a set is read. Where vocabulary and classes are not given, the numbers read raise them.
struct file_reader {
    struct npz *npz;
    const char *path;
    struct arena *arena;
    int64_t vocabulary, classes;
    bool vocabulary_given, classes_given;
};
// Reads the first `samples` sequences of the set (0: all of them). `ret_set` has its name.
enum status_code file_read_set(struct file_reader *reader, int64_t samples, struct task_source_set *ret_set,
                               struct status *status) MUST_CHECK;

struct task_source {
    size_t count;
    struct task_source_set *sets;
};
const struct task_source_set *file_find(const struct task_source_set *sets, size_t count, const char *name);
