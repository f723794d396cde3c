// SPDX-License-Identifier: MIT
#include "base_text.h"
#include "spec_private.h"
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { QUOTE_SIZE = 64 };

// Text of any length and content, fit for one line of an error.
static char *quote(const char *text, size_t length, char ret_text[QUOTE_SIZE])
{
    size_t shown = length < QUOTE_SIZE - 4 ? length : QUOTE_SIZE - 4;
    for (size_t i = 0; i < shown; i++)
        ret_text[i] = (unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i];
    strcpy(ret_text + shown, shown < length ? "..." : "");
    return ret_text;
}

// "NAME: 'TEXT' PROBLEM; allowed: DOMAIN".
static enum status_code refuse(const struct setting *setting, const char *text, size_t length, const char *problem,
                               struct status *status)
{
    char shown[QUOTE_SIZE], domain[SETTING_DOMAIN_SIZE];
    return status_set(status, STATUS_INVALID, "%s: '%s' %s; allowed: %s", setting->name, quote(text, length, shown),
                      problem, setting_domain(setting, domain, sizeof domain));
}

static bool in_range(const struct setting *setting, double number)
{
    if (setting->infinity && number == INFINITY)
        return true;
    if (setting->open_low ? !(number > setting->low) : !(number >= setting->low))
        return false;
    return setting->open_high ? number < setting->high : number <= setting->high;
}

static enum status_code parse_int(const struct setting *setting, const char *text, size_t length,
                                  union setting_value *ret_value, struct status *status)
{
    int64_t number = 0;
    bool overflow = false;
    if (!text_to_int(text, length, &number, &overflow) && !overflow)
        return refuse(setting, text, length, "is not an integer", status);
    if (overflow || !in_range(setting, (double)number))
        return refuse(setting, text, length, "is out of range", status);
    *ret_value = (union setting_value){.i = number};
    return STATUS_OK;
}

static enum status_code parse_uint(const struct setting *setting, const char *text, size_t length,
                                   union setting_value *ret_value, struct status *status)
{
    uint64_t number = 0;
    bool overflow = false;
    if (!text_to_uint(text, length, &number, &overflow) && !overflow)
        return refuse(setting, text, length, "is not an integer", status);
    if (overflow || !in_range(setting, (double)number))
        return refuse(setting, text, length, "is out of range", status);
    *ret_value = (union setting_value){.u = number};
    return STATUS_OK;
}

// Whether a text that was read as infinity is a decimal number: one that is too large.
static bool has_digit(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] >= '0' && text[i] <= '9')
            return true;
    return false;
}

static enum status_code parse_real(const struct setting *setting, const char *text, size_t length,
                                   union setting_value *ret_value, struct status *status)
{
    double number = 0;
    if (!text_to_real(text, length, &number))
        return refuse(setting, text, length, "is not a number", status);
    if (isnan(number))
        return refuse(setting, text, length, "is never a value", status);
    if (!in_range(setting, number) || (isinf(number) && has_digit(text, length)))
        return refuse(setting, text, length, "is out of range", status);
    *ret_value = (union setting_value){.r = number == 0 ? 0 : number};
    return STATUS_OK;
}

static enum status_code parse_choice(const struct setting *setting, const char *text, size_t length,
                                     union setting_value *ret_value, struct status *status)
{
    size_t count = 0;
    for (; setting->choices[count]; count++) {
        if (strlen(setting->choices[count]) != length || memcmp(setting->choices[count], text, length) != 0)
            continue;
        *ret_value = (union setting_value){.choice = (int)count};
        return STATUS_OK;
    }
    char shown[QUOTE_SIZE], problem[2 * QUOTE_SIZE];
    const char *nearest = text_nearest(quote(text, length, shown), setting->choices, count);
    snprintf(problem, sizeof problem, nearest ? "is not known, did you mean '%s'?" : "is not known", nearest);
    return refuse(setting, text, length, problem, status);
}

static enum status_code parse_bool(const struct setting *setting, const char *text, size_t length,
                                   union setting_value *ret_value, struct status *status)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) != length || strncasecmp(words[i], text, length) != 0)
            continue;
        *ret_value = (union setting_value){.b = i % 2};
        return STATUS_OK;
    }
    return refuse(setting, text, length, "is neither true nor false", status);
}

// Control characters, those of two bytes among them.
static bool has_control(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i], next = i + 1 < length ? (unsigned char)text[i + 1] : 0;
        if (c < ' ' || c == 127 || (c == 0xC2 && next >= 0x80 && next < 0xA0))
            return true;
    }
    return false;
}

static enum status_code parse_text(const struct setting *setting, const char *text, size_t length,
                                   union setting_value *ret_value, struct status *status)
{
    if (length > SETTING_BYTES)
        return status_set(status, STATUS_INVALID, "%s: a text of %zu bytes is longer than %d; shorten it",
                          setting->name, length, SETTING_BYTES);
    if (has_control(text, length))
        return refuse(setting, text, length, "has control characters", status);
    *ret_value = (union setting_value){.text = text};
    return STATUS_OK;
}

enum status_code setting_parse(const struct setting *setting, const char *text, size_t length,
                               union setting_value *ret_value, struct status *status)
{
    switch (setting->type) {
    case SETTING_INT:
        return parse_int(setting, text, length, ret_value, status);
    case SETTING_UINT:
        return parse_uint(setting, text, length, ret_value, status);
    case SETTING_REAL:
        return parse_real(setting, text, length, ret_value, status);
    case SETTING_CHOICE:
        return parse_choice(setting, text, length, ret_value, status);
    case SETTING_BOOL:
        return parse_bool(setting, text, length, ret_value, status);
    case SETTING_TEXT:
        return parse_text(setting, text, length, ret_value, status);
    }
    return status_set(status, STATUS_INTERNAL, "%s: a setting of unknown type", setting->name);
}

static bool is_missing(const char *word, size_t length)
{
    return (length == 1 && (*word == '-' || *word == '~')) || (length == 4 && strncasecmp(word, "null", 4) == 0);
}

static enum status_code put_word(const struct setting *setting, const char *word, size_t length, struct bytes *text,
                                 struct status *status)
{
    char shown[TEXT_NUMBER_SIZE] = "~";
    int64_t number = 0;
    bool overflow = false;
    const bool missing = is_missing(word, length);
    if (!missing && !text_to_int(word, length, &number, &overflow))
        return refuse(setting, word, length, overflow ? "is out of range" : "is not an integer", status);
    if (!missing)
        snprintf(shown, sizeof shown, "%" PRId64, number);
    bytes_raw(text, shown, strlen(shown));
    return STATUS_OK;
}

enum status_code setting_rows(const struct setting *setting, const char *text, size_t length, struct bytes *ret_text,
                              struct status *status)
{
    static const char space[] = " \t\n\r";
    bool between = false; // two words of a row
    for (size_t at = 0, end; at < length; at = end) {
        for (end = at; end < length && text[end] != ';' && (!text[end] || !strchr(space, text[end]));)
            end++;
        if (end > at && between)
            bytes_u8(ret_text, ' ');
        if (end > at && put_word(setting, text + at, end - at, ret_text, status) != STATUS_OK)
            return STATUS_INVALID;
        between |= end > at;
        if (end < length && text[end] == ';') {
            bytes_raw(ret_text, "; ", 2);
            between = false;
        }
        end += end < length;
    }
    return STATUS_OK;
}

enum status_code setting_from_real(const struct setting *setting, double number, union setting_value *ret_value,
                                   struct status *status)
{
    char text[TEXT_NUMBER_SIZE];
    size_t length = (size_t)text_real(number == 0 ? 0 : number, text);
    if (setting->type == SETTING_CHOICE || setting->type == SETTING_BOOL || setting->type == SETTING_TEXT)
        return refuse(setting, text, length, "is a number, and so are the values of a range", status);
    if (isnan(number))
        return refuse(setting, text, length, "is never a value", status);
    if (setting->type != SETTING_REAL && number != floor(number))
        return refuse(setting, text, length, "is not an integer", status);
    // Below 2^63 and 2^64, since the bounds that hold the whole of a type round up to these.
    double beyond = setting->type == SETTING_INT ? 0x1p63 : setting->type == SETTING_UINT ? 0x1p64 : INFINITY;
    if (!in_range(setting, number) || (setting->type != SETTING_REAL && number >= beyond))
        return refuse(setting, text, length, "is out of range", status);
    if (setting->type == SETTING_INT)
        *ret_value = (union setting_value){.i = (int64_t)number};
    else if (setting->type == SETTING_UINT)
        *ret_value = (union setting_value){.u = (uint64_t)number};
    else
        *ret_value = (union setting_value){.r = number == 0 ? 0 : number};
    return STATUS_OK;
}
