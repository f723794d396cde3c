// SPDX-License-Identifier: MIT
// Attention of the last token alone, in rows of sequences and groups of columns for heads. Shapes are keys, head_dim,
// sequences; the variant says how many heads there are.
#include "ops.h"
#include <math.h>
#include <stddef.h>

enum { HEADS = 15, BIASED = 16, SHARED = 32 }; // SHARED: all sequences have the first one's biases
enum { Y, QUERY, KEY, VALUE, START };
enum { TILES, WEIGHTS, BUFFERS };

static long heads_of(const struct op *op)
{
    return op->row->variant & HEADS;
}

static void layout(struct op *op)
{
    const long keys = op->shape.a, head = op->shape.b, samples = op->shape.c, units = samples * heads_of(op);
    const long width = heads_of(op) * op_padded(head);
    op_add(op, samples, width, width + 16, false);
    op_add(op, samples, width, width + 32, true);
    op_add(op, units * keys, head, op_padded(head), true);
    op_add(op, units * keys, head, op_padded(head), true);
    op_add(op, op->row->variant & BIASED ? units : 0, keys, op_padded(keys) + 16, op->row->variant & BIASED);
    op_take(op, units * op_padded(keys) * head);
    op_take(op, NN_DECODE_UNITS * op_padded(keys));
}

// Keys from rows to tiles; what is beyond them must not show.
static void tile_keys(const struct op *op, real *tiles)
{
    const long keys = op->shape.a, head = op->shape.b, unit = op_padded(keys) * head;
    for (long u = 0; u < op->shape.c * heads_of(op); u++)
        for (long j = 0; j < op_padded(keys); j++)
            for (long c = 0; c < head; c++)
                tiles[u * unit + j / 16 * 16 * head + c * 16 + j % 16] =
                    j < keys ? (real)op_at(op, KEY, u * keys + j, c) : (real)NAN;
}

static void forward(const struct nn_kernels *kernels, struct op *op)
{
    const struct op_matrix *m = op->m;
    real *const *buffer = op->memory + op->taken - BUFFERS;
    const long keys = op->shape.a, head = op->shape.b;
    const int variant = op->row->variant;
    tile_keys(op, buffer[TILES]);
    kernels->decode(&(struct nn_decoding){.samples = op->shape.c,
                                          .heads = heads_of(op),
                                          .keys = keys,
                                          .head_dim = head,
                                          .query = m[QUERY].value,
                                          .query_sample = m[QUERY].stride,
                                          .key = buffer[TILES],
                                          .value = m[VALUE].value,
                                          .key_unit = op_padded(keys) * head,
                                          .value_unit = keys * m[VALUE].stride,
                                          .start = variant & BIASED ? m[START].value : NULL,
                                          .start_sample = variant & SHARED ? 0 : heads_of(op) * m[START].stride,
                                          .start_head = m[START].stride,
                                          .weights = buffer[WEIGHTS],
                                          .weights_unit = op_padded(keys),
                                          .mixed = m[Y].value,
                                          .mixed_sample = m[Y].stride});
}

static double score(const struct op *op, long sample, long head, long key)
{
    const int variant = op->row->variant;
    const long unit = sample * heads_of(op) + head;
    double sum = variant & BIASED ? op_at(op, START, variant & SHARED ? head : unit, key) : 0;
    for (long c = 0; c < op->shape.b; c++)
        sum +=
            op_at(op, QUERY, sample, head * op_padded(op->shape.b) + c) * op_at(op, KEY, unit * op->shape.a + key, c);
    return sum;
}

static double reference(const struct op *op, long r, long column)
{
    const long head = column / op_padded(op->shape.b), c = column % op_padded(op->shape.b);
    const long first = (r * heads_of(op) + head) * op->shape.a;
    double largest = -INFINITY, sum = 0, mixed = 0;
    for (long j = 0; j < op->shape.a; j++)
        largest = fmax(largest, score(op, r, head, j));
    for (long j = 0; j < op->shape.a; j++) {
        const double e = exp(score(op, r, head, j) - largest);
        sum += e;
        mixed += c < op->shape.b ? e * op_at(op, VALUE, first + j, c) : 0;
    }
    return mixed / sum;
}

static double work(const struct op *op)
{
    return 4 * (double)(op->shape.a * op->shape.b * op->shape.c * heads_of(op));
}

static const struct op_kind decode = {layout, forward, reference, NULL, work};

#define SHAPES OP_SHAPE(1, 3, 1), OP_SHAPE(5, 16, 3), OP_SHAPE(16, 10, 4), OP_SHAPE(65, 33, 2), OP_SHAPE(150, 20, 5)
#define SIZES  OP_SHAPE(100, 16, 1), OP_SHAPE(100, 16, 64), OP_SHAPE(1000, 64, 4)
static const struct op_row rows[] = {
    {"last token's attention", 4, &decode, {SHAPES}, {SIZES}},
    {"last token's attention, a head", 1, &decode, {SHAPES}, {{0}}},
    {"last token's attention, 3 heads, biased", 3 | BIASED, &decode, {SHAPES}, {SIZES}},
    {"last token's attention, biases of all", 2 | BIASED | SHARED, &decode, {SHAPES}, {SIZES}},
};
const struct op_table ops_decode = {rows, sizeof rows / sizeof *rows};
