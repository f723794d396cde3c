// SPDX-License-Identifier: MIT
// Products as linear layers use them: y = start + x W, and back. Shapes are tokens, inputs, outputs.
#include "ops.h"
#include <stddef.h>

enum { START_ZERO, START_C, START_BIAS, START_RESIDUAL, START_BOTH };
enum { Y, X, WEIGHT, BIAS, RESIDUAL };

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

#define LINEAR(name, start, ...)                                                                                       \
    {                                                                                                                  \
        name, start, layout, forward, reference, backward, work, __VA_ARGS__                                           \
    }
static const struct op_row rows[] = {
    LINEAR("x W", START_ZERO, {{1, 1, 1}, {5, 16, 16}, {16, 20, 40}, {33, 7, 70}, {37, 64, 96}}, {128, 64, 256}),
    LINEAR("C + x W", START_C, {{1, 3, 5}, {16, 16, 16}, {39, 20, 40}}, {128, 256, 64}),
    LINEAR("b + x W", START_BIAS, {{1, 3, 5}, {7, 16, 33}, {17, 20, 40}}, {128, 64, 256}),
    LINEAR("r + x W", START_RESIDUAL, {{2, 3, 5}, {16, 16, 16}, {23, 20, 40}}, {128, 256, 64}),
    LINEAR("r + b + x W", START_BOTH, {{3, 3, 5}, {31, 16, 33}, {35, 20, 64}}, {128, 256, 64}),
};
const struct op_table ops_linear = {rows, sizeof rows / sizeof *rows};
