// SPDX-License-Identifier: MIT
// Matrix products by register tiles. Included by nn_kernel_table.c alone.
#pragma once
#include "base_simd.h"
#include "nn_kernels.h"

// Tiles of rows x groups that fill the registers without spilling: WIDE for two groups at a time, NARROW for one.
#if SIMD_WIDTH == 16
enum { WIDE_ROWS = 8, WIDE_GROUPS = 2, NARROW_ROWS = 16 };
#elif SIMD_WIDTH == 8
enum { WIDE_ROWS = 0, WIDE_GROUPS = 0, NARROW_ROWS = 6 };
#else
enum { WIDE_ROWS = 0, WIDE_GROUPS = 0, NARROW_ROWS = 2 };
#endif
enum { TILE_ROWS = 16, TILE_VECTORS = 2 * SIMD_PARTS };

#define UNROLLED _Pragma("GCC unroll 32")

// `rows` and `groups` are constants at each call, so that `sum` lives in registers.
SIMD_INLINE void tile(int rows, int groups, const struct nn_product *p, long a_row, long a_depth, long row, long group)
{
    const int vectors = groups * SIMD_PARTS;
    const real *a = p->a + row * a_row, *b = p->b + group * p->b_group;
    const long b_stride = p->b_stride, b_group = p->b_group, c_stride = p->c_stride;
    real *c = p->c + row * c_stride + group * NN_LANES;
    simd sum[TILE_ROWS][TILE_VECTORS];
    UNROLLED for (int i = 0; i < rows; i++) UNROLLED for (int v = 0; v < vectors; v++) sum[i][v] = simd_zero();
    if (p->from_c) {
        UNROLLED for (int i = 0; i < rows; i++) UNROLLED for (int v = 0; v < vectors; v++) sum[i][v] =
            simd_load(c + i * c_stride + v * SIMD_WIDTH);
    }
    for (long k = p->depth; k > 0; k--) {
        simd line[TILE_VECTORS];
        UNROLLED for (int v = 0; v < vectors; v++) line[v] =
            simd_load(b + v / SIMD_PARTS * b_group + v % SIMD_PARTS * SIMD_WIDTH);
        UNROLLED for (int i = 0; i < rows; i++)
        {
            simd factor = simd_set(a[i * a_row]);
            UNROLLED for (int v = 0; v < vectors; v++) sum[i][v] = simd_fma(factor, line[v], sum[i][v]);
        }
        a += a_depth;
        b += b_stride;
    }
    UNROLLED for (int i = 0; i < rows; i++) UNROLLED for (int v = 0; v < vectors; v++)
        simd_store(c + i * c_stride + v * SIMD_WIDTH, sum[i][v]);
}

// All rows of one or two groups. Rows that are left over go to smaller tiles: the same chains.
SIMD_INLINE void strip(int most, int groups, const struct nn_product *p, long a_row, long a_depth, long group)
{
    long row = 0;
    for (; p->rows - row >= most; row += most)
        tile(most, groups, p, a_row, a_depth, row, group);
    if (most > 8 && p->rows - row >= 8) {
        tile(8, groups, p, a_row, a_depth, row, group);
        row += 8;
    }
    if (most > 4 && p->rows - row >= 4) {
        tile(4, groups, p, a_row, a_depth, row, group);
        row += 4;
    }
    if (most > 2 && p->rows - row >= 2) {
        tile(2, groups, p, a_row, a_depth, row, group);
        row += 2;
    }
    for (; row < p->rows; row++)
        tile(1, groups, p, a_row, a_depth, row, group);
}

static __attribute__((noinline)) void multiply_narrow(const struct nn_product *p, long group)
{
    strip(NARROW_ROWS, 1, p, p->a_row, 1, group);
}
static __attribute__((noinline)) void multiply_narrow_transposed(const struct nn_product *p, long group)
{
    strip(NARROW_ROWS, 1, p, 1, p->a_depth, group);
}
#if SIMD_WIDTH == 16
static __attribute__((noinline)) void multiply_wide(const struct nn_product *p, long group)
{
    strip(WIDE_ROWS, WIDE_GROUPS, p, p->a_row, 1, group);
}
static __attribute__((noinline)) void multiply_wide_transposed(const struct nn_product *p, long group)
{
    strip(WIDE_ROWS, WIDE_GROUPS, p, 1, p->a_depth, group);
}
#endif

static void multiply(const struct nn_product *p)
{
    const long groups = p->columns / NN_LANES;
    const bool transposed = p->a_depth != 1;
    long group = 0;
#if SIMD_WIDTH == 16
    for (; groups - group >= WIDE_GROUPS; group += WIDE_GROUPS)
        transposed ? multiply_wide_transposed(p, group) : multiply_wide(p, group);
#endif
    for (; group < groups; group++)
        transposed ? multiply_narrow_transposed(p, group) : multiply_narrow(p, group);
}
