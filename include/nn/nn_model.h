// SPDX-License-Identifier: MIT
// Models: forward and backward by hand. `real` is float; the same sources compile with NN_DOUBLE for finite
// differences.
//
// two_layer (after arXiv:2409.19345), X of length x dim, d_h = head_dim, d_v = value_dim:
//   f(X) = output_scale * mean over l of  act( softmax_j(score(l, j)) (X W_V) ) w_O,   score(l, j) = (x_l W_Q)(x_j
//   W_K)'
// with act the identity or ReLU; scores are not scaled by the width. Loss log(1 + exp(-y f)), y = +1 for target 1 and
// -1 for target 0. W_Q, W_K, W_V start at N(0, init_scale^2); w_O at +1, -1, +1, ... whether it is trained or fixed.
// freeze_attention keeps W_Q, W_K and the vectors of encoding relative, which act on scores alone; learned positions of
// encoding absolute act on values too and are trained.
//
// Encodings. sinusoidal and absolute are added to X before queries, keys and values; absolute starts at
// N(0, init_scale^2), and its rows from train_length on, which training never meets, stay there. relative adds
// (x_l W_Q)·r(j - l) to a score, r clipped at +-relative_clip, initially N(0, init_scale^2). alibi subtracts
// alibi_slope * |l - j|. rope turns pairs (c, c + d_h / 2) of queries and keys by position * rope_base^(-2c / d_h).
//
// A weight of the softmax is at least e^-64 of the largest, so that none is subnormal. NaN and infinity in input or
// weights reach logits and loss; they are never hidden and never slow.
#pragma once
#include "base_arena.h"
#include "base_status.h"
#include "spec_batch.h"
#include "spec_settings.h"
#include <stdbool.h>
#include <stddef.h>

#ifdef NN_DOUBLE
typedef double real;
#else
typedef float real;
#endif

// A trainable tensor, registered by name once: checkpoints, optimisers, norms and tests all walk this list.
// Storage is padded to whole vectors of 16 columns; padding stays zero.
struct nn_tensor {
    const char *name;           // "query", "key", "value", "readout", "position", "relative"
    long rows, columns, stride; // value[row * stride + column]
    real *value, *gradient;
    bool frozen; // gradient is not computed, the value never changes
};

struct nn_model;

// Allocates parameters, gradients and workspace from `arena` and draws the initial weights, keyed by (seed, init seed,
// tensor name, row, column). `max_length` is the longest sequence that will be passed; train_length is always allowed.
// STATUS_MEMORY when the arena is full. The model lives as long as the arena's memory.
enum status_code nn_model_create(const struct settings *settings, long max_length, struct arena *arena,
                                 struct nn_model **ret_model, struct status *status) MUST_CHECK;

const char *nn_encoding_name(int encoding); // of an enum encoding_kind, as implemented here

size_t nn_tensor_count(const struct nn_model *model);
struct nn_tensor *nn_tensor(struct nn_model *model, size_t index);
size_t nn_parameter_count(const struct nn_model *model); // trained numbers, without padding and frozen tensors

// Full-batch pass at the current weights: overwrites every gradient with that of the mean loss on batch->targets, zero
// for frozen tensors. The batch has vectors, one target position a sample, and at most train_length tokens.
//   ret_logits (samples): f(X)
//   ret_loss: the mean loss, summed in double over samples in their order; NULL: not wanted
// Memory O(length), also here: attention is differentiated block by block and never kept. No malloc. The bits do not
// depend on how the model chunks the batch.
void nn_gradient(struct nn_model *model, const struct batch *batch, real *ret_logits, double *ret_loss);

// Lets the model work on at most `samples` at a time, 0 for its own choice; for tests and tuning.
void nn_set_chunk(struct nn_model *model, long samples);

// Per-sample outputs of a forward pass; NULL members are not wanted. relevant: batch->relevant positions.
struct nn_outputs {
    real *logits;                // (samples)
    real *relevant_mass;         // (samples): attention mass on the relevant positions, mean over queries (and heads)
    real *relevant_value_norm;   // (samples): mean norm of the value vectors of the relevant tokens
    real *irrelevant_value_norm; // (samples): and of the others; NaN without any
};
// Memory O(length), whatever the number of samples. No malloc.
void nn_predict(struct nn_model *model, const struct batch *batch, const struct nn_outputs *outputs);

// Per-sample logistic loss log(1 + exp(-y f)) from logits and targets, the same arithmetic as in nn_gradient.
void nn_losses(const struct batch *batch, const real *logits, real *ret_losses);

// value -= learning_rate * gradient, with momentum: velocity = momentum * velocity + gradient first (velocity has the
// tensor's storage size). One fma an element.
void nn_step_gd(struct nn_tensor *tensor, double learning_rate);
void nn_step_momentum(struct nn_tensor *tensor, real *velocity, double learning_rate, double momentum);
double nn_square_norm(const struct nn_tensor *tensor, bool gradient); // 16-lane tree in double

double nn_gradient_flops(const struct settings *settings, long samples, long length); // one nn_gradient
double nn_predict_flops(const struct settings *settings, long samples, long length);
size_t nn_model_bytes(const struct settings *settings, long max_length); // upper bound of what create takes
