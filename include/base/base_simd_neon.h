// SPDX-License-Identifier: MIT
// NEON of AArch64 for base_simd.h.
#pragma once
#include <arm_neon.h>

#define SIMD_WIDTH 4
typedef float32x4_t simd;
typedef uint32x4_t simd_int;
typedef float simd_lane;

SIMD_INLINE simd simd_load(const float *source)
{
    return vld1q_f32(source);
}
SIMD_INLINE void simd_store(float *dest, simd x)
{
    vst1q_f32(dest, x);
}
SIMD_INLINE simd simd_set(float x)
{
    return vdupq_n_f32(x);
}
SIMD_INLINE simd simd_zero(void)
{
    return vdupq_n_f32(0);
}
SIMD_INLINE simd simd_add(simd a, simd b)
{
    return vaddq_f32(a, b);
}
SIMD_INLINE simd simd_sub(simd a, simd b)
{
    return vsubq_f32(a, b);
}
SIMD_INLINE simd simd_mul(simd a, simd b)
{
    return vmulq_f32(a, b);
}
SIMD_INLINE simd simd_div(simd a, simd b)
{
    return vdivq_f32(a, b);
}
SIMD_INLINE simd simd_sqrt(simd x)
{
    return vsqrtq_f32(x);
}
SIMD_INLINE simd simd_fma(simd a, simd b, simd c)
{
    return vfmaq_f32(c, a, b);
}
SIMD_INLINE simd simd_fnma(simd a, simd b, simd c)
{
    return vfmsq_f32(c, a, b);
}
// The instructions for maximum and minimum treat NaN otherwise.
SIMD_INLINE simd simd_max(simd a, simd b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
SIMD_INLINE simd simd_min(simd a, simd b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}
SIMD_INLINE simd simd_clamp(simd x, float low, float high)
{
    return simd_max(simd_set(low), simd_min(simd_set(high), x));
}
SIMD_INLINE simd simd_negate(simd x)
{
    return vnegq_f32(x);
}
SIMD_INLINE simd simd_abs(simd x)
{
    return vabsq_f32(x);
}
SIMD_INLINE simd simd_select_positive(simd x, simd y)
{
    return vreinterpretq_f32_u32(vandq_u32(vcgtq_f32(x, vdupq_n_f32(0)), vreinterpretq_u32_f32(y)));
}

SIMD_INLINE float simd_sum16(const simd v[4])
{
    const simd four = vaddq_f32(vaddq_f32(v[0], v[2]), vaddq_f32(v[1], v[3]));
    const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
    return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
}

SIMD_INLINE void simd_transpose4(const float *source, long stride, float *dest)
{
    const float32x4x2_t a = vtrnq_f32(vld1q_f32(source), vld1q_f32(source + stride));
    const float32x4x2_t b = vtrnq_f32(vld1q_f32(source + 2 * stride), vld1q_f32(source + 3 * stride));
    vst1q_f32(dest, vcombine_f32(vget_low_f32(a.val[0]), vget_low_f32(b.val[0])));
    vst1q_f32(dest + 16, vcombine_f32(vget_low_f32(a.val[1]), vget_low_f32(b.val[1])));
    vst1q_f32(dest + 32, vcombine_f32(vget_high_f32(a.val[0]), vget_high_f32(b.val[0])));
    vst1q_f32(dest + 48, vcombine_f32(vget_high_f32(a.val[1]), vget_high_f32(b.val[1])));
}
SIMD_INLINE void simd_transpose16(const float *source, long stride, float *dest)
{
    for (int k = 0; k < 16; k += 4)
        for (int i = 0; i < 16; i += 4)
            simd_transpose4(source + i * stride + k, stride, dest + k * 16 + i);
}

SIMD_INLINE simd_int simd_int_set(uint32_t x)
{
    return vdupq_n_u32(x);
}
SIMD_INLINE simd_int simd_int_load(const uint32_t *source)
{
    return vld1q_u32(source);
}
SIMD_INLINE void simd_int_store(uint32_t *dest, simd_int x)
{
    vst1q_u32(dest, x);
}
SIMD_INLINE simd_int simd_int_add(simd_int a, simd_int b)
{
    return vaddq_u32(a, b);
}
SIMD_INLINE simd_int simd_int_sub(simd_int a, simd_int b)
{
    return vsubq_u32(a, b);
}
SIMD_INLINE simd_int simd_int_and(simd_int a, simd_int b)
{
    return vandq_u32(a, b);
}
SIMD_INLINE simd_int simd_int_or(simd_int a, simd_int b)
{
    return vorrq_u32(a, b);
}
SIMD_INLINE simd_int simd_int_xor(simd_int a, simd_int b)
{
    return veorq_u32(a, b);
}
#define simd_int_left(x, count)         vshlq_n_u32(x, count)
#define simd_int_right(x, count)        vshrq_n_u32(x, count)
#define simd_int_right_signed(x, count) vreinterpretq_u32_s32(vshrq_n_s32(vreinterpretq_s32_u32(x), count))

SIMD_INLINE void simd_int_multiply(simd_int a, simd_int b, simd_int *ret_high, simd_int *ret_low)
{
    const uint32x4_t low = vreinterpretq_u32_u64(vmull_u32(vget_low_u32(a), vget_low_u32(b)));
    const uint32x4_t high = vreinterpretq_u32_u64(vmull_high_u32(a, b));
    *ret_low = vuzp1q_u32(low, high);
    *ret_high = vuzp2q_u32(low, high);
}
SIMD_INLINE simd_int simd_int_select(simd_int mask, simd_int a, simd_int b)
{
    return vbslq_u32(mask, a, b);
}
SIMD_INLINE simd_int simd_bits(simd x)
{
    return vreinterpretq_u32_f32(x);
}
SIMD_INLINE simd simd_of_bits(simd_int x)
{
    return vreinterpretq_f32_u32(x);
}
SIMD_INLINE simd simd_of_int(simd_int x)
{
    return vcvtq_f32_s32(vreinterpretq_s32_u32(x));
}
SIMD_INLINE simd_int simd_less(simd a, simd b)
{
    return vcltq_f32(a, b);
}

// In two factors: the first product is exact, since 2^n itself may be out of range.
SIMD_INLINE simd simd_scale(simd x, simd shifted)
{
    const int32x4_t exponent = vsubq_s32(vreinterpretq_s32_f32(shifted), vdupq_n_s32(0x4b400000));
    const int32x4_t half = vshrq_n_s32(exponent, 1), rest = vsubq_s32(exponent, half), bias = vdupq_n_s32(127);
    const simd first = vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(half, bias), 23));
    const simd second = vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(rest, bias), 23));
    return vmulq_f32(vmulq_f32(x, first), second);
}
