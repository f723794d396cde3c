// SPDX-License-Identifier: MIT
// Operations on the scores of all queries (rows of the output) and keys, which kernels have in blocks of 16 queries.
#pragma once
#include "ops.h"
#include <math.h>

// A block without queries and keys: places for 16 lanes of each of the op's keys.
static inline struct nn_attention op_block(const struct op *op, long first, real *weights, real *slopes)
{
    const long keys = op->m[0].columns;
    return (struct nn_attention){
        .length = op->m[0].rows, .keys = keys, .first = first, .weights = weights, .score_gradient = slopes};
}

static inline bool op_block_has(const struct op *op, long first, long lane)
{
    return first + lane < op->m[0].rows;
}

// The block's weights are the output.
static inline void op_put_weights(struct op *op, const struct nn_attention *t)
{
    for (long lane = 0; lane < NN_LANES && op_block_has(op, t->first, lane); lane++)
        for (long j = 0; j < t->keys; j++)
            op->m[0].value[(t->first + lane) * op->m[0].stride + j] = t->weights[j * NN_LANES + lane];
}

// The output's gradient is that of the block's scores. Lanes of no query have NaN, which nothing may meet.
static inline void op_take_slopes(const struct op *op, const struct nn_attention *t)
{
    for (long lane = 0; lane < NN_LANES; lane++)
        for (long j = 0; j < t->keys; j++)
            t->score_gradient[j * NN_LANES + lane] = op_block_has(op, t->first, lane)
                                                         ? op->m[0].gradient[(t->first + lane) * op->m[0].stride + j]
                                                         : (real)NAN;
}
