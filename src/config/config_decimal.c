// SPDX-License-Identifier: MIT
#include "config_decimal.h"
#include "base_text.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDED_DIGITS = 12, EXPONENT_LIMIT = 100000 };
#define MANTISSA_LIMIT INT64_C(1000000000000000000)
#define EXACT_LIMIT    INT64_C(100000000000000000)

// Room for a mantissa times the number of points.
typedef __int128 wide;

static size_t read_digits(const char *text, size_t length, struct decimal *decimal)
{
    bool point = false;
    size_t at = 0;
    for (; at < length && strchr("0123456789.", text[at]) && text[at]; at++) {
        if (text[at] == '.') {
            point = true;
            continue;
        }
        if (decimal->mantissa >= MANTISSA_LIMIT / 10)
            return 0;
        decimal->mantissa = 10 * decimal->mantissa + (text[at] - '0');
        decimal->exponent -= point;
    }
    return at;
}

bool decimal_parse(const char *text, size_t length, struct decimal *ret_decimal)
{
    double value;
    int64_t exponent = 0;
    bool overflow;
    if (!text_to_real(text, length, &value) || !isfinite(value))
        return false;
    struct decimal decimal = {0};
    size_t sign = text[0] == '-' || text[0] == '+';
    size_t end = sign + read_digits(text + sign, length - sign, &decimal);
    if (end == sign)
        return false;
    if (end < length && !text_to_int(text + end + 1, length - end - 1, &exponent, &overflow))
        return false;
    if (exponent < -EXPONENT_LIMIT / 2 || exponent > EXPONENT_LIMIT / 2)
        return false;
    decimal.exponent += (int)exponent;
    decimal.mantissa = text[0] == '-' ? -decimal.mantissa : decimal.mantissa;
    for (; decimal.mantissa && decimal.mantissa % 10 == 0; decimal.exponent++)
        decimal.mantissa /= 10;
    if (!decimal.mantissa)
        decimal.exponent = 0;
    *ret_decimal = decimal;
    return true;
}

static bool scale_down(struct decimal *decimal, int exponent)
{
    for (; decimal->exponent > exponent && decimal->mantissa; decimal->exponent--) {
        if (llabs(decimal->mantissa) >= MANTISSA_LIMIT / 10)
            return false;
        decimal->mantissa *= 10;
    }
    decimal->exponent = exponent;
    return true;
}

bool decimal_align(struct decimal *number, size_t count)
{
    int exponent = EXPONENT_LIMIT;
    for (size_t i = 0; i < count; i++)
        if (number[i].mantissa && number[i].exponent < exponent)
            exponent = number[i].exponent;
    for (size_t i = 0; i < count; i++)
        if (!scale_down(&number[i], exponent))
            return false;
    return true;
}

size_t decimal_text(struct decimal decimal, char ret_text[DECIMAL_TEXT_SIZE])
{
    double value;
    for (; decimal.exponent < 0 && decimal.mantissa % 10 == 0; decimal.exponent++)
        decimal.mantissa /= 10;
    for (; decimal.exponent > 0 && llabs(decimal.mantissa) < MANTISSA_LIMIT / 10; decimal.exponent--)
        decimal.mantissa *= 10;
    int length = decimal.exponent
                     ? snprintf(ret_text, DECIMAL_TEXT_SIZE, "%" PRId64 "e%d", decimal.mantissa, decimal.exponent)
                     : snprintf(ret_text, DECIMAL_TEXT_SIZE, "%" PRId64, decimal.mantissa);
    if (decimal.exponent < 0 && text_to_real(ret_text, (size_t)length, &value))
        length = text_real(value, ret_text);
    return (size_t)length;
}

static struct decimal round_digits(int64_t magnitude, int exponent)
{
    int64_t limit = 1, unit = 1;
    for (int i = 0; i < ROUNDED_DIGITS; i++)
        limit *= 10;
    for (; magnitude / unit >= limit; exponent++)
        unit *= 10;
    return (struct decimal){(magnitude + unit / 2) / unit, exponent};
}

struct decimal decimal_between(struct decimal from, struct decimal to, int64_t index, int64_t count)
{
    int64_t intervals = count - 1;
    wide sum = (wide)from.mantissa * (intervals - index) + (wide)to.mantissa * index;
    bool negative = sum < 0;
    int exponent = from.exponent;
    sum = negative ? -sum : sum;
    for (; sum % intervals && sum / intervals < EXACT_LIMIT; exponent--)
        sum *= 10;
    int64_t whole = (int64_t)(sum / intervals);
    struct decimal point = sum % intervals ? round_digits(whole, exponent) : (struct decimal){whole, exponent};
    point.mantissa = negative ? -point.mantissa : point.mantissa;
    return point;
}

struct decimal decimal_round(double value)
{
    char text[64];
    struct decimal decimal = {0};
    snprintf(text, sizeof text, "%.*e", ROUNDED_DIGITS - 1, value);
    const char *at = text;
    for (; *at != 'e'; at++)
        if (*at >= '0' && *at <= '9') // passes over the locale's point
            decimal.mantissa = 10 * decimal.mantissa + (*at - '0');
    decimal.exponent = (int)strtol(at + 1, NULL, 10) - (ROUNDED_DIGITS - 1);
    return decimal;
}
