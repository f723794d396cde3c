// SPDX-License-Identifier: MIT
// From gradients of queries, keys and values to those of the weights and of what positions add to the input.
#include "nn_two_layer.h"
#include <string.h>

// weight_gradient (+)= rows^T gradients, for the columns whose weights are trained.
static void collect_weights(struct two_layer *model, const real *rows, long stride, long count, const real *gradients,
                            bool from_c)
{
    const long from = model->trained_from;
    const struct nn_product product = {.rows = model->dim,
                                       .columns = model->width - from,
                                       .depth = count,
                                       .a = rows,
                                       .a_row = 1,
                                       .a_depth = stride,
                                       .b = gradients + from,
                                       .b_stride = model->width,
                                       .b_group = NN_LANES,
                                       .c = model->weight_gradient + from,
                                       .c_stride = model->width,
                                       .from_c = from_c};
    model->common.kernels->multiply(&product);
}

static void collect_votes(struct two_layer *model, const real *rows, long stride, long count, const real *gradients,
                          bool from_c)
{
    if (!from_c)
        memset(model->folded_gradient, 0, (size_t)model->dim_padded * sizeof(real));
    model->common.kernels->combine(rows, stride, count, model->dim_padded, gradients, model->folded_gradient);
}

void two_layer_transpose(struct two_layer *model)
{
    for (long w = 0; w < model->width; w++)
        for (long k = 0; k < model->dim; k++)
            model->transposed[w * model->dim_padded + k] =
                model->packed[w / NN_LANES * NN_LANES * model->dim + k * NN_LANES + w % NN_LANES];
}

// Of `count` rows of the input, from the gradients of what they are projected to.
static void input_gradient(struct two_layer *model, const real *gradients, const real *votes, long count,
                           const int32_t *positions)
{
    struct nn_product product = {.rows = count,
                                 .columns = model->dim_padded,
                                 .depth = model->width,
                                 .a = gradients,
                                 .a_row = model->width,
                                 .a_depth = 1,
                                 .b = model->transposed,
                                 .b_stride = model->dim_padded,
                                 .b_group = NN_LANES,
                                 .c = model->input_gradient,
                                 .c_stride = model->dim_padded};
    model->common.kernels->multiply(&product);
    if (model->linear) {
        product.depth = product.a_row = 1;
        product.a = votes;
        product.b = model->folded;
        product.from_c = true;
        model->common.kernels->multiply(&product);
    }
    nn_site_add_gradient(&model->input, model->input_gradient, model->dim_padded, count, positions);
}

static void collect_positions(struct two_layer *model, const struct two_layer_chunk *chunk)
{
    if (!chunk->consecutive) {
        input_gradient(model, model->projected_gradient, model->vote_gradients, chunk->rows, chunk->positions);
        return;
    }
    const long length = chunk->batch->length, size = length * model->width;
    for (long s = 0; s < chunk->samples; s++)
        model->common.kernels->add_scaled(model->position_gradient, model->projected_gradient + s * size, 1, size);
    if (model->linear)
        for (long r = 0; r < chunk->rows; r++)
            model->position_votes[r % length] += model->vote_gradients[r];
}

void two_layer_collect(struct two_layer *model, const struct two_layer_chunk *chunk, bool group_start)
{
    if (model->score_gradients)
        for (long part = 0; part < 2; part++)
            nn_site_rotate(&model->site, model->projected_gradient + part * model->head_padded, model->width,
                           chunk->rows, chunk->positions, true);
    collect_weights(model, chunk->tokens, chunk->tokens_stride, chunk->rows, model->projected_gradient, !group_start);
    if (model->linear)
        collect_votes(model, chunk->tokens, chunk->tokens_stride, chunk->rows, model->vote_gradients, !group_start);
    if (model->input_gradient)
        collect_positions(model, chunk);
}

// Adds one tensor's columns of weight_gradient to its gradient.
static void add_columns(struct two_layer *model, int which, long from)
{
    struct nn_tensor *tensor = &model->common.tensor[which];
    if (!tensor->frozen)
        for (long k = 0; k < tensor->rows; k++)
            model->common.kernels->add_scaled(tensor->gradient + k * tensor->stride,
                                              model->weight_gradient + k * model->width + from, 1, tensor->stride);
}

void two_layer_group_end(struct two_layer *model)
{
    add_columns(model, TENSOR_QUERY, 0);
    add_columns(model, TENSOR_KEY, model->head_padded);
    if (!model->linear)
        add_columns(model, TENSOR_VALUE, 2 * model->head_padded);
    else
        model->common.kernels->add_scaled(model->folded_total, model->folded_gradient, 1, model->dim_padded);
}

// Gradient of W_V w_O to those of its factors.
static void unfold(struct two_layer *model)
{
    struct nn_tensor *value = &model->common.tensor[TENSOR_VALUE], *readout = &model->common.tensor[TENSOR_READOUT];
    const struct nn_product product = {.rows = model->dim,
                                       .columns = value->stride,
                                       .depth = 1,
                                       .a = model->folded_total,
                                       .a_row = 1,
                                       .a_depth = 1,
                                       .b = readout->value,
                                       .b_stride = value->stride,
                                       .b_group = NN_LANES,
                                       .c = value->gradient,
                                       .c_stride = value->stride,
                                       .from_c = true};
    model->common.kernels->multiply(&product);
    if (!readout->frozen)
        model->common.kernels->combine(value->value, value->stride, model->dim, value->stride, model->folded_total,
                                       readout->gradient);
}

void two_layer_gradients_end(struct two_layer *model, const struct two_layer_chunk *chunk)
{
    const long length = chunk->batch->length;
    if (model->input_gradient && chunk->consecutive)
        input_gradient(model, model->position_gradient, model->position_votes, length, chunk->positions);
    nn_site_end(&model->input, length);
    if (model->score_gradients)
        nn_site_end(&model->site, length);
    if (model->linear)
        unfold(model);
}
