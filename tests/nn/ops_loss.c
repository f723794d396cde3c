// SPDX-License-Identifier: MIT
// Losses.
#include "ops.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { Y, X };

// Tokens over classes; shapes are tokens, classes. STEEP: the last class has a huge logit.
enum { PLAIN, STEEP };

static void class_layout(struct op *op)
{
    op_add(op, op->shape.a, 1, 1, false);
    op_add(op, op->shape.a, op->shape.b, op_padded(op->shape.b), true);
    for (long i = 0; i < op->shape.a * op->m[X].stride; i++)
        op->m[X].value[i] *= 3;
    for (long r = 0; r < op->shape.a && op->row->variant == STEEP; r++)
        op->m[X].value[r * op->m[X].stride + op->shape.b - 1] = 1000;
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

// Two classes: numbers.
enum { APART, IN_PLACE };

static void binary_layout(struct op *op)
{
    const long count = op->shape.a, stride = op_padded(count) + 16;
    op_add(op, 1, count, stride, false);
    op_add(op, 1, count, stride, true);
    for (long i = 0; i < count; i++)
        op->m[X].value[i] *= i % 3 ? 2 : 9;
}

static void binary_forward(const struct nn_kernels *kernels, struct op *op)
{
    const bool apart = op->row->variant == APART;
    memcpy(op->m[Y].value, op->m[X].value, (size_t)op->shape.a * sizeof(real));
    kernels->losses(apart ? op->m[X].value : op->m[Y].value, op->shape.a, op->m[Y].value);
}

static double binary_reference(const struct op *op, long r, long c)
{
    const double x = op_at(op, X, r, c);
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

static void binary_backward(const struct nn_kernels *kernels, struct op *op)
{
    for (long i = 0; i < op->shape.a; i++)
        op->m[X].gradient[i] = op->m[Y].gradient[i] * kernels->loss_slope(op->m[X].value[i]);
}

static const struct op_kind classes = {class_layout, class_forward, class_reference, class_backward, NULL};
static const struct op_kind binary = {binary_layout, binary_forward, binary_reference, binary_backward, NULL};
static const struct op_row rows[] = {
    {"cross entropy", PLAIN, &classes, {{1, 2}, {5, 16}, {9, 17}, {3, 100}}, {{128, 32}}},
    {"cross entropy, a steep class", STEEP, &classes, {{1, 1}, {5, 16}, {9, 17}}, {{0}}},
    {"binary losses", APART, &binary, {{1}, {16}, {37}}, {{4096}}},
    {"binary losses, in place", IN_PLACE, &binary, {{5}, {32}}, {{4096}}},
};
const struct op_table ops_loss = {rows, sizeof rows / sizeof *rows};
