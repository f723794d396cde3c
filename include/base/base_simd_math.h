// SPDX-License-Identifier: MIT
// Functions on the lanes of base_simd.h. Single precision; errors in units in the last place (ulp) are over all floats.
//
//   simd_exp(x)     error < 1 ulp, gradual underflow included; exp(0) = 1, exp(-inf) = 0, exp(inf) = inf, NaN stays
//   simd_log(x)     error < 1 ulp; log(1) = 0, log(0) = -inf, log(inf) = inf, NaN for x < 0 and NaN
//   simd_log1p(x)   log(1 + x), error < 2 ulp; log1p(±0) = 0, log1p(-1) = -inf, NaN for x < -1 and NaN
//   simd_tanh(x)    error < 1.5 ulp; tanh(±0) = ±0, tanh(±inf) = ±1, NaN stays
//   simd_erf(x)     error < 1.5 ulp; the same ends
//   simd_radius(w)  sqrt(-2 ln((w + 1/2) / 2^32)) of an unsigned word: finite, positive
//   simd_turn(w, &cos, &sin)  of the angle 2 pi (w + 1/2) / 2^32
// The last two are the halves of Box and Muller's method; see base_random.h.
#pragma once

#ifdef NN_DOUBLE
#include "base_math.h"

SIMD_INLINE simd simd_exp(simd x)
{
    return math_exp(x);
}
SIMD_INLINE simd simd_log(simd x)
{
    return math_log(x);
}
SIMD_INLINE simd simd_log1p(simd x)
{
    return math_log1p(x);
}
SIMD_INLINE simd simd_tanh(simd x)
{
    return math_tanh(x);
}
SIMD_INLINE simd simd_erf(simd x)
{
    return math_erf(x);
}
#else

#define SIMD_LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))
#define SIMD_SHIFTER       0x1.8p23f // adding it rounds |x| < 2^22 to an integer, which the low bits then hold

// Horner's rule, up to nine coefficients in ascending order. No loop: clang 14 would not vectorise one around it.
SIMD_INLINE simd simd_polynomial(simd x, const float *coefficient, int count)
{
    simd sum = simd_set(coefficient[count - 1]);
#define SIMD_HORNER(i)     sum = i < count - 1 ? simd_fma(sum, x, simd_set(coefficient[i])) : sum
    SIMD_HORNER(7);
    SIMD_HORNER(6);
    SIMD_HORNER(5);
    SIMD_HORNER(4);
    SIMD_HORNER(3);
    SIMD_HORNER(2);
    SIMD_HORNER(1);
    SIMD_HORNER(0);
#undef SIMD_HORNER
    return sum;
}

// exp(x) = 2^n exp(r), |r| <= ln(2) / 2; exp(r) = 1 + r + r^2 P(r), minimax to 2^-33. Beyond the bounds the result
// is 0 or infinity by the scaling.
SIMD_INLINE simd simd_exp(simd x)
{
    static const float p[] = {0.5f, 0x1.555554p-3f, 0x1.5554e8p-5f, 0x1.111310p-7f, 0x1.6d4ccap-10f, 0x1.9df77cp-13f};
    x = simd_clamp(x, -104.0f, 89.0f);
    simd shifted = simd_fma(x, simd_set(0x1.715476p0f), simd_set(SIMD_SHIFTER));
    simd n = simd_sub(shifted, simd_set(SIMD_SHIFTER));
    simd r = simd_fnma(n, simd_set(0x1.62e4p-1f), x);
    r = simd_fnma(n, simd_set(0x1.7f7d1cp-20f), r);
    simd q = simd_fma(simd_polynomial(r, p, SIMD_LENGTH(p)), simd_mul(r, r), r);
    return simd_scale(simd_add(q, simd_set(1.0f)), shifted);
}

SIMD_INLINE simd simd_choose(simd_int mask, simd a, simd b)
{
    return simd_of_bits(simd_int_select(mask, simd_bits(a), simd_bits(b)));
}

// x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for normal positive x.
SIMD_INLINE void simd_split(simd x, simd *ret_e, simd *ret_f)
{
    const simd_int root_half = simd_int_set(0x3f3504f3);
    simd_int offset = simd_int_sub(simd_bits(x), root_half);
    simd_int mantissa = simd_int_add(simd_int_and(offset, simd_int_set(0x7fffff)), root_half);
    *ret_e = simd_of_int(simd_int_right_signed(offset, 23));
    *ret_f = simd_sub(simd_of_bits(mantissa), simd_set(1.0f));
}

// e ln(2) + ln(1 + f); ln(1 + f) = f - f^2 / 2 + f^3 P(f), minimax to 2^-30.
SIMD_INLINE simd simd_log_sum(simd e, simd f)
{
    static const float p[] = {0x1.555548p-2f,  -0x1.000006p-2f, 0x1.99a478p-3f,  -0x1.555c4ap-3f, 0x1.233b66p-3f,
                              -0x1.fc272ap-4f, 0x1.e6c2acp-4f,  -0x1.de0f68p-4f, 0x1.147e4ep-4f};
    simd square = simd_mul(f, f), low = simd_mul(e, simd_set(-0x1.05c610p-29f));
    simd rest = simd_fma(simd_mul(square, f), simd_polynomial(f, p, SIMD_LENGTH(p)), low);
    rest = simd_fnma(simd_set(0.5f), square, rest);
    return simd_fma(e, simd_set(0x1.62e430p-1f), simd_add(f, rest));
}

// The value at or below the singularity, and at infinity and NaN.
SIMD_INLINE simd simd_log_ends(simd x, simd singularity, simd log)
{
    const simd infinity = simd_of_bits(simd_int_set(0x7f800000)), nan = simd_of_bits(simd_int_set(0x7fc00000));
    simd below = simd_choose(simd_less(x, singularity), nan, simd_negate(infinity));
    simd above = simd_choose(simd_less(x, infinity), log, x);
    return simd_choose(simd_less(singularity, x), above, simd_choose(simd_less(x, infinity), below, x));
}

SIMD_INLINE simd simd_log(simd x)
{
    simd_int tiny = simd_less(x, simd_set(0x1p-126f));
    simd e, f;
    simd_split(simd_choose(tiny, simd_mul(x, simd_set(0x1p24f)), x), &e, &f);
    e = simd_sub(e, simd_choose(tiny, simd_set(24.0f), simd_zero()));
    return simd_log_ends(x, simd_zero(), simd_log_sum(e, f));
}

// The rounding error of 1 + x joins f, so that f = x where 1 + x is near 1.
SIMD_INLINE simd simd_log1p(simd x)
{
    const simd one = simd_set(1.0f);
    simd sum = simd_add(one, x), part = simd_sub(sum, one), e, f;
    simd error = simd_add(simd_sub(one, simd_sub(sum, part)), simd_sub(x, part));
    simd_split(sum, &e, &f);
    simd scaled = simd_scale(error, simd_sub(simd_set(SIMD_SHIFTER), e));
    return simd_log_ends(x, simd_negate(one), simd_log_sum(e, simd_add(f, scaled)));
}

SIMD_INLINE simd simd_with_sign_of(simd x, simd sign)
{
    return simd_of_bits(simd_int_or(simd_bits(x), simd_int_and(simd_bits(sign), simd_int_set(0x80000000))));
}

// For |x| < 5/8 an odd polynomial, minimax to 2^-27; else 1 - 2 / (exp(2 |x|) + 1).
SIMD_INLINE simd simd_tanh(simd x)
{
    static const float p[] = {-0x1.555524p-2f, 0x1.1103f2p-3f, -0x1.b7cff2p-5f, 0x1.4f5ef8p-6f, -0x1.697118p-8f};
    simd size = simd_abs(x), square = simd_mul(x, x), one = simd_set(1.0f);
    simd near = simd_fma(simd_mul(size, square), simd_polynomial(square, p, SIMD_LENGTH(p)), size);
    simd e = simd_exp(simd_add(size, size));
    simd far = simd_sub(one, simd_div(simd_set(2.0f), simd_add(e, one)));
    return simd_with_sign_of(simd_choose(simd_less(size, simd_set(0.625f)), near, far), x);
}

// For |x| < 0.9 x + x P(x^2), minimax to 2^-30; else 1 - exp(Q(|x|)), Q = log(1 - erf) to 2^-34 in the result. From 4
// on the result is 1.
SIMD_INLINE simd simd_erf(simd x)
{
    static const float p[] = {0x1.06eba8p-3f, -0x1.812742p-2f,  0x1.ce2dcap-4f, -0x1.b80962p-6f,
                              0x1.549664p-8f, -0x1.a88d8ap-11f, 0x1.574ec6p-14f};
    static const float q[] = {0x1.62d8a4p-13f, -0x1.212626p0f, -0x1.444d1ep-1f, -0x1.bb4548p-4f,
                              0x1.9aebaep-6f,  -0x1.10625p-8f, 0x1.c4590ep-12f, -0x1.5d71d4p-16f};
    simd size = simd_clamp(simd_abs(x), 0.0f, 4.0f);
    simd near = simd_fma(size, simd_polynomial(simd_mul(size, size), p, SIMD_LENGTH(p)), size);
    simd far = simd_sub(simd_set(1.0f), simd_exp(simd_polynomial(size, q, SIMD_LENGTH(q))));
    return simd_with_sign_of(simd_choose(simd_less(size, simd_set(0.9f)), near, far), x);
}

// Of u = (w + 1/2) / 2^32 and 1 - u the smaller is rounded, so that the logarithm is accurate at both ends.
SIMD_INLINE simd simd_radius(simd_int word)
{
    simd_int upper = simd_int_right_signed(word, 31);
    simd smaller = simd_mul(simd_add(simd_of_int(simd_int_xor(word, upper)), simd_set(0.5f)), simd_set(0x1p-32f));
    simd e, f;
    simd_split(smaller, &e, &f);
    simd_int near = simd_less(smaller, simd_set(0x1.2bec34p-2f)); // 1 - sqrt(1/2)
    simd f_upper = simd_choose(near, simd_negate(smaller), simd_fnma(simd_set(2.0f), smaller, simd_set(1.0f)));
    simd e_upper = simd_choose(near, simd_zero(), simd_set(-1.0f));
    simd log = simd_log_sum(simd_choose(upper, e_upper, e), simd_choose(upper, f_upper, f));
    return simd_sqrt(simd_mul(log, simd_set(-2.0f)));
}

// The nearest quarter turn is taken off in integers; t is what is left, in quarter turns, |t| < 1/2. Minimax to 2^-28.
SIMD_INLINE void simd_turn(simd_int word, simd *ret_cos, simd *ret_sin)
{
    static const float s[] = {-0x1.a33ea6p-25f, -0x1.4abbb8p-1f, 0x1.465e16p-4f, -0x1.2d7926p-8f};
    static const float c[] = {-0x1.3bd3ccp0f, 0x1.03c1b0p-2f, -0x1.55b2b4p-6f, 0x1.d4f624p-11f};
    simd_int quarter = simd_int_right(simd_int_add(word, simd_int_set(1u << 29)), 30);
    simd_int left = simd_int_sub(word, simd_int_left(quarter, 30));
    simd_int odd_left = simd_int_add(simd_int_left(left, 1), simd_int_set(1));
    simd t = simd_mul(simd_of_int(odd_left), simd_set(0x1p-31f)), square = simd_mul(t, t);
    simd small = simd_mul(t, simd_polynomial(square, s, SIMD_LENGTH(s)));
    simd sine = simd_fma(t, simd_set(0x1.921fb6p0f), small);
    simd cosine = simd_fma(square, simd_polynomial(square, c, SIMD_LENGTH(c)), simd_set(1.0f));

    simd_int swap = simd_int_sub(simd_int_set(0), simd_int_and(quarter, simd_int_set(1)));
    simd_int sin_sign = simd_int_left(simd_int_right(quarter, 1), 31);
    simd_int cos_sign = simd_int_left(simd_int_right(simd_int_add(quarter, simd_int_set(1)), 1), 31);
    *ret_cos = simd_of_bits(simd_int_xor(simd_bits(simd_choose(swap, sine, cosine)), cos_sign));
    *ret_sin = simd_of_bits(simd_int_xor(simd_bits(simd_choose(swap, cosine, sine)), sin_sign));
}
#endif
