// SPDX-License-Identifier: MIT
#include "base_fma.h"
#include "base_wide.h"
#include <stdbool.h>

__extension__ typedef unsigned __int128 uint128;

enum { BIAS = 1023, TOP = 125 }; // TOP: the leading bit of a normalised magnitude

static int exponent_of(double x)
{
    return (int)(fma_bits(x) >> 52 & 0x7ff) - BIAS;
}

// No product, sum or error term of the arguments comes near overflow or underflow.
static bool moderate(double a, double b, double c)
{
    int x = exponent_of(a), y = exponent_of(b), z = exponent_of(c);
    return x > -400 && x < 400 && y > -400 && y < 400 && ((z > -900 && z < 900) || c == 0);
}

// Boldo and Melquiond, Emulation of a FMA and correctly rounded sums (IEEE Trans. Computers 57, 2008).
static double moderate_fma(double a, double b, double c)
{
    struct wide product = wide_product(a, b), low = wide_sum(c, product.low);
    struct wide high = wide_sum(product.high, low.high), rest = wide_sum(high.low, low.low);
    return high.high + fma_round_to_odd(rest.high, rest.low);
}

// magnitude * 2^exponent, its leading bit at TOP.
struct magnitude {
    uint128 bits;
    int exponent;
};

static int leading_bit(uint128 bits)
{
    uint64_t high = (uint64_t)(bits >> 64), low = (uint64_t)bits;
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(low);
}

static struct magnitude normalised(uint128 bits, int exponent)
{
    int shift = TOP - leading_bit(bits);
    return (struct magnitude){bits << shift, exponent - shift};
}

// The 53-bit integer and the exponent of a finite non-zero x.
static uint64_t mantissa(double x, int *ret_exponent)
{
    uint64_t bits = fma_bits(x), fraction = bits & 0xfffffffffffff;
    int exponent = (int)(bits >> 52 & 0x7ff);
    *ret_exponent = (exponent ? exponent : 1) - BIAS - 52;
    return exponent ? fraction | 1ull << 52 : fraction;
}

static uint128 shift_right_sticky(uint128 bits, int count)
{
    if (count > TOP)
        return 1;
    uint128 lost = bits & (((uint128)1 << count) - 1);
    return bits >> count | (lost != 0);
}

static double power_of_two(int exponent)
{
    return fma_of_bits(exponent < 1 - BIAS ? 1ull << (exponent + BIAS + 51) : (uint64_t)(exponent + BIAS) << 52);
}

// One rounding, to nearest even, at the last place that the result has.
static double rounded(uint128 bits, int exponent)
{
    int shift = leading_bit(bits) - 52;
    shift = shift > -1074 - exponent ? shift : -1074 - exponent;
    if (shift > 127 || exponent + shift > 971)
        return shift > 127 ? 0 : (double)INFINITY;
    if (shift <= 0)
        return (double)(uint64_t)bits * power_of_two(exponent);
    uint128 kept = bits >> shift, rest = bits - (kept << shift), half = (uint128)1 << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
    return (double)(uint64_t)kept * power_of_two(exponent + shift);
}

static double integer_fma(double a, double b, double c)
{
    int x, y, z;
    uint64_t p = mantissa(a, &x), q = mantissa(b, &y), r = mantissa(c, &z);
    struct magnitude large = normalised((uint128)p * q, x + y), small = normalised(r, z);
    bool negative = (fma_bits(a) ^ fma_bits(b)) >> 63, other = fma_bits(c) >> 63;
    bool subtract = negative != other;
    if (large.exponent < small.exponent || (large.exponent == small.exponent && large.bits < small.bits)) {
        struct magnitude swap = large;
        large = small;
        small = swap;
        negative = other;
    }
    uint128 shifted = shift_right_sticky(small.bits, large.exponent - small.exponent);
    uint128 bits = subtract ? large.bits - shifted : large.bits + shifted;
    double result = bits ? rounded(bits, large.exponent) : 0;
    return bits && negative ? -result : result;
}

static bool is_finite(double x)
{
    return exponent_of(x) <= BIAS;
}

double fma_double(double a, double b, double c)
{
    if (moderate(a, b, c))
        return moderate_fma(a, b, c);
    if (!is_finite(a) || !is_finite(b) || a == 0 || b == 0)
        return a * b + c;
    if (!is_finite(c))
        return c + c;
    return c == 0 ? a * b : integer_fma(a, b, c);
}
