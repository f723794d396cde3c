// SPDX-License-Identifier: MIT
// Tasks: exact data of a trial from its settings. One file a task and one row in the registry.
#pragma once
#include "base_arena.h"
#include "base_status.h"
#include "spec_batch.h"
#include "spec_settings.h"

enum task_split { SPLIT_TRAIN, SPLIT_VALIDATION, SPLIT_TEST };
enum { TASK_SET_NAME = 32, TASK_SYMBOL_SIZE = 16 };
// The split called "train", "validation" or "test"; false for another name, and *ret_split is untouched.
bool task_split_named(const char *name, enum task_split *ret_split);

// A set is a rule, not data: any range of its samples can be made at any time, in any order, with the same bits.
// Every draw is keyed by (seed, data seed, split and purpose, sample, position, coordinate), so that changing the
// number of samples, the length, the width or the noise rate gives prefixes of the same draws. Sets of other splits,
// and test sets of other lengths, share none. Labels are replaced in SPLIT_TRAIN alone.
//
// Training sequences may differ in length (settings_ragged): each draws its own. In a batch they lie packed, as
// spec_batch.h says, and where all have one length it is as if they could not differ.
struct task_source_set;

// What ragged training sets draw from, found out once for all draws.
struct task_lengths {
    long shortest; // that the distribution has and the task can make
    bool gaps;     // some beyond it the task cannot make: `possible` says which, as settings_lengths_possible does
    long count;    // entries of the list, 0 for other distributions
    union {
        uint64_t possible[LENGTH_WORDS];
        int32_t listed[LENGTHS_LIMIT];
    };
};

struct task_set {
    const struct settings *settings;      // not owned
    const struct task_source_set *source; // not owned; of task file, else NULL
    enum task_split split;
    long samples, length; // length: of the longest, in the task's units
    long longest;        // of the training sequences of a stream, in these units: length, unless a curriculum says less
    long tokens;         // of a sequence of `length`
    bool ragged, masked; // sequences may differ in length; some targets do not count
    long positions;      // 1: a target a sequence; tokens: one a token
    long relevant_count; // a sample, or with relevant_each a target
    bool relevant_each;
    struct task_lengths lengths;
    struct batch_shape shape;
    char name[TASK_SET_NAME]; // "train", "validation", "test/512": part of every key; batches point to it
};

// What the task asks of a model, whatever the length.
void task_shape(const struct settings *settings, struct batch_shape *ret_shape);

// `length` is n for train and validation, T for test; streams are keyed by it for test, never by a running offset.
void task_set_init(struct task_set *set, const struct settings *settings, enum task_split split, long length);

// Makes it a set that is read rather than made: `source` is what task_source_open of task_source.h gave for the same
// settings, and outlives the set. NULL, of every task but file, changes nothing. Sizes that are asked for without one
// are those of the largest that it may be.
struct task_source;
void task_set_from(struct task_set *set, const struct task_source *source);

// Of one sample: its length in the task's units, and its tokens. Of training sequences under length_distribution
//   fixed        n
//   uniform      min_length … n, all equally likely
//   exponential  the same, P(l) ∝ e^(-3l/n)
//   list         one of `lengths`, all entries equally likely
// without those that the task cannot make, the others in the same proportions. Of a stream n stands for `longest` and,
// for the share curriculum_keep of the samples, for curriculum_start where that is less; under length_mixing batches
// all samples of a batch draw the same.
long task_length(const struct task_set *set, long sample);
long task_tokens(const struct task_set *set, long sample);

// A fresh stream (data: stream) is a training set without end: its samples are made as they are asked for.
// Batches point into `set` for its name, so that it must outlive them.
//
// Makes samples [first, first + count) into `ret_batch`, with storage from `arena`. STATUS_MEMORY when it is full;
// `ret_batch` is untouched then.
enum status_code task_make(const struct task_set *set, long first, long count, struct arena *arena,
                           struct batch *ret_batch, struct status *status) MUST_CHECK;
// Bytes that task_make takes for one sample of the longest, and what it takes for `count` of them in one call, scratch
// included.
size_t task_sample_bytes(const struct task_set *set);
size_t task_make_bytes(const struct task_set *set, long count);
// Floating-point operations, or what costs as much, to make one sample.
double task_sample_flops(const struct task_set *set);

double task_chance_error(const struct settings *settings, long length); // of the best guess that sees no input
// The same; of a set that is read, of always guessing the commonest class of its targets.
double task_set_chance_error(const struct task_set *set);

// Of the best predictor, which knows every setting of the task but sees one test sequence and no training set; NaN
// where unknown (or memory is out).
//   signal: 0 where a signal token is exact in the signal plane: signal_noise false, project_noise true, or no noise.
//   Else E[1 / (1 + exp |Λ|)], Λ the log-likelihood ratio of the two labels given the sequence, the signal's places
//   summed over where they are random. Monte Carlo over 100,000 draws, fewer where the sequence is long (at least 400:
//   about 2^23 token operations in all), keyed by constants: the same for all replicates. The standard error is at most
//   0.25 / sqrt(draws).
double task_bayes_error(const struct settings *settings, long length);
// Floating-point operations, or what costs as much, of that.
double task_bayes_flops(const struct settings *settings, long length);

// A token and a class as people write them: "(", "+3", "w0", "0", "^" and "?" for the symbols that open a sequence and
// ask for the answer; a number where the task has no name for it. At most TASK_SYMBOL_SIZE - 1 bytes of UTF-8 without
// spaces. Both return `ret_text`.
char *task_symbol(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE]);
char *task_class(const struct settings *settings, int32_t class, char ret_text[TASK_SYMBOL_SIZE]);
