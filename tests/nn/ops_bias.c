// SPDX-License-Identifier: MIT
// What encodings do to queries, keys and scores.
#include "ops_scores.h"
#include <stddef.h>
#include <string.h>

enum { Y, X, OTHER };

// Rotations: rows, columns. The angles are any numbers: what `back` does is the transposed of it.
enum { POSITIONS = 5 };

static void rotate_layout(struct op *op)
{
    const long columns = op->shape.b, stride = op_padded(columns) + 16;
    op_add(op, op->shape.a, columns, stride, false);
    op_add(op, op->shape.a, columns, stride, true);
    op_add(op, POSITIONS, columns, columns, false);
}

static int32_t position_of(long row)
{
    return (int32_t)(row * 3 % POSITIONS);
}

static void rotate(const struct nn_kernels *kernels, struct op *op, const real *x, real *y, bool back)
{
    const long stride = op->m[Y].stride;
    memcpy(y, x, (size_t)(op->shape.a * stride) * sizeof *y);
    for (long r = 0; r < op->shape.a; r += 2) {
        const int32_t positions[] = {position_of(r), position_of(r + 1)};
        kernels->rotate(y + r * stride, stride, r + 1 < op->shape.a ? 2 : 1, op->shape.b, positions, op->m[OTHER].value,
                        back);
    }
}

static void rotate_forward(const struct nn_kernels *kernels, struct op *op)
{
    rotate(kernels, op, op->m[X].value, op->m[Y].value, false);
}

static void rotate_backward(const struct nn_kernels *kernels, struct op *op)
{
    rotate(kernels, op, op->m[Y].gradient, op->m[X].gradient, true);
}

static double rotate_reference(const struct op *op, long r, long c)
{
    const long half = op->shape.b / 2, pair = c % half, position = position_of(r);
    const double x = op_at(op, X, r, pair), y = op_at(op, X, r, pair + half);
    const double cosine = op_at(op, OTHER, position, pair), sine = op_at(op, OTHER, position, pair + half);
    return c < half ? x * cosine - y * sine : x * sine + y * cosine;
}

// A table of biases of distances query - key: length. It has 16 places more on either side.
static void slices_layout(struct op *op)
{
    const long length = op->shape.a, places = 2 * length + 31;
    op_add(op, length, length, length, false);
    op_add(op, 1, places, places, true);
    op->m[X].probe = length + 15;
    op_take(op, length * 16);
    op_take(op, length * 16);
}

static struct nn_attention score_block(const struct op *op, long first)
{
    return op_block(op, first, op->memory[op->taken - 2], op->memory[op->taken - 1]);
}

static void slices_forward(const struct nn_kernels *kernels, struct op *op)
{
    for (long first = 0; first < op->shape.a; first += 16) {
        struct nn_attention t = score_block(op, first);
        kernels->bias_slices(&t, op->m[X].value + op->m[X].probe);
        op_put_weights(op, &t);
    }
}

static double slices_reference(const struct op *op, long r, long c)
{
    return op_at(op, X, 0, op->m[X].probe + r - c);
}

static void slices_backward(const struct nn_kernels *kernels, struct op *op)
{
    for (long first = 0; first < op->shape.a; first += 16) {
        struct nn_attention t = score_block(op, first);
        op_take_slopes(op, &t);
        kernels->bias_slices_gradient(&t, op->m[X].gradient + op->m[X].probe);
    }
}

// A tile of scores to lanes: keys.
static void shift_layout(struct op *op)
{
    op_add(op, op->shape.a, 16, 16, false);
    op_add(op, 16, op->shape.a, 24, true);
}

static void shift_forward(const struct nn_kernels *kernels, struct op *op)
{
    kernels->shift(op->m[X].value, op->m[X].stride, op->shape.a, op->m[Y].value);
}

static double shift_reference(const struct op *op, long r, long c)
{
    return op_at(op, X, c, r);
}

static void shift_backward(const struct nn_kernels *kernels, struct op *op)
{
    op_soil(&op->m[X]);
    kernels->unshift(op->m[Y].gradient, op->shape.a, op->m[X].gradient, op->m[X].stride);
}

// Queries with vectors of distances: length, columns, clip. UNTRAINED: the vectors have no gradient.
enum { TRAINED, UNTRAINED };

static void pairs_layout(struct op *op)
{
    const long length = op->shape.a, columns = op->shape.b;
    op_add(op, length, length, length, false);
    op_add(op, length, columns, columns + 16, true);
    op_add(op, 2 * op->shape.c + 1, columns, columns + 32, op->row->variant == TRAINED);
    op->m[OTHER].probe = op->shape.c * op->m[OTHER].stride; // of distance 0
    op_take(op, length * (long)sizeof(int32_t));
    op_take(op, length * 16);
    op_take(op, length * 16);
    int32_t *positions = (int32_t *)op->memory[op->taken - 3];
    for (long i = 0; i < length; i++)
        positions[i] = (int32_t)(i * 3 / 2);
}

static long most_of(const struct op *op)
{
    return op->shape.c / 2;
}

static struct nn_attention pairs_block(const struct op *op, long first, struct nn_pairs *ret_pairs)
{
    const struct op_matrix *query = &op->m[X], *rows = &op->m[OTHER];
    const long start = first * query->stride, middle = op->shape.c * rows->stride;
    *ret_pairs = (struct nn_pairs){.query = query->value + start,
                                   .query_stride = query->stride,
                                   .queries = op->shape.a - first < 16 ? op->shape.a - first : 16,
                                   .columns = op->shape.b,
                                   .rows = rows->value + middle,
                                   .row_stride = rows->stride,
                                   .least = -op->shape.c,
                                   .most = most_of(op),
                                   .query_gradient = query->gradient + start,
                                   .sums = op->row->variant == TRAINED ? rows->gradient + middle : NULL,
                                   .sums_stride = rows->stride};
    struct nn_attention t = score_block(op, first);
    t.positions = (const int32_t *)op->memory[op->taken - 3];
    return t;
}

static void pairs_forward(const struct nn_kernels *kernels, struct op *op)
{
    for (long first = 0; first < op->shape.a; first += 16) {
        struct nn_pairs pairs;
        struct nn_attention t = pairs_block(op, first, &pairs);
        kernels->pair_scores(&t, &pairs);
        op_put_weights(op, &t);
    }
}

static double pairs_reference(const struct op *op, long r, long c)
{
    const int32_t *positions = (const int32_t *)op->memory[op->taken - 3];
    const double distance =
        fmax(-(double)op->shape.c, fmin((double)(positions[c] - positions[r]), (double)most_of(op)));
    double sum = 0;
    for (long k = 0; k < op->shape.b; k++)
        sum += op_at(op, X, r, k) * op_at(op, OTHER, op->shape.c + (long)distance, k);
    return sum;
}

static void pairs_backward(const struct nn_kernels *kernels, struct op *op)
{
    for (long first = 0; first < op->shape.a; first += 16) {
        struct nn_pairs pairs;
        struct nn_attention t = pairs_block(op, first, &pairs);
        op_take_slopes(op, &t);
        kernels->pair_scores_gradient(&t, &pairs);
    }
}

// Sums of score gradients over a block's queries: keys, queries.
static void slopes_layout(struct op *op)
{
    op_add(op, 1, op->shape.a, op->shape.a + 16, false);
    op_add(op, op->shape.a, op->shape.b, 16, true);
    for (long j = 0; j < op->shape.a; j++)
        for (long lane = op->shape.b; lane < 16; lane++)
            op->m[X].value[j * 16 + lane] = (real)NAN;
}

static void slopes_forward(const struct nn_kernels *kernels, struct op *op)
{
    const struct nn_attention t = {
        .length = 16 + op->shape.b, .first = 16, .keys = op->shape.a, .score_gradient = op->m[X].value};
    kernels->key_slopes(&t, op->m[Y].value);
}

static double slopes_reference(const struct op *op, long r, long c)
{
    double sum = 0;
    for (long lane = 0; lane < op->shape.b; lane++)
        sum += op_at(op, X, c, r + lane);
    return sum;
}

static const struct op_kind rotation = {rotate_layout, rotate_forward, rotate_reference, rotate_backward, NULL};
static const struct op_kind slices = {slices_layout, slices_forward, slices_reference, slices_backward, NULL};
static const struct op_kind shifts = {shift_layout, shift_forward, shift_reference, shift_backward, NULL};
static const struct op_kind pairs = {pairs_layout, pairs_forward, pairs_reference, pairs_backward, NULL};
static const struct op_kind slopes = {slopes_layout, slopes_forward, slopes_reference, NULL, NULL};
static const struct op_row rows[] = {
    {"rotation", 0, &rotation, {{1, 2}, {5, 16}, {4, 22}, {7, 64}}, {{128, 32}}},
    {"table of biases", 0, &slices, {{1}, {5}, {16}, {17}, {50}}, {{128}}},
    {"tile to lanes", 0, &shifts, {{1}, {9}, {16}}, {{16}}},
    {"vectors of distances", TRAINED, &pairs, {{1, 16, 0}, {5, 16, 2}, {16, 32, 9}, {41, 16, 20}}, {{128, 32, 64}}},
    {"vectors of distances, untrained", UNTRAINED, &pairs, {{18, 16, 4}}, {{128, 32, 64}}},
    {"sums of keys' slopes", 0, &slopes, {{1, 1}, {9, 16}, {20, 11}}, {{128, 16}}},
};
const struct op_table ops_bias = {rows, sizeof rows / sizeof *rows};
