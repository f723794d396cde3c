// SPDX-License-Identifier: MIT
// Layer norms. 16 rows at a time, so that their roots and quotients share instructions. Included by nn_kernel_table.c
// alone.
#pragma once
#include "nn_kernel_lanes.h"

#define NORM_EPSILON ((real)1e-5)

// `x` in the lanes of columns that exist, c being that of the first lane, else 0.
SIMD_INLINE simd within_width(const struct nn_norm_rows *n, long c, simd x)
{
    const simd left = simd_set((real)(n->width - c));
    return c + SIMD_WIDTH <= n->width ? x : simd_select_positive(simd_sub(left, simd_load(lane_number)), x);
}

// Sum of a row, or of the squares of its distances from `mean`.
SIMD_INLINE real row_sum(const struct nn_norm_rows *n, const real *x)
{
    simd sum[SIMD_PARTS];
    clear_parts(sum);
    for (long c = 0; c < n->width; c += NN_LANES) {
        UNROLLED
        for (int i = 0; i < SIMD_PARTS; i++)
            sum[i] = simd_add(sum[i], simd_load(x + c + i * SIMD_WIDTH));
    }
    return simd_sum16(sum);
}

SIMD_INLINE real square_sum(const struct nn_norm_rows *n, const real *x, real mean)
{
    const simd center = simd_set(mean);
    simd sum[SIMD_PARTS];
    clear_parts(sum);
    for (long c = 0; c < n->width; c += NN_LANES) {
        UNROLLED
        for (int i = 0; i < SIMD_PARTS; i++) {
            const long at = c + i * SIMD_WIDTH;
            const simd distance = within_width(n, at, simd_sub(simd_load(x + at), center));
            sum[i] = simd_fma(distance, distance, sum[i]);
        }
    }
    return simd_sum16(sum);
}

// Means and 1 / sd of up to 16 rows.
SIMD_INLINE void row_statistics(const struct nn_norm_rows *n, long first, long count, real *mean, real *inverse)
{
    const real *x = n->x + first * n->x_stride;
    const simd width = simd_set((real)n->width);
    real square[NN_LANES] = {0};
    if (!n->rms) {
        for (long r = 0; r < count; r++)
            mean[r] = row_sum(n, x + r * n->x_stride);
        UNROLLED
        for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH)
            simd_store(mean + lane, simd_div(simd_load(mean + lane), width));
    }
    for (long r = 0; r < count; r++)
        square[r] = square_sum(n, x + r * n->x_stride, mean[r]);
    UNROLLED
    for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH) {
        const simd variance = simd_div(simd_load(square + lane), width);
        const simd sd = simd_sqrt(simd_add(variance, simd_set(NORM_EPSILON)));
        simd_store(inverse + lane, simd_div(simd_set(1), sd));
    }
}

SIMD_INLINE void norm_row(const struct nn_norm_rows *n, const real *x, real mean, real inverse, real *y)
{
    const simd center = simd_set(mean), factor = simd_set(inverse);
    for (long c = 0; c < padded(n->width); c += SIMD_WIDTH) {
        const simd standard = simd_mul(within_width(n, c, simd_sub(simd_load(x + c), center)), factor);
        const simd gain = simd_load(n->gain + c);
        simd_store(y + c, n->bias ? simd_fma(standard, gain, simd_load(n->bias + c)) : simd_mul(standard, gain));
    }
}

static void norm(const struct nn_norm_rows *n)
{
    for (long first = 0; first < n->rows; first += NN_LANES) {
        const long count = n->rows - first < NN_LANES ? n->rows - first : NN_LANES;
        real mean[NN_LANES] = {0}, inverse[NN_LANES];
        row_statistics(n, first, count, mean, inverse);
        for (long r = 0; r < count; r++) {
            const long row = first + r;
            norm_row(n, n->x + row * n->x_stride, mean[r], inverse[r], n->y + row * n->y_stride);
            n->statistics[2 * row] = mean[r];
            n->statistics[2 * row + 1] = inverse[r];
        }
    }
}

// A row of the gradient: what it needs of the forward pass, and means over its columns.
struct norm_slope {
    const real *x, *y_gradient;
    real *x_gradient;
    real mean, inverse;
    real slope_mean, along; // means of g = y_gradient * gain, and of g times the standardised x
};

// The standardised x.
SIMD_INLINE simd standard_at(const struct nn_norm_rows *n, const struct norm_slope *row, long c)
{
    const simd distance = within_width(n, c, simd_sub(simd_load(row->x + c), simd_set(row->mean)));
    return simd_mul(distance, simd_set(row->inverse));
}

SIMD_INLINE void norm_slopes(const struct nn_norm_rows *n, struct norm_slope *row)
{
    simd sum[SIMD_PARTS], along[SIMD_PARTS];
    clear_parts(sum);
    clear_parts(along);
    for (long c = 0; c < n->width; c += NN_LANES) {
        UNROLLED
        for (int i = 0; i < SIMD_PARTS; i++) {
            const long at = c + i * SIMD_WIDTH;
            const simd slope = simd_mul(simd_load(row->y_gradient + at), simd_load(n->gain + at));
            sum[i] = simd_add(sum[i], slope);
            along[i] = simd_fma(slope, standard_at(n, row, at), along[i]);
        }
    }
    row->slope_mean = n->rms ? 0 : simd_sum16(sum) / (real)n->width;
    row->along = simd_sum16(along) / (real)n->width;
}

SIMD_INLINE void add_to(real *sum, simd a, simd b)
{
    simd_store(sum, simd_fma(a, b, simd_load(sum)));
}

SIMD_INLINE void norm_gradient_row(const struct nn_norm_rows *n, const struct norm_slope *row)
{
    const simd slope_mean = simd_set(row->slope_mean), along = simd_set(row->along);
    for (long c = 0; c < padded(n->width); c += SIMD_WIDTH) {
        const simd upstream = simd_load(row->y_gradient + c), standard = standard_at(n, row, c);
        const simd slope = simd_mul(upstream, simd_load(n->gain + c));
        simd x = simd_fnma(standard, along, within_width(n, c, simd_sub(slope, slope_mean)));
        x = simd_mul(x, simd_set(row->inverse));
        simd_store(row->x_gradient + c, n->add ? simd_add(simd_load(row->x_gradient + c), x) : x);
        add_to(n->gain_gradient + c, upstream, standard);
        if (n->bias_gradient)
            simd_store(n->bias_gradient + c, simd_add(simd_load(n->bias_gradient + c), upstream));
    }
}

static void norm_gradient(const struct nn_norm_rows *n)
{
    for (long r = 0; r < n->rows; r++) {
        struct norm_slope row = {.x = n->x + r * n->x_stride,
                                 .y_gradient = n->y_gradient + r * n->y_stride,
                                 .x_gradient = n->x_gradient + r * n->x_gradient_stride,
                                 .mean = n->statistics[2 * r],
                                 .inverse = n->statistics[2 * r + 1]};
        norm_slopes(n, &row);
        norm_gradient_row(n, &row);
    }
}
