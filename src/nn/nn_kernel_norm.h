// SPDX-License-Identifier: MIT
// Layer norms. 16 rows at a time, so that their roots and quotients share instructions. Included by nn_kernel_table.c
// alone.
#pragma once
#include "nn_kernel_lanes.h"

#define NORM_EPSILON ((real)1e-5)

// `x` in the lanes of columns that exist, c being that of the first lane, else 0.
SIMD_INLINE simd within(long width, long c, simd x)
{
    const simd left = simd_set((real)(width - c));
    return c + SIMD_WIDTH <= width ? x : simd_select_positive(simd_sub(left, simd_load(lane_number)), x);
}

// Sum of a row, padding included.
SIMD_INLINE real row_sum(const real *x, long width)
{
    simd sum[SIMD_PARTS];
    clear_parts(sum);
    for (long c = 0; c < width; c += NN_LANES) {
        UNROLLED
        for (int i = 0; i < SIMD_PARTS; i++)
            sum[i] = simd_add(sum[i], simd_load(x + c + i * SIMD_WIDTH));
    }
    return simd_sum16(sum);
}

SIMD_INLINE void add_squares(const real *x, simd mean, long width, long c, simd sum[SIMD_PARTS])
{
    UNROLLED
    for (int i = 0; i < SIMD_PARTS; i++) {
        const long at = c + i * SIMD_WIDTH;
        const simd distance = within(width, at, simd_sub(simd_load(x + at), mean));
        sum[i] = simd_fma(distance, distance, sum[i]);
    }
}

// Sum of the squares of a row's distances from `mean`.
SIMD_INLINE real square_sum(const real *x, long width, real mean)
{
    const simd center = simd_set(mean);
    simd sum[SIMD_PARTS];
    clear_parts(sum);
    long c = 0;
    for (; c + NN_LANES <= width; c += NN_LANES)
        add_squares(x, center, c + NN_LANES, c, sum);
    if (c < width)
        add_squares(x, center, width, c, sum);
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
            mean[r] = row_sum(x + r * n->x_stride, n->width);
        UNROLLED
        for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH)
            simd_store(mean + lane, simd_div(simd_load(mean + lane), width));
    }
    for (long r = 0; r < count; r++)
        square[r] = square_sum(x + r * n->x_stride, n->width, mean[r]);
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
    const real *gain = n->gain, *bias = n->bias;
    const long width = n->width, stored = padded(width);
    for (long c = 0; c < stored; c += SIMD_WIDTH) {
        const simd standard = simd_mul(within(width, c, simd_sub(simd_load(x + c), center)), factor);
        simd_store(y + c, bias ? simd_fma(standard, simd_load(gain + c), simd_load(bias + c))
                               : simd_mul(standard, simd_load(gain + c)));
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

// What up to 16 rows of a gradient need: of the forward pass, and means over columns of g = y_gradient * gain and of g
// times the standardised x.
struct norm_slopes {
    real mean[NN_LANES], inverse[NN_LANES], slope[NN_LANES], along[NN_LANES];
};

// The standardised x.
SIMD_INLINE simd standard_at(const real *x, long width, long c, simd mean, simd inverse)
{
    return simd_mul(within(width, c, simd_sub(simd_load(x + c), mean)), inverse);
}

SIMD_INLINE void slopes_of_row(const struct nn_norm_rows *n, const real *x, const real *upstream, int r,
                               struct norm_slopes *s)
{
    const simd mean = simd_set(s->mean[r]), inverse = simd_set(s->inverse[r]);
    const real *gain = n->gain;
    const long width = n->width;
    simd sum[SIMD_PARTS], along[SIMD_PARTS];
    clear_parts(sum);
    clear_parts(along);
    for (long c = 0; c < width; c += NN_LANES) {
        UNROLLED
        for (int i = 0; i < SIMD_PARTS; i++) {
            const long at = c + i * SIMD_WIDTH;
            const simd slope = simd_mul(simd_load(upstream + at), simd_load(gain + at));
            sum[i] = simd_add(sum[i], slope);
            along[i] = simd_fma(slope, standard_at(x, width, at, mean, inverse), along[i]);
        }
    }
    s->slope[r] = n->rms ? 0 : simd_sum16(sum);
    s->along[r] = simd_sum16(along);
}

// A column of vectors: sums over the rows stay in registers.
SIMD_INLINE void gradient_of_columns(const struct nn_norm_rows *n, const struct norm_slopes *s, long first, int count,
                                     long c)
{
    const long x_stride = n->x_stride, y_stride = n->y_stride, stride = n->x_gradient_stride, width = n->width;
    const real *x = n->x + first * x_stride, *upstream = n->y_gradient + first * y_stride + c;
    real *x_gradient = n->x_gradient + first * stride + c;
    const simd gain = simd_load(n->gain + c);
    simd gain_sum = simd_load(n->gain_gradient + c);
    simd bias_sum = n->bias_gradient ? simd_load(n->bias_gradient + c) : simd_zero();
    for (int r = 0; r < count; r++) {
        const simd inverse = simd_set(s->inverse[r]), y = simd_load(upstream + r * y_stride);
        const simd standard = standard_at(x + r * x_stride, width, c, simd_set(s->mean[r]), inverse);
        const simd slope = within(width, c, simd_sub(simd_mul(y, gain), simd_set(s->slope[r])));
        const simd share = simd_mul(simd_fnma(standard, simd_set(s->along[r]), slope), inverse);
        real *place = x_gradient + r * stride;
        simd_store(place, n->add ? simd_add(simd_load(place), share) : share);
        gain_sum = simd_fma(y, standard, gain_sum);
        bias_sum = simd_add(bias_sum, y);
    }
    simd_store(n->gain_gradient + c, gain_sum);
    if (n->bias_gradient)
        simd_store(n->bias_gradient + c, bias_sum);
}

static void norm_gradient(const struct nn_norm_rows *n)
{
    for (long first = 0; first < n->rows; first += NN_LANES) {
        const int count = (int)(n->rows - first < NN_LANES ? n->rows - first : NN_LANES);
        struct norm_slopes s = {{0}};
        for (int r = 0; r < count; r++) {
            const long row = first + r;
            s.mean[r] = n->statistics[2 * row];
            s.inverse[r] = n->statistics[2 * row + 1];
            slopes_of_row(n, n->x + row * n->x_stride, n->y_gradient + row * n->y_stride, r, &s);
        }
        UNROLLED
        for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH) {
            const simd width = simd_set((real)n->width);
            simd_store(s.slope + lane, simd_div(simd_load(s.slope + lane), width));
            simd_store(s.along + lane, simd_div(simd_load(s.along + lane), width));
        }
        for (long c = 0; c < padded(n->width); c += SIMD_WIDTH)
            gradient_of_columns(n, &s, first, count, c);
    }
}
