// SPDX-License-Identifier: MIT
// The one vector abstraction of kernel files, which are compiled once for each instruction set with -DISA_PLAIN,
// -DISA_AVX2, -DISA_AVX512 or -DISA_NEON and -DISA=plain, avx2, avx512 or neon. Every operation is exactly rounded or
// made of such ones in a fixed order, so that all instruction sets give the same bits; only the number of lanes
// differs, and a kernel must not let that show: reductions go over 16 virtual lanes (simd_sum16).
//
// With NN_DOUBLE (plain only) a lane is a double, for finite differences, and the functions are those of base_math.h.
// Kernel files do not include base_isa.h, whose enumerators have the names of these macros.
//
//   simd, simd_lane                native vector; its element (float; double with NN_DOUBLE)
//   SIMD_WIDTH                     lanes: 16, 8, 4 or 1; SIMD_PARTS = 16 / SIMD_WIDTH vectors make 16 virtual lanes
//   simd_load(p) simd_store(p, v)  no alignment needed
//   simd_set(x) simd_zero()        all lanes
//   simd_add sub mul div sqrt      exactly rounded
//   simd_fma(a, b, c)              a * b + c, one rounding
//   simd_fnma(a, b, c)             c - a * b, one rounding
//   simd_max(a, b)                 a > b ? a : b, so b where either is NaN
//   simd_min(a, b)                 a < b ? a : b
//   simd_clamp(x, low, high)       within constant bounds; NaN stays (not with NN_DOUBLE)
//   simd_negate(x) simd_abs(x)     the sign bit alone
//   simd_select_positive(x, y)     x > 0 ? y : 0
//   simd_sum16(v)                  sum of 16 lanes v[SIMD_PARTS]: lanes i and i + 8, then + 4, + 2, + 1
//   simd_transpose16(source, stride, dest)  dest[k * 16 + i] = source[i * stride + k] for i, k in 0 … 15
//
// Integer lanes (not with NN_DOUBLE), 32 bits, wrapping:
//   simd_int, simd_int_set, _load, _store, _add, _sub, _and, _or, _xor
//   simd_int_left(v, n) _right(v, n) _right_signed(v, n)
//   simd_int_multiply(a, b, &high, &low)    the 64-bit products of unsigned lanes
//   simd_int_select(mask, a, b)             mask ? a : b for lanes of `mask` that are all ones or all zeros
//   simd_bits(x) simd_of_bits(i)            the same bits
//   simd_of_int(i)                          signed, rounded to nearest
//   simd_less(a, b)                         a mask; false for NaN
//   simd_scale(x, t)                        x * 2^n with one rounding, n = t - 1.5 * 2^23 an integer in -252 … 254
#pragma once
#include <stdint.h>
#include <string.h>

#define SIMD_INLINE static inline __attribute__((always_inline))

#define SIMD_PASTE_(a, b) a##_##b
#define SIMD_PASTE(a, b)  SIMD_PASTE_(a, b)
// The name of this variant of a symbol: SIMD_NAME(nn_kernels) is nn_kernels_avx2 with -DISA=avx2.
#define SIMD_NAME(prefix) SIMD_PASTE(prefix, ISA)

#if defined ISA_AVX512
#include "base_simd_avx512.h"
#elif defined ISA_AVX2
#include "base_simd_avx2.h"
#elif defined ISA_NEON
#include "base_simd_neon.h"
#else
#include "base_simd_plain.h"
#endif

#define SIMD_PARTS (16 / SIMD_WIDTH)

#include "base_simd_math.h"
