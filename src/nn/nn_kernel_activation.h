// SPDX-License-Identifier: MIT
// Activations with their derivatives. Included by nn_kernel_table.c alone.
#pragma once
#include "nn_kernel_lanes.h"
#include "spec_settings.h"

struct activated {
    simd value, slope;
};

// The normal distribution function of x and its density.
#ifdef NN_DOUBLE
SIMD_INLINE simd normal_share(simd x, simd *ret_density)
{
    *ret_density = simd_mul(simd_exp(-0.5 * x * x), 0x1.9884533d43651p-2);
    return 0.5 + 0.5 * simd_erf(x * 0x1.6a09e667f3bcdp-1);
}
#else
// The share beyond |x| is exp(-x^2 / 2) t P(t), t = 1 / (1 + |x| / 4), P minimax: the error times max(|x|, 1) is below
// 2^-28, that of rounding left aside.
SIMD_INLINE simd normal_share(simd x, simd *ret_density)
{
    static const float p[] = {0x1.993526p-4f,  0x1.ab6066p-4f, 0x1.8bb5d4p-5f, 0x1.f396c6p-3f,
                              -0x1.df4aa8p-3f, 0x1.4df442p-2f, -0x1.6ad9c0p-4f};
    const simd one = simd_set(1);
    const simd e = simd_exp(simd_mul(simd_mul(x, x), simd_set(-0.5f)));
    const simd t = simd_div(one, simd_fma(simd_abs(x), simd_set(0.25f), one));
    const simd beyond = simd_mul(simd_mul(e, t), simd_polynomial(t, p, SIMD_LENGTH(p)));
    *ret_density = simd_mul(e, simd_set(0x1.988454p-2f));
    return simd_add(simd_select_positive(x, simd_fnma(simd_set(2), beyond, one)), beyond);
}
#endif

SIMD_INLINE struct activated gelu(simd x)
{
    simd density;
    const simd share = normal_share(x, &density);
    return (struct activated){simd_mul(x, share), simd_fma(x, density, share)};
}

// x sigmoid(2 z), z = sqrt(2 / pi) (x + 0.044715 x^3). From 16 on the sigmoid is 0 or 1; the order of arguments lets
// NaN pass.
SIMD_INLINE struct activated gelu_tanh(simd x)
{
    const real root = (real)0x1.9884533d43651p0; // 2 sqrt(2 / pi)
    const simd one = simd_set(1), limit = simd_set(16);
    const simd near = simd_max(simd_negate(limit), simd_min(limit, x)), square = simd_mul(near, near);
    const simd twice = simd_mul(near, simd_fma(simd_set((real)0.044715 * root), square, simd_set(root)));
    const simd rise = simd_fma(simd_set((real)0.134145 * root), square, simd_set(root));
    const simd share = simd_div(one, simd_add(one, simd_exp(simd_negate(twice))));
    const simd bend = simd_mul(simd_mul(share, simd_sub(one, share)), rise);
    return (struct activated){simd_mul(x, share), simd_fma(near, bend, share)};
}

SIMD_INLINE struct activated relu(simd x)
{
    return (struct activated){simd_max(simd_zero(), x), simd_select_positive(x, simd_set(1))};
}

SIMD_INLINE struct activated activated(int function, simd x)
{
    return function == FFN_GELU ? gelu(x) : function == FFN_GELU_TANH ? gelu_tanh(x) : relu(x);
}

SIMD_INLINE void activate_all(int function, real *x, real *slope, long count)
{
    for (long i = 0; i < count; i += SIMD_WIDTH) {
        const struct activated y = activated(function, simd_load(x + i));
        simd_store(x + i, y.value);
        if (slope)
            simd_store(slope + i, y.slope);
    }
}

static void activate(int function, real *x, real *slope, long count)
{
    if (function == FFN_GELU)
        activate_all(FFN_GELU, x, slope, count);
    else if (function == FFN_GELU_TANH)
        activate_all(FFN_GELU_TANH, x, slope, count);
    else
        activate_all(FFN_RELU, x, slope, count);
}
