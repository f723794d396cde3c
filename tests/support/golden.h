// SPDX-License-Identifier: MIT
// Golden values: results whose bits must never change, on any machine, compiler or instruction set, unless `numerics`
// is raised. A failure prints the hash found.
#pragma once
#include "support.h"

#include "base_hash.h"
#include <math.h>
#include <string.h>

// The hash of the bits, with one form of NaN for all; 32 hexadecimal digits. Little-endian machines only, as yet.
static inline void assert_golden(const void *values, size_t size, const char *expected)
{
    char found[HASH_TEXT_SIZE];
    hash_text(hash_128(values, size), found);
    assert_string_equal(found, expected);
}

static inline void assert_golden_doubles(double *values, size_t count, const char *expected)
{
    for (size_t i = 0; i < count; i++)
        values[i] = isnan(values[i]) ? (double)NAN : values[i];
    assert_golden(values, count * sizeof *values, expected);
}

static inline void assert_golden_floats(float *values, size_t count, const char *expected)
{
    for (size_t i = 0; i < count; i++)
        values[i] = isnan(values[i]) ? NAN : values[i];
    assert_golden(values, count * sizeof *values, expected);
}
