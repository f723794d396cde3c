// SPDX-License-Identifier: MIT
// The hyperbolic tangent and the error function.
#include "base_math.h"
#include "base_wide.h"

// (E - 1) / (E + 1) with E = exp(2 |x|) in twice the precision; beyond 22 the result is 1.
double math_tanh(double x)
{
    const double size = fabs(x);
    if (!(size > 0x1p-28))
        return x;
    if (size > 22)
        return copysign(1, x);
    int exponent;
    const struct wide parts = wide_exp_parts((struct wide){2 * size, 0}, &exponent), one = {1, 0}, minus = {-1, 0};
    const struct wide e = {wide_scale(parts.high, exponent), parts.low * wide_scale(1, exponent)};
    return copysign(wide_divide(wide_add(e, minus), wide_add(e, one)).high, x);
}

// erf(x) = x + x P(x^2) for |x| < 1, minimax to 2^-62.
static double error_near_zero(double x)
{
    static const double p[] = {0x1.06eba8214db69p-3,   -0x1.812746b0379e6p-2,  0x1.ce2f21a042b30p-4,
                               -0x1.b82ce31284e00p-6,  0x1.565bcd0dbaa38p-8,   -0x1.c02db3dac435fp-11,
                               0x1.f9a321d5b8e1ep-14,  -0x1.f4d1e3183f7aep-17, 0x1.b9df224ca4b97p-20,
                               -0x1.5f1ecb6f0764cp-23, 0x1.f7b4bf3b13964p-27,  -0x1.389d4f2641625p-30,
                               0x1.05ffd737fb32ep-34};
    return x + x * polynomial(x * x, p, LENGTH(p));
}

// 1 - erf(x) for 1 <= x <= 6: (1 + 2 x) exp(x^2) erfc(x) is smooth in (x - 3) / (x + 3); minimax to 2^-61.
static double complement(double x)
{
    static const double p[] = {0x1.40c522d7e4987p+0,   -0x1.15c084bb9e8f3p-3,  -0x1.85a15c58aa62fp-5,
                               0x1.098366a5b46e7p-3,   -0x1.e88b803a48012p-4,  0x1.17ca2877ef64ep-4,
                               -0x1.8574c40ca63d3p-6,  0x1.4b884e4a82be6p-9,   0x1.ef1bdea85d88ap-10,
                               -0x1.98db51c3b4954p-11, -0x1.b913d366312abp-14, 0x1.0659dde03ec66p-13,
                               0x1.4cf120fa5bf9dp-18,  -0x1.50fd2d18ca8afp-16, -0x1.a70ce38ce612ep-21,
                               0x1.c3118550f30e8p-19,  0x1.dcdd8bc09a430p-22,  -0x1.3ccda7cd5678ep-22};
    const struct wide square = wide_product(x, x);
    const double smooth = polynomial((x - 3) / (x + 3), p, LENGTH(p));
    return wide_exp((struct wide){-square.high, -square.low}) * smooth / (1 + 2 * x);
}

double math_erf(double x)
{
    const double size = fabs(x);
    if (!(size >= 1))
        return error_near_zero(x);
    return copysign(size > 6 ? 1 : 1 - complement(size), x);
}
