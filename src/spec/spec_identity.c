// SPDX-License-Identifier: MIT
#include "spec_private.h"
#include <stdio.h>
#include <string.h>

enum {
    LINE_SIZE = SETTING_NAME_LIMIT + SETTING_TEXT_SIZE + 2,
    CANONICAL_SIZE = SETTINGS_LIMIT * LINE_SIZE,
    MEMO_BITS = 12,
};

// A value's line as it was last written; length 0: none.
struct line {
    const struct setting *row;
    union setting_value value;
    int length;
    char text[LINE_SIZE];
};

struct settings_lines {
    const struct setting *row[SETTINGS_LIMIT]; // (settings_count) in byte order of the names
    struct line *memo;                         // (2^MEMO_BITS), each line at the hash of its value; NULL for no memory
};

static void sort_rows(struct settings_lines *lines)
{
    for (size_t i = 0; i < settings_count; i++) {
        size_t at = i;
        for (; at && strcmp(settings_table[i].name, lines->row[at - 1]->name) < 0; at--)
            lines->row[at] = lines->row[at - 1];
        lines->row[at] = &settings_table[i];
    }
}

static size_t write_line(const struct setting *row, union setting_value value, char ret_text[LINE_SIZE])
{
    char text[SETTING_TEXT_SIZE];
    setting_text(row, value, text);
    return (size_t)snprintf(ret_text, LINE_SIZE, "%s=%s\n", row->name, text);
}

static size_t recall_line(struct line *memo, const struct setting *row, union setting_value value, char *ret_text)
{
    uint64_t bits = (value.u ^ setting_index(row)) * UINT64_C(0x9E3779B97F4A7C15);
    struct line *line = &memo[bits >> (64 - MEMO_BITS)];
    if (line->row != row || setting_compare(row, value, line->value) != 0) {
        line->row = row;
        line->value = value;
        line->length = (int)write_line(row, value, line->text);
    }
    memcpy(ret_text, line->text, (size_t)line->length);
    return (size_t)line->length;
}

static size_t canonical_lines(const struct settings_lines *lines, const struct settings *settings,
                              char ret_text[CANONICAL_SIZE])
{
    size_t used = 0;
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *row = lines->row[i];
        union setting_value value = setting_get(row, settings);
        if (setting_compare(row, value, row->standard) == 0 || !setting_applies(row, settings))
            continue;
        used += lines->memo ? recall_line(lines->memo, row, value, ret_text + used)
                            : write_line(row, value, ret_text + used);
    }
    return used;
}

struct settings_lines *settings_lines_create(struct arena *arena)
{
    struct settings_lines *lines = arena_get(arena, 1, sizeof *lines);
    struct line *memo = arena_get(arena, (size_t)1 << MEMO_BITS, sizeof *memo);
    if (!lines || !memo)
        return NULL;
    sort_rows(lines);
    lines->memo = memo;
    return lines;
}

struct hash128 settings_lines_identity(struct settings_lines *lines, const struct settings *settings)
{
    char text[CANONICAL_SIZE];
    size_t length = canonical_lines(lines, settings, text);
    return hash_128(text, length);
}

struct hash128 settings_identity(const struct settings *settings)
{
    struct settings_lines lines = {.memo = NULL};
    sort_rows(&lines);
    return settings_lines_identity(&lines, settings);
}

void settings_canonical(const struct settings *settings, struct bytes *ret_text)
{
    struct settings_lines lines = {.memo = NULL};
    char text[CANONICAL_SIZE];
    sort_rows(&lines);
    size_t length = canonical_lines(&lines, settings, text);
    bytes_raw(ret_text, text, length);
}
