// SPDX-License-Identifier: MIT
// A model's predictions on a set of sequences, summed up. A target counts unless its mask is 0; a prediction is the
// class of nn_classes, wrong where it is not the target.
#pragma once
#include "base_arena.h"
#include "base_status.h"
#include "nn_model.h"
#include "task.h"

// A set, the first `cached` samples of which are in memory; others are made when they are asked for, with the same
// bits.
struct train_data {
    struct task_set set;
    long cached;
    struct batch batch; // of the cached samples
};

// Counts over targets and sequences. On sets without noise on labels all of them are clean.
struct train_fit {
    long sequences, wrong_sequences;        // with any target predicted otherwise than given
    long targets, wrong_given, wrong_clean; // on the given labels, and on those before noise
    long unflipped, wrong_unflipped;        // targets whose label was kept
    long flips, flips_fitted;               // targets whose label was not, and those predicted as given
};
// Adds the predictions (samples, positions) on a batch.
void train_fit(const struct batch *batch, const int32_t *predicted, struct train_fit *fit);

// Sums, each added in double precision in the order of samples and positions, so that chunks do not change bits.
struct train_tally {
    struct train_fit fit;
    double loss;                          // over targets
    double mass, signal_norm, noise_norm; // as in struct nn_outputs; NaN where the task names no relevant positions
    long naming; // sequences behind `mass`: with relevant_each, those of which a target names some; else all
};

// Samples of `set` made and passed to the model at once, and the bytes they need in the arena for the time.
long train_chunk(const struct task_set *set);
size_t train_tally_bytes(const struct task_set *set);
size_t train_tally_most_bytes(const struct task_set *set); // at least those, of shorter sequences too

// Makes and keeps the first `count` samples. STATUS_MEMORY when the arena is full.
enum status_code train_data_cache(struct train_data *data, long count, struct arena *arena,
                                  struct status *status) MUST_CHECK;
// Samples [first, first + count) of a batch, or of what is cached.
struct batch train_batch_view(const struct batch *batch, long first, long count);
// Targets with flipped labels in the whole set; what is taken from `arena` is given back.
enum status_code train_count_flips(const struct train_data *data, struct arena *arena, long *ret_flips,
                                   struct status *status) MUST_CHECK;

// Adds samples [first, first + count) to the tally. What it takes from `arena` it gives back.
enum status_code train_tally(struct nn_model *model, const struct train_data *data, long first, long count,
                             struct arena *arena, struct train_tally *tally, struct status *status) MUST_CHECK;
