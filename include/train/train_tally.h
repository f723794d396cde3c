// SPDX-License-Identifier: MIT
// A model's predictions on a set of sequences, summed up.
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

// Sums over samples, each added in double precision in the samples' order, so that chunks do not change bits.
struct train_tally {
    double count, wrong, loss;            // wrong: y f <= 0 or not a number
    double mass, signal_norm, noise_norm; // as in struct nn_outputs
};

// Samples of `set` made and passed to the model at once, and the bytes they need in the arena for the time.
long train_chunk(const struct task_set *set);
size_t train_tally_bytes(const struct task_set *set);

// Makes and keeps the first `count` samples. STATUS_MEMORY when the arena is full.
enum status_code train_data_cache(struct train_data *data, long count, struct arena *arena,
                                  struct status *status) MUST_CHECK;

// Adds samples [first, first + count) to the tally. What it takes from `arena` it gives back.
enum status_code train_tally(struct nn_model *model, const struct train_data *data, long first, long count,
                             struct arena *arena, struct train_tally *tally, struct status *status) MUST_CHECK;

// Predictions on the training set, from the logits of a full-batch pass.
struct train_fit {
    long count, wrong_given, wrong_clean; // on the given labels, and on those before noise
    long unflipped, wrong_unflipped;      // samples whose label was kept
    long flips, flips_fitted;             // samples whose label was not, and those predicted as given
};
void train_fit(const struct batch *batch, const real *logits, struct train_fit *ret_fit);
