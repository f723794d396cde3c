// SPDX-License-Identifier: MIT
// Matrix products by register tiles. Included by nn_kernel_table.c alone.
#pragma once
#include "nn_kernel_lanes.h"

// Tiles of rows x groups that fill the registers without spilling: WIDE for two groups at a time, NARROW for one.
#if SIMD_WIDTH == 16
enum { WIDE_ROWS = 8, WIDE_GROUPS = 2, NARROW_ROWS = 16 };
#elif SIMD_WIDTH == 8
enum { WIDE_ROWS = 0, WIDE_GROUPS = 0, NARROW_ROWS = 6 };
#else
enum { WIDE_ROWS = 0, WIDE_GROUPS = 0, NARROW_ROWS = 2 };
#endif
enum { TILE_ROWS = 16, TILE_VECTORS = 2 * SIMD_PARTS };
enum { A_NUMBERS = 1 << 17, LEAST_ROWS = 64 };
enum { FETCHED_DEPTH = 192 }; // a longer strip of B would push out the one in use

// The strides that a call knows as constants; a product's other numbers are read from it.
struct strides {
    long a_row, a_depth, b, c;
};

// sum[i][v] = what the chains of vector v of row i start from, before any of C is written.
SIMD_INLINE void start_of_chains(int rows, int vectors, const struct nn_product *p, struct strides stride, long row,
                                 long column, simd sum[TILE_ROWS][TILE_VECTORS])
{
    const real *from = p->from_c ? p->c + row * stride.c + column : NULL;
    long step = stride.c;
    if (p->residual) {
        from = p->residual + row * p->residual_stride + column;
        step = p->residual_stride;
    }
    UNROLLED
    for (int i = 0; i < rows; i++) {
        UNROLLED
        for (int v = 0; v < vectors; v++)
            sum[i][v] = simd_zero();
    }
    if (from) {
        UNROLLED
        for (int i = 0; i < rows; i++) {
            UNROLLED
            for (int v = 0; v < vectors; v++)
                sum[i][v] = simd_load(from + i * step + v * SIMD_WIDTH);
        }
    }
    if (!p->bias)
        return;
    UNROLLED
    for (int v = 0; v < vectors; v++) {
        const simd bias = simd_load(p->bias + column + v * SIMD_WIDTH);
        UNROLLED
        for (int i = 0; i < rows; i++)
            sum[i][v] = simd_add(sum[i][v], bias);
    }
}

// `rows` and `groups` are constants at each call, so that `sum` lives in registers. Rows of A are addressed from every
// fourth, for want of registers.
SIMD_INLINE void tile(int rows, int groups, const struct nn_product *p, struct strides stride, long row, long group)
{
    const int vectors = groups * SIMD_PARTS;
    const long b_group = p->b_group;
    const real *b = p->b + group * b_group, *a[TILE_ROWS / 4];
    real *c = p->c + row * stride.c + group * NN_LANES;
    simd sum[TILE_ROWS][TILE_VECTORS];
    UNROLLED
    for (int i = 0; i < rows; i += 4)
        a[i / 4] = p->a + (row + i) * stride.a_row;
    start_of_chains(rows, vectors, p, stride, row, group * NN_LANES, sum);
    for (long k = p->depth; k > 0; k--) {
        simd line[TILE_VECTORS];
        UNROLLED
        for (int v = 0; v < vectors; v++)
            line[v] = simd_load(b + v / SIMD_PARTS * b_group + v % SIMD_PARTS * SIMD_WIDTH);
        UNROLLED
        for (int i = 0; i < rows; i++) {
            const simd factor = simd_set(a[i / 4][i % 4 * stride.a_row]);
            UNROLLED
            for (int v = 0; v < vectors; v++)
                sum[i][v] = simd_fma(factor, line[v], sum[i][v]);
        }
        UNROLLED
        for (int i = 0; i < rows; i += 4)
            a[i / 4] += stride.a_depth;
        b += stride.b;
    }
    UNROLLED
    for (int i = 0; i < rows; i++) {
        UNROLLED
        for (int v = 0; v < vectors; v++)
            simd_store(c + i * stride.c + v * SIMD_WIDTH, sum[i][v]);
    }
}

// Into the cache come, while a tile is summed, the next tile's part of C and a share of what the next strip reads of B:
// both may be far away, and wait for a tile to begin otherwise.
SIMD_INLINE void fetch_ahead(int rows, int groups, const struct nn_product *p, struct strides stride, long row,
                             long group, long share)
{
    const real *c = p->c + (row + rows) * stride.c + group * NN_LANES;
    const real *b = p->b + (group + groups) * p->b_group + row / rows * share * stride.b;
    const long b_groups = p->columns / NN_LANES - group - groups < groups ? 0 : groups;
    for (int i = 0; i < rows && row + rows + i < p->rows; i++)
        for (int g = 0; g < groups; g++)
            __builtin_prefetch(c + i * stride.c + g * NN_LANES, 1);
    for (long k = 0; k < share && b_groups > 0; k++)
        for (int g = 0; g < groups; g++)
            __builtin_prefetch(b + k * stride.b + g * p->b_group);
}

// The rows behind the last whole tile, fewer than `most` and than 8: a tile of their number, since a smaller one leaves
// the adders waiting for its chains.
SIMD_INLINE void rest(int most, int groups, const struct nn_product *p, struct strides stride, long row, long group)
{
#define REST(rows)                                                                                                     \
    case rows:                                                                                                         \
        if (most > rows)                                                                                               \
            tile(rows, groups, p, stride, row, group);                                                                 \
        break;
    switch (p->rows - row) {
        REST(1)
        REST(2)
        REST(3)
        REST(4)
        REST(5)
        REST(6)
        REST(7)
    }
#undef REST
}

// All rows of `groups` groups: the same chains whatever the tile.
SIMD_INLINE void strip(int most, int groups, const struct nn_product *p, struct strides stride, long group)
{
    const long tiles = p->rows / most;
    const long share = tiles > 1 && p->depth <= FETCHED_DEPTH ? (p->depth + tiles - 1) / tiles : 0;
    long row = 0;
    for (; p->rows - row >= most; row += most) {
        fetch_ahead(most, groups, p, stride, row, group, share);
        tile(most, groups, p, stride, row, group);
    }
    if (most > 8 && p->rows - row >= 8) {
        tile(8, groups, p, stride, row, group);
        row += 8;
    }
    rest(most, groups, p, stride, row, group);
}

#define STRIP(name, most, groups, a_row, a_depth, b, c)                                                                \
    static __attribute__((noinline)) void name(const struct nn_product *p, long group)                                 \
    {                                                                                                                  \
        strip(most, groups, p, (struct strides){a_row, a_depth, b, c}, group);                                         \
    }
STRIP(multiply_narrow, NARROW_ROWS, 1, p->a_row, 1, p->b_stride, p->c_stride)
STRIP(multiply_narrow_transposed, NARROW_ROWS, 1, 1, p->a_depth, p->b_stride, p->c_stride)
#if SIMD_WIDTH == 16
STRIP(multiply_wide, WIDE_ROWS, WIDE_GROUPS, p->a_row, 1, p->b_stride, p->c_stride)
STRIP(multiply_wide_transposed, WIDE_ROWS, WIDE_GROUPS, 1, p->a_depth, p->b_stride, p->c_stride)
#endif
// Of a block of queries: B and C are one group without gaps.
STRIP(multiply_block, NARROW_ROWS, 1, p->a_row, 1, NN_LANES, NN_LANES)
STRIP(multiply_block_transposed, NARROW_ROWS, 1, 1, p->a_depth, NN_LANES, NN_LANES)

SIMD_INLINE void multiply_block_of_rows(const struct nn_product *p)
{
    const long groups = p->columns / NN_LANES;
    const bool transposed = p->a_depth != 1;
    long group = 0;
#if SIMD_WIDTH == 16
    for (; groups - group >= WIDE_GROUPS; group += WIDE_GROUPS)
        (transposed ? multiply_wide_transposed : multiply_wide)(p, group);
#endif
    for (; group < groups; group++)
        (transposed ? multiply_narrow_transposed : multiply_narrow)(p, group);
}

// Rows of A stay in the second cache while the groups of B pass by.
static void multiply(const struct nn_product *p)
{
    const long most = p->depth > 0 ? A_NUMBERS / p->depth / TILE_ROWS * TILE_ROWS : p->rows;
    const long block = most > LEAST_ROWS ? most : LEAST_ROWS;
    struct nn_product part = *p;
    for (long row = 0; row < p->rows; row += block) {
        part.rows = p->rows - row < block ? p->rows - row : block;
        multiply_block_of_rows(&part);
        part.a += block * p->a_row;
        part.c += block * p->c_stride;
        if (p->residual)
            part.residual += block * p->residual_stride;
    }
}

SIMD_INLINE void scaled_group(const real *source, simd factor, real *dest)
{
    UNROLLED
    for (int lane = 0; lane < NN_LANES; lane += SIMD_WIDTH)
        simd_store(dest + lane, simd_mul(factor, simd_load(source + lane)));
}

static void pack(const real *value, long stride, long depth, long columns, real factor, real *ret_groups)
{
    const simd scale = simd_set(factor);
    for (long c = 0; c < columns; c += NN_LANES)
        for (long k = 0; k < depth; k++, ret_groups += NN_LANES)
            scaled_group(value + k * stride + c, scale, ret_groups);
}

static void pack_transposed(const real *value, long stride, long depth, long columns, real factor, real *ret_groups)
{
    const simd scale = simd_set(factor);
    for (long c = 0; c < columns; c += NN_LANES)
        for (long k = 0; k < depth; k += NN_LANES, ret_groups += NN_LANES * NN_LANES) {
            simd_transpose16(value + c * stride + k, stride, ret_groups);
            for (int i = 0; i < NN_LANES; i++)
                scaled_group(ret_groups + i * NN_LANES, scale, ret_groups + i * NN_LANES);
        }
}
