// SPDX-License-Identifier: MIT
// What all kernels of nn_kernel_table.c start from.
#pragma once
#include "base_simd.h"
#include "nn_kernels.h"

// Loops over registers are written out; over plain C's lanes they are left to the compiler's own vectors.
#if SIMD_WIDTH == 1
#define UNROLLED
#elif defined __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 32")
#endif

static const real lane_number[NN_LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

SIMD_INLINE long padded(long count)
{
    return (count + NN_LANES - 1) / NN_LANES * NN_LANES;
}

SIMD_INLINE void clear_parts(simd part[SIMD_PARTS])
{
    UNROLLED
    for (int i = 0; i < SIMD_PARTS; i++)
        part[i] = simd_zero();
}
