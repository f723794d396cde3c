// SPDX-License-Identifier: MIT
// Exact fused multiply-add in software, inline for kernels without the instruction: the result of IEEE 754's fma for
// every finite and infinite argument, subnormal results included; NaN where fma gives one. No branch in the
// single-precision form, so that loops over lanes become vector code.
#pragma once
#include <stdint.h>
#include <string.h>

#ifdef __clang__
// The error terms below are lost when a compiler fuses or reassociates.
#pragma STDC FP_CONTRACT OFF
#endif

static inline uint64_t fma_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double fma_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// `sum`, the rounded value of sum + error, rounded to odd instead: towards zero, then the last bit set if inexact. A
// second rounding to at least two bits less then gives what a single one would (Boldo and Melquiond 2008). A NaN as
// error, which comes with an infinite or NaN sum, changes nothing.
static inline double fma_round_to_odd(double sum, double error)
{
    uint64_t bits = fma_bits(sum), rest = fma_bits(error == error ? error : 0), magnitude = rest << 1;
    uint64_t inexact = (magnitude | (0 - magnitude)) >> 63;
    uint64_t beyond = (bits ^ rest) >> 63 & inexact;
    return fma_of_bits((bits - beyond) | inexact);
}

// The product is exact in double (48 bits), its sum with c is not; TwoSum (Knuth) gives the error.
static inline float fma_float(float a, float b, float c)
{
    double product = (double)a * b, sum = product + c;
    double part = sum - product, error = (product - (sum - part)) + (c - part);
    return (float)fma_round_to_odd(sum, error);
}

// a * b + c of doubles. Error-free transformations within a safe range of exponents, integers outside.
double fma_double(double a, double b, double c);
