// SPDX-License-Identifier: MIT
// Layer norms and activations.
#include "ops.h"
#include "spec_settings.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { Y, X, GAIN, BIAS, STATISTICS };

// Norms: rows, width. NORM_ADDED: y = norm(x) + x, as a residual stream has it.
enum { NORM_ADDED = NORM_RMS + 1 };

static void norm_layout(struct op *op)
{
    const long width = op->shape.b, stride = op_padded(width);
    op_add(op, op->shape.a, width, stride + 16, false);
    op_add(op, op->shape.a, width, stride, true);
    op_add(op, 1, width, stride, true);
    op_add(op, 1, width, stride, op->row->variant != NORM_RMS);
    op_add(op, op->shape.a, 2, 2, false);
}

static struct nn_norm_rows norm_of(const struct op *op)
{
    const struct op_matrix *m = op->m;
    const bool rms = op->row->variant == NORM_RMS;
    return (struct nn_norm_rows){.rms = rms,
                                 .rows = op->shape.a,
                                 .width = op->shape.b,
                                 .x = m[X].value,
                                 .x_stride = m[X].stride,
                                 .gain = m[GAIN].value,
                                 .bias = rms ? NULL : m[BIAS].value,
                                 .y = m[Y].value,
                                 .y_stride = m[Y].stride,
                                 .statistics = m[STATISTICS].value,
                                 .y_gradient = m[Y].gradient,
                                 .x_gradient = m[X].gradient,
                                 .x_gradient_stride = m[X].stride,
                                 .add = op->row->variant == NORM_ADDED,
                                 .gain_gradient = m[GAIN].gradient,
                                 .bias_gradient = rms ? NULL : m[BIAS].gradient};
}

static void norm_forward(const struct nn_kernels *kernels, struct op *op)
{
    const struct nn_norm_rows norm = norm_of(op);
    kernels->norm(&norm);
    for (long r = 0; r < norm.rows && norm.add; r++)
        kernels->add_scaled(norm.y + r * norm.y_stride, norm.x + r * norm.x_stride, 1, op_padded(norm.width));
}

static void norm_backward(const struct nn_kernels *kernels, struct op *op)
{
    const struct nn_norm_rows norm = norm_of(op);
    op_soil(&op->m[X]);
    for (long r = 0; r < norm.rows && norm.add; r++)
        memcpy(norm.x_gradient + r * norm.x_gradient_stride, norm.y_gradient + r * norm.y_stride,
               (size_t)op_padded(norm.width) * sizeof(real));
    kernels->norm_gradient(&norm);
}

static double norm_reference(const struct op *op, long r, long c)
{
    const bool rms = op->row->variant == NORM_RMS;
    const double width = (double)op->shape.b;
    double mean = 0, square = 0;
    for (long k = 0; k < op->shape.b && !rms; k++)
        mean += op_at(op, X, r, k) / width;
    for (long k = 0; k < op->shape.b; k++)
        square += (op_at(op, X, r, k) - mean) * (op_at(op, X, r, k) - mean) / width;
    const double y = (op_at(op, X, r, c) - mean) / sqrt(square + 1e-5) * op_at(op, GAIN, 0, c);
    return rms ? y : y + op_at(op, BIAS, 0, c) + (op->row->variant == NORM_ADDED ? op_at(op, X, r, c) : 0);
}

// Activations: numbers, from -4 to 4 and farther.
static void activation_layout(struct op *op)
{
    const long count = op->shape.a;
    op_add(op, 1, count, count, false);
    op_add(op, 1, count, count, true);
    op_add(op, 1, count, count, false);
    for (long i = 0; i < count; i++)
        op->m[X].value[i] *= i % 5 ? (real)1.5 : 8;
}

static void activation_forward(const struct nn_kernels *kernels, struct op *op)
{
    const size_t count = (size_t)op->shape.a;
    memcpy(op->m[Y].value, op->m[X].value, count * sizeof(real));
    kernels->activate(op->row->variant, op->m[Y].value, op->m[GAIN].value, op->shape.a);
}

static void activation_backward(const struct nn_kernels *kernels, struct op *op)
{
    memcpy(op->m[X].gradient, op->m[Y].gradient, (size_t)op->shape.a * sizeof(real));
    kernels->times(op->m[X].gradient, op->m[GAIN].value, op->shape.a);
}

static double activation_reference(const struct op *op, long r, long c)
{
    const double x = op_at(op, X, r, c);
    switch (op->row->variant) {
    case FFN_GELU:
        return x * 0.5 * erfc(-x * sqrt(0.5));
    case FFN_GELU_TANH:
        return x * 0.5 * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
    default:
        return x > 0 ? x : 0;
    }
}

static const struct op_kind norms = {norm_layout, norm_forward, norm_reference, norm_backward, NULL};
static const struct op_kind activations = {activation_layout, activation_forward, activation_reference,
                                           activation_backward, NULL};
static const struct op_row rows[] = {
    {"LayerNorm", NORM_LAYER, &norms, {{1, 2}, {3, 16}, {16, 20}, {37, 64}, {5, 70}}, {{128, 64}, {128, 256}}},
    {"LayerNorm, added", NORM_ADDED, &norms, {{18, 31}, {2, 128}}, {{128, 256}}},
    {"RMSNorm", NORM_RMS, &norms, {{1, 1}, {3, 16}, {17, 20}, {35, 64}}, {{128, 64}}},
    {"gelu", FFN_GELU, &activations, {{16}, {96}}, {{65536}}},
    {"gelu_tanh", FFN_GELU_TANH, &activations, {{16}, {96}}, {{65536}}},
    {"relu", FFN_RELU, &activations, {{16}, {96}}, {{65536}}},
};
const struct op_table ops_rows = {rows, sizeof rows / sizeof *rows};
