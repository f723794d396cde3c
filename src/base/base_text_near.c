// SPDX-License-Identifier: MIT
#include "base_text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Longer texts are never taken for near.
enum { LENGTH_MAX = 128 };

#define YEAR (365.25 * 86400) // seconds

static int smallest(int a, int b, int c)
{
    int least = a < b ? a : b;
    return least < c ? least : c;
}

// row[k][j] is the distance between the first i - k characters of `a` and the first j of `b`.
static void next_row(const char *a, const char *b, int i, int length, int row[3][LENGTH_MAX + 1])
{
    memmove(row[1], row[0], 2 * sizeof row[0]);
    row[0][0] = i;
    for (int j = 1; j <= length; j++) {
        row[0][j] = smallest(row[1][j] + 1, row[0][j - 1] + 1, row[1][j - 1] + (a[i - 1] != b[j - 1]));
        bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
        if (swapped && row[2][j - 2] + 1 < row[0][j])
            row[0][j] = row[2][j - 2] + 1;
    }
}

int text_distance(const char *a, const char *b, int limit)
{
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > LENGTH_MAX || columns > LENGTH_MAX)
        return limit + 1;
    int row[3][LENGTH_MAX + 1] = {0};
    for (int j = 0; j <= (int)columns; j++)
        row[0][j] = j;
    for (int i = 1; i <= (int)rows; i++)
        next_row(a, b, i, (int)columns, row);
    return row[0][columns] > limit ? limit + 1 : row[0][columns];
}

const char *text_nearest(const char *text, const char *const *names, size_t count)
{
    size_t third = strlen(text) / 3;
    int limit = third < 2 ? 2 : third > LENGTH_MAX ? LENGTH_MAX : (int)third;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        int distance = text_distance(text, names[i], limit);
        if (distance > limit || distance >= (int)strlen(names[i]))
            continue;
        nearest = names[i];
        limit = distance - 1;
    }
    return nearest;
}

// Tenths without asking the locale for a decimal point.
static char *put_tenths(double value, const char *unit, char ret_text[TEXT_NUMBER_SIZE])
{
    long long tenths = (long long)rint(10 * value);
    snprintf(ret_text, TEXT_NUMBER_SIZE, "%lld.%d %s", tenths / 10, (int)(tenths % 10), unit);
    return ret_text;
}

char *text_size(double bytes, char ret_text[TEXT_NUMBER_SIZE])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    if (!(bytes >= 0) || bytes > 0x1p69)
        return strcpy(ret_text, "unknown size");
    for (; unit < 6 && bytes >= 1023.95; unit++)
        bytes /= 1024;
    if (unit)
        return put_tenths(bytes, units[unit], ret_text);
    snprintf(ret_text, TEXT_NUMBER_SIZE, "%d B", (int)rint(bytes));
    return ret_text;
}

char *text_duration(double seconds, char ret_text[TEXT_NUMBER_SIZE])
{
    if (!(seconds >= 0) || isinf(seconds))
        return strcpy(ret_text, "unknown time");
    if (seconds > TEXT_DURATION_MOST)
        return strcpy(ret_text, "over 3000 years");
    if (seconds < 0.9995) {
        snprintf(ret_text, TEXT_NUMBER_SIZE, "%d ms", (int)rint(1000 * seconds));
        return ret_text;
    }
    if (seconds < 9.95)
        return put_tenths(seconds, "s", ret_text);
    long long whole = (long long)rint(seconds), minutes = whole / 60, hours = minutes / 60;
    if (whole < 60)
        snprintf(ret_text, TEXT_NUMBER_SIZE, "%lld s", whole);
    else if (hours < 1)
        snprintf(ret_text, TEXT_NUMBER_SIZE, "%lld min %lld s", minutes, whole % 60);
    else if (hours < 48)
        snprintf(ret_text, TEXT_NUMBER_SIZE, "%lld h %lld min", hours, minutes % 60);
    else if (hours < 24LL * 1000)
        snprintf(ret_text, TEXT_NUMBER_SIZE, "%lld d %lld h", hours / 24, hours % 24);
    else
        snprintf(ret_text, TEXT_NUMBER_SIZE, "%.1f years", seconds / YEAR);
    return ret_text;
}
