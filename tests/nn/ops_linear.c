// SPDX-License-Identifier: MIT
// Products as linear layers use them: y = start + x W, and back. Shapes are tokens, inputs, outputs.
#include "ops.h"
#include <stddef.h>

enum { START_ZERO, START_C, START_BIAS, START_RESIDUAL, START_BOTH };
enum { Y, X, WEIGHT, BIAS, RESIDUAL };
enum { Z = WEIGHT };

static void layout(struct op *op)
{
    const long tokens = op->shape.a, in = op->shape.b, out = op->shape.c, stride = op_padded(out);
    op_add(op, tokens, out, stride + 16, false);
    op_add(op, tokens, in, op_padded(in), true);
    op_add(op, in, out, stride, true);
    op_add(op, 1, out, stride, op->row->variant == START_BIAS || op->row->variant == START_BOTH);
    op_add(op, tokens, out, stride,
           op->row->variant == START_C || op->row->variant == START_RESIDUAL || op->row->variant == START_BOTH);
    op_take(op, op_padded(in) * stride);
    op_take(op, op_padded(in) * stride);
}

static void forward(const struct nn_kernels *kernels, struct op *op)
{
    const long in = op->shape.b, out = op_padded(op->shape.c);
    const struct op_matrix *m = op->m;
    real *packed = op->memory[op->taken - 2];
    struct nn_product p = {.rows = op->shape.a,
                           .columns = out,
                           .depth = in,
                           .a = m[X].value,
                           .a_row = m[X].stride,
                           .a_depth = 1,
                           .b = packed,
                           .b_stride = 16,
                           .b_group = 16 * in,
                           .c = m[Y].value,
                           .c_stride = m[Y].stride,
                           .from_c = op->row->variant == START_C};
    kernels->pack(m[WEIGHT].value, m[WEIGHT].stride, in, out, 0.5, packed);
    if (m[BIAS].varied)
        p.bias = m[BIAS].value;
    if (p.from_c) {
        for (long i = 0; i < p.rows; i++)
            for (long k = 0; k < out; k++)
                m[Y].value[i * p.c_stride + k] = m[RESIDUAL].value[i * m[RESIDUAL].stride + k];
    } else if (m[RESIDUAL].varied) {
        p.residual = m[RESIDUAL].value;
        p.residual_stride = m[RESIDUAL].stride;
    }
    kernels->multiply(&p);
}

static double reference(const struct op *op, long r, long c)
{
    double sum =
        (op->m[BIAS].varied ? op_at(op, BIAS, 0, c) : 0) + (op->m[RESIDUAL].varied ? op_at(op, RESIDUAL, r, c) : 0);
    for (long k = 0; k < op->shape.b; k++)
        sum += 0.5 * op_at(op, X, r, k) * op_at(op, WEIGHT, k, c);
    return sum;
}

static void backward(const struct nn_kernels *kernels, struct op *op)
{
    const long tokens = op->shape.a, in = op->shape.b, out = op_padded(op->shape.c);
    const struct op_matrix *m = op->m;
    real *transposed = op->memory[op->taken - 1];
    op_soil(&m[X]);
    op_soil(&m[WEIGHT]);
    kernels->pack_transposed(m[WEIGHT].value, m[WEIGHT].stride, out, op_padded(in), 0.5, transposed);
    kernels->multiply(&(struct nn_product){.rows = tokens,
                                           .columns = op_padded(in),
                                           .depth = out,
                                           .a = m[Y].gradient,
                                           .a_row = m[Y].stride,
                                           .a_depth = 1,
                                           .b = transposed,
                                           .b_stride = 16,
                                           .b_group = 16 * out,
                                           .c = m[X].gradient,
                                           .c_stride = m[X].stride});
    kernels->multiply(&(struct nn_product){.rows = in,
                                           .columns = out,
                                           .depth = tokens,
                                           .a = m[X].value,
                                           .a_row = 1,
                                           .a_depth = m[X].stride,
                                           .b = m[Y].gradient,
                                           .b_stride = m[Y].stride,
                                           .b_group = 16,
                                           .c = m[WEIGHT].gradient,
                                           .c_stride = m[WEIGHT].stride});
    kernels->scale(m[WEIGHT].gradient, 0.5, in * m[WEIGHT].stride);
    kernels->sum_rows(m[Y].gradient, m[Y].stride, tokens, out, m[BIAS].gradient);
    for (long i = 0; i < tokens; i++)
        kernels->add_scaled(m[RESIDUAL].gradient + i * m[RESIDUAL].stride, m[Y].gradient + i * m[Y].stride, 1, out);
}

static double work(const struct op *op)
{
    return 2.0 * (double)op->shape.a * (double)op->shape.b * (double)op->shape.c;
}

static const struct op_kind linear = {layout, forward, reference, backward, work};

// As gradients of weights are: y = x^T z, over tokens.
static void gradient_layout(struct op *op)
{
    const long tokens = op->shape.a, in = op->shape.b, out = op->shape.c;
    op_add(op, in, out, op_padded(out), false);
    op_add(op, tokens, in, op_padded(in), true);
    op_add(op, tokens, out, op_padded(out) + 16, true);
}

static void gradient_forward(const struct nn_kernels *kernels, struct op *op)
{
    const struct op_matrix *m = op->m;
    kernels->multiply(&(struct nn_product){.rows = op->shape.b,
                                           .columns = op_padded(op->shape.c),
                                           .depth = op->shape.a,
                                           .a = m[X].value,
                                           .a_row = 1,
                                           .a_depth = m[X].stride,
                                           .b = m[Z].value,
                                           .b_stride = m[Z].stride,
                                           .b_group = 16,
                                           .c = m[Y].value,
                                           .c_stride = m[Y].stride});
}

static double gradient_reference(const struct op *op, long r, long c)
{
    double sum = 0;
    for (long t = 0; t < op->shape.a; t++)
        sum += op_at(op, X, t, r) * op_at(op, Z, t, c);
    return sum;
}

static const struct op_kind gradient = {gradient_layout, gradient_forward, gradient_reference, NULL, work};

// Rows are timed at what a chunk of 128 tokens takes in the models of tools/bench: small, medium, large.
#define WIDENED  OP_SHAPE(128, 64, 256), OP_SHAPE(128, 128, 512), OP_SHAPE(128, 256, 1024)
#define NARROWED OP_SHAPE(128, 256, 64), OP_SHAPE(128, 512, 128), OP_SHAPE(128, 1024, 256)
static const struct op_row rows[] = {
    {"x W", START_ZERO, &linear, {{1, 1, 1}, {5, 16, 16}, {16, 20, 40}, {33, 7, 70}, {37, 64, 96}}, {WIDENED}},
    {"C + x W", START_C, &linear, {{1, 3, 5}, {16, 16, 16}, {39, 20, 40}}, {{128, 256, 64}}},
    {"b + x W", START_BIAS, &linear, {{1, 3, 5}, {7, 16, 33}, {17, 20, 40}}, {{128, 64, 256}}},
    {"r + x W", START_RESIDUAL, &linear, {{2, 3, 5}, {16, 16, 16}, {23, 20, 40}}, {{128, 256, 64}}},
    {"r + b + x W", START_BOTH, &linear, {{3, 3, 5}, {31, 16, 33}, {35, 20, 64}}, {NARROWED}},
    {"x^T z", 0, &gradient, {{1, 1, 1}, {5, 16, 16}, {16, 20, 40}, {33, 35, 70}}, {WIDENED}},
};
const struct op_table ops_linear = {rows, sizeof rows / sizeof *rows};
