// SPDX-License-Identifier: MIT
// What values are mixed to, in rows of queries, and back. Included by nn_kernel_table.c alone.
#pragma once
#include "nn_kernel_attention.h"
#include "nn_kernel_rows.h"

// The attention before division: weights, or what dropout leaves of them.
SIMD_INLINE const real *weights_in_play(struct nn_attention *t)
{
    if (!t->kept)
        return t->weights;
    for (long i = 0; i < t->keys * NN_LANES; i += SIMD_WIDTH)
        simd_store(t->dropped + i, simd_mul(simd_load(t->weights + i), simd_load(t->kept + i)));
    return t->dropped;
}

static void mix(struct nn_attention *t, real *ret_rows, long stride)
{
    const struct nn_product product = {.rows = queries_in_block(t),
                                       .columns = padded(t->value_dim),
                                       .depth = t->keys,
                                       .a = weights_in_play(t),
                                       .a_row = 1,
                                       .a_depth = NN_LANES,
                                       .b = t->value,
                                       .b_stride = t->stride,
                                       .b_group = NN_LANES,
                                       .c = ret_rows,
                                       .c_stride = stride};
    multiply(&product);
    for (long l = 0; l < product.rows; l++) {
        const simd inverse = simd_set(t->inverse[l]);
        real *row = ret_rows + l * stride;
        for (long c = 0; c < product.columns; c += SIMD_WIDTH)
            simd_store(row + c, simd_mul(simd_load(row + c), inverse));
    }
}

// mixed_rows = rows times `inverse`, 0 for queries beyond the sequence; mixed_gradient, the same with queries in lanes.
SIMD_INLINE void take_gradient(struct nn_attention *t, const real *rows, long stride, long c)
{
    real *taken = t->mixed_rows + c * NN_LANES;
    for (long l = 0; l < NN_LANES; l++) {
        const bool exists = l < queries_in_block(t);
        const simd inverse = simd_set(t->inverse[l]);
        UNROLLED
        for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH)
            simd_store(taken + l * NN_LANES + lane,
                       exists ? simd_mul(simd_load(rows + l * stride + c + lane), inverse) : simd_zero());
    }
    simd_transpose16(taken, NN_LANES, t->mixed_gradient + c * NN_LANES);
}

static void mix_gradient(struct nn_attention *t, const real *rows, long stride)
{
    for (long c = 0; c < t->value_dim; c += NN_LANES)
        take_gradient(t, rows, stride, c);
    gradient_of_values(t, weights_in_play(t));
    gradient_of_attention(t);
    if (t->kept)
        times(t->score_gradient, t->kept, t->keys * NN_LANES);
    UNROLLED
    for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH)
        softmax_gradient(t, lane);
}
