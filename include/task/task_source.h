// SPDX-License-Identifier: MIT
// What the task `file` reads: sequences of an .npz file whose arrays have the names that `lgsweep data -o` gives them.
// SET is train, validation or test/T, for test sequences of at most T tokens.
//   SET/tokens     (samples, length); where lengths differ (rows,), one sequence behind the other, and then
//   SET/offsets    (samples + 1,): where each begins, from 0 on, and the last ends
//   SET/targets    (samples,) or (samples, 1): one a sequence; or as tokens: one a token
//   SET/clean      as targets: what they were before noise; optional
//   SET/mask       as targets: 0 where one does not count, and may be any number; optional. Some count
//   SET/relevant   (samples, k): positions that the answer depends on, ascending, none twice; optional. Of targets
//                  that are one a token it may be (samples, length, k), or (rows, k) with offsets: those of each
//                  target, -1 behind the last; any where one does not count
//   vocabulary, classes
//                  (): how many tokens and classes there are; else one more than the largest, and at least two classes
// All are whole numbers of any type.
#pragma once
#include "task.h"

struct task_source_set {
    char name[TASK_SET_NAME];
    enum task_split split;
    int64_t length;  // T of a test set; else 0
    int64_t in_file; // sequences in the file
    int64_t samples; // those that were read
    int64_t rows;    // tokens of these
    int64_t shortest, longest;
    int64_t idle;       // sequences in front of the first that has a target that counts
    bool every_token;   // a target a token, not one a sequence
    bool masked, noisy; // some targets do not count; some differ from `clean`
    int64_t relevant_count;
    bool relevant_each;     // positions of each target, not of each sequence
    double chance_error;    // of always guessing the class that most targets have
    const int64_t *offsets; // (samples + 1)
    const int32_t *tokens;  // (rows)
    const int32_t *targets, *clean;
    const uint8_t *mask;     // as targets, NULL where all count
    const int32_t *relevant; // (samples or targets, relevant_count)
};

// What a sweep uses of a file: the first sequences of each set, and the test sets of these lengths.
struct task_file_need {
    int64_t samples, validation_samples, test_samples;
    size_t lengths_count;
    const int64_t *lengths;
};
// An array that nothing reads, and what it may have been meant for; NULL where nothing is near.
struct task_file_stray {
    const char *name, *nearest;
};
// A file. Its sets have no arrays: those are looked at one after another.
struct task_file {
    const char *path; // not owned
    uint64_t hash;
    int64_t vocabulary, classes;
    size_t count;
    struct task_source_set *sets;
    size_t strays_count; // TASK_FILE_STRAYS at most
    const struct task_file_stray *strays;
};
enum { TASK_FILE_STRAYS = 8 };
// Reads and checks what is needed (NULL: everything), with storage from `arena`; everything too where the file does not
// say `vocabulary` and `classes`, which then follow from all of its numbers. The text says which array is wrong, and at
// which sample and position: STATUS_INVALID, STATUS_DAMAGED; STATUS_SYSTEM where it cannot be read; STATUS_MEMORY.
enum status_code task_file_look(const char *path, const struct task_file_need *need, struct arena *arena,
                                struct task_file *ret_file, struct status *status) MUST_CHECK;
// Puts what the file says into the settings that are assigned.
void task_file_tell(const struct task_file *file, struct settings *settings);
// Whether a trial asks for what the file lacks. `blamed` is the setting to change, NULL for the test length
// lengths[place].
struct task_file_fault {
    const char *blamed;
    size_t place;
    struct status why;
};
bool task_file_fault(const struct task_file *file, const struct settings *settings, const int64_t *lengths,
                     size_t lengths_count, struct task_file_fault *ret_fault) MUST_CHECK;

// The sets that a trial needs, read into `arena`; *ret_source is NULL for a task that makes its data. STATUS_INVALID
// where the file is no longer the one that the settings were told of.
enum status_code task_source_open(const struct settings *settings, const int64_t *lengths, size_t lengths_count,
                                  struct arena *arena, const struct task_source **ret_source,
                                  struct status *status) MUST_CHECK;
// Whether the file is still there and the same; STATUS_OK for other tasks.
enum status_code task_file_check(const struct settings *settings, struct status *status) MUST_CHECK;
// Bytes that it takes at most, without looking at the file.
double task_source_bytes(const struct settings *settings, const int64_t *lengths, size_t lengths_count);
