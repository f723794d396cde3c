// SPDX-License-Identifier: MIT
// AVX-512 (F, DQ, BW, VL) for base_simd.h.
#pragma once
#include <immintrin.h>

#define SIMD_WIDTH 16
typedef __m512 simd;
typedef __m512i simd_int;
typedef float simd_lane;

SIMD_INLINE simd simd_load(const float *source)
{
    return _mm512_loadu_ps(source);
}
SIMD_INLINE void simd_store(float *dest, simd x)
{
    _mm512_storeu_ps(dest, x);
}
SIMD_INLINE simd simd_set(float x)
{
    return _mm512_set1_ps(x);
}
SIMD_INLINE simd simd_zero(void)
{
    return _mm512_setzero_ps();
}
SIMD_INLINE simd simd_add(simd a, simd b)
{
    return _mm512_add_ps(a, b);
}
SIMD_INLINE simd simd_sub(simd a, simd b)
{
    return _mm512_sub_ps(a, b);
}
SIMD_INLINE simd simd_mul(simd a, simd b)
{
    return _mm512_mul_ps(a, b);
}
SIMD_INLINE simd simd_div(simd a, simd b)
{
    return _mm512_div_ps(a, b);
}
SIMD_INLINE simd simd_sqrt(simd x)
{
    return _mm512_sqrt_ps(x);
}
SIMD_INLINE simd simd_fma(simd a, simd b, simd c)
{
    return _mm512_fmadd_ps(a, b, c);
}
SIMD_INLINE simd simd_fnma(simd a, simd b, simd c)
{
    return _mm512_fnmadd_ps(a, b, c);
}
SIMD_INLINE simd simd_max(simd a, simd b)
{
    return _mm512_max_ps(a, b);
}
SIMD_INLINE simd simd_min(simd a, simd b)
{
    return _mm512_min_ps(a, b);
}
SIMD_INLINE simd simd_clamp(simd x, float low, float high)
{
    return _mm512_max_ps(_mm512_set1_ps(low), _mm512_min_ps(_mm512_set1_ps(high), x));
}
SIMD_INLINE simd simd_negate(simd x)
{
    return _mm512_xor_ps(x, _mm512_set1_ps(-0.0f));
}
SIMD_INLINE simd simd_abs(simd x)
{
    return _mm512_andnot_ps(_mm512_set1_ps(-0.0f), x);
}
SIMD_INLINE simd simd_select_positive(simd x, simd y)
{
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GT_OQ), y);
}

SIMD_INLINE float simd_sum16(const simd v[1])
{
    __m512 turned = _mm512_shuffle_f32x4(v[0], v[0], 0xee);
    __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(v[0]), _mm512_castps512_ps256(turned));
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    four = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(four, _mm_shuffle_ps(four, four, 1)));
}

SIMD_INLINE __m512 simd_pair_low(__m512 a, __m512 b)
{
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}
SIMD_INLINE __m512 simd_pair_high(__m512 a, __m512 b)
{
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

// 4 x 4 blocks within the 128-bit parts, then the parts.
SIMD_INLINE void simd_transpose16(const float *source, long stride, float *dest)
{
    __m512 block[16], part[16];
    for (int i = 0; i < 16; i += 4) {
        __m512 a = simd_load(source + i * stride), b = simd_load(source + (i + 1) * stride);
        __m512 c = simd_load(source + (i + 2) * stride), d = simd_load(source + (i + 3) * stride);
        __m512 ab = _mm512_unpacklo_ps(a, b), cd = _mm512_unpacklo_ps(c, d);
        block[i] = simd_pair_low(ab, cd);
        block[i + 1] = simd_pair_high(ab, cd);
        ab = _mm512_unpackhi_ps(a, b), cd = _mm512_unpackhi_ps(c, d);
        block[i + 2] = simd_pair_low(ab, cd);
        block[i + 3] = simd_pair_high(ab, cd);
    }
    for (int i = 0; i < 4; i++) {
        part[i] = _mm512_shuffle_f32x4(block[i], block[i + 4], 0x88);
        part[i + 4] = _mm512_shuffle_f32x4(block[i], block[i + 4], 0xdd);
        part[i + 8] = _mm512_shuffle_f32x4(block[i + 8], block[i + 12], 0x88);
        part[i + 12] = _mm512_shuffle_f32x4(block[i + 8], block[i + 12], 0xdd);
    }
    for (int i = 0; i < 8; i++) {
        simd_store(dest + 16 * i, _mm512_shuffle_f32x4(part[i], part[i + 8], 0x88));
        simd_store(dest + 16 * (i + 8), _mm512_shuffle_f32x4(part[i], part[i + 8], 0xdd));
    }
}

SIMD_INLINE simd_int simd_int_set(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}
SIMD_INLINE simd_int simd_int_load(const uint32_t *source)
{
    return _mm512_loadu_si512(source);
}
SIMD_INLINE void simd_int_store(uint32_t *dest, simd_int x)
{
    _mm512_storeu_si512(dest, x);
}
SIMD_INLINE simd_int simd_int_add(simd_int a, simd_int b)
{
    return _mm512_add_epi32(a, b);
}
SIMD_INLINE simd_int simd_int_sub(simd_int a, simd_int b)
{
    return _mm512_sub_epi32(a, b);
}
SIMD_INLINE simd_int simd_int_and(simd_int a, simd_int b)
{
    return _mm512_and_si512(a, b);
}
SIMD_INLINE simd_int simd_int_or(simd_int a, simd_int b)
{
    return _mm512_or_si512(a, b);
}
SIMD_INLINE simd_int simd_int_xor(simd_int a, simd_int b)
{
    return _mm512_xor_si512(a, b);
}
#define simd_int_left(x, count)         _mm512_slli_epi32(x, count)
#define simd_int_right(x, count)        _mm512_srli_epi32(x, count)
#define simd_int_right_signed(x, count) _mm512_srai_epi32(x, count)

SIMD_INLINE void simd_int_multiply(simd_int a, simd_int b, simd_int *ret_high, simd_int *ret_low)
{
    __m512i even = _mm512_mul_epu32(a, b);
    __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32));
    *ret_high = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
    *ret_low = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
}
SIMD_INLINE simd_int simd_int_select(simd_int mask, simd_int a, simd_int b)
{
    return _mm512_ternarylogic_epi32(mask, a, b, 0xca);
}
SIMD_INLINE simd_int simd_bits(simd x)
{
    return _mm512_castps_si512(x);
}
SIMD_INLINE simd simd_of_bits(simd_int x)
{
    return _mm512_castsi512_ps(x);
}
SIMD_INLINE simd simd_of_int(simd_int x)
{
    return _mm512_cvtepi32_ps(x);
}
SIMD_INLINE simd_int simd_less(simd a, simd b)
{
    return _mm512_movm_epi32(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ));
}
SIMD_INLINE simd simd_scale(simd x, simd shifted)
{
    return _mm512_scalef_ps(x, _mm512_sub_ps(shifted, _mm512_set1_ps(0x1.8p23f)));
}
