// SPDX-License-Identifier: MIT
// From tokens to queries, keys and values.
#include "nn_two_layer.h"
#include <string.h>

static void pack_tensor(const struct nn_tensor *tensor, real *ret_groups)
{
    for (long c = 0; c < tensor->stride; c += NN_LANES)
        for (long k = 0; k < tensor->rows; k++, ret_groups += NN_LANES)
            memcpy(ret_groups, tensor->value + k * tensor->stride + c, NN_LANES * sizeof *ret_groups);
}

void two_layer_pack(struct two_layer *model)
{
    const struct nn_tensor *tensor = model->common.tensor;
    const long part = model->dim * model->head_padded;
    pack_tensor(&tensor[TENSOR_QUERY], model->packed);
    pack_tensor(&tensor[TENSOR_KEY], model->packed + part);
    if (model->linear)
        model->common.kernels->dots(tensor[TENSOR_VALUE].value, model->value_padded, model->dim, model->value_padded,
                                    tensor[TENSOR_READOUT].value, model->folded);
    else
        pack_tensor(&tensor[TENSOR_VALUE], model->packed + 2 * part);
}

// The chunk's tokens as rows of reals padded with zeros: the batch's own where they are that already.
static void find_tokens(struct two_layer *model, struct two_layer_chunk *chunk)
{
    const float *vectors = chunk->batch->vectors + chunk->first * chunk->batch->length * model->dim;
#ifndef NN_DOUBLE
    if (!model->tokens) {
        chunk->tokens = vectors;
        chunk->tokens_stride = model->dim;
        return;
    }
#endif
    for (long r = 0; r < chunk->rows; r++)
        for (long c = 0; c < model->dim; c++)
            model->tokens[r * model->dim_padded + c] = (real)vectors[r * model->dim + c];
    chunk->tokens = model->tokens;
    chunk->tokens_stride = model->dim_padded;
    nn_site_add(&model->input, model->tokens, model->dim_padded, chunk->rows, chunk->positions);
}

void two_layer_project(struct two_layer *model, struct two_layer_chunk *chunk, const struct batch *batch, long first,
                       long samples, int64_t step)
{
    *chunk = (struct two_layer_chunk){.batch = batch,
                                      .first = first,
                                      .samples = samples,
                                      .rows = samples * batch->length,
                                      .positions = model->positions};
    chunk->consecutive = nn_positions(&model->common, batch, first, samples, step, model->positions);
    find_tokens(model, chunk);
    const struct nn_product product = {.rows = chunk->rows,
                                       .columns = model->width,
                                       .depth = model->dim,
                                       .a = chunk->tokens,
                                       .a_row = chunk->tokens_stride,
                                       .a_depth = 1,
                                       .b = model->packed,
                                       .b_stride = NN_LANES,
                                       .b_group = NN_LANES * model->dim,
                                       .c = model->projected,
                                       .c_stride = model->width};
    model->common.kernels->multiply(&product);
    if (model->linear)
        model->common.kernels->dots(chunk->tokens, chunk->tokens_stride, chunk->rows, model->dim_padded, model->folded,
                                    model->votes);
    for (long part = 0; part < 2; part++)
        nn_site_rotate(&model->site, model->projected + part * model->head_padded, model->width, chunk->rows,
                       chunk->positions, false);
}

void two_layer_project_values(struct two_layer *model, const real *rows, long stride, long count, real *ret_values)
{
    const struct nn_product product = {.rows = count,
                                       .columns = model->value_padded,
                                       .depth = model->dim,
                                       .a = rows,
                                       .a_row = stride,
                                       .a_depth = 1,
                                       .b = model->value_packed,
                                       .b_stride = NN_LANES,
                                       .b_group = NN_LANES * model->dim,
                                       .c = ret_values,
                                       .c_stride = model->value_padded};
    model->common.kernels->multiply(&product);
}

void two_layer_pack_values(struct two_layer *model)
{
    pack_tensor(&model->common.tensor[TENSOR_VALUE], model->value_packed);
}
