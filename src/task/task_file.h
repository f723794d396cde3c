// SPDX-License-Identifier: MIT
// Shared by what reads files of data: task_file_read.c and task_file_relevant.c read a set, task_file_look.c a
// whole file, task_file_names.c what its arrays are called, task_file.c is the task.
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

// An array of a set that is being read.
enum { FILE_CHUNK = 4096, FILE_LENGTH_LIMIT = 1 << 24 };
struct file_column {
    struct file_reader *reader;
    struct task_source_set *set;
    struct npz_stream *stream;
    char name[NPZ_NAME_SIZE];
    int64_t per_sample; // numbers a sequence, where they are not one a token
};
enum status_code file_read_relevant(struct file_column *column, struct status *status) MUST_CHECK;
bool file_has(struct file_reader *reader, struct task_source_set *set, const char *part);
int64_t file_targets(const struct task_source_set *set); // how many it has
// Failures. Number `at` of a column stands in a sequence, at a position if there is one for each token.
enum status_code file_out_of_memory(const struct file_reader *reader, const char *name, struct status *status);
enum status_code file_wrong_shape(const struct file_column *column, const char *wanted, struct status *status);
enum status_code file_wrong_number(const struct file_column *column, int64_t at, bool each, int64_t number,
                                   const char *wanted, struct status *status);

// task_file_names.c. The length of test set "test/LENGTH/tokens"; 0 for another array.
int64_t file_test_length(const char *name);
// Finds the arrays that nothing reads; the sets are known.
enum status_code file_find_strays(const struct npz *npz, struct arena *arena, struct task_file *file,
                                  struct status *status) MUST_CHECK;

struct task_source {
    size_t count;
    struct task_source_set *sets;
};
const struct task_source_set *file_find(const struct task_source_set *sets, size_t count, const char *name);
