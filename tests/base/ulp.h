// SPDX-License-Identifier: MIT
// Errors of computed values against MPFR, in units in the last place, and inputs to measure them at.
#pragma once
#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <string.h>

// The distance of `value` from `exact` in units of the last place that a number of `digits` bits (53 or 24) and least
// exponent `least` (-1074 or -149) has near `exact`. 0 when both are infinite or NaN alike, infinity when one is.
static inline double ulp_error(double value, mpfr_t exact, int digits, int least)
{
    mpfr_t rounded;
    mpfr_init2(rounded, (mpfr_prec_t)digits);
    mpfr_set(rounded, exact, MPFR_RNDN);
    int exponent = mpfr_regular_p(rounded) ? (int)mpfr_get_exp(rounded) : 0;
    double nearest =
        exponent > (digits == 53 ? 1024 : 128) ? mpfr_sgn(exact) * INFINITY : mpfr_get_d(rounded, MPFR_RNDN);
    mpfr_clear(rounded);
    if (!isfinite(nearest) || !isfinite(value))
        return nearest == value || (isnan(nearest) && isnan(value)) ? 0 : INFINITY;
    int last = exponent - digits > least ? exponent - digits : least;
    mpfr_t difference;
    mpfr_init2(difference, 300);
    mpfr_sub_d(difference, exact, value, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, -last, MPFR_RNDN);
    double error = fabs(mpfr_get_d(difference, MPFR_RNDU));
    mpfr_clear(difference);
    return error;
}

// A sequence of 64-bit words that is the same in every run.
static inline uint64_t next_word(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t word = *state ^ *state >> 33;
    return word * 0xff51afd7ed558ccdu ^ word >> 29;
}

static inline double double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// Between two doubles of one sign, even in their bits: all magnitudes alike.
static inline double next_between(uint64_t *state, double from, double to)
{
    uint64_t low = bits_of_double(fabs(from)), high = bits_of_double(fabs(to));
    return copysign(double_of_bits(low + next_word(state) % (high - low + 1)), from);
}
