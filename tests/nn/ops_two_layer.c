// SPDX-License-Identifier: MIT
// The two-layer model's attention of one head, summed over its queries, and measures of attention. Shapes are length,
// head_dim, value_dim.
#include "ops.h"
#include <math.h>
#include <stddef.h>

enum { CAUSAL = 1, FROZEN = 2 }; // FROZEN: scores have no gradient
enum { LONGEST = 64 };
enum { Y, QUERY, KEY, VALUE, READOUT };
enum { COLUMNS, WEIGHTS, SLOPES, MIXED, MIXED_GRADIENT, MIXED_ROWS, READOUT_SUM, BUFFERS };

static void take_buffers(struct op *op)
{
    const long length = op->shape.a, value = op_padded(op->shape.c);
    const long count[BUFFERS] = {
        op_padded(op->shape.b) * 16, length * 16, length * 16, value * 16, value * 16, value * 16, value};
    for (int i = 0; i < BUFFERS; i++)
        op_take(op, count[i]);
}

static real *buffer(const struct op *op, int which)
{
    return op->memory[op->taken - BUFFERS + which];
}

static void add_tokens(struct op *op)
{
    const bool varied = !(op->row->variant & FROZEN);
    const long length = op->shape.a, head = op->shape.b, value = op->shape.c;
    const long stride = op_padded(head > value ? head : value);
    op_add(op, length, head, stride, varied);
    op_add(op, length, head, stride, varied);
    op_add(op, length, value, stride, value > 0);
}

static void values_layout(struct op *op)
{
    op_add(op, 1, 1, 16, false);
    add_tokens(op);
    op_add(op, 1, op->shape.c, op_padded(op->shape.c), true);
    take_buffers(op);
}

static void votes_layout(struct op *op)
{
    op_add(op, 1, 1, 16, false);
    add_tokens(op);
    op_add(op, 1, op->shape.a, op->shape.a, true);
    take_buffers(op);
}

static struct nn_attention block_at(const struct op *op, long first)
{
    const long length = op->shape.a, last = first + 16;
    const struct op_matrix *m = op->m;
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
                                 .votes = m[READOUT].value,
                                 .readout = m[READOUT].value,
                                 .query_gradient = m[QUERY].gradient,
                                 .key_gradient = m[KEY].gradient,
                                 .value_gradient = m[VALUE].gradient,
                                 .vote_gradients = m[READOUT].gradient,
                                 .readout_sum = buffer(op, READOUT_SUM),
                                 .columns = buffer(op, COLUMNS),
                                 .weights = buffer(op, WEIGHTS),
                                 .score_gradient = buffer(op, SLOPES),
                                 .mixed = buffer(op, MIXED),
                                 .mixed_gradient = buffer(op, MIXED_GRADIENT),
                                 .mixed_rows = buffer(op, MIXED_ROWS)};
}

// Reads all blocks in turn; where `back`, with their gradients.
static real read_blocks(const struct nn_kernels *kernels, struct op *op, bool back)
{
    const bool votes = op->shape.c == 0, scores = !(op->row->variant & FROZEN);
    const real upstream = op->m[Y].gradient[0];
    struct nn_attention t = block_at(op, 0);
    for (long first = 0; first < op->shape.a; first += 16) {
        t.first = first;
        t.keys = block_at(op, first).keys;
        kernels->take_queries(&t);
        kernels->attend(&t, false);
        (votes ? kernels->read_votes : kernels->read_values)(&t);
        if (back && votes)
            kernels->votes_gradient(&t, upstream);
        if (back && !votes)
            kernels->values_gradient(&t, upstream, scores);
        if (back && scores)
            kernels->scores_gradient(&t);
    }
    return kernels->total(&t);
}

static void forward(const struct nn_kernels *kernels, struct op *op)
{
    op->m[Y].value[0] = read_blocks(kernels, op, false);
}

static void backward(const struct nn_kernels *kernels, struct op *op)
{
    real *sum = buffer(op, READOUT_SUM), *gradient = op->m[READOUT].gradient;
    for (int i = QUERY; i <= VALUE; i++)
        op_soil(&op->m[i]);
    for (long c = 0; c < op->shape.c; c++)
        sum[c] = 0;
    read_blocks(kernels, op, true);
    for (long c = 0; c < op->shape.c; c++)
        gradient[c] = op->m[Y].gradient[0] * sum[c];
}

// What query `q` pays to each key.
static void attention_line(const struct op *op, long q, double *ret_line)
{
    const long keys = op->row->variant & CAUSAL ? q + 1 : op->shape.a;
    double largest = -INFINITY, sum = 0;
    for (long j = 0; j < op->shape.a; j++) {
        ret_line[j] = 0;
        for (long c = 0; c < op->shape.b && j < keys; c++)
            ret_line[j] += op_at(op, QUERY, q, c) * op_at(op, KEY, j, c);
        largest = j < keys ? fmax(largest, ret_line[j]) : largest;
    }
    for (long j = 0; j < op->shape.a; j++)
        sum += ret_line[j] = j < keys ? exp(ret_line[j] - largest) : 0;
    for (long j = 0; j < op->shape.a; j++)
        ret_line[j] /= sum;
}

static double votes_reference(const struct op *op, long r, long c)
{
    double line[LONGEST], sum = 0;
    for (long q = 0; q < op->shape.a; q++) {
        attention_line(op, q, line);
        for (long j = 0; j < op->shape.a; j++)
            sum += line[j] * op_at(op, READOUT, r + c, j);
    }
    return sum;
}

static double values_reference(const struct op *op, long r, long c)
{
    double line[LONGEST], sum = 0;
    for (long q = 0; q < op->shape.a; q++) {
        attention_line(op, q, line);
        for (long k = 0; k < op->shape.c; k++) {
            double mixed = 0;
            for (long j = 0; j < op->shape.a; j++)
                mixed += line[j] * op_at(op, VALUE, j, k);
            sum += fmax(mixed, 0) * op_at(op, READOUT, r + c, k);
        }
    }
    return sum;
}

// What each query pays to the first key and to one in the middle, of those that the first block has.
static long middle_key(const struct op *op)
{
    return op->shape.a < 16 ? op->shape.a / 2 : 15;
}

static void measure_layout(struct op *op)
{
    op_add(op, 1, op->shape.a, op_padded(op->shape.a) + 16, false);
    add_tokens(op);
    op_add(op, 1, 1, 16, false);
    take_buffers(op);
}

static void measure_forward(const struct nn_kernels *kernels, struct op *op)
{
    const int32_t keys[] = {0, (int32_t)middle_key(op)};
    for (long first = 0; first < op->shape.a; first += 16) {
        struct nn_attention t = block_at(op, first);
        kernels->take_queries(&t);
        kernels->attend(&t, false);
        kernels->attention_on(&t, keys, 2, op->m[Y].value + first);
    }
}

static double measure_reference(const struct op *op, long r, long c)
{
    double line[LONGEST];
    (void)r;
    attention_line(op, c, line);
    return line[0] + line[middle_key(op)];
}

static const struct op_kind values = {values_layout, forward, values_reference, backward, NULL};
static const struct op_kind votes = {votes_layout, forward, votes_reference, backward, NULL};
static const struct op_kind measure = {measure_layout, measure_forward, measure_reference, NULL, NULL};

#define LENGTHS        OP_SHAPE(1, 1, 3), OP_SHAPE(5, 16, 16), OP_SHAPE(16, 10, 21), OP_SHAPE(17, 17, 33), OP_SHAPE(40, 20, 17)
#define WITHOUT_VALUES OP_SHAPE(1, 1), OP_SHAPE(5, 16), OP_SHAPE(16, 10), OP_SHAPE(17, 17), OP_SHAPE(40, 20)
static const struct op_row rows[] = {
    {"values read out", 0, &values, {LENGTHS}, {{16, 64, 64}}},
    {"values read out, causal", CAUSAL, &values, {LENGTHS}, {{16, 64, 64}}},
    {"values read out, frozen scores", FROZEN, &values, {LENGTHS}, {{16, 64, 64}}},
    {"votes", 0, &votes, {WITHOUT_VALUES}, {{16, 64}}},
    {"votes, causal", CAUSAL, &votes, {WITHOUT_VALUES}, {{16, 64}}},
    {"attention on keys", 0, &measure, {WITHOUT_VALUES}, {{64, 32}}},
    {"attention on keys, causal", CAUSAL, &measure, {WITHOUT_VALUES}, {{64, 32}}},
};
const struct op_table ops_two_layer = {rows, sizeof rows / sizeof *rows};
