// SPDX-License-Identifier: MIT
// Models: forward and backward by hand. `real` is float; the same sources compile with NN_DOUBLE for finite
// differences.
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
// tensor name, row, column). `max_length` is the longest sequence that will be passed.
// STATUS_MEMORY when the arena is full.
enum status_code nn_model_create(const struct settings *settings, long max_length, struct arena *arena,
                                 struct nn_model **ret_model, struct status *status) MUST_CHECK;

const char *nn_encoding_name(int encoding); // of an enum encoding_kind, as implemented here

size_t nn_tensor_count(const struct nn_model *model);
struct nn_tensor *nn_tensor(struct nn_model *model, size_t index);
size_t nn_parameter_count(const struct nn_model *model); // trained numbers, without padding and frozen tensors

// Full-batch pass at the current weights: overwrites every gradient with that of the mean loss on batch->targets.
//   ret_logits (samples): f(X)
//   ret_loss: the mean loss, summed in double over samples in their order
// No malloc. The bits do not depend on how the model chunks the batch.
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
