// SPDX-License-Identifier: MIT
// Attention on blocks of 16 queries, in lanes, against all keys, in rows: softmax and its gradient run down columns.
// Included by nn_kernel_table.c alone.
#pragma once
#include "nn_kernel_product.h"

SIMD_INLINE simd sum_partials(const simd partial[4])
{
    return simd_add(simd_add(partial[0], partial[1]), simd_add(partial[2], partial[3]));
}

// `x` in the lanes of queries that exist, else 0.
SIMD_INLINE simd existing(const struct nn_attention *t, int lane, simd x)
{
    simd left = simd_set((real)(t->length - t->first));
    return simd_select_positive(simd_sub(left, simd_load(lane_number + lane)), x);
}

SIMD_INLINE long queries_in_block(const struct nn_attention *t)
{
    return t->length - t->first < NN_LANES ? t->length - t->first : NN_LANES;
}

static void take_queries(struct nn_attention *t)
{
    const real *rows = t->query + t->first * t->stride;
    for (long c = 0; c < t->head_dim; c += NN_LANES)
        simd_transpose16(rows + c, t->stride, t->columns + c * NN_LANES);
}

SIMD_INLINE simd largest_of_column(const real *column, long rows)
{
    simd largest[4];
    UNROLLED
    for (int i = 0; i < 4; i++)
        largest[i] = simd_load(column);
    long j = 0;
    for (; j + 4 <= rows; j += 4) {
        UNROLLED
        for (int i = 0; i < 4; i++)
            largest[i] = simd_max(simd_load(column + (j + i) * NN_LANES), largest[i]);
    }
    for (; j < rows; j++)
        largest[0] = simd_max(simd_load(column + j * NN_LANES), largest[0]);
    return simd_max(simd_max(largest[0], largest[1]), simd_max(largest[2], largest[3]));
}

// e^x for x <= 0, error < 1.1 ulp down to x = -64, where it stays: neither weights nor their products with gradients
// become subnormal, which is slow, and 2^n is a normal number. NaN stays. x = n ln(2) + r, e^r = 1 + r + r^2 P(r),
// minimax to 2^-28.
#ifdef NN_DOUBLE
SIMD_INLINE simd exp_weight(simd x)
{
    return simd_exp(x);
}
#else
SIMD_INLINE simd exp_weight(simd x)
{
    const simd shifter = simd_set(0x1.8p23f);
    x = simd_max(simd_set(-64.0f), x);
    const simd shifted = simd_fma(x, simd_set(0x1.715476p0f), shifter), n = simd_sub(shifted, shifter);
    const simd r = simd_fnma(n, simd_set(0x1.7f7d1cp-20f), simd_fnma(n, simd_set(0x1.62e4p-1f), x));
    simd p = simd_fma(simd_set(0x1.6b6bd4p-10f), r, simd_set(0x1.122f1ep-7f));
    p = simd_fma(p, r, simd_set(0x1.55568ap-5f));
    p = simd_fma(p, r, simd_set(0x1.5554a4p-3f));
    p = simd_fma(p, r, simd_set(0.5f));
    p = simd_add(simd_fma(p, simd_mul(r, r), r), simd_set(1));
    const simd_int exponent = simd_int_left(simd_bits(shifted), 23);
    return simd_mul(p, simd_of_bits(simd_int_add(exponent, simd_int_set(0x3f800000))));
}
#endif

// Keys that all queries of the block see.
SIMD_INLINE long open_keys(const struct nn_attention *t)
{
    return t->causal ? t->first : t->keys;
}

// For a lane's query and a key of the block itself, `row` rows behind the first: positive where the mask hides it.
SIMD_INLINE simd hidden(long row, int lane)
{
    return simd_sub(simd_set((real)row - (real)0.5), simd_load(lane_number + lane));
}

// Scores that the mask hides leave the search for the largest.
SIMD_INLINE void hide_scores(struct nn_attention *t, int lane)
{
    const simd absent = simd_set(-(real)__builtin_inf());
    for (long j = open_keys(t); j < t->keys; j++) {
        real *p = t->weights + j * NN_LANES + lane;
        simd_store(p, simd_add(simd_load(p), simd_select_positive(hidden(j - t->first, lane), absent)));
    }
}

SIMD_INLINE simd exponential(real *p, simd largest)
{
    simd e = exp_weight(simd_sub(simd_load(p), largest));
    simd_store(p, e);
    return e;
}

SIMD_INLINE simd seen_exponential(const struct nn_attention *t, long j, int lane, simd largest)
{
    real *p = t->weights + j * NN_LANES + lane;
    const simd e = exp_weight(simd_sub(simd_load(p), largest));
    const simd seen = t->causal ? simd_select_positive(simd_negate(hidden(j - t->first, lane)), e) : e;
    simd_store(p, seen);
    return seen;
}

// Scores to e; returns their sum.
SIMD_INLINE simd exponentials_of_column(struct nn_attention *t, int lane)
{
    real *column = t->weights + lane;
    const simd largest = largest_of_column(column, t->keys);
    simd partial[4] = {simd_zero(), simd_zero(), simd_zero(), simd_zero()};
    long j = 0;
    for (; j + 4 <= open_keys(t); j += 4) {
        UNROLLED
        for (int i = 0; i < 4; i++)
            partial[i] = simd_add(partial[i], exponential(column + (j + i) * NN_LANES, largest));
    }
    for (; j < t->keys; j += 4) {
        UNROLLED
        for (int i = 0; i < 4; i++)
            if (j + i < t->keys)
                partial[i] = simd_add(partial[i], seen_exponential(t, j + i, lane, largest));
    }
    return sum_partials(partial);
}

static void attend(struct nn_attention *t, bool biased)
{
    const struct nn_product scores = {.rows = t->keys,
                                      .columns = NN_LANES,
                                      .depth = t->head_dim,
                                      .a = t->key,
                                      .a_row = t->stride,
                                      .a_depth = 1,
                                      .b = t->columns,
                                      .b_stride = NN_LANES,
                                      .c = t->weights,
                                      .c_stride = NN_LANES,
                                      .from_c = biased};
    multiply_block(&scores, 0);
    UNROLLED
    for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH) {
        hide_scores(t, lane);
        simd_store(t->inverse + lane, simd_div(simd_set(1), exponentials_of_column(t, lane)));
    }
}

SIMD_INLINE void take_output(struct nn_attention *t, int lane, simd output)
{
    simd_store(t->output + lane, output);
    simd_store(t->total + lane, simd_add(simd_load(t->total + lane), existing(t, lane, output)));
}

// Sum over rows j of column[j] * factor[j].
SIMD_INLINE simd mix_column(const real *column, const real *factor, long rows)
{
    simd partial[4] = {simd_zero(), simd_zero(), simd_zero(), simd_zero()};
    long j = 0;
    for (; j + 4 <= rows; j += 4) {
        UNROLLED
        for (int i = 0; i < 4; i++)
            partial[i] = simd_fma(simd_load(column + (j + i) * NN_LANES), simd_set(factor[j + i]), partial[i]);
    }
    UNROLLED
    for (int i = 0; i < 3; i++)
        if (j + i < rows)
            partial[i] = simd_fma(simd_load(column + (j + i) * NN_LANES), simd_set(factor[j + i]), partial[i]);
    return sum_partials(partial);
}

static void read_votes(struct nn_attention *t)
{
    UNROLLED
    for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH) {
        simd sum = mix_column(t->weights + lane, t->votes, t->keys);
        take_output(t, lane, simd_mul(sum, simd_load(t->inverse + lane)));
    }
}

// mixed = relu(values mixed by attention). simd_max with zero in front lets NaN pass.
static void read_values(struct nn_attention *t)
{
    const struct nn_product mix = {.rows = t->value_dim,
                                   .columns = NN_LANES,
                                   .depth = t->keys,
                                   .a = t->value,
                                   .a_row = 1,
                                   .a_depth = t->stride,
                                   .b = t->weights,
                                   .b_stride = NN_LANES,
                                   .c = t->mixed,
                                   .c_stride = NN_LANES};
    multiply_block_transposed(&mix, 0);
    UNROLLED
    for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH) {
        const simd inverse = simd_load(t->inverse + lane);
        for (long c = 0; c < t->value_dim; c++) {
            real *p = t->mixed + c * NN_LANES + lane;
            simd_store(p, simd_max(simd_zero(), simd_mul(simd_load(p), inverse)));
        }
        take_output(t, lane, mix_column(t->mixed + lane, t->readout, t->value_dim));
    }
}

static void votes_gradient(struct nn_attention *t, real upstream)
{
    simd factor[SIMD_PARTS], output[SIMD_PARTS], paid[SIMD_PARTS];
    UNROLLED
    for (int i = 0; i < SIMD_PARTS; i++) {
        const int lane = i * SIMD_WIDTH;
        output[i] = simd_load(t->output + lane);
        factor[i] = existing(t, lane, simd_mul(simd_set(upstream), simd_load(t->inverse + lane)));
    }
    for (long j = 0; j < t->keys; j++) {
        const simd vote = simd_set(t->votes[j]);
        UNROLLED
        for (int i = 0; i < SIMD_PARTS; i++) {
            const long at = j * NN_LANES + i * SIMD_WIDTH;
            paid[i] = simd_mul(simd_load(t->weights + at), factor[i]);
            simd_store(t->score_gradient + at, simd_mul(paid[i], simd_sub(vote, output[i])));
        }
        t->vote_gradients[j] += simd_sum16(paid);
    }
}

// Gradient of what the values are mixed to, divided sum included: queries in lanes.
SIMD_INLINE void mixed_gradient(struct nn_attention *t, const real *factor)
{
    for (long c = 0; c < t->value_dim; c++) {
        const simd weight = simd_set(t->readout[c]);
        UNROLLED
        for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH) {
            const long at = c * NN_LANES + lane;
            simd slope = simd_mul(weight, simd_load(factor + lane));
            simd_store(t->mixed_gradient + at, simd_select_positive(simd_load(t->mixed + at), slope));
        }
    }
}

// The same with columns in lanes, and the sum of activations. A group of 16 columns of all queries at a time.
SIMD_INLINE void mixed_rows(struct nn_attention *t, const real *factor, long c)
{
    real *rows = t->mixed_rows + c * NN_LANES;
    simd_transpose16(t->mixed + c * NN_LANES, NN_LANES, rows);
    UNROLLED
    for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH) {
        const simd weight = simd_load(t->readout + c + lane);
        simd sum = t->readout_sum ? simd_load(t->readout_sum + c + lane) : simd_zero();
        for (long l = 0; l < queries_in_block(t); l++) {
            real *p = rows + l * NN_LANES + lane;
            const simd active = simd_load(p);
            sum = simd_add(sum, active);
            simd_store(p, simd_select_positive(active, simd_mul(weight, simd_set(factor[l]))));
        }
        if (t->readout_sum)
            simd_store(t->readout_sum + c + lane, sum);
    }
}

// Sum over rows of the products of two columns.
SIMD_INLINE simd dot_columns(const real *a, const real *b, long rows)
{
    simd partial[4] = {simd_zero(), simd_zero(), simd_zero(), simd_zero()};
    long j = 0;
    for (; j + 4 <= rows; j += 4) {
        UNROLLED
        for (int i = 0; i < 4; i++)
            partial[i] = simd_fma(simd_load(a + (j + i) * NN_LANES), simd_load(b + (j + i) * NN_LANES), partial[i]);
    }
    UNROLLED
    for (int i = 0; i < 3; i++)
        if (j + i < rows)
            partial[i] = simd_fma(simd_load(a + (j + i) * NN_LANES), simd_load(b + (j + i) * NN_LANES), partial[i]);
    return sum_partials(partial);
}

// Through the softmax: score_gradient held the gradient of the attention after division, times `inverse`.
SIMD_INLINE void softmax_gradient(struct nn_attention *t, int lane)
{
    const real *e = t->weights + lane;
    real *slope = t->score_gradient + lane;
    const simd mean = simd_mul(dot_columns(e, slope, t->keys), simd_load(t->inverse + lane));
    for (long at = 0; at < t->keys * NN_LANES; at += NN_LANES)
        simd_store(slope + at, simd_mul(simd_load(e + at), simd_sub(simd_load(slope + at), mean)));
}

// `product` over keys, in rows: sums go on in C where earlier blocks had the key, and start where none did.
SIMD_INLINE void multiply_keys(const struct nn_attention *t, struct nn_product product)
{
    const long before = t->causal ? t->first : t->first > 0 ? t->keys : 0;
    product.rows = before;
    product.from_c = true;
    multiply(&product);
    product.rows = t->keys - before;
    product.from_c = false;
    product.a += before * product.a_row;
    product.c += before * product.c_stride;
    multiply(&product);
}

// The values' gradient from mixed_rows, by the attention before division or what dropout made of it.
SIMD_INLINE void gradient_of_values(struct nn_attention *t, const real *weights)
{
    multiply_keys(t, (struct nn_product){.columns = padded(t->value_dim),
                                         .depth = queries_in_block(t),
                                         .a = weights,
                                         .a_row = NN_LANES,
                                         .a_depth = 1,
                                         .b = t->mixed_rows,
                                         .b_stride = NN_LANES,
                                         .b_group = NN_LANES * NN_LANES,
                                         .c = t->value_gradient,
                                         .c_stride = t->stride});
}

// score_gradient = that of the attention after division times `inverse`, from mixed_gradient.
SIMD_INLINE void gradient_of_attention(struct nn_attention *t)
{
    const struct nn_product product = {.rows = t->keys,
                                       .columns = NN_LANES,
                                       .depth = t->value_dim,
                                       .a = t->value,
                                       .a_row = t->stride,
                                       .a_depth = 1,
                                       .b = t->mixed_gradient,
                                       .b_stride = NN_LANES,
                                       .c = t->score_gradient,
                                       .c_stride = NN_LANES};
    multiply_block(&product, 0);
}

static void values_gradient(struct nn_attention *t, real upstream, bool scores)
{
    real factor[NN_LANES];
    UNROLLED
    for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH)
        simd_store(factor + lane, existing(t, lane, simd_mul(simd_set(upstream), simd_load(t->inverse + lane))));
    if (scores) {
        mixed_gradient(t, factor);
        gradient_of_attention(t);
        UNROLLED
        for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH)
            softmax_gradient(t, lane);
    }
    for (long c = 0; c < t->value_dim; c += NN_LANES)
        mixed_rows(t, factor, c);
    gradient_of_values(t, t->weights);
}

static void scores_gradient(struct nn_attention *t)
{
    const long queries = queries_in_block(t), start = t->first * t->stride;
    const struct nn_product of_queries = {.rows = queries,
                                          .columns = padded(t->head_dim),
                                          .depth = t->keys,
                                          .a = t->score_gradient,
                                          .a_row = 1,
                                          .a_depth = NN_LANES,
                                          .b = t->key,
                                          .b_stride = t->stride,
                                          .b_group = NN_LANES,
                                          .c = t->query_gradient + start,
                                          .c_stride = t->stride};
    multiply(&of_queries);
    multiply_keys(t, (struct nn_product){.columns = padded(t->head_dim),
                                         .depth = queries,
                                         .a = t->score_gradient,
                                         .a_row = NN_LANES,
                                         .a_depth = 1,
                                         .b = t->query + start,
                                         .b_stride = t->stride,
                                         .b_group = NN_LANES,
                                         .c = t->key_gradient,
                                         .c_stride = t->stride});
}

static real total(const struct nn_attention *t)
{
    simd lanes[SIMD_PARTS];
    UNROLLED
    for (int i = 0; i < SIMD_PARTS; i++)
        lanes[i] = simd_load(t->total + i * SIMD_WIDTH);
    return simd_sum16(lanes);
}

static void attention_on(const struct nn_attention *t, const int32_t *keys, long count, real ret_mass[NN_LANES])
{
    UNROLLED
    for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH) {
        simd mass = simd_zero();
        for (long r = 0; r < count; r++)
            mass = simd_add(mass, simd_load(t->weights + keys[r] * (long)NN_LANES + lane));
        simd_store(ret_mass + lane, existing(t, lane, simd_mul(mass, simd_load(t->inverse + lane))));
    }
}
