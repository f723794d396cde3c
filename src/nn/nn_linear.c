// SPDX-License-Identifier: MIT
#include "nn_linear.h"
#include <assert.h>
#include <string.h>

struct nn_rows nn_take_rows(struct nn_builder *builder, long count, long columns)
{
    const long stride = nn_stride(columns);
    return (struct nn_rows){nn_take_reals(builder, count + NN_LANES, stride), stride};
}

struct nn_tensor nn_rows_padded(struct nn_tensor tensor)
{
    if (tensor.row_group == 0) {
        tensor.row_group = tensor.rows;
        tensor.row_group_padded = nn_padded(tensor.rows);
    }
    return tensor;
}

struct nn_tensor *nn_add_weight(struct nn_model *model, struct nn_builder *builder, struct nn_tensor tensor)
{
    tensor.matrix = true;
    return nn_add_tensor(model, builder, nn_rows_padded(tensor));
}

struct nn_tensor *nn_add_bias(struct nn_model *model, struct nn_builder *builder, const char *name,
                              const struct nn_tensor *weight)
{
    if (!weight)
        return NULL;
    return nn_add_tensor(model, builder,
                         (struct nn_tensor){.name = name,
                                            .rows = 1,
                                            .columns = weight->columns,
                                            .column_group = weight->column_group,
                                            .column_group_padded = weight->column_group_padded,
                                            .frozen = weight->frozen});
}

void nn_fill_uniform(const struct nn_model *model, struct nn_tensor *tensor, double scale)
{
    for (long row = 0; row < tensor->rows; row++)
        nn_draw_uniform(model, tensor, row, (uint64_t)row, scale);
}

void nn_fill_normal(const struct nn_model *model, struct nn_tensor *tensor, double scale)
{
    for (long row = 0; row < tensor->rows; row++)
        nn_draw_normal(model, tensor, row, (uint64_t)row, scale);
}

static long stored_rows(const struct nn_tensor *tensor)
{
    return tensor->storage / tensor->stride;
}

void nn_linear_part(struct nn_linear *linear, struct nn_tensor *weight, struct nn_tensor *bias, double weight_factor,
                    double bias_factor)
{
    if (!weight)
        return;
    assert(linear->parts < NN_LINEAR_PARTS);
    linear->part[linear->parts++] =
        (struct nn_linear_part){weight, bias, weight_factor, bias_factor, linear->outputs, weight->stride};
    linear->inputs = stored_rows(weight);
    linear->outputs += weight->stride;
}

void nn_linear_tied(struct nn_linear *linear, struct nn_tensor *weight, long rows, struct nn_tensor *bias,
                    double weight_factor, double bias_factor)
{
    if (!weight)
        return;
    linear->transposed = true;
    linear->parts = 1;
    linear->part[0] = (struct nn_linear_part){weight, bias, weight_factor, bias_factor, 0, nn_padded(rows)};
    linear->inputs = weight->stride;
    linear->outputs = nn_padded(rows);
}

void nn_linear_layout(struct nn_linear *linear, struct nn_builder *builder)
{
    linear->packed = nn_take_reals(builder, linear->inputs, linear->outputs);
    linear->packed_transposed = nn_take_reals(builder, linear->inputs, linear->outputs);
    if (linear->parts > 0 && linear->part[0].bias)
        linear->bias = nn_take_reals(builder, 1, linear->outputs);
}

// As stored, rows become the products' depth.
static void pack_straight(const struct nn_kernels *kernels, const struct nn_linear_part *part, long depth, real *groups,
                          long from)
{
    const struct nn_tensor *weight = part->weight;
    kernels->pack(weight->value, weight->stride, depth, weight->stride, (real)part->weight_factor,
                  groups + from * depth);
}

// Columns become the depth, `all` of them with those of other parts: every 16 rows are a group.
static void pack_turned(const struct nn_kernels *kernels, const struct nn_linear_part *part, long rows, real *groups,
                        long all)
{
    const struct nn_tensor *weight = part->weight;
    for (long row = 0; row < rows; row += NN_LANES)
        kernels->pack_transposed(weight->value + row * weight->stride, weight->stride, weight->stride, NN_LANES,
                                 (real)part->weight_factor, groups + row * all + part->from * NN_LANES);
}

static void pack_bias(const struct nn_linear *linear)
{
    for (int p = 0; p < linear->parts; p++) {
        const struct nn_linear_part *part = &linear->part[p];
        for (long c = 0; c < part->columns; c++)
            linear->bias[part->from + c] = (real)part->bias_factor * part->bias->value[c];
    }
}

void nn_linear_pack(const struct nn_model *model, struct nn_linear *linear, bool transpose)
{
    const struct nn_kernels *kernels = model->kernels;
    if (linear->bias)
        pack_bias(linear);
    if (linear->transposed) {
        pack_turned(kernels, &linear->part[0], linear->outputs, linear->packed, linear->inputs);
        if (transpose)
            pack_straight(kernels, &linear->part[0], linear->outputs, linear->packed_transposed, 0);
        return;
    }
    for (int p = 0; p < linear->parts; p++) {
        pack_straight(kernels, &linear->part[p], linear->inputs, linear->packed, linear->part[p].from);
        if (transpose)
            pack_turned(kernels, &linear->part[p], linear->inputs, linear->packed_transposed, linear->outputs);
    }
}

void nn_linear_forward(const struct nn_model *model, const struct nn_linear *linear, long count, struct nn_rows x,
                       struct nn_rows residual, struct nn_rows y)
{
    const struct nn_product product = {.rows = count,
                                       .columns = linear->outputs,
                                       .depth = linear->inputs,
                                       .a = x.at,
                                       .a_row = x.stride,
                                       .a_depth = 1,
                                       .b = linear->packed,
                                       .b_stride = NN_LANES,
                                       .b_group = NN_LANES * linear->inputs,
                                       .c = y.at,
                                       .c_stride = y.stride,
                                       .bias = linear->bias,
                                       .residual = residual.at,
                                       .residual_stride = residual.stride};
    model->kernels->multiply(&product);
}

void nn_linear_back(const struct nn_model *model, const struct nn_linear *linear, long count, struct nn_rows y_gradient,
                    struct nn_rows x_gradient, bool add)
{
    const struct nn_product product = {.rows = count,
                                       .columns = linear->inputs,
                                       .depth = linear->outputs,
                                       .a = y_gradient.at,
                                       .a_row = y_gradient.stride,
                                       .a_depth = 1,
                                       .b = linear->packed_transposed,
                                       .b_stride = NN_LANES,
                                       .b_group = NN_LANES * linear->outputs,
                                       .c = x_gradient.at,
                                       .c_stride = x_gradient.stride,
                                       .from_c = add};
    model->kernels->multiply(&product);
}

// gradient += left' right, `rows` columns of left and `columns` of right.
static void collect(const struct nn_model *model, struct nn_tensor *weight, long rows, long columns, long count,
                    struct nn_rows left, const real *right, long right_stride)
{
    const struct nn_product product = {.rows = rows,
                                       .columns = columns,
                                       .depth = count,
                                       .a = left.at,
                                       .a_row = 1,
                                       .a_depth = left.stride,
                                       .b = right,
                                       .b_stride = right_stride,
                                       .b_group = NN_LANES,
                                       .c = weight->gradient,
                                       .c_stride = weight->stride,
                                       .from_c = true};
    model->kernels->multiply(&product);
}

void nn_linear_collect(const struct nn_model *model, const struct nn_linear *linear, long count, struct nn_rows x,
                       struct nn_rows y_gradient)
{
    for (int p = 0; p < linear->parts; p++) {
        const struct nn_linear_part *part = &linear->part[p];
        if (part->weight->frozen)
            continue;
        if (linear->transposed)
            collect(model, part->weight, linear->outputs, linear->inputs, count, y_gradient, x.at, x.stride);
        else
            collect(model, part->weight, linear->inputs, part->columns, count, x, y_gradient.at + part->from,
                    y_gradient.stride);
        if (part->bias)
            model->kernels->sum_rows(y_gradient.at + part->from, y_gradient.stride, count, part->columns,
                                     part->bias->gradient);
    }
}

static void scale_gradient(const struct nn_model *model, struct nn_tensor *tensor, double factor)
{
    if (tensor && !tensor->frozen && factor != 1)
        model->kernels->scale(tensor->gradient, (real)factor, tensor->storage);
}

void nn_linear_end(const struct nn_model *model, const struct nn_linear *linear)
{
    for (int p = 0; p < linear->parts; p++) {
        scale_gradient(model, linear->part[p].weight, linear->part[p].weight_factor);
        scale_gradient(model, linear->part[p].bias, linear->part[p].bias_factor);
    }
}
