// SPDX-License-Identifier: MIT
// Linear layers y = x W + b of several parts side by side (queries, keys and values read one input). Rows are tokens.
// Columns of x, W and y are stored in multiples of 16, zero beyond what counts. Weights are packed once a pass.
#pragma once
#include "nn_private.h"

// Rows of a matrix that lie `stride` numbers apart; `at` is NULL where there is none.
struct nn_rows {
    real *at;
    long stride;
};
static inline struct nn_rows nn_rows_from(struct nn_rows rows, long row)
{
    return (struct nn_rows){rows.at ? rows.at + row * rows.stride : NULL, rows.stride};
}
// The stride of rows of `columns` numbers: padded, and off the multiples of 512 bytes, whose rows would share too few
// places in the cache when a column is walked.
static inline long nn_stride(long columns)
{
    const long padded = nn_padded(columns);
    return padded % 128 == 0 ? padded + NN_LANES : padded;
}
// `count` rows of `columns` zeros, and 16 rows behind them that may be read. `at` is NULL while memory is counted.
struct nn_rows nn_take_rows(struct nn_builder *builder, long count, long columns);

enum { NN_LINEAR_PARTS = 3 };
struct nn_linear {
    long inputs, outputs; // columns of x and of y as stored
    bool transposed;      // y = x W', one part (a head that shares the embeddings)
    int parts;
    struct nn_linear_part {
        struct nn_tensor *weight, *bias;   // bias may be NULL
        double weight_factor, bias_factor; // y = weight_factor * x W + bias_factor * b
        long from, columns;                // of y
    } part[NN_LINEAR_PARTS];
    real *packed, *packed_transposed; // W as B of `multiply`, and its transpose for the way back
    real *bias;                       // (outputs), or NULL
};

// The tensor with its rows stored in a multiple of 16, where they have no groups of their own.
struct nn_tensor nn_rows_padded(struct nn_tensor tensor);
// A weight matrix of PyTorch's shape transposed, (inputs, outputs): `tensor` names it; rows are padded to 16 where they
// have no groups of their own.
struct nn_tensor *nn_add_weight(struct nn_model *model, struct nn_builder *builder, struct nn_tensor tensor);
// A bias (1, columns), with the weight's column groups.
struct nn_tensor *nn_add_bias(struct nn_model *model, struct nn_builder *builder, const char *name,
                              const struct nn_tensor *weight);
// All of a tensor uniform within ±scale, or N(0, scale^2).
void nn_fill_uniform(const struct nn_model *model, struct nn_tensor *tensor, double scale);
void nn_fill_normal(const struct nn_model *model, struct nn_tensor *tensor, double scale);

// Parts first, then the memory of the whole. y = weight_factor * x W + bias_factor * b: a parametrization's factor is
// on the matrix alone, a scale of y on both. `bias` may be NULL, for all parts alike.
void nn_linear_part(struct nn_linear *linear, struct nn_tensor *weight, struct nn_tensor *bias, double weight_factor,
                    double bias_factor);
// y = weight_factor * x W' + bias_factor * b with the first `rows` rows of W.
void nn_linear_tied(struct nn_linear *linear, struct nn_tensor *weight, long rows, struct nn_tensor *bias,
                    double weight_factor, double bias_factor);
void nn_linear_layout(struct nn_linear *linear, struct nn_builder *builder);

// Once a pass; the transpose where the way back is taken (and x is not the model's input).
void nn_linear_pack(const struct nn_model *model, struct nn_linear *linear, bool transpose);
// y = x W + b (+ residual). y and residual may be the same rows.
void nn_linear_forward(const struct nn_model *model, const struct nn_linear *linear, long count, struct nn_rows x,
                       struct nn_rows residual, struct nn_rows y);
// x_gradient = y_gradient W', onto what it holds where `add`.
void nn_linear_back(const struct nn_model *model, const struct nn_linear *linear, long count, struct nn_rows y_gradient,
                    struct nn_rows x_gradient, bool add);
// Adds x' y_gradient and the sums of y_gradient to the gradients of tensors that are not frozen, rows ascending,
// without the factors;
void nn_linear_collect(const struct nn_model *model, const struct nn_linear *linear, long count, struct nn_rows x,
                       struct nn_rows y_gradient);
// which this applies, once at the end of the sums (of each group, see nn_group.h).
void nn_linear_end(const struct nn_model *model, const struct nn_linear *linear);
