// SPDX-License-Identifier: MIT
#include "base_math.h"
#include "base_fma.h"
#include "base_wide.h"

// Its own nearest integer, for |x| < 2^51, which the low bits of *ret_bits hold too.
static double nearest(double x, uint64_t *ret_bits)
{
    double shifted = x + 0x1.8p52;
    *ret_bits = fma_bits(shifted);
    return shifted - 0x1.8p52;
}

// In two factors: the first product is exact, since 2^exponent itself may be out of range.
double wide_scale(double x, int exponent)
{
    int half = exponent / 2, rest = exponent - half;
    return x * fma_of_bits((uint64_t)(half + 1023) << 52) * fma_of_bits((uint64_t)(rest + 1023) << 52);
}

// exp(x) = 2^n exp(r), |r| <= ln(2) / 2, with Taylor's series behind 1 + r. n times the leading part of ln(2) is exact.
struct wide wide_exp_parts(struct wide x, int *ret_exponent)
{
    static const double taylor[] = {1.0 / 2,         1.0 / 6,          1.0 / 24,         1.0 / 120,     1.0 / 720,
                                    1.0 / 5040,      1.0 / 40320,      1.0 / 362880,     1.0 / 3628800, 1.0 / 39916800,
                                    1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200};
    uint64_t bits;
    double n = nearest(x.high * 0x1.71547652b82fep0, &bits);
    struct wide r = wide_sum(x.high - n * 0x1.62e42feep-1, -(n * 0x1.a39ef35793c76p-33));
    r = wide_sum(r.high, r.low + x.low);
    double rest = r.high * r.high * polynomial(r.high, taylor, LENGTH(taylor)) + r.low * (1 + r.high);
    struct wide sum = wide_fast_sum(1, r.high);
    *ret_exponent = (int)n;
    return (struct wide){sum.high, sum.low + rest};
}

double wide_exp(struct wide x)
{
    int exponent;
    struct wide parts = wide_exp_parts(x, &exponent);
    return wide_scale(parts.high + parts.low, exponent);
}

double math_exp(double x)
{
    if (!(x > -746))
        return x < 0 ? 0 : x;
    return x > 710 ? (double)INFINITY : wide_exp((struct wide){x, 0});
}

// log(1 + f) = 2 artanh(s), s = f / (2 + f), |s| < 0.172: s, s^3 and s^5 in twice the precision, the rest is small.
static struct wide log_near_one(struct wide f)
{
    static const double tail[] = {1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17,
                                  1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25, 1.0 / 27};
    static const struct wide third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
    static const struct wide fifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
    struct wide s = wide_divide(f, wide_add((struct wide){2, 0}, f)), square = wide_multiply(s, s);
    struct wide sum = wide_add(fifth, (struct wide){square.high * polynomial(square.high, tail, LENGTH(tail)), 0});
    sum = wide_add(third, wide_multiply(square, sum));
    sum = wide_add(s, wide_multiply(s, wide_multiply(square, sum)));
    return (struct wide){2 * sum.high, 2 * sum.low};
}

// x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
struct wide wide_log(struct wide x, int exponent)
{
    const uint64_t root_half = 0x3fe6a09e667f3bcd;
    uint64_t offset = fma_bits(x.high) - root_half;
    int e = (int)((int64_t)offset >> 52);
    double leading = fma_of_bits((offset & 0xfffffffffffff) + root_half);
    struct wide near_one = log_near_one(wide_sum(leading - 1, wide_scale(x.low, -e)));
    double whole = e + exponent;
    return wide_add((struct wide){whole * 0x1.62e42fefa38p-1, whole * 0x1.ef35793c7673p-45}, near_one);
}

double math_log(double x)
{
    if (!(x > 0))
        return x == 0 ? -(double)INFINITY : (double)NAN;
    if (x == (double)INFINITY)
        return x;
    bool subnormal = x < 0x1p-1022;
    return wide_log((struct wide){subnormal ? x * 0x1p54 : x, 0}, subnormal ? -54 : 0).high;
}

double math_log1p(double x)
{
    if (!(x > -1))
        return x == -1 ? -(double)INFINITY : (double)NAN;
    if (x == (double)INFINITY || (x < 0x1p-54 && x > -0x1p-54))
        return x;
    return wide_log(wide_sum(1, x), 0).high;
}

// x minus the nearest multiple of pi / 2, whose quarter is in the low bits of *ret_quarter. Parts of 33, 31, 32 and 53
// bits make the products with n < 2^20 exact but for the last.
static struct wide reduced(double x, uint64_t *ret_quarter)
{
    double n = nearest(x * 0x1.45f306dc9c883p-1, ret_quarter);
    struct wide high = wide_sum(x - n * 0x1.921fb544p0, -(n * 0x42d18469p-64));
    struct wide low = wide_sum(-(n * 0x898cc517p-96), -(n * 0x1.b839a252049c1p-104));
    return wide_add(high, low);
}

static double sine(struct wide r)
{
    static const double taylor[] = {-1.0 / 6,
                                    1.0 / 120,
                                    -1.0 / 5040,
                                    1.0 / 362880,
                                    -1.0 / 39916800,
                                    1.0 / 6227020800,
                                    -1.0 / 1307674368000,
                                    1.0 / 355687428096000,
                                    -1.0 / 121645100408832000};
    double square = r.high * r.high;
    return r.high + (r.high * (square * polynomial(square, taylor, LENGTH(taylor))) + r.low * (1 - square / 2));
}

static double cosine(struct wide r)
{
    static const double taylor[] = {1.0 / 24,        -1.0 / 720,         1.0 / 40320,          -1.0 / 3628800,
                                    1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000, -1.0 / 6402373705728000};
    struct wide square = wide_product(r.high, r.high), sum = wide_fast_sum(1, -square.high / 2);
    double rest = square.high * square.high * polynomial(square.high, taylor, LENGTH(taylor));
    return sum.high + (sum.low + (rest - (square.low / 2 + r.high * r.low)));
}

// sin(x + turn * pi / 2).
static double circular(double x, unsigned turn)
{
    if (!(x >= -0x1p20 && x <= 0x1p20))
        return (double)NAN;
    uint64_t quarter;
    struct wide r = reduced(x, &quarter);
    quarter += turn;
    double value = quarter & 1 ? cosine(r) : sine(r);
    return quarter & 2 ? -value : value;
}

double math_sin(double x)
{
    return x > -0x1p-27 && x < 0x1p-27 ? x : circular(x, 0);
}

double math_cos(double x)
{
    return circular(x, 1);
}

float math_fmaf(float a, float b, float c)
{
    return fma_float(a, b, c);
}

double math_fma(double a, double b, double c)
{
    return fma_double(a, b, c);
}
