// SPDX-License-Identifier: MIT
// One row an operation of nn_kernels.h: it serves the values (against straight loops in double), the gradient (against
// finite differences, in the build with NN_DOUBLE), equal bits on all instruction sets, NaN, and the time. Every
// function of struct nn_kernels has a row that calls it.
#pragma once
#include "nn_kernels.h"
#include <stdbool.h>

enum { OP_MATRICES = 8, OP_SHAPES = 6, OP_TIMED = 6, OP_TAKEN = 32 };

// What a row makes of the three numbers is its own matter.
struct op_shape {
    long a, b, c;
};

// Stored with `stride` and 16 rows of slack. Outputs and gradients are zero outside rows x columns, and must stay so.
struct op_matrix {
    long rows, columns, stride;
    real *value, *gradient;
    bool varied; // an input, from which NaN must reach the output, and which has a gradient where there is `backward`
    long probe;  // the place where NaN is put; it matters to the output
};

// Matrix 0 is the output. Its gradient is drawn; that of the others is for `backward` to fill.
struct op {
    const struct op_row *row;
    struct op_shape shape;
    int matrices;
    struct op_matrix m[OP_MATRICES];
    int taken;
    real *memory[OP_TAKEN];
};

struct op_kind {
    void (*layout)(struct op *op);
    void (*forward)(const struct nn_kernels *kernels, struct op *op);
    double (*reference)(const struct op *op, long r, long c);          // element of the output
    void (*backward)(const struct nn_kernels *kernels, struct op *op); // or NULL
    double (*work)(const struct op *op); // floating-point operations of `forward`; NULL: elements of the output count
};

struct op_row {
    const char *name;
    int variant;
    const struct op_kind *kind;
    struct op_shape shape[OP_SHAPES]; // up to the first with a = 0
    struct op_shape timed[OP_TIMED];  // likewise
};

// A shape inside of a macro.
#define OP_SHAPE(...)                                                                                                  \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

struct op_table {
    const struct op_row *row;
    int count;
};
extern const struct op_table ops_attention, ops_bias, ops_decode, ops_fire, ops_linear, ops_loss, ops_recurrent,
    ops_rows, ops_step, ops_sums, ops_two_layer;
#define OP_TABLES                                                                                                      \
    &ops_linear, &ops_rows, &ops_sums, &ops_loss, &ops_step, &ops_recurrent, &ops_attention, &ops_two_layer,           \
        &ops_bias, &ops_fire, &ops_decode

void op_open(struct op *op, const struct op_row *row, struct op_shape shape);
void op_close(struct op *op);
// Prints what the rows take whose name contains `part`.
void op_print_times(const char *part);

// Zeros, freed with the case.
real *op_take(struct op *op, long count);
// Adds a matrix of normal numbers.
void op_add(struct op *op, long rows, long columns, long stride, bool varied);

// Fills a gradient that kernels write to, rather than add to: nothing of this may be left.
void op_soil(const struct op_matrix *m);

static inline long op_padded(long count)
{
    return (count + 15) / 16 * 16;
}

static inline double op_at(const struct op *op, int matrix, long r, long c)
{
    return op->m[matrix].value[r * op->m[matrix].stride + c];
}
