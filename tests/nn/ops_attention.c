// SPDX-License-Identifier: MIT
// Attention of one head over a sequence, in blocks of 16 queries. Shapes are length, head_dim, value_dim.
#include "ops.h"
#include <math.h>
#include <stddef.h>

enum { ALL = 0, CAUSAL = 1, BIASED = 2, DROPOUT = 4, STEEP = 8 }; // STEEP: scores of the last key are huge
enum { Y, QUERY, KEY, VALUE, BIAS };
enum { COLUMNS, WEIGHTS, SLOPES, KEPT, DROPPED, MIXED_GRADIENT, MIXED_ROWS, BUFFERS };

static long most(long a, long b)
{
    return a > b ? a : b;
}

static void layout(struct op *op)
{
    const long length = op->shape.a, head = op->shape.b, value = op->shape.c;
    const long stride = op_padded(most(head, value)), block = length * 16;
    op_add(op, length, value, stride + 16, false);
    op_add(op, length, head, stride, true);
    op_add(op, length, head, stride, true);
    op_add(op, length, value, stride, true);
    op_add(op, length, op->row->variant & BIASED ? length : 0, length, true); // of query and key
    for (long c = 0; c < head && op->row->variant & STEEP; c++)
        op->m[KEY].value[(length - 1) * stride + c] *= 1000;
    op_take(op, op_padded(head) * 16);
    for (int i = WEIGHTS; i <= DROPPED; i++)
        op_take(op, block);
    op_take(op, op_padded(value) * 16);
    op_take(op, op_padded(value) * 16);
}

static double kept(const struct op *op, long query, long key)
{
    return op->row->variant & DROPOUT ? ((query * 13 + key * 7) % 4 ? 1 / 0.75 : 0) : 1;
}

static bool sees(const struct op *op, long query, long key)
{
    return !(op->row->variant & CAUSAL) || key <= query;
}

static struct nn_attention attention_at(const struct op *op, long first)
{
    const long length = op->shape.a, last = first + 16;
    const struct op_matrix *m = op->m;
    real *const *buffer = op->memory + op->taken - BUFFERS;
    const bool causal = op->row->variant & CAUSAL;
    return (struct nn_attention){.length = length,
                                 .first = first,
                                 .stride = m[QUERY].stride,
                                 .keys = causal && last < length ? last : length,
                                 .causal = causal,
                                 .head_dim = op->shape.b,
                                 .value_dim = op->shape.c,
                                 .query = m[QUERY].value,
                                 .key = m[KEY].value,
                                 .value = m[VALUE].value,
                                 .query_gradient = m[QUERY].gradient,
                                 .key_gradient = m[KEY].gradient,
                                 .value_gradient = m[VALUE].gradient,
                                 .columns = buffer[COLUMNS],
                                 .weights = buffer[WEIGHTS],
                                 .score_gradient = buffer[SLOPES],
                                 .kept = op->row->variant & DROPOUT ? buffer[KEPT] : NULL,
                                 .dropped = buffer[DROPPED],
                                 .mixed_gradient = buffer[MIXED_GRADIENT],
                                 .mixed_rows = buffer[MIXED_ROWS]};
}

static void attend(const struct nn_kernels *kernels, struct op *op, struct nn_attention *t)
{
    const bool biased = op->row->variant & BIASED;
    for (long j = 0; j < t->keys && t->kept; j++)
        for (long l = 0; l < 16; l++)
            op->memory[op->taken - BUFFERS + KEPT][j * 16 + l] = (real)kept(op, t->first + l, j);
    for (long j = 0; j < t->keys && biased; j++)
        for (long l = 0; l < 16; l++)
            t->weights[j * 16 + l] = t->first + l < t->length ? (real)op_at(op, BIAS, t->first + l, j) : 0;
    kernels->take_queries(t);
    kernels->attend(t, biased);
}

static void forward(const struct nn_kernels *kernels, struct op *op)
{
    for (long first = 0; first < op->shape.a; first += 16) {
        struct nn_attention t = attention_at(op, first);
        attend(kernels, op, &t);
        kernels->mix(&t, op->m[Y].value + first * op->m[Y].stride, op->m[Y].stride);
    }
}

static double score(const struct op *op, long query, long key)
{
    double sum = op->row->variant & BIASED ? op_at(op, BIAS, query, key) : 0;
    for (long c = 0; c < op->shape.b; c++)
        sum += op_at(op, QUERY, query, c) * op_at(op, KEY, key, c);
    return sum;
}

static double reference(const struct op *op, long r, long c)
{
    double largest = -INFINITY, sum = 0, mixed = 0;
    for (long j = 0; j < op->shape.a; j++)
        if (sees(op, r, j))
            largest = fmax(largest, score(op, r, j));
    for (long j = 0; j < op->shape.a; j++)
        if (sees(op, r, j)) {
            const double e = exp(score(op, r, j) - largest);
            sum += e;
            mixed += e * kept(op, r, j) * op_at(op, VALUE, j, c);
        }
    return mixed / sum;
}

static void backward(const struct nn_kernels *kernels, struct op *op)
{
    const struct op_matrix *bias = &op->m[BIAS];
    for (int i = QUERY; i <= VALUE; i++)
        op_soil(&op->m[i]);
    for (long first = 0; first < op->shape.a; first += 16) {
        struct nn_attention t = attention_at(op, first);
        attend(kernels, op, &t);
        kernels->mix_gradient(&t, op->m[Y].gradient + first * op->m[Y].stride, op->m[Y].stride);
        for (long l = 0; l < 16 && first + l < t.length; l++)
            for (long j = 0; j < t.keys && bias->columns > 0; j++)
                bias->gradient[(first + l) * bias->stride + j] = t.score_gradient[j * 16 + l];
        kernels->scores_gradient(&t);
    }
}

static double work(const struct op *op)
{
    const double pairs = (double)op->shape.a * (double)op->shape.a;
    return 2 * pairs * (double)(op->shape.b + op->shape.c) * (op->row->variant & CAUSAL ? 0.5 : 1);
}

static const struct op_kind attention = {layout, forward, reference, backward, work};

// Timed as in the models of tools/bench: small, medium, large.
#define LENGTHS OP_SHAPE(1, 1, 3), OP_SHAPE(5, 16, 16), OP_SHAPE(16, 10, 21), OP_SHAPE(17, 17, 33), OP_SHAPE(40, 20, 17)
#define SIZES   OP_SHAPE(32, 16, 16), OP_SHAPE(64, 32, 32), OP_SHAPE(128, 64, 64)
static const struct op_row rows[] = {
    {"attention", ALL, &attention, {LENGTHS}, {SIZES}},
    {"causal attention", CAUSAL, &attention, {LENGTHS}, {SIZES}},
    {"attention, a steep key", STEEP, &attention, {{1, 8, 3}, {5, 8, 3}, {8, 8, 3}, {23, 16, 16}}, {{0}}},
    {"causal attention, a steep key", CAUSAL | STEEP, &attention, {{5, 8, 3}, {23, 16, 16}}, {{0}}},
    {"biased attention", BIASED, &attention, {LENGTHS}, {{128, 32, 32}}},
    {"causal biased attention", CAUSAL | BIASED, &attention, {LENGTHS}, {{128, 32, 32}}},
    {"attention with dropout", DROPOUT, &attention, {LENGTHS}, {{128, 32, 32}}},
    {"causal biased attention with dropout", CAUSAL | BIASED | DROPOUT, &attention, {LENGTHS}, {{128, 32, 32}}},
};
const struct op_table ops_attention = {rows, sizeof rows / sizeof *rows};
