// SPDX-License-Identifier: MIT
// Sums of and over rows, shapes rows and width; and flat arrays, the shape is their length.
#include "ops.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { DOTS, NORMS, COMBINE, SUM_ROWS, SQUARE_NORM, TIMES, ADD_SCALED, DECAY_ADD, SCALE };
enum { Y, X, OTHER, START };

static const real some = (real)0.7;

static void copy(const real *x, long count, real *ret_y)
{
    memcpy(ret_y, x, (size_t)count * sizeof *x);
}

// A number a row: row · vector, or the root of row · row.
static void dots_layout(struct op *op)
{
    const long rows = op->shape.a, width = op->shape.b, stride = op_padded(width) + 16;
    op_add(op, 1, rows, op_padded(rows) + 16, false);
    op_add(op, rows, width, stride, true);
    op_add(op, 1, width, stride, op->row->variant == DOTS);
}

static void dots_forward(const struct nn_kernels *kernels, struct op *op)
{
    const struct op_matrix *m = op->m;
    if (op->row->variant == DOTS)
        kernels->dots(m[X].value, m[X].stride, m[X].rows, op_padded(m[X].columns), m[OTHER].value, m[Y].value);
    else
        kernels->norms(m[X].value, m[X].stride, m[X].rows, op_padded(m[X].columns), m[Y].value);
}

static double dots_reference(const struct op *op, long r, long c)
{
    const bool dots = op->row->variant == DOTS;
    double sum = 0;
    for (long k = 0; k < op->shape.b; k++)
        sum += op_at(op, X, c, k) * (dots ? op_at(op, OTHER, r, k) : op_at(op, X, c, k));
    return dots ? sum : sqrt(sum);
}

static void dots_backward(const struct nn_kernels *kernels, struct op *op)
{
    const struct op_matrix *m = op->m;
    const long stride = m[X].stride, width = op_padded(m[X].columns);
    const bool dots = op->row->variant == DOTS;
    for (long r = 0; r < m[X].rows; r++)
        kernels->add_scaled(m[X].gradient + r * stride, dots ? m[OTHER].value : m[X].value + r * stride,
                            dots ? m[Y].gradient[r] : m[Y].gradient[r] / m[Y].value[r], width);
    if (dots)
        kernels->combine(m[X].value, stride, m[X].rows, width, m[Y].gradient, m[OTHER].gradient);
}

// A row: what was there plus the rows, or their multiples.
static void combine_layout(struct op *op)
{
    const long rows = op->shape.a, width = op->shape.b, stride = op_padded(width) + 16;
    op_add(op, 1, width, stride, false);
    op_add(op, rows, width, stride, true);
    op_add(op, 1, rows, rows, op->row->variant == COMBINE);
    op_add(op, 1, width, stride, true);
}

static void combine_forward(const struct nn_kernels *kernels, struct op *op)
{
    const struct op_matrix *m = op->m;
    const long width = op_padded(m[X].columns);
    copy(m[START].value, width, m[Y].value);
    if (op->row->variant == COMBINE)
        kernels->combine(m[X].value, m[X].stride, m[X].rows, width, m[OTHER].value, m[Y].value);
    else
        kernels->sum_rows(m[X].value, m[X].stride, m[X].rows, width, m[Y].value);
}

static double combine_reference(const struct op *op, long r, long c)
{
    double sum = op_at(op, START, 0, c);
    for (long k = 0; k < op->shape.a; k++)
        sum += op_at(op, X, k, c) * (op->row->variant == COMBINE ? op_at(op, OTHER, r, k) : 1);
    return sum;
}

static void combine_backward(const struct nn_kernels *kernels, struct op *op)
{
    const struct op_matrix *m = op->m;
    const long stride = m[X].stride, width = op_padded(m[X].columns);
    const bool combine = op->row->variant == COMBINE;
    copy(m[Y].gradient, width, m[START].gradient);
    for (long r = 0; r < m[X].rows; r++)
        kernels->add_scaled(m[X].gradient + r * stride, m[Y].gradient, combine ? m[OTHER].value[r] : 1, width);
    if (combine)
        kernels->dots(m[X].value, stride, m[X].rows, width, m[Y].gradient, m[OTHER].gradient);
}

// One number, in two parts: what `real` holds of it and what is left.
static void square_layout(struct op *op)
{
    op_add(op, 1, 2, 16, false);
    op_add(op, 1, op->shape.a, op->shape.a, true);
}

static real part_of(double sum, long c)
{
    return c == 0 ? (real)sum : (real)(sum - (double)(real)sum);
}

static void square_forward(const struct nn_kernels *kernels, struct op *op)
{
    const double sum = kernels->square_norm(op->m[X].value, op->shape.a);
    op->m[Y].value[0] = part_of(sum, 0);
    op->m[Y].value[1] = part_of(sum, 1);
}

static double square_reference(const struct op *op, long r, long c)
{
    double sum = 0;
    for (long i = 0; i < op->shape.a; i++)
        sum += op_at(op, X, r, i) * op_at(op, X, r, i);
    return part_of(sum, c);
}

static void square_backward(const struct nn_kernels *kernels, struct op *op)
{
    kernels->add_scaled(op->m[X].gradient, op->m[X].value, 2 * op->m[Y].gradient[0], op->shape.a);
}

// Element by element.
static void flat_layout(struct op *op)
{
    const long count = op->shape.a;
    op_add(op, 1, count, count + 16, false);
    op_add(op, 1, count, count, true);
    op_add(op, 1, count, count, op->row->variant != SCALE);
}

static void flat_forward(const struct nn_kernels *kernels, struct op *op)
{
    const long count = op->shape.a;
    real *y = op->m[Y].value;
    copy(op->m[X].value, count, y);
    switch (op->row->variant) {
    case TIMES:
        kernels->times(y, op->m[OTHER].value, count);
        break;
    case ADD_SCALED:
        kernels->add_scaled(y, op->m[OTHER].value, some, count);
        break;
    case DECAY_ADD:
        kernels->decay_add(y, op->m[OTHER].value, some, count);
        break;
    default:
        kernels->scale(y, some, count);
    }
}

static double flat_reference(const struct op *op, long r, long c)
{
    const double x = op_at(op, X, r, c), other = op_at(op, OTHER, r, c);
    switch (op->row->variant) {
    case TIMES:
        return x * other;
    case ADD_SCALED:
        return x + (double)some * other;
    case DECAY_ADD:
        return (double)some * x + other;
    default:
        return (double)some * x;
    }
}

static void flat_backward(const struct nn_kernels *kernels, struct op *op)
{
    const long count = op->shape.a;
    const int variant = op->row->variant;
    real *of_x = op->m[X].gradient, *of_other = op->m[OTHER].gradient;
    copy(op->m[Y].gradient, count, of_x);
    copy(op->m[Y].gradient, count, of_other);
    if (variant == TIMES) {
        kernels->times(of_x, op->m[OTHER].value, count);
        kernels->times(of_other, op->m[X].value, count);
    } else {
        kernels->scale(variant == ADD_SCALED ? of_other : of_x, some, count);
    }
}

static const struct op_kind dots = {dots_layout, dots_forward, dots_reference, dots_backward, NULL};
static const struct op_kind sums = {combine_layout, combine_forward, combine_reference, combine_backward, NULL};
static const struct op_kind square = {square_layout, square_forward, square_reference, square_backward, NULL};
static const struct op_kind flat = {flat_layout, flat_forward, flat_reference, flat_backward, NULL};
static const struct op_row rows[] = {
    {"dots", DOTS, &dots, {{1, 3}, {4, 16}, {7, 40}, {18, 100}}, {{128, 64}}},
    {"norms", NORMS, &dots, {{1, 3}, {4, 16}, {7, 40}, {18, 100}}, {{128, 64}}},
    {"combine", COMBINE, &sums, {{1, 3}, {4, 16}, {7, 40}, {18, 100}}, {{128, 64}}},
    {"sum of rows", SUM_ROWS, &sums, {{1, 3}, {4, 16}, {7, 40}, {18, 100}}, {{128, 64}}},
    {"square norm", SQUARE_NORM, &square, {{16}, {80}}, {{65536}}},
    {"times", TIMES, &flat, {{16}, {80}}, {{65536}}},
    {"add scaled", ADD_SCALED, &flat, {{16}, {80}}, {{65536}}},
    {"decay and add", DECAY_ADD, &flat, {{16}, {80}}, {{65536}}},
    {"scale", SCALE, &flat, {{16}, {80}}, {{65536}}},
};
const struct op_table ops_sums = {rows, sizeof rows / sizeof *rows};
