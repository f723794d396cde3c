// SPDX-License-Identifier: MIT
#include "spec_sweep.h"
#include "base_text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 100, BEFORE_CARET = 70 };

int64_t test_length_tokens(struct test_length length, int64_t train_length)
{
    double tokens = rint(length.relative ? length.value * (double)train_length : length.value);
    if (!(tokens >= 1 && tokens <= TEST_LENGTH_LIMIT))
        return 0;
    // Division, since a decimal multiple such as 0.1x is the double nearest to a quotient, not one that multiplies
    // exactly.
    double value = length.relative ? tokens / (double)train_length : tokens;
    return value == length.value ? (int64_t)tokens : 0;
}

char *test_length_text(struct test_length length, char ret_text[SETTING_TEXT_SIZE])
{
    int end = text_real(length.value, ret_text);
    strcpy(ret_text + end, length.relative ? "x" : "");
    return ret_text;
}

// Bytes of the line break at `at`, by YAML's rules; 0 for none.
static size_t break_size(const char *at, size_t left)
{
    if (*at == '\r')
        return left > 1 && at[1] == '\n' ? 2 : 1;
    if (*at == '\n')
        return 1;
    if (left > 1 && memcmp(at, "\xC2\x85", 2) == 0)
        return 2;
    return left > 2 && (memcmp(at, "\xE2\x80\xA8", 3) == 0 || memcmp(at, "\xE2\x80\xA9", 3) == 0) ? 3 : 0;
}

static bool find_line(const struct sweep *sweep, int line, size_t *ret_start, size_t *ret_end)
{
    size_t start = sweep->text_size >= 3 && memcmp(sweep->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    for (size_t at = start;; at++) {
        size_t size = at < sweep->text_size ? break_size(sweep->text + at, sweep->text_size - at) : 0;
        if (!size && at < sweep->text_size)
            continue;
        if (--line == 0) {
            *ret_start = start;
            *ret_end = at;
            return true;
        }
        if (at == sweep->text_size)
            return false;
        start = at + size;
        at = start - 1;
    }
}

// Bytes of the character at `at`; 1 for a byte that belongs to none.
static size_t character_size(const char *at, size_t left)
{
    unsigned char first = (unsigned char)*at;
    size_t size = first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1;
    if (first >= 0xF5 || size > left)
        return 1;
    for (size_t i = 1; i < size; i++)
        if (((unsigned char)at[i] & 0xC0) != 0x80)
            return 1;
    return size;
}

static void show_character(const char *at, size_t size, struct bytes *ret_text)
{
    unsigned char first = (unsigned char)*at;
    bool control = (first < 0x20 && first != '\t') || first == 0x7F || (size == 1 && first >= 0x80) ||
                   (first == 0xC2 && size == 2 && (unsigned char)at[1] < 0xA0);
    bytes_raw(ret_text, control ? "?" : at, control ? 1 : size);
}

static void show_line(const char *at, const char *end, int column, struct bytes *ret_text)
{
    int first = column > BEFORE_CARET ? column - BEFORE_CARET : 1;
    struct bytes caret = {0};
    if (first > 1) {
        bytes_raw(ret_text, "...", 3);
        bytes_raw(&caret, "   ", 3);
    }
    for (int i = 1; at < end; i++) {
        size_t size = character_size(at, (size_t)(end - at));
        if (i >= first + SHOWN) {
            bytes_raw(ret_text, "...", 3);
            break;
        }
        if (i >= first)
            show_character(at, size, ret_text);
        if (i >= first && i < column)
            bytes_raw(&caret, *at == '\t' ? "\t" : " ", 1);
        at += size;
    }
    bytes_raw(&caret, "^", 1);
    bytes_raw(ret_text, "\n       | ", 10);
    if (!caret.failed)
        bytes_raw(ret_text, caret.data, caret.size);
    ret_text->failed |= caret.failed;
    bytes_fini(&caret);
}

void sweep_describe(const struct sweep *sweep, struct source_place place, const char *message, struct bytes *ret_text)
{
    char number[64];
    size_t start, end;
    if (ret_text->size)
        bytes_raw(ret_text, "\n", 1);
    bytes_raw(ret_text, sweep->path, strlen(sweep->path));
    int length = place.line ? snprintf(number, sizeof number, ":%d:%d", place.line, place.column) : 0;
    bytes_raw(ret_text, number, (size_t)length);
    bytes_raw(ret_text, ": ", 2);
    bytes_raw(ret_text, message, strlen(message));
    if (!place.line || !find_line(sweep, place.line, &start, &end))
        return;
    length = snprintf(number, sizeof number, "\n%6d | ", place.line);
    bytes_raw(ret_text, number, (size_t)length);
    show_line(sweep->text + start, sweep->text + end, place.column, ret_text);
}
