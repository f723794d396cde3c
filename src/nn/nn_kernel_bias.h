// SPDX-License-Identifier: MIT
// What encodings do to queries, keys and scores. Included by nn_kernel_table.c alone.
#pragma once
#include "nn_kernel_attention.h"
#include "nn_kernel_rows.h"

SIMD_INLINE void rotate_row(real *restrict first, real *restrict second, const real *restrict cosine,
                            const real *restrict sine, long half, real sign)
{
    for (long c = 0; c < half; c++) {
        const real x = first[c], y = second[c], angle = sign * sine[c];
        first[c] = x * cosine[c] - y * angle;
        second[c] = x * angle + y * cosine[c];
    }
}

static void rotate(real *rows, long stride, long count, long columns, const int32_t *positions, const real *angles,
                   bool back)
{
    const long half = columns / 2;
    for (long r = 0; r < count; r++) {
        const real *row = angles + positions[r] * columns;
        rotate_row(rows + r * stride, rows + r * stride + half, row, row + half, half, back ? -1 : 1);
    }
}

static void bias_slices(struct nn_attention *t, const real *values)
{
    values += t->first;
    for (long j = 0; j < t->keys; j++) {
        UNROLLED
        for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH)
            simd_store(t->weights + j * NN_LANES + lane, simd_load(values - j + lane));
    }
}

// Rows of 16 keys, each a number further to the left, so that equal distances stand in columns: their sums in row
// order, then onto the table.
static void bias_slices_gradient(const struct nn_attention *t, real *sums)
{
    enum { WIDTH = 2 * NN_LANES };
    real skewed[NN_LANES][WIDTH] = {{0}};
    for (long key = 0; key < t->keys; key += NN_LANES) {
        const long rows = t->keys - key < NN_LANES ? t->keys - key : NN_LANES;
        for (long r = 0; r < rows; r++) {
            UNROLLED
            for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH) {
                const simd slope = simd_load(t->score_gradient + (key + r) * NN_LANES + lane);
                simd_store(skewed[r] + NN_LANES - 1 - r + lane, existing(t, lane, slope));
            }
        }
        real *place = sums + t->first - key - (NN_LANES - 1);
        UNROLLED
        for (int c = 0; c < WIDTH; c += SIMD_WIDTH) {
            simd sum = simd_load(skewed[0] + c);
            for (long r = 1; r < rows; r++)
                sum = simd_add(sum, simd_load(skewed[r] + c));
            simd_store(place + c, simd_add(simd_load(place + c), sum));
        }
    }
}

static void shift(const real *rows, long stride, long keys, real *weights)
{
    if (keys == NN_LANES) {
        simd_transpose16(rows, stride, weights);
        return;
    }
    real tile[NN_LANES * NN_LANES];
    simd_transpose16(rows, stride, tile);
    memcpy(weights, tile, (size_t)(keys * NN_LANES) * sizeof *weights);
}

static void unshift(const real *gradient, long keys, real *rows, long stride)
{
    real tile[NN_LANES * NN_LANES], whole[NN_LANES * NN_LANES];
    if (keys < NN_LANES) {
        memset(whole, 0, sizeof whole);
        memcpy(whole, gradient, (size_t)(keys * NN_LANES) * sizeof *gradient);
        gradient = whole;
    }
    simd_transpose16(gradient, NN_LANES, tile);
    for (long lane = 0; lane < NN_LANES; lane++)
        memcpy(rows + lane * stride, tile + lane * NN_LANES, NN_LANES * sizeof *rows);
}

SIMD_INLINE long pair_row(const struct nn_attention *t, const struct nn_pairs *p, long key, long lane)
{
    const long distance = t->positions[key] - t->positions[t->first + lane];
    return distance < p->least ? p->least : distance > p->most ? p->most : distance;
}

static void pair_scores(struct nn_attention *t, const struct nn_pairs *p)
{
    for (long j = 0; j < t->keys; j++)
        for (long lane = 0; lane < p->queries; lane++) {
            const real *row = p->rows + pair_row(t, p, j, lane) * p->row_stride;
            dots_of(1, row, 0, p->columns, p->query + lane * p->query_stride, t->weights + j * NN_LANES + lane);
        }
}

SIMD_INLINE void add_multiple(real *y, const real *x, real factor, long count)
{
    for (long c = 0; c < count; c += SIMD_WIDTH)
        simd_store(y + c, simd_fma(simd_set(factor), simd_load(x + c), simd_load(y + c)));
}

static void pair_scores_gradient(const struct nn_attention *t, const struct nn_pairs *p)
{
    for (long lane = 0; lane < p->queries; lane++)
        for (long j = 0; j < t->keys; j++) {
            const long row = pair_row(t, p, j, lane);
            const real slope = t->score_gradient[j * NN_LANES + lane];
            add_multiple(p->query_gradient + lane * p->query_stride, p->rows + row * p->row_stride, slope, p->columns);
            if (p->sums)
                add_multiple(p->sums + row * p->sums_stride, p->query + lane * p->query_stride, slope, p->columns);
        }
}

static void key_slopes(const struct nn_attention *t, real *ret_sums)
{
    for (long j = 0; j < t->keys; j++) {
        simd lanes[SIMD_PARTS];
        UNROLLED
        for (int i = 0; i < SIMD_PARTS; i++) {
            const simd slope = simd_load(t->score_gradient + j * NN_LANES + i * SIMD_WIDTH);
            lanes[i] = existing(t, i * SIMD_WIDTH, slope);
        }
        ret_sums[j] = simd_sum16(lanes);
    }
}

enum { FIRE_KEYS = 4 }; // chains at once, for their latency

SIMD_INLINE void fire_keys(int keys, struct nn_attention *t, const struct nn_fire_block *f, long key)
{
    simd x[FIRE_KEYS][SIMD_PARTS], sum[FIRE_KEYS][SIMD_PARTS];
    for (int k = 0; k < keys; k++)
        for (int i = 0; i < SIMD_PARTS; i++) {
            const simd psi = simd_load(f->psi + (key + k) * f->step + i * SIMD_WIDTH);
            x[k][i] = simd_mul(psi, simd_load(f->inverse + i * SIMD_WIDTH));
            sum[k][i] = simd_set(f->out_bias);
        }
    for (long unit = 0; unit < f->units; unit++) {
        const simd in = simd_set(f->in[unit]), bias = simd_set(f->in_bias[unit]), out = simd_set(f->out[unit]);
        for (int k = 0; k < keys; k++)
            for (int i = 0; i < SIMD_PARTS; i++)
                sum[k][i] = simd_fma(simd_max(simd_zero(), simd_fma(x[k][i], in, bias)), out, sum[k][i]);
    }
    for (int k = 0; k < keys; k++)
        for (int i = 0; i < SIMD_PARTS; i++)
            simd_store(t->weights + (key + k) * NN_LANES + i * SIMD_WIDTH, sum[k][i]);
}

static void fire_scores(struct nn_attention *t, const struct nn_fire_block *f)
{
    long key = 0;
    for (; key + FIRE_KEYS <= t->keys; key += FIRE_KEYS)
        fire_keys(FIRE_KEYS, t, f, key);
    for (; key < t->keys; key++)
        fire_keys(1, t, f, key);
}

SIMD_INLINE void fire_unit(const struct nn_attention *t, const struct nn_fire_block *f, long unit, int lane)
{
    const simd in = simd_set(f->in[unit]), bias = simd_set(f->in_bias[unit]), inverse = simd_load(f->inverse + lane);
    simd sum[FIRE_LANE_SUMS] = {simd_zero(), simd_zero(), simd_zero()};
    for (long j = 0; j < t->keys; j++) {
        const simd psi = simd_load(f->psi + j * f->step + lane);
        const simd unit_input = simd_fma(simd_mul(psi, inverse), in, bias);
        const simd slope = simd_select_positive(unit_input, simd_load(t->score_gradient + j * NN_LANES + lane));
        sum[FIRE_LANE_ACTIVE] = simd_add(sum[FIRE_LANE_ACTIVE], slope);
        sum[FIRE_LANE_PSI] = simd_fma(slope, psi, sum[FIRE_LANE_PSI]);
        const simd psi_slope = simd_load(f->psi_slope + j * f->step + lane);
        sum[FIRE_LANE_SLOPE] = simd_fma(slope, psi_slope, sum[FIRE_LANE_SLOPE]);
    }
    for (int i = 0; i < FIRE_LANE_SUMS; i++)
        simd_store(f->lane_sums + (unit * FIRE_LANE_SUMS + i) * NN_LANES + lane, sum[i]);
}

static void fire_scores_gradient(const struct nn_attention *t, const struct nn_fire_block *f)
{
    real *all = f->lane_sums + f->units * FIRE_LANE_SUMS * NN_LANES;
    for (long unit = 0; unit < f->units; unit++)
        for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH)
            fire_unit(t, f, unit, lane);
    for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH) {
        simd sum = simd_zero();
        for (long j = 0; j < t->keys; j++)
            sum = simd_add(sum, simd_load(t->score_gradient + j * NN_LANES + lane));
        simd_store(all + lane, sum);
    }
}
