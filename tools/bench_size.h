// SPDX-License-Identifier: MIT
// The sizes of tools/bench as models with a batch. tools/peers/sizes.py has the same for the contenders; that all start
// from the same weights and reach the same loss is checked at each race.
#pragma once
#include "base_arena.h"
#include "nn_model.h"

// two_layer: width 64, 16 tokens, d_h = d_v = 64, 128 samples, ReLU, trained read-out; gradient descent.
// small, medium, large: causal Transformers with learned absolute positions, GELU in its tanh form, 32 tokens as
// vocabulary and classes, a head at each position; clip 1.0 and AdamW. decode: small with positions for 200 tokens, and
// decode_rnn and decode_lstm of its width and depth.
struct bench {
    struct settings settings;
    struct batch_shape shape;
    struct batch batch;
    struct arena *arena;
    struct nn_model *model;
    real *logits; // (samples, positions, outputs)
};

// The size's batch of `samples` sequences of `length`, 0 for the size's own: random vectors or tokens and targets.
// STATUS_INVALID for an unknown name. On success bench_destroy must follow.
enum status_code bench_create(const char *size, long samples, long length, struct bench *ret_bench,
                              struct status *status) MUST_CHECK;
void bench_destroy(struct bench *bench);

// Writes the batch and the weights as they are: for each array a line "NAME ROWS COLUMNS", then its numbers as single
// precision in the machine's order. Names are "vectors" or "tokens", "targets" and those of the tensors.
enum status_code bench_write(struct bench *bench, const char *path, struct status *status) MUST_CHECK;

// Plays a contender of tools/peers/race.py: prints "ready FIGURE", then for each line of standard input, a number of
// seconds, how many turns a second it made over about so long: the median of nine stretches.
void bench_answer(void (*turn)(struct bench *bench), struct bench *bench, double figure);
