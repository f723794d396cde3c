// SPDX-License-Identifier: MIT
// Small text helpers: numbers that round-trip, names that are nearly right. Nothing here depends on the locale.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_NUMBER_SIZE = 32 };

// The shortest decimal text that reads back as exactly `value`: "0.1", "64", "1e-05", "inf", "nan"; with an exponent
// below 10^-4 and from 10^16 on. Returns its length.
int text_real(double value, char ret_text[TEXT_NUMBER_SIZE]);

// Reads a whole decimal number (YAML's forms too: "1e-3", "3e6", ".5", "1.", "+1", ".inf", "-.inf", "1_000" is
// refused). "nan" and ".nan" give NaN; a number too large for a double gives infinity, one too
// small 0. False when the text is not wholly one number.
bool text_to_real(const char *text, size_t length, double *ret_value);

// Reads a decimal integer; "010" is ten; a real text with an integral value ("3e6", "64.0") is accepted as well. False
// when it is not an integer; *ret_overflow is true when it is one that does not fit.
bool text_to_int(const char *text, size_t length, int64_t *ret_value, bool *ret_overflow);
bool text_to_uint(const char *text, size_t length, uint64_t *ret_value, bool *ret_overflow);

// Restricted Damerau–Levenshtein distance, at most `limit` + 1.
int text_distance(const char *a, const char *b, int limit);

// The nearest of `count` names within a third of the length of `text` (at least 2 edits), or NULL.
const char *text_nearest(const char *text, const char *const *names, size_t count);

// "12.3 MiB"; "4 min 12 s", "2.7 years", "over 3000 years" beyond TEXT_DURATION_MOST seconds, "unknown time" for NaN,
// infinity and what is negative. Return `ret_text`.
#define TEXT_DURATION_MOST 94672800000.0
char *text_size(double bytes, char ret_text[TEXT_NUMBER_SIZE]);
char *text_duration(double seconds, char ret_text[TEXT_NUMBER_SIZE]);
