// SPDX-License-Identifier: MIT
// Models: forward and backward by hand, one file family a kind (nn_two_layer_*.c, nn_transformer_*.c, nn_recurrent_*.c)
// and one row in nn_model.c. `real` is float; the same sources compile with NN_DOUBLE for finite differences.
//
// two_layer (after arXiv:2409.19345), X of length x dim, d_h = head_dim, d_v = value_dim:
//   f(X) = output_scale * mean over l of  act( softmax_j(score(l, j)) (X W_V) ) w_O,   score(l, j) = (x_l W_Q)(x_j
//   W_K)'
// with act the identity or ReLU; scores are not scaled by the width. Loss log(1 + exp(-y f)), y = +1 for target 1 and
// -1 for target 0. W_Q, W_K, W_V start at N(0, init_scale^2); w_O at +1, -1, +1, ... whether it is trained or fixed.
// freeze_attention keeps W_Q, W_K and what encodings learn that acts on scores alone; learned positions of encoding
// absolute act on values too and are trained.
//
// transformer, x of length x width, per layer (Pre-LN):
//   x += attention(norm(x)) W_o + b_o;   x += act(norm(x) W_1 + b_1) W_2 + b_2;   logits = head(norm(x)) W_h + b_h
// with queries, keys and values norm(x) W + b (attention_bias false: no b, no b_o), scores q·k / sqrt(width / heads),
// softmax over the keys that attention_mask allows. x starts as the embedding of tokens (plus noise) or vectors W_e +
// b_e, and added positions. rnn: h = tanh(x W_x + b_x + h' W_h + b_h); lstm: gates i, f, g, o of the same form; layers
// stacked, head as above without norm. Initial values are PyTorch's defaults: linear layers uniform within
// ±1/sqrt(inputs), embeddings N(0, 1), gains 1.
//
// Encodings are described in their files, nn_encoding_NAME.c, and what they do beyond train_length in
// docs/science.md.
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

// A trainable tensor, registered by name once: checkpoints, optimisers, norms and tests all walk this list. Rows and
// columns may come in groups that are padded to whole vectors (heads of 8 columns lie 16 apart): use nn_tensor_at.
// Padding stays zero in value and gradient.
struct nn_tensor {
    const char *name;                       // "query", "layers.0.attention.query", …
    long rows, columns;                     // as in the formulas
    long row_group, row_group_padded;       // rows of a group, and what they take; 0: one group, not padded
    long column_group, column_group_padded; // the same for columns; 0: one group, padded to `stride`
    long stride;                            // of stored rows
    long storage;                           // numbers in all, a multiple of 16
    real *value, *gradient;
    bool frozen; // gradient is not computed, the value never changes
    bool matrix; // a weight matrix, as opposed to biases, gains, embeddings and positions
    double rate; // factor on the learning rate (mup); 0 is 1
};
// Place in `value` and `gradient` of an element.
static inline long nn_tensor_at(const struct nn_tensor *tensor, long row, long column)
{
    if (tensor->row_group > 0)
        row = row / tensor->row_group * tensor->row_group_padded + row % tensor->row_group;
    if (tensor->column_group > 0)
        column = column / tensor->column_group * tensor->column_group_padded + column % tensor->column_group;
    return row * tensor->stride + column;
}

struct nn_model;

// Allocates parameters, gradients and workspace from `arena` and draws the initial weights, keyed by (seed, init seed,
// tensor name, row, column). `shape` is the task's. `max_length` is the longest sequence that will be passed;
// train_length is always allowed. STATUS_MEMORY when the arena is full. The model lives as long as the arena's memory.
enum status_code nn_model_create(const struct settings *settings, const struct batch_shape *shape, long max_length,
                                 struct arena *arena, struct nn_model **ret_model, struct status *status) MUST_CHECK;

const char *nn_encoding_name(int encoding); // of an enum encoding_kind, as implemented here

size_t nn_tensor_count(const struct nn_model *model);
struct nn_tensor *nn_tensor(struct nn_model *model, size_t index);
const struct nn_tensor *nn_tensor_of(const struct nn_model *model, size_t index);
size_t nn_parameter_count(const struct nn_model *model); // trained numbers, without padding and frozen tensors
long nn_outputs_width(const struct nn_model *model);     // logits of a target: 1 (binary) or classes

// One of the passes whose gradients make a step.
struct nn_pass {
    int64_t step;   // keys what is drawn in training: dropout, attention noise, random positions
    bool add;       // to the gradients of earlier passes, instead of overwriting them
    double targets; // what the summed loss is divided by; 0: the targets of this batch that count
};

// Gradient at the current weights of the mean loss on batch->targets, zero for frozen tensors. Its sequences have at
// most train_length tokens.
//   ret_logits (targets, outputs): those of a sequence from batch_target on, with the bits that it has in any batch
//   ret_loss: the loss, summed in double over targets in their order, divided as `pass` says; NULL: not wanted
// Memory O(length), also here: attention is differentiated block by block and never kept. No malloc. The bits do not
// depend on how the model chunks the batch.
void nn_gradient(struct nn_model *model, const struct batch *batch, const struct nn_pass *pass, real *ret_logits,
                 double *ret_loss);

// Lets the model work on at most `samples` at a time, 0 for its own choice; for tests and tuning.
void nn_set_chunk(struct nn_model *model, long samples);

// Outputs of a forward pass without dropout and attention noise; NULL members are not wanted.
struct nn_outputs {
    real *logits; // (targets, outputs), as in nn_gradient
    // All (samples), and NaN without attention: attention on the relevant positions, mean over queries, heads and
    // layers, with relevant_each over the queries at rows whose targets name any, NaN without; mean norm of the value
    // vectors of the relevant tokens, likewise, and of the others, NaN without any and with relevant_each.
    real *relevant_mass;
    real *relevant_value_norm;
    real *irrelevant_value_norm;
};
// Memory O(length), whatever the number of samples. No malloc.
void nn_predict(struct nn_model *model, const struct batch *batch, const struct nn_outputs *outputs);

// Targets of the batch that count.
long nn_targets(const struct batch *batch);
// Losses (targets) of logits, the same arithmetic as in nn_gradient; 0 where a target does not count.
// Binary: log(1 + exp(-y f)); else -log softmax at the target.
void nn_losses(const struct batch *batch, const real *logits, real *ret_losses);
// The class (targets) with the largest logit, the lowest of equals; binary: 1 for f > 0, 0 for f < 0. -1
// where a logit is NaN or, binary, zero: wrong whatever the target.
void nn_classes(const struct batch *batch, const real *logits, int32_t *ret_class);

// Steps along tensor->gradient, elementwise, each of them once for an unfrozen tensor (frozen ones stay). `scale` is a
// factor on the gradient (clipping); learning rates include tensor->rate.
//   gd:       value -= learning_rate * g,  g = scale * gradient + decay * value
//   momentum: velocity = momentum * velocity + g;  value -= learning_rate * velocity
//   adam:     m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
//             value -= learning_rate * (m / correction1) / (sqrt(v / correction2) + epsilon)
//   adamw:    the same with g = scale * gradient, after value *= 1 - learning_rate * decay
// Buffers have the tensor's storage.
struct nn_step {
    double learning_rate, scale, decay;
    double momentum;
    double beta1, beta2, epsilon, correction1, correction2; // corrections: 1 - beta^t
    bool decoupled;                                         // adamw
};
void nn_step_gd(struct nn_tensor *tensor, const struct nn_step *step);
void nn_step_momentum(struct nn_tensor *tensor, real *velocity, const struct nn_step *step);
void nn_step_adam(struct nn_tensor *tensor, real *mean, real *square, const struct nn_step *step);
double nn_square_norm(const struct nn_tensor *tensor, bool gradient); // 16-lane tree in double

// Of one nn_gradient, one nn_predict, and an upper bound of what create takes.
double nn_gradient_flops(const struct settings *settings, const struct batch_shape *shape, long samples, long length);
double nn_predict_flops(const struct settings *settings, const struct batch_shape *shape, long samples, long length);
size_t nn_model_bytes(const struct settings *settings, const struct batch_shape *shape, long max_length);

// A model's dimensions without its numbers: all estimates of one model at the price of one. Lengths are up to
// max_length.
struct nn_sketch {
    struct arena *arena;
    const struct nn_model *model; // NULL when memory is out; estimates are then infinite
    size_t bytes;                 // as nn_model_bytes
    size_t trained_bytes;         // values of the trained tensors, padding included
    size_t tensors;               // all of them
};
struct nn_sketch nn_sketch(const struct settings *settings, const struct batch_shape *shape, long max_length);
void nn_sketch_fini(struct nn_sketch *sketch);
double nn_sketch_gradient_flops(const struct nn_sketch *sketch, long samples, long length);
double nn_sketch_predict_flops(const struct nn_sketch *sketch, long samples, long length);
