// SPDX-License-Identifier: MIT
// Plain C for base_simd.h: one lane, float, or double with NN_DOUBLE. Loops over lanes are for the compiler to
// vectorise.
#pragma once
#include "base_fma.h"

#define SIMD_WIDTH 1
#ifdef NN_DOUBLE
typedef double simd_lane;
#else
typedef float simd_lane;
#endif
typedef simd_lane simd;

SIMD_INLINE simd simd_load(const simd_lane *source)
{
    return *source;
}
SIMD_INLINE void simd_store(simd_lane *dest, simd x)
{
    *dest = x;
}
SIMD_INLINE simd simd_set(simd_lane x)
{
    return x;
}
SIMD_INLINE simd simd_zero(void)
{
    return 0;
}
SIMD_INLINE simd simd_add(simd a, simd b)
{
    return a + b;
}
SIMD_INLINE simd simd_sub(simd a, simd b)
{
    return a - b;
}
SIMD_INLINE simd simd_mul(simd a, simd b)
{
    return a * b;
}
SIMD_INLINE simd simd_div(simd a, simd b)
{
    return a / b;
}
SIMD_INLINE simd simd_fma(simd a, simd b, simd c)
{
#ifdef NN_DOUBLE
    return fma_double(a, b, c);
#else
    return fma_float(a, b, c);
#endif
}
SIMD_INLINE simd simd_fnma(simd a, simd b, simd c)
{
    return simd_fma(-a, b, c);
}
SIMD_INLINE simd simd_sqrt(simd x)
{
#ifdef NN_DOUBLE
    return __builtin_sqrt(x);
#else
    return __builtin_sqrtf(x);
#endif
}
SIMD_INLINE simd simd_max(simd a, simd b)
{
    return a > b ? a : b;
}
SIMD_INLINE simd simd_min(simd a, simd b)
{
    return a < b ? a : b;
}
SIMD_INLINE simd simd_negate(simd x)
{
    return -x;
}
SIMD_INLINE simd simd_abs(simd x)
{
#ifdef NN_DOUBLE
    return __builtin_fabs(x);
#else
    return __builtin_fabsf(x);
#endif
}
SIMD_INLINE simd simd_select_positive(simd x, simd y)
{
    return x > 0 ? y : 0;
}

SIMD_INLINE simd_lane simd_sum16(const simd v[16])
{
    simd_lane sum[8];
    for (int i = 0; i < 8; i++)
        sum[i] = v[i] + v[i + 8];
    for (int i = 0; i < 4; i++)
        sum[i] = sum[i] + sum[i + 4];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

SIMD_INLINE void simd_transpose16(const simd_lane *source, long stride, simd_lane *dest)
{
    for (int k = 0; k < 16; k++)
        for (int i = 0; i < 16; i++)
            dest[k * 16 + i] = source[i * stride + k];
}

#ifndef NN_DOUBLE
typedef uint32_t simd_int;

SIMD_INLINE simd_int simd_int_set(uint32_t x)
{
    return x;
}
SIMD_INLINE simd_int simd_int_load(const uint32_t *source)
{
    return *source;
}
SIMD_INLINE void simd_int_store(uint32_t *dest, simd_int x)
{
    *dest = x;
}
SIMD_INLINE simd_int simd_int_add(simd_int a, simd_int b)
{
    return a + b;
}
SIMD_INLINE simd_int simd_int_sub(simd_int a, simd_int b)
{
    return a - b;
}
SIMD_INLINE simd_int simd_int_and(simd_int a, simd_int b)
{
    return a & b;
}
SIMD_INLINE simd_int simd_int_or(simd_int a, simd_int b)
{
    return a | b;
}
SIMD_INLINE simd_int simd_int_xor(simd_int a, simd_int b)
{
    return a ^ b;
}
SIMD_INLINE simd_int simd_int_left(simd_int x, int count)
{
    return x << count;
}
SIMD_INLINE simd_int simd_int_right(simd_int x, int count)
{
    return x >> count;
}
SIMD_INLINE simd_int simd_int_right_signed(simd_int x, int count)
{
    return (uint32_t)((int32_t)x >> count);
}
SIMD_INLINE void simd_int_multiply(simd_int a, simd_int b, simd_int *ret_high, simd_int *ret_low)
{
    uint64_t product = (uint64_t)a * b;
    *ret_high = (uint32_t)(product >> 32);
    *ret_low = (uint32_t)product;
}
SIMD_INLINE simd_int simd_int_select(simd_int mask, simd_int a, simd_int b)
{
    return (a & mask) | (b & ~mask);
}
SIMD_INLINE simd_int simd_bits(simd x)
{
    simd_int bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
SIMD_INLINE simd simd_of_bits(simd_int bits)
{
    simd x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
SIMD_INLINE simd simd_of_int(simd_int x)
{
    return (float)(int32_t)x;
}
SIMD_INLINE simd_int simd_less(simd a, simd b)
{
    return a < b ? UINT32_MAX : 0;
}

// Masks, since gcc 12 does not vectorise a loop where a conditional constant flows into fma_float.
SIMD_INLINE simd simd_clamp(simd x, float low, float high)
{
    simd_int below = simd_int_select(simd_less(x, low), simd_bits(low), simd_bits(x));
    return simd_of_bits(simd_int_select(simd_less(high, x), simd_bits(high), below));
}

// In two factors: the first product is exact, since 2^n itself may be out of range.
SIMD_INLINE simd simd_scale(simd x, simd shifted)
{
    uint32_t exponent = simd_bits(shifted) - 0x4b400000u, half = (uint32_t)((int32_t)exponent >> 1);
    return x * simd_of_bits((half + 127) << 23) * simd_of_bits((exponent - half + 127) << 23);
}
#endif
