// SPDX-License-Identifier: MIT
// Numbers of twice double's precision: high + low, |low| <= ulp(high) / 2. Exact sums (Knuth) and products (Dekker,
// Veltkamp), barring overflow and underflow.
#pragma once
#include <math.h>
#include <stdbool.h>

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

struct wide {
    double high, low;
};

static inline struct wide wide_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (struct wide){sum, (a - (sum - part)) + (b - part)};
}

// For |a| >= |b|.
static inline struct wide wide_fast_sum(double a, double b)
{
    double sum = a + b;
    return (struct wide){sum, b - (sum - a)};
}

static inline struct wide wide_halves(double x)
{
    double scaled = 0x1.0000002p27 * x, high = scaled - (scaled - x);
    return (struct wide){high, x - high};
}

static inline struct wide wide_product(double a, double b)
{
    struct wide x = wide_halves(a), y = wide_halves(b);
    double product = a * b;
    double error = ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low;
    return (struct wide){product, error};
}

static inline struct wide wide_add(struct wide a, struct wide b)
{
    struct wide high = wide_sum(a.high, b.high), low = wide_sum(a.low, b.low);
    high = wide_fast_sum(high.high, high.low + low.high);
    return wide_fast_sum(high.high, high.low + low.low);
}

static inline struct wide wide_multiply(struct wide a, struct wide b)
{
    struct wide product = wide_product(a.high, b.high);
    return wide_fast_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline struct wide wide_divide(struct wide a, struct wide b)
{
    double quotient = a.high / b.high;
    struct wide back = wide_product(quotient, b.high);
    double rest = ((a.high - back.high) - back.low) + (a.low - quotient * b.low);
    return wide_fast_sum(quotient, rest / b.high);
}

// Horner's rule, coefficients in ascending order.
static inline double polynomial(double x, const double *coefficient, int count)
{
    double sum = coefficient[count - 1];
    for (int i = count - 2; i >= 0; i--)
        sum = sum * x + coefficient[i];
    return sum;
}

// x * 2^exponent, rounded once, for 2^-54 < |x| < 4 and |exponent| <= 1100.
double wide_scale(double x, int exponent);
// exp(high + low), |high| <= 750, error < 0.7 ulp.
double wide_exp(struct wide x);
// The same as high + low times 2^*ret_exponent, high in 0.7 … 1.5; what is lost is below 2^-53 of exp(high + low) - 1
// where the exponent is 0.
struct wide wide_exp_parts(struct wide x, int *ret_exponent);
// log(x * 2^exponent) for positive normal x, relative error < 2^-66.
struct wide wide_log(struct wide x, int exponent);
