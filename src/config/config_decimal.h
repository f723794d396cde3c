// SPDX-License-Identifier: MIT
// Evenly spaced points in exact decimal arithmetic.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DECIMAL_TEXT_SIZE = 48 };

// mantissa * 10^exponent, |mantissa| < 10^18.
struct decimal {
    int64_t mantissa;
    int exponent;
};

// Reads a finite decimal number of at most 17 digits.
bool decimal_parse(const char *text, size_t length, struct decimal *ret_decimal);

// Scales all to the smallest exponent, which zeros do not count for; false when a mantissa becomes too large.
bool decimal_align(struct decimal *number, size_t count);

// The number as text that reads back as the nearest double, without an exponent where it is short. Returns its length.
size_t decimal_text(struct decimal decimal, char ret_text[DECIMAL_TEXT_SIZE]);

// Point `index` of `count` >= 2 from `from` to `to`, which are aligned, count <= 10^4: exact when its digits end within
// 17, else rounded to 12 significant digits, halves away from zero.
struct decimal decimal_between(struct decimal from, struct decimal to, int64_t index, int64_t count);

// A positive finite double rounded to 12 significant digits.
struct decimal decimal_round(double value);
