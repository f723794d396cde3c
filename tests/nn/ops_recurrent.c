// SPDX-License-Identifier: MIT
// Time steps of recurrent layers; shapes are samples, width. The output has the states, and below them lstm's cells.
#include "ops.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { LSTM, LSTM_FIRST, RNN };
enum { Y, GATES, BEFORE };

static int gates_of(const struct op *op)
{
    return op->row->variant == RNN ? 1 : 4;
}

static bool first(const struct op *op)
{
    return op->row->variant == LSTM_FIRST;
}

static void layout(struct op *op)
{
    const long rows = op->shape.a, width = op->shape.b, padded = op_padded(width), all = gates_of(op) * padded;
    const bool lstm = op->row->variant != RNN;
    op_add(op, lstm ? 2 * rows : rows, width, padded + 16, false);
    op_add(op, rows, all, all + 16, true);
    op_add(op, rows, width, padded + 16, op->row->variant == LSTM);
    op_take(op, rows * (all + 16));
    for (long r = 0; r < rows; r++)
        for (long c = 0; c < all; c++)
            if (c % padded >= width)
                op->m[GATES].value[r * op->m[GATES].stride + c] = 0;
}

// With `gates` as the place of sums and activations.
static struct nn_cell cell_of(const struct op *op, real *gates)
{
    const struct op_matrix *m = op->m;
    const long below = op->shape.a * m[Y].stride;
    return (struct nn_cell){.rows = op->shape.a,
                            .width = op_padded(op->shape.b),
                            .gates_stride = m[GATES].stride,
                            .stride = m[Y].stride,
                            .gates = gates,
                            .cell_before = first(op) ? NULL : m[BEFORE].value,
                            .cell = m[Y].value + below,
                            .state = m[Y].value,
                            .state_gradient = m[Y].gradient,
                            .cell_gradient = m[BEFORE].gradient};
}

static void forward(const struct nn_kernels *kernels, struct op *op)
{
    const struct op_matrix *gates = &op->m[GATES];
    real *work = op->memory[op->taken - 1];
    const struct nn_cell cell = cell_of(op, work);
    memcpy(work, gates->value, (size_t)(gates->rows * gates->stride) * sizeof *work);
    if (op->row->variant == RNN)
        kernels->rnn_cell(&cell);
    else
        kernels->lstm_cell(&cell);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double reference(const struct op *op, long r, long c)
{
    const long rows = op->shape.a, padded = op_padded(op->shape.b), sample = r % rows;
    const double i = op_at(op, GATES, sample, c);
    if (op->row->variant == RNN)
        return tanh(i);
    const double f = op_at(op, GATES, sample, padded + c), g = op_at(op, GATES, sample, 2 * padded + c);
    const double before = first(op) ? 0 : op_at(op, BEFORE, sample, c);
    const double cell = sigmoid(f) * before + sigmoid(i) * tanh(g);
    return r < rows ? sigmoid(op_at(op, GATES, sample, 3 * padded + c)) * tanh(cell) : cell;
}

static void backward(const struct nn_kernels *kernels, struct op *op)
{
    const struct op_matrix *m = op->m;
    const struct nn_cell cell = cell_of(op, m[GATES].gradient);
    const long rows = op->shape.a, numbers = rows * m[Y].stride;
    memcpy(m[GATES].gradient, op->memory[op->taken - 1], (size_t)(rows * m[GATES].stride) * sizeof(real));
    if (op->row->variant == RNN) {
        kernels->rnn_cell_gradient(&cell);
        return;
    }
    memcpy(m[BEFORE].gradient, m[Y].gradient + numbers, (size_t)numbers * sizeof(real));
    kernels->lstm_cell_gradient(&cell);
}

static const struct op_kind cells = {layout, forward, reference, backward, NULL};
static const struct op_row rows[] = {
    {"lstm cell", LSTM, &cells, {{1, 3}, {3, 16}, {5, 40}}, {{64, 64}}},
    {"lstm cell, first step", LSTM_FIRST, &cells, {{1, 3}, {3, 16}, {5, 40}}, {{64, 64}}},
    {"rnn cell", RNN, &cells, {{1, 3}, {3, 16}, {5, 40}}, {{64, 64}}},
};
const struct op_table ops_recurrent = {rows, sizeof rows / sizeof *rows};
