// SPDX-License-Identifier: MIT
#include "base_text.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// 768 digits decide every rounding to double when the rest is known to be zero or not.
enum { DIGITS_MAX = 800, EXPONENT_MAX = 100000 };

// ± 0.d1d2d3… × 10^point, without zeros at either end; no digits for zero. A cut-off rest is a final 1.
struct decimal {
    bool negative;
    int digits;
    long point;
    char digit[DIGITS_MAX + 1];
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void add_digit(struct decimal *decimal, char digit)
{
    if (decimal->digits < DIGITS_MAX)
        decimal->digit[decimal->digits++] = digit;
    else if (digit != '0')
        decimal->digit[DIGITS_MAX] = '1';
}

// Digits with at most one point from *at on; false without any digit.
static bool scan_digits(const char *text, size_t length, size_t *at, struct decimal *decimal)
{
    bool any = false, point = false;
    decimal->digit[DIGITS_MAX] = '0';
    for (; *at < length && (is_digit(text[*at]) || (text[*at] == '.' && !point)); ++*at) {
        if (text[*at] == '.') {
            point = true;
            continue;
        }
        any = true;
        bool leading = !decimal->digits && text[*at] == '0';
        if (!leading)
            add_digit(decimal, text[*at]);
        decimal->point += leading ? -point : !point;
    }
    decimal->digits += decimal->digits == DIGITS_MAX && decimal->digit[DIGITS_MAX] == '1';
    while (decimal->digits && decimal->digit[decimal->digits - 1] == '0')
        decimal->digits--;
    return any;
}

static bool scan_exponent(const char *text, size_t length, size_t *at, long *ret_exponent)
{
    bool negative = *at < length && text[*at] == '-';
    *at += *at < length && (text[*at] == '-' || text[*at] == '+');
    size_t start = *at;
    long exponent = 0;
    for (; *at < length && is_digit(text[*at]); ++*at)
        exponent = exponent < EXPONENT_MAX ? 10 * exponent + (text[*at] - '0') : exponent;
    *ret_exponent = negative ? -exponent : exponent;
    return *at > start;
}

static bool scan_sign(const char *text, size_t length, size_t *at)
{
    bool sign = *at < length && (text[*at] == '-' || text[*at] == '+');
    bool negative = sign && text[*at] == '-';
    *at += sign;
    return negative;
}

static bool scan_decimal(const char *text, size_t length, struct decimal *ret_decimal)
{
    size_t at = 0;
    long exponent = 0;
    ret_decimal->digits = 0;
    ret_decimal->point = 0;
    ret_decimal->negative = scan_sign(text, length, &at);
    if (!scan_digits(text, length, &at, ret_decimal))
        return false;
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        if (!scan_exponent(text, length, &at, &exponent))
            return false;
    }
    ret_decimal->point += exponent;
    return at == length;
}

// strtod without a decimal point does not ask the locale.
static double real_of_decimal(const struct decimal *decimal)
{
    char plain[DIGITS_MAX + 32];
    int digits = decimal->digits ? decimal->digits : 1;
    snprintf(plain, sizeof plain, "%.*se%ld", digits, decimal->digits ? decimal->digit : "0", decimal->point - digits);
    double value = strtod(plain, NULL);
    return decimal->negative ? -value : value;
}

static bool is_one_of(const char *text, size_t length, const char *const *names)
{
    for (; *names; names++)
        if (strlen(*names) == length && !memcmp(text, *names, length))
            return true;
    return false;
}

static bool scan_special(const char *text, size_t length, double *ret_value)
{
    static const char *const infinities[] = {"inf", ".inf", ".Inf", ".INF", NULL};
    static const char *const nans[] = {"nan", ".nan", ".NaN", ".NAN", NULL};
    size_t at = 0;
    bool negative = scan_sign(text, length, &at);
    if (is_one_of(text + at, length - at, infinities))
        return *ret_value = negative ? -INFINITY : INFINITY, true;
    if (at == 0 && is_one_of(text, length, nans))
        return *ret_value = NAN, true;
    return false;
}

bool text_to_real(const char *text, size_t length, double *ret_value)
{
    struct decimal decimal;
    if (!scan_decimal(text, length, &decimal))
        return scan_special(text, length, ret_value);
    *ret_value = real_of_decimal(&decimal);
    return true;
}

// False when the text is not an integer; *ret_fits tells whether its magnitude is in 64 bits.
static bool scan_integer(const char *text, size_t length, bool *ret_negative, uint64_t *ret_magnitude, bool *ret_fits)
{
    struct decimal decimal;
    if (!scan_decimal(text, length, &decimal) || decimal.digits > (decimal.digits ? decimal.point : 0))
        return false;
    uint64_t magnitude = 0;
    bool fits = !decimal.digits || decimal.point <= 20;
    for (int i = 0; fits && decimal.digits && i < decimal.point; i++) {
        unsigned digit = i < decimal.digits ? (unsigned)(decimal.digit[i] - '0') : 0;
        fits = !__builtin_mul_overflow(magnitude, (uint64_t)10, &magnitude) &&
               !__builtin_add_overflow(magnitude, (uint64_t)digit, &magnitude);
    }
    *ret_negative = decimal.negative && decimal.digits;
    *ret_magnitude = magnitude;
    *ret_fits = fits;
    return true;
}

bool text_to_int(const char *text, size_t length, int64_t *ret_value, bool *ret_overflow)
{
    bool negative, fits;
    uint64_t magnitude;
    *ret_overflow = false;
    if (!scan_integer(text, length, &negative, &magnitude, &fits))
        return false;
    if (!fits || magnitude > (uint64_t)INT64_MAX + negative)
        return *ret_overflow = true, false;
    *ret_value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

bool text_to_uint(const char *text, size_t length, uint64_t *ret_value, bool *ret_overflow)
{
    bool negative, fits;
    uint64_t magnitude;
    *ret_overflow = false;
    if (!scan_integer(text, length, &negative, &magnitude, &fits))
        return false;
    if (!fits || negative)
        return *ret_overflow = true, false;
    *ret_value = magnitude;
    return true;
}

// The fewest significant digits of a positive finite `value` that read back as it. Where the fewest are up to 15, the
// first 15 of a normal number are these and zeros.
static void shortest(double value, struct decimal *ret_decimal)
{
    for (int precision = value < DBL_MIN ? 0 : DBL_DIG - 1; precision < 17; precision++) {
        char text[TEXT_NUMBER_SIZE];
        snprintf(text, sizeof text, "%.*e", precision, value);
        ret_decimal->digits = 0;
        const char *at = text;
        for (; *at != 'e'; at++)
            if (is_digit(*at)) // skips the locale's point
                ret_decimal->digit[ret_decimal->digits++] = *at;
        ret_decimal->point = strtol(at + 1, NULL, 10) + 1;
        if (real_of_decimal(ret_decimal) == value)
            break;
    }
    while (ret_decimal->digits > 1 && ret_decimal->digit[ret_decimal->digits - 1] == '0')
        ret_decimal->digits--;
}

static char *put_repeated(char *at, char c, long count)
{
    for (; count > 0; count--)
        *at++ = c;
    return at;
}

static char *put_digits(char *at, const struct decimal *decimal, int from, int to)
{
    for (int i = from; i < to; i++)
        *at++ = i < decimal->digits ? decimal->digit[i] : '0';
    return at;
}

static char *put_decimal(char *at, const struct decimal *decimal)
{
    int digits = decimal->digits, point = (int)decimal->point;
    if (point > 16 || point < -3) {
        at = put_digits(at, decimal, 0, 1);
        at = put_repeated(at, '.', digits > 1);
        at = put_digits(at, decimal, 1, digits);
        return at + sprintf(at, "e%+03d", point - 1);
    }
    if (point <= 0) {
        *at++ = '0';
        at = put_repeated(put_repeated(at, '.', 1), '0', -point);
        return put_digits(at, decimal, 0, digits);
    }
    at = put_digits(at, decimal, 0, point);
    at = put_repeated(at, '.', digits > point);
    return put_digits(at, decimal, point, digits);
}

int text_real(double value, char ret_text[TEXT_NUMBER_SIZE])
{
    if (isnan(value))
        return sprintf(ret_text, "nan");
    char *at = ret_text;
    if (signbit(value))
        *at++ = '-';
    if (isinf(value))
        return (int)(at - ret_text) + sprintf(at, "inf");
    struct decimal decimal = {.digits = 1, .digit = "0", .point = 1};
    if (value != 0)
        shortest(fabs(value), &decimal);
    at = put_decimal(at, &decimal);
    *at = 0;
    return (int)(at - ret_text);
}
