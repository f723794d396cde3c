// SPDX-License-Identifier: MIT
// Loops over rows of tokens and over flat arrays. Included by nn_kernel_table.c alone.
#pragma once
#include "nn_kernel_lanes.h"

enum { DOT_ROWS = 4, COMBINE_VECTORS = 4 }; // sums at once, for their latency; each in its own order

SIMD_INLINE void dots_of(int rows, const real *first, long stride, long width, const real *vector, real *ret)
{
    simd sum[DOT_ROWS][SIMD_PARTS];
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < SIMD_PARTS; i++)
            sum[r][i] = simd_zero();
    for (long c = 0; c < width; c += NN_LANES)
        for (int i = 0; i < SIMD_PARTS; i++) {
            const simd factor = simd_load(vector + c + i * SIMD_WIDTH);
            for (int r = 0; r < rows; r++)
                sum[r][i] = simd_fma(simd_load(first + r * stride + c + i * SIMD_WIDTH), factor, sum[r][i]);
        }
    for (int r = 0; r < rows; r++)
        ret[r] = simd_sum16(sum[r]);
}

static void dots(const real *rows, long stride, long count, long width, const real *vector, real *ret)
{
    long r = 0;
    for (; r + DOT_ROWS <= count; r += DOT_ROWS)
        dots_of(DOT_ROWS, rows + r * stride, stride, width, vector, ret + r);
    for (; r < count; r++)
        dots_of(1, rows + r * stride, stride, width, vector, ret + r);
}

static void norms(const real *rows, long stride, long count, long width, real *ret)
{
    for (long r = 0; r < count; r++, rows += stride) {
        simd sum[SIMD_PARTS];
        for (int i = 0; i < SIMD_PARTS; i++)
            sum[i] = simd_zero();
        for (long c = 0; c < width; c += NN_LANES)
            for (int i = 0; i < SIMD_PARTS; i++) {
                const simd x = simd_load(rows + c + i * SIMD_WIDTH);
                sum[i] = simd_fma(x, x, sum[i]);
            }
        real part[NN_LANES];
        for (int i = 0; i < NN_LANES; i += SIMD_WIDTH)
            simd_store(part + i, simd_set(simd_sum16(sum)));
        simd_store(part, simd_sqrt(simd_load(part)));
        ret[r] = part[0];
    }
}

// A square of a float is exact in double. The compiler makes vectors of the lanes.
static double square_norm(const real *x, long count)
{
    double sum[NN_LANES] = {0};
    for (long i = 0; i < count; i += NN_LANES)
        for (int lane = 0; lane < NN_LANES; lane++)
            sum[lane] += (double)x[i + lane] * (double)x[i + lane];
    for (int half = NN_LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++)
            sum[lane] += sum[lane + half];
    return sum[0];
}

// Sums stay in registers over all rows.
SIMD_INLINE void combine_of(int vectors, const real *rows, long stride, long count, const real *coefficient, real *sum)
{
    simd part[COMBINE_VECTORS];
    for (int i = 0; i < vectors; i++)
        part[i] = simd_load(sum + i * SIMD_WIDTH);
    for (long r = 0; r < count; r++) {
        const simd factor = simd_set(coefficient[r]);
        for (int i = 0; i < vectors; i++)
            part[i] = simd_fma(factor, simd_load(rows + r * stride + i * SIMD_WIDTH), part[i]);
    }
    for (int i = 0; i < vectors; i++)
        simd_store(sum + i * SIMD_WIDTH, part[i]);
}

static void combine(const real *rows, long stride, long count, long width, const real *coefficient, real *sum)
{
    long c = 0;
    for (; c + COMBINE_VECTORS * SIMD_WIDTH <= width; c += COMBINE_VECTORS * SIMD_WIDTH)
        combine_of(COMBINE_VECTORS, rows + c, stride, count, coefficient, sum + c);
    for (; c < width; c += SIMD_WIDTH)
        combine_of(1, rows + c, stride, count, coefficient, sum + c);
}

SIMD_INLINE void sum_rows_of(int vectors, const real *rows, long stride, long count, real *sum)
{
    simd part[COMBINE_VECTORS];
    for (int i = 0; i < vectors; i++)
        part[i] = simd_load(sum + i * SIMD_WIDTH);
    for (long r = 0; r < count; r++)
        for (int i = 0; i < vectors; i++)
            part[i] = simd_add(part[i], simd_load(rows + r * stride + i * SIMD_WIDTH));
    for (int i = 0; i < vectors; i++)
        simd_store(sum + i * SIMD_WIDTH, part[i]);
}

static void sum_rows(const real *rows, long stride, long count, long width, real *sum)
{
    long c = 0;
    for (; c + COMBINE_VECTORS * SIMD_WIDTH <= width; c += COMBINE_VECTORS * SIMD_WIDTH)
        sum_rows_of(COMBINE_VECTORS, rows + c, stride, count, sum + c);
    for (; c < width; c += SIMD_WIDTH)
        sum_rows_of(1, rows + c, stride, count, sum + c);
}

static void add_scaled(real *y, const real *x, real scale, long count)
{
    const simd factor = simd_set(scale);
    for (long i = 0; i < count; i += SIMD_WIDTH)
        simd_store(y + i, simd_fma(factor, simd_load(x + i), simd_load(y + i)));
}

static void decay_add(real *y, const real *x, real decay, long count)
{
    const simd factor = simd_set(decay);
    for (long i = 0; i < count; i += SIMD_WIDTH)
        simd_store(y + i, simd_fma(factor, simd_load(y + i), simd_load(x + i)));
}

static void times(real *y, const real *x, long count)
{
    for (long i = 0; i < count; i += SIMD_WIDTH)
        simd_store(y + i, simd_mul(simd_load(y + i), simd_load(x + i)));
}

static void scale(real *y, real scale, long count)
{
    const simd factor = simd_set(scale);
    for (long i = 0; i < count; i += SIMD_WIDTH)
        simd_store(y + i, simd_mul(factor, simd_load(y + i)));
}

// In this order NaN passes.
SIMD_INLINE void losses_of(const real *x, real *loss)
{
    for (int i = 0; i < NN_LANES; i += SIMD_WIDTH) {
        const simd v = simd_load(x + i);
        const simd tail = simd_log1p(simd_exp(simd_negate(simd_abs(v))));
        simd_store(loss + i, simd_add(simd_max(v, simd_zero()), tail));
    }
}

static void losses(const real *x, long count, real *ret_loss)
{
    for (long at = 0; at < count; at += NN_LANES) {
        const size_t some = (size_t)(count - at < NN_LANES ? count - at : NN_LANES);
        real in[NN_LANES] = {0}, loss[NN_LANES];
        memcpy(in, x + at, some * sizeof *in);
        losses_of(in, loss);
        memcpy(ret_loss + at, loss, some * sizeof *loss);
    }
}

static real loss_slope(real x)
{
    real slope[NN_LANES];
    const simd one = simd_set(1);
    simd_store(slope, simd_div(one, simd_add(one, simd_exp(simd_set(-x)))));
    return slope[0];
}

SIMD_INLINE simd update_gradient(const struct nn_update *u, long i)
{
    const simd slope = simd_mul(simd_set(u->scale), simd_load(u->gradient + i));
    return simd_fma(simd_set(u->decay), simd_load(u->value + i), slope);
}

static void step_gd(const struct nn_update *u)
{
    for (long i = 0; i < u->count; i += SIMD_WIDTH)
        simd_store(u->value + i, simd_fnma(simd_set(u->rate), update_gradient(u, i), simd_load(u->value + i)));
}

static void step_momentum(const struct nn_update *u)
{
    for (long i = 0; i < u->count; i += SIMD_WIDTH) {
        const simd velocity = simd_fma(simd_set(u->momentum), simd_load(u->mean + i), update_gradient(u, i));
        simd_store(u->mean + i, velocity);
        simd_store(u->value + i, simd_fnma(simd_set(u->rate), velocity, simd_load(u->value + i)));
    }
}

static void step_adam(const struct nn_update *u)
{
    for (long i = 0; i < u->count; i += SIMD_WIDTH) {
        const simd g = update_gradient(u, i), rest = simd_mul(simd_set(u->rest1), g);
        const simd mean = simd_fma(simd_set(u->beta1), simd_load(u->mean + i), rest);
        const simd square_part = simd_mul(simd_set(u->rest2), simd_mul(g, g));
        const simd square = simd_fma(simd_set(u->beta2), simd_load(u->square + i), square_part);
        const simd root = simd_sqrt(simd_mul(square, simd_set(u->inverse_correction2)));
        const simd step = simd_div(simd_mul(simd_set(u->adam_rate), mean), simd_add(root, simd_set(u->epsilon)));
        simd_store(u->mean + i, mean);
        simd_store(u->square + i, square);
        simd_store(u->value + i, simd_sub(simd_mul(simd_set(u->keep), simd_load(u->value + i)), step));
    }
}
