// SPDX-License-Identifier: MIT
// AVX2 with FMA for base_simd.h.
#pragma once
#include <immintrin.h>

#define SIMD_WIDTH 8
typedef __m256 simd;
typedef __m256i simd_int;
typedef float simd_lane;

SIMD_INLINE simd simd_load(const float *source)
{
    return _mm256_loadu_ps(source);
}
SIMD_INLINE void simd_store(float *dest, simd x)
{
    _mm256_storeu_ps(dest, x);
}
SIMD_INLINE simd simd_set(float x)
{
    return _mm256_set1_ps(x);
}
SIMD_INLINE simd simd_zero(void)
{
    return _mm256_setzero_ps();
}
SIMD_INLINE simd simd_add(simd a, simd b)
{
    return _mm256_add_ps(a, b);
}
SIMD_INLINE simd simd_sub(simd a, simd b)
{
    return _mm256_sub_ps(a, b);
}
SIMD_INLINE simd simd_mul(simd a, simd b)
{
    return _mm256_mul_ps(a, b);
}
SIMD_INLINE simd simd_div(simd a, simd b)
{
    return _mm256_div_ps(a, b);
}
SIMD_INLINE simd simd_sqrt(simd x)
{
    return _mm256_sqrt_ps(x);
}
SIMD_INLINE simd simd_fma(simd a, simd b, simd c)
{
    return _mm256_fmadd_ps(a, b, c);
}
SIMD_INLINE simd simd_fnma(simd a, simd b, simd c)
{
    return _mm256_fnmadd_ps(a, b, c);
}
SIMD_INLINE simd simd_max(simd a, simd b)
{
    return _mm256_max_ps(a, b);
}
SIMD_INLINE simd simd_min(simd a, simd b)
{
    return _mm256_min_ps(a, b);
}
SIMD_INLINE simd simd_clamp(simd x, float low, float high)
{
    return _mm256_max_ps(_mm256_set1_ps(low), _mm256_min_ps(_mm256_set1_ps(high), x));
}
SIMD_INLINE simd simd_negate(simd x)
{
    return _mm256_xor_ps(x, _mm256_set1_ps(-0.0f));
}
SIMD_INLINE simd simd_abs(simd x)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
}
SIMD_INLINE simd simd_select_positive(simd x, simd y)
{
    return _mm256_and_ps(_mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_GT_OQ), y);
}

SIMD_INLINE float simd_sum16(const simd v[2])
{
    __m256 eight = _mm256_add_ps(v[0], v[1]);
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    four = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(four, _mm_shuffle_ps(four, four, 1)));
}

// Four columns of eight rows: rows i and i + 4 share a register, so that 4 x 4 blocks suffice.
SIMD_INLINE void simd_transpose_4x8(const float *source, long stride, float *dest)
{
    __m256 row[4];
    for (int i = 0; i < 4; i++)
        row[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(source + i * stride)),
                                      _mm_loadu_ps(source + (i + 4) * stride), 1);
    __m256 low01 = _mm256_unpacklo_ps(row[0], row[1]), low23 = _mm256_unpacklo_ps(row[2], row[3]);
    __m256 high01 = _mm256_unpackhi_ps(row[0], row[1]), high23 = _mm256_unpackhi_ps(row[2], row[3]);
    simd_store(dest, _mm256_shuffle_ps(low01, low23, 0x44));
    simd_store(dest + 16, _mm256_shuffle_ps(low01, low23, 0xee));
    simd_store(dest + 32, _mm256_shuffle_ps(high01, high23, 0x44));
    simd_store(dest + 48, _mm256_shuffle_ps(high01, high23, 0xee));
}
SIMD_INLINE void simd_transpose16(const float *source, long stride, float *dest)
{
    for (int k = 0; k < 16; k += 4) {
        simd_transpose_4x8(source + k, stride, dest + 16 * k);
        simd_transpose_4x8(source + 8 * stride + k, stride, dest + 16 * k + 8);
    }
}

SIMD_INLINE simd_int simd_int_set(uint32_t x)
{
    return _mm256_set1_epi32((int)x);
}
SIMD_INLINE simd_int simd_int_load(const uint32_t *source)
{
    return _mm256_loadu_si256((const __m256i *)source);
}
SIMD_INLINE void simd_int_store(uint32_t *dest, simd_int x)
{
    _mm256_storeu_si256((__m256i *)dest, x);
}
SIMD_INLINE simd_int simd_int_add(simd_int a, simd_int b)
{
    return _mm256_add_epi32(a, b);
}
SIMD_INLINE simd_int simd_int_sub(simd_int a, simd_int b)
{
    return _mm256_sub_epi32(a, b);
}
SIMD_INLINE simd_int simd_int_and(simd_int a, simd_int b)
{
    return _mm256_and_si256(a, b);
}
SIMD_INLINE simd_int simd_int_or(simd_int a, simd_int b)
{
    return _mm256_or_si256(a, b);
}
SIMD_INLINE simd_int simd_int_xor(simd_int a, simd_int b)
{
    return _mm256_xor_si256(a, b);
}
#define simd_int_left(x, count)         _mm256_slli_epi32(x, count)
#define simd_int_right(x, count)        _mm256_srli_epi32(x, count)
#define simd_int_right_signed(x, count) _mm256_srai_epi32(x, count)

SIMD_INLINE void simd_int_multiply(simd_int a, simd_int b, simd_int *ret_high, simd_int *ret_low)
{
    __m256i even = _mm256_mul_epu32(a, b);
    __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32));
    *ret_high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
    *ret_low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
}
SIMD_INLINE simd_int simd_int_select(simd_int mask, simd_int a, simd_int b)
{
    return _mm256_blendv_epi8(b, a, mask);
}
SIMD_INLINE simd_int simd_bits(simd x)
{
    return _mm256_castps_si256(x);
}
SIMD_INLINE simd simd_of_bits(simd_int x)
{
    return _mm256_castsi256_ps(x);
}
SIMD_INLINE simd simd_of_int(simd_int x)
{
    return _mm256_cvtepi32_ps(x);
}
SIMD_INLINE simd_int simd_less(simd a, simd b)
{
    return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_LT_OQ));
}

// In two factors: the first product is exact, since 2^n itself may be out of range.
SIMD_INLINE simd simd_scale(simd x, simd shifted)
{
    __m256i exponent = _mm256_sub_epi32(_mm256_castps_si256(shifted), _mm256_set1_epi32(0x4b400000));
    __m256i half = _mm256_srai_epi32(exponent, 1), rest = _mm256_sub_epi32(exponent, half);
    __m256i bias = _mm256_set1_epi32(127);
    simd first = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(half, bias), 23));
    simd second = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(rest, bias), 23));
    return _mm256_mul_ps(_mm256_mul_ps(x, first), second);
}
