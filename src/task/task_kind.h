// SPDX-License-Identifier: MIT
// What a task implements: one row of the registry in task_registry.c.
#pragma once
#include "base_random.h"
#include "task.h"

struct task_kind_row {
    void (*shape)(const struct settings *settings, struct batch_shape *ret_shape);
    void (*init)(struct task_set *set); // fills what follows from settings, split and length
    enum status_code (*make)(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status);
    size_t (*sample_bytes)(const struct task_set *set);
    size_t (*make_bytes)(const struct task_set *set, long count);
    double (*sample_flops)(const struct task_set *set);
    double (*chance_error)(const struct settings *settings, long length);
    double (*bayes_error)(const struct settings *settings, long length);
    double (*bayes_flops)(const struct settings *settings, long length);
    // How people write a token and a class; NULL: as numbers.
    void (*symbol)(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE]);
    void (*class)(const struct settings *settings, int32_t class, char ret_text[TASK_SYMBOL_SIZE]);
};

extern const struct task_kind_row task_signal, task_accumulator, task_automaton, task_brackets, task_addition,
    task_multiplication, task_modular, task_stack_manipulation, task_reverse_string, task_modular_arithmetic_brackets,
    task_solve_equation, task_duplicate_string, task_missing_duplicate_string, task_odds_first, task_binary_addition,
    task_binary_multiplication, task_compute_sqrt, task_bucket_sort, task_file;

// Key of one purpose's draws for the set.
struct random_key task_key(const struct task_set *set, const char *purpose);
enum { TASK_ALIGNMENT = 64 }; // of what an arena gives
// Fills `lengths` of a ragged set, whose settings may not change after.
void task_find_lengths(struct task_set *set);
// Where the tokens of samples first … begin, (count + 1), and the tokens of the longest. False where all have as many.
bool task_offsets(const struct task_set *set, long first, long count, int64_t *ret_offsets, long *ret_longest);

// Tokens of a sequence of a set that is read.
long file_length(const struct task_source_set *source, long sample);

// Signal tokens in a sequence of `length`: the count that the settings name, at most `length`; or their share of it,
// rounded down, at least one.
long signal_count(const struct task_settings *task, long length);
double signal_bayes_error(const struct settings *settings, long length);
double signal_bayes_flops(const struct settings *settings, long length);
