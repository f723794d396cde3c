// SPDX-License-Identifier: MIT
// Tasks: exact data of a trial from its settings. One file a task and one row in the registry.
#pragma once
#include "base_arena.h"
#include "base_status.h"
#include "spec_batch.h"
#include "spec_settings.h"

enum task_split { SPLIT_TRAIN, SPLIT_VALIDATION, SPLIT_TEST };

// A set is a rule, not data: any range of its samples can be made at any time, in any order, with the same bits.
struct task_set {
    const struct settings *settings; // not owned
    enum task_split split;
    long samples, length;
    long positions, relevant_count, dim;
    int classes;
};

// `length` is n for train and validation, T for test; streams are keyed by it for test, never by a running offset.
void task_set_init(struct task_set *set, const struct settings *settings, enum task_split split, long length);

// Makes samples [first, first + count) into `ret_batch`, with storage from `arena`. STATUS_MEMORY when it is full.
enum status_code task_make(const struct task_set *set, long first, long count, struct arena *arena,
                           struct batch *ret_batch, struct status *status) MUST_CHECK;
// Bytes that task_make takes for one sample.
size_t task_sample_bytes(const struct task_set *set);

double task_chance_error(const struct settings *settings, long length); // of the best guess that sees no input
double task_bayes_error(const struct settings *settings, long length);  // of the best predictor; NaN where unknown
