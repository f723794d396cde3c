// SPDX-License-Identifier: MIT
// Attention of one query a sequence and head (a unit), with keys in lanes: the sums of nn_kernel_attention.h and
// nn_kernel_mix.h in the same order. Included by nn_kernel_table.c alone.
#pragma once
#include "nn_kernel_attention.h"

// Units and tiles of keys at once, for the latency of their chains.
#if SIMD_WIDTH == 16
enum { DECODE_TILES = 4, DECODE_GROUPS = 2 };
#elif SIMD_WIDTH == 1
enum { DECODE_TILES = 1, DECODE_GROUPS = 1 };
#else
enum { DECODE_TILES = 2, DECODE_GROUPS = 1 };
#endif
_Static_assert(NN_DECODE_UNITS == 4, "what decode() takes at a time");

SIMD_INLINE const real *unit_start(const struct nn_decoding *d, long unit)
{
    return d->start ? d->start + unit / d->heads * d->start_sample + unit % d->heads * d->start_head : NULL;
}

// `x` for the keys that there are, else `absent`; the tile begins at `key`.
SIMD_INLINE simd of_keys(const struct nn_decoding *d, long key, int lane, simd x, simd absent)
{
    const simd left = simd_sub(simd_set((real)(d->keys - key)), simd_load(lane_number + lane));
    const simd beyond = simd_sub(simd_set((real)0.5), left);
    return simd_add(simd_select_positive(left, x), simd_select_positive(beyond, absent));
}

// Scores of `tiles` tiles from `key` on to `row`, of which the last may go beyond the keys.
SIMD_INLINE void score_tiles(int tiles, const struct nn_decoding *d, long unit, long key, real *row,
                             simd largest[SIMD_PARTS])
{
    const long tile_size = d->head_dim * NN_LANES;
    const real *query = d->query + unit / d->heads * d->query_sample + unit % d->heads * padded(d->head_dim);
    const real *keys = d->key + unit * d->key_unit + key * d->head_dim, *start = unit_start(d, unit);
    simd sum[DECODE_TILES][SIMD_PARTS];
    UNROLLED
    for (int t = 0; t < tiles; t++) {
        UNROLLED
        for (int i = 0; i < SIMD_PARTS; i++)
            sum[t][i] = start ? simd_load(start + key + t * NN_LANES + i * SIMD_WIDTH) : simd_zero();
    }
    for (long c = 0; c < d->head_dim; c++) {
        const simd factor = simd_set(query[c]);
        UNROLLED
        for (int t = 0; t < tiles; t++) {
            UNROLLED
            for (int i = 0; i < SIMD_PARTS; i++)
                sum[t][i] =
                    simd_fma(simd_load(keys + t * tile_size + c * NN_LANES + i * SIMD_WIDTH), factor, sum[t][i]);
        }
    }
    const bool partial = d->keys - key < tiles * NN_LANES;
    UNROLLED
    for (int t = 0; t < tiles; t++) {
        UNROLLED
        for (int i = 0; i < SIMD_PARTS; i++) {
            const int lane = i * SIMD_WIDTH;
            if (partial && t == tiles - 1)
                sum[t][i] = of_keys(d, key + t * NN_LANES, lane, sum[t][i], simd_set(-(real)__builtin_inf()));
            largest[i] = simd_max(sum[t][i], largest[i]);
            simd_store(row + key + t * NN_LANES + lane, sum[t][i]);
        }
    }
}

// Scores of a unit to `row`; returns the largest.
SIMD_INLINE real scores_of_unit(const struct nn_decoding *d, long unit, real *row)
{
    real lanes[NN_LANES];
    simd largest[SIMD_PARTS];
    long key = 0;
    UNROLLED
    for (int i = 0; i < SIMD_PARTS; i++)
        largest[i] = simd_set(-(real)__builtin_inf());
    for (; d->keys - key > (DECODE_TILES - 1) * NN_LANES; key += DECODE_TILES * NN_LANES)
        score_tiles(DECODE_TILES, d, unit, key, row, largest);
    for (; key < d->keys; key += NN_LANES)
        score_tiles(1, d, unit, key, row, largest);
    for (int i = 0; i < SIMD_PARTS; i++)
        simd_store(lanes + i * SIMD_WIDTH, largest[i]);
    for (int half = NN_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            lanes[i] = lanes[i + half] > lanes[i] ? lanes[i + half] : lanes[i];
    return lanes[0];
}

// Scores to e, and zeros behind the keys up to a whole tile.
SIMD_INLINE void exponentials_of_unit(const struct nn_decoding *d, real *row, real largest)
{
    const simd most = simd_set(largest);
    long key = 0;
    for (; key + NN_LANES <= d->keys; key += NN_LANES)
        for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH)
            exponential(row + key + lane, most);
    for (int lane = 0; key < d->keys && lane < NN_LANES; lane += SIMD_WIDTH) {
        real *p = row + key + lane;
        simd_store(p, of_keys(d, key, lane, exp_weight(simd_sub(simd_load(p), most)), simd_zero()));
    }
}

// 1 / sum of e, by 4 partial sums, of all units at once.
SIMD_INLINE void inverses_of_units(int units, const struct nn_decoding *d, real *ret_inverse)
{
    real partial[NN_DECODE_UNITS][4] = {{0}};
    for (long key = 0; key < d->keys; key += 4) {
        UNROLLED
        for (int u = 0; u < units; u++) {
            UNROLLED
            for (int i = 0; i < 4; i++)
                partial[u][i] += d->weights[u * d->weights_unit + key + i];
        }
    }
    for (int u = 0; u < units; u++)
        ret_inverse[u] = 1 / ((partial[u][0] + partial[u][1]) + (partial[u][2] + partial[u][3]));
}

// `groups` of 16 columns from `column` on of the values that the units mix.
SIMD_INLINE void mix_units(int units, int groups, const struct nn_decoding *d, long unit, long column,
                           const real *inverse)
{
    const long width = padded(d->head_dim), vectors = groups * SIMD_PARTS;
    const real *value = d->value + unit * d->value_unit + column, *weights = d->weights;
    simd sum[NN_DECODE_UNITS][DECODE_GROUPS * SIMD_PARTS];
    UNROLLED
    for (int u = 0; u < units; u++) {
        UNROLLED
        for (int v = 0; v < vectors; v++)
            sum[u][v] = simd_zero();
    }
    for (long key = 0; key < d->keys; key++) {
        UNROLLED
        for (int u = 0; u < units; u++) {
            const simd weight = simd_set(weights[u * d->weights_unit + key]);
            UNROLLED
            for (int v = 0; v < vectors; v++)
                sum[u][v] =
                    simd_fma(weight, simd_load(value + u * d->value_unit + key * width + v * SIMD_WIDTH), sum[u][v]);
        }
    }
    for (int u = 0; u < units; u++) {
        real *row = d->mixed + (unit + u) / d->heads * d->mixed_sample + (unit + u) % d->heads * width + column;
        for (int v = 0; v < vectors; v++)
            simd_store(row + v * SIMD_WIDTH, simd_mul(sum[u][v], simd_set(inverse[u])));
    }
}

SIMD_INLINE void decode_units(int units, const struct nn_decoding *d, long unit)
{
    real inverse[NN_DECODE_UNITS];
    long column = 0;
    for (int u = 0; u < units; u++) {
        real *row = d->weights + u * d->weights_unit;
        exponentials_of_unit(d, row, scores_of_unit(d, unit + u, row));
    }
    inverses_of_units(units, d, inverse);
    for (; padded(d->head_dim) - column >= DECODE_GROUPS * NN_LANES; column += DECODE_GROUPS * NN_LANES)
        mix_units(units, DECODE_GROUPS, d, unit, column, inverse);
    for (; column < d->head_dim; column += NN_LANES)
        mix_units(units, 1, d, unit, column, inverse);
}

static void decode(const struct nn_decoding *d)
{
    const long units = d->samples * d->heads;
    long unit = 0;
    for (; unit + NN_DECODE_UNITS <= units; unit += NN_DECODE_UNITS)
        decode_units(NN_DECODE_UNITS, d, unit);
    for (; unit < units; unit++)
        decode_units(1, d, unit);
}
