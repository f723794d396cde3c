// SPDX-License-Identifier: MIT
// From tokens or vectors to rows of `width`. Tokens have a trained embedding each, N(0, 1) at the start, or a frozen
// unit vector: orthonormal ones where the vocabulary is at most the width, else independent ones. Frozen ones carry
// noise of variance 1/snr a coordinate, drawn once for each set, sample, position and coordinate, at test too. Vectors
// go through a linear layer. Rows are numbered as the batch has them.
#pragma once
#include "nn_linear.h"

struct nn_embedding {
    long width;
    struct nn_tensor *table; // tokens: "embedding"
    struct nn_linear input;  // vectors: "input.weight", "input.bias"
    struct nn_rows vectors;  // a block of them, padded
    double noise;            // standard deviation; 0: none
    float *draw;             // (width)
    double *scratch;         // (width)
};

void nn_embedding_layout(struct nn_embedding *embedding, struct nn_model *model, struct nn_builder *builder,
                         long width);
// The table where it is the head's too, else NULL: frozen tables are never shared.
struct nn_tensor *nn_embedding_tied(const struct nn_embedding *embedding, const struct nn_model *model);
void nn_embedding_fill(struct nn_embedding *embedding, const struct nn_model *model);
void nn_embedding_begin(struct nn_embedding *embedding, const struct nn_model *model); // once a pass
// The batch's rows row … row + count - 1.
void nn_embedding_forward(struct nn_embedding *embedding, const struct nn_model *model, const struct batch *batch,
                          long row, long count, struct nn_rows ret_x);
// Adds the gradient of these rows to the tensors', rows ascending.
void nn_embedding_gradient(struct nn_embedding *embedding, const struct nn_model *model, const struct batch *batch,
                           long row, long count, struct nn_rows x_gradient);
