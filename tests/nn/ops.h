// SPDX-License-Identifier: MIT
// One row an operation of nn_kernels.h: it serves the values (against straight loops in double), the gradient (against
// finite differences, in the build with NN_DOUBLE), equal bits on all instruction sets, and the time.
#pragma once
#include "nn_kernels.h"
#include <stdbool.h>

enum { OP_MATRICES = 8, OP_SHAPES = 6, OP_TAKEN = 32 };

// What a row makes of the three numbers is its own matter.
struct op_shape {
    long a, b, c;
};

// Stored with `stride` and 16 rows of slack; numbers outside rows x columns are zero and must stay so where `padded`.
struct op_matrix {
    long rows, columns, stride;
    real *value, *gradient;
    bool varied; // an input that has a gradient
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

struct op_row {
    const char *name;
    int variant;
    void (*layout)(struct op *op);
    void (*forward)(const struct nn_kernels *kernels, struct op *op);
    double (*reference)(const struct op *op, long r, long c); // element of the output
    void (*backward)(const struct nn_kernels *kernels, struct op *op);
    double (*work)(const struct op *op); // floating-point operations of `forward`; NULL: elements of the output count
    struct op_shape shape[OP_SHAPES];    // up to the first without rows
    struct op_shape timed;
};

struct op_table {
    const struct op_row *row;
    int count;
};
extern const struct op_table ops_linear, ops_rows, ops_attention;

// Zeros, freed with the case.
real *op_take(struct op *op, long count);
// Adds a matrix of normal numbers.
void op_add(struct op *op, long rows, long columns, long stride, bool varied);

static inline long op_padded(long count)
{
    return (count + 15) / 16 * 16;
}

static inline double op_at(const struct op *op, int matrix, long r, long c)
{
    return op->m[matrix].value[r * op->m[matrix].stride + c];
}
