// SPDX-License-Identifier: MIT
#include "base_math.h"
#include "base_wide.h"

enum parity { NOT_INTEGRAL, EVEN, ODD };

static enum parity parity_of(double y)
{
    if (!(__builtin_fabs(y) < 0x1p53))
        return EVEN; // infinity too
    int64_t whole = (int64_t)y;
    if ((double)whole != y)
        return NOT_INTEGRAL;
    return whole & 1 ? ODD : EVEN;
}

// |x| is 0, infinite or one, or y is infinite: the limit of |x|^y.
static double limit(double magnitude, double y)
{
    if (magnitude == 1)
        return 1;
    return (magnitude > 1) == (y > 0) ? (double)INFINITY : 0;
}

// Since |log x| >= 2^-53 but for x = 1, no |y| beyond 2^70 changes the result.
static double positive_power(double x, double y)
{
    const double most = 0x1p70;
    bool subnormal = x < 0x1p-1022;
    y = y > most ? most : y < -most ? -most : y;
    struct wide log = wide_log((struct wide){subnormal ? x * 0x1p54 : x, 0}, subnormal ? -54 : 0);
    struct wide product = wide_multiply(log, (struct wide){y, 0});
    if (product.high > 710)
        return (double)INFINITY;
    return product.high < -746 ? 0 : wide_exp(product);
}

double math_pow(double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    if (x != x || y != y)
        return x + y;
    const double infinity = (double)INFINITY, magnitude = __builtin_fabs(x);
    enum parity parity = parity_of(y);
    bool negative = parity == ODD && __builtin_signbit(x);
    double power;
    if (magnitude == 0 || magnitude == infinity || magnitude == 1 || __builtin_fabs(y) == infinity)
        power = limit(magnitude, y);
    else
        power = positive_power(magnitude, y);
    if (x < 0 && parity == NOT_INTEGRAL && magnitude != infinity)
        return (double)NAN;
    return negative ? -power : power;
}
