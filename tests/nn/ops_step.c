// SPDX-License-Identifier: MIT
// Steps of optimisers on flat arrays; the shape is their length. The output has the value, the mean or velocity, and
// the mean of squares.
#include "ops.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { STEP_GD, STEP_MOMENTUM, STEP_ADAM };
enum { Y, VALUE, SLOPE, MEAN, SQUARE };

static void layout(struct op *op)
{
    const long count = op->shape.a;
    op_add(op, 3, count, count, false);
    for (int i = VALUE; i <= SQUARE; i++)
        op_add(op, 1, count, count, true);
    for (long i = 0; i < count; i++)
        op->m[SQUARE].value[i] *= op->m[SQUARE].value[i];
}

static struct nn_update update_of(const struct op *op)
{
    const struct op_matrix *y = &op->m[Y];
    return (struct nn_update){.value = y->value,
                              .gradient = op->m[SLOPE].value,
                              .mean = y->value + y->stride,
                              .square = y->value + 2 * y->stride,
                              .count = op->shape.a,
                              .rate = (real)0.1,
                              .scale = (real)0.7,
                              .decay = (real)0.01,
                              .keep = (real)0.999,
                              .momentum = (real)0.9,
                              .beta1 = (real)0.8,
                              .rest1 = (real)0.2,
                              .beta2 = (real)0.95,
                              .rest2 = (real)0.05,
                              .epsilon = (real)0.03,
                              .adam_rate = (real)0.2,
                              .inverse_correction2 = (real)1.5};
}

static void forward(const struct nn_kernels *kernels, struct op *op)
{
    static const int sources[] = {VALUE, MEAN, SQUARE};
    for (int i = 0; i < 3; i++)
        memcpy(op->m[Y].value + i * op->m[Y].stride, op->m[sources[i]].value, (size_t)op->shape.a * sizeof(real));
    const struct nn_update update = update_of(op);
    if (op->row->variant == STEP_GD)
        kernels->step_gd(&update);
    else if (op->row->variant == STEP_MOMENTUM)
        kernels->step_momentum(&update);
    else
        kernels->step_adam(&update);
}

static double reference(const struct op *op, long r, long c)
{
    const int step = op->row->variant;
    const double x = op_at(op, VALUE, 0, c), slope = 0.7 * op_at(op, SLOPE, 0, c) + 0.01 * x;
    double mean = op_at(op, MEAN, 0, c), square = op_at(op, SQUARE, 0, c);
    if (step == STEP_MOMENTUM)
        mean = 0.9 * mean + slope;
    if (step == STEP_ADAM) {
        mean = 0.8 * mean + 0.2 * slope;
        square = 0.95 * square + 0.05 * slope * slope;
    }
    if (r > 0)
        return r == 1 ? mean : square;
    if (step == STEP_ADAM)
        return 0.999 * x - 0.2 * mean / (sqrt(1.5 * square) + 0.03);
    return x - 0.1 * (step == STEP_GD ? slope : mean);
}

static const struct op_kind steps = {layout, forward, reference, NULL, NULL};
static const struct op_row rows[] = {
    {"gradient descent", STEP_GD, &steps, {{16}, {80}}, {{65536}}},
    {"momentum", STEP_MOMENTUM, &steps, {{16}, {80}}, {{65536}}},
    {"adam", STEP_ADAM, &steps, {{16}, {80}}, {{65536}}},
};
const struct op_table ops_step = {rows, sizeof rows / sizeof *rows};
