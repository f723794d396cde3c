// SPDX-License-Identifier: MIT
// Operations on rows of tokens and on flat arrays.
#include "ops.h"
#include "spec_settings.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { Y, X, GAIN, BIAS, STATISTICS };

// Norms: rows, width.
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
}

static void norm_backward(const struct nn_kernels *kernels, struct op *op)
{
    const struct nn_norm_rows norm = norm_of(op);
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
    return rms ? y : y + op_at(op, BIAS, 0, c);
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

// Losses of tokens over classes.
static void class_layout(struct op *op)
{
    op_add(op, op->shape.a, 1, 1, false);
    op_add(op, op->shape.a, op->shape.b, op_padded(op->shape.b), true);
    for (long i = 0; i < op->shape.a * op->m[X].stride; i++)
        op->m[X].value[i] *= 3;
}

static int32_t target_of(const struct op *op, long r)
{
    return (int32_t)(r * 7 % op->shape.b);
}

static void class_forward(const struct nn_kernels *kernels, struct op *op)
{
    for (long r = 0; r < op->shape.a; r++)
        op->m[Y].value[r] = kernels->class_loss(op->m[X].value + r * op->m[X].stride, op->shape.b, target_of(op, r));
}

static void class_backward(const struct nn_kernels *kernels, struct op *op)
{
    const long stride = op->m[X].stride;
    memcpy(op->m[X].gradient, op->m[X].value, (size_t)(op->shape.a * stride) * sizeof(real));
    for (long r = 0; r < op->shape.a; r++) {
        // Padding of logits may hold anything.
        for (long c = op->shape.b; c < stride; c++)
            op->m[X].gradient[r * stride + c] = 1000;
        kernels->class_gradient(op->m[X].gradient + r * stride, op->shape.b, target_of(op, r), op->m[Y].gradient[r]);
    }
}

static double class_reference(const struct op *op, long r, long c)
{
    (void)c;
    double sum = 0;
    for (long k = 0; k < op->shape.b; k++)
        sum += exp(op_at(op, X, r, k) - op_at(op, X, r, target_of(op, r)));
    return log(sum);
}

// Steps of optimisers: numbers. X is the value before, GAIN the gradient, BIAS mean or velocity, STATISTICS square.
enum { STEP_GD, STEP_MOMENTUM, STEP_ADAM };

static void step_layout(struct op *op)
{
    for (int i = 0; i < 5; i++)
        op_add(op, 1, op->shape.a, op->shape.a, false);
    for (long i = 0; i < op->shape.a; i++)
        op->m[STATISTICS].value[i] *= op->m[STATISTICS].value[i];
}

static struct nn_update update_of(const struct op *op)
{
    return (struct nn_update){.value = op->m[Y].value,
                              .gradient = op->m[GAIN].value,
                              .mean = op->m[BIAS].gradient,
                              .square = op->m[STATISTICS].gradient,
                              .count = op->shape.a,
                              .rate = (real)0.1,
                              .scale = (real)0.7,
                              .decay = (real)0.01,
                              .keep = (real)0.999,
                              .momentum = (real)0.9,
                              .beta1 = (real)0.9,
                              .rest1 = (real)0.1,
                              .beta2 = (real)0.99,
                              .rest2 = (real)0.01,
                              .epsilon = (real)1e-8,
                              .adam_rate = (real)0.02,
                              .inverse_correction2 = (real)1.5};
}

static void step_forward(const struct nn_kernels *kernels, struct op *op)
{
    static const int sources[] = {X, BIAS, STATISTICS};
    real *const places[] = {op->m[Y].value, op->m[BIAS].gradient, op->m[STATISTICS].gradient};
    for (int i = 0; i < 3; i++)
        memcpy(places[i], op->m[sources[i]].value, (size_t)op->shape.a * sizeof(real));
    const struct nn_update update = update_of(op);
    if (op->row->variant == STEP_GD)
        kernels->step_gd(&update);
    else if (op->row->variant == STEP_MOMENTUM)
        kernels->step_momentum(&update);
    else
        kernels->step_adam(&update);
}

static double step_reference(const struct op *op, long r, long c)
{
    const double x = op_at(op, X, r, c), slope = 0.7 * op_at(op, GAIN, r, c) + 0.01 * x, before = op_at(op, BIAS, r, c);
    const double mean = 0.9 * before + 0.1 * slope, square = 0.99 * op_at(op, STATISTICS, r, c) + 0.01 * slope * slope;
    switch (op->row->variant) {
    case STEP_GD:
        return x - 0.1 * slope;
    case STEP_MOMENTUM:
        return x - 0.1 * (0.9 * before + slope);
    default:
        return 0.999 * x - 0.02 * mean / (sqrt(1.5 * square) + 1e-8);
    }
}

#define NORM(name, kind, ...)                                                                                          \
    {                                                                                                                  \
        name, kind, norm_layout, norm_forward, norm_reference, norm_backward, NULL, __VA_ARGS__                        \
    }
#define ACTIVATION(name, kind)                                                                                         \
    {                                                                                                                  \
        name, kind, activation_layout, activation_forward, activation_reference, activation_backward, NULL,            \
            {{16}, {96}},                                                                                              \
        {                                                                                                              \
            65536                                                                                                      \
        }                                                                                                              \
    }
#define STEP(name, kind)                                                                                               \
    {                                                                                                                  \
        name, kind, step_layout, step_forward, step_reference, NULL, NULL, {{16}, {80}},                               \
        {                                                                                                              \
            65536                                                                                                      \
        }                                                                                                              \
    }
static const struct op_row rows[] = {
    NORM("LayerNorm", NORM_LAYER, {{1, 2}, {3, 16}, {16, 20}, {37, 64}, {5, 70}}, {128, 64}),
    NORM("LayerNorm, added", NORM_ADDED, {{18, 31}, {2, 128}}, {128, 256}),
    NORM("RMSNorm", NORM_RMS, {{1, 1}, {3, 16}, {17, 20}, {35, 64}}, {128, 64}),
    ACTIVATION("gelu", FFN_GELU),
    ACTIVATION("gelu_tanh", FFN_GELU_TANH),
    ACTIVATION("relu", FFN_RELU),
    {"cross entropy",
     0,
     class_layout,
     class_forward,
     class_reference,
     class_backward,
     NULL,
     {{1, 2}, {5, 16}, {9, 17}, {3, 100}},
     {128, 32}},
    STEP("gradient descent", STEP_GD),
    STEP("momentum", STEP_MOMENTUM),
    STEP("adam", STEP_ADAM),
};
const struct op_table ops_rows = {rows, sizeof rows / sizeof *rows};
