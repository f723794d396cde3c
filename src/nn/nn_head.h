// SPDX-License-Identifier: MIT
// From a model's last rows to logits and back: at every position, at the last, or from the mean over positions, through
// the linear layer "head" (with "head.bias" where head_bias says so; tied: the first `outputs` rows of the embeddings),
// times output_scale. Logits are the caller's, `outputs` apart, and serve as the only memory of the way forward.
#pragma once
#include "nn_linear.h"

struct nn_head {
    int kind; // enum pooling_kind
    long width;
    struct nn_linear linear;
    struct nn_tensor *tied;  // the embeddings, or NULL
    struct nn_tensor shared; // tied: the same values with a sum of gradients of its own, since theirs is filled between
    struct nn_rows pooled;   // (samples of a chunk): what is read at the last position or from the mean
    struct nn_rows logits;   // a block of logits or their gradients, padded
    struct nn_rows pooled_gradient;
};

// `tied`: the embeddings, or NULL. `samples`: most of a chunk.
void nn_head_layout(struct nn_head *head, struct nn_model *model, struct nn_builder *builder, long width,
                    struct nn_tensor *tied, long samples);
void nn_head_fill(struct nn_head *head, const struct nn_model *model);
void nn_head_begin(struct nn_head *head, const struct nn_model *model, bool gradient); // once a pass
// Rows row … row + count - 1 (numbered as the batch has them, ascending from call to call) of a chunk whose first
// sample is `first`. Writes the logits that they complete, a row for each of the batch's targets.
void nn_head_forward(struct nn_head *head, const struct nn_model *model, const struct batch *batch, long first,
                     long row, long count, struct nn_rows x, real *ret_logits);
// The whole chunk: from its logits to x_gradient (all rows of its samples), and adds to the tensors' gradients.
// `targets` is what losses are divided by.
void nn_head_gradient(struct nn_head *head, const struct nn_model *model, const struct batch *batch, long first,
                      long samples, double targets, struct nn_rows x, const real *logits,
                      struct nn_rows ret_x_gradient);
void nn_head_end(struct nn_head *head, const struct nn_model *model); // once at the end of a group's sums
