// SPDX-License-Identifier: MIT
#include "spec_private.h"
#include <stdio.h>
#include <string.h>

enum {
    LINE_SIZE = SETTING_NAME_LIMIT + SETTING_TEXT_SIZE + 2,
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

// Where lines go: into a hash, which leaves some out, or to a text.
struct sink {
    struct hash_stream *hash;
    struct bytes *text;
};

static void put(const struct sink *sink, const char *data, size_t size)
{
    if (sink->hash)
        hash_more(sink->hash, data, size);
    else
        bytes_raw(sink->text, data, size);
}

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

static void recall_line(struct line *memo, const struct setting *row, union setting_value value,
                        const struct sink *sink)
{
    uint64_t bits = (value.u ^ setting_index(row)) * UINT64_C(0x9E3779B97F4A7C15);
    struct line *line = &memo[bits >> (64 - MEMO_BITS)];
    if (line->row != row || setting_compare(row, value, line->value) != 0) {
        line->row = row;
        line->value = value;
        line->length = (int)write_line(row, value, line->text);
    }
    put(sink, line->text, (size_t)line->length);
}

// Of a text, which may be long and need not outlive the memory of lines.
static void put_text_line(const struct setting *row, const char *text, const struct sink *sink)
{
    put(sink, row->name, strlen(row->name));
    put(sink, "=", 1);
    put(sink, text, strlen(text));
    put(sink, "\n", 1);
}

static void put_line(const struct settings_lines *lines, const struct setting *row, union setting_value value,
                     const struct sink *sink)
{
    char text[LINE_SIZE];
    if (row->type == SETTING_TEXT)
        put_text_line(row, value.text, sink);
    else if (lines->memo)
        recall_line(lines->memo, row, value, sink);
    else
        put(sink, text, write_line(row, value, text));
}

static void put_lines(const struct settings_lines *lines, const struct settings *settings, const struct sink *sink)
{
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *row = lines->row[i];
        if ((row->unhashed && sink->hash) || setting_is_default(row, settings) || !setting_applies(row, settings))
            continue;
        put_line(lines, row, setting_get(row, settings), sink);
    }
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
    struct hash_stream hash;
    hash_begin(&hash);
    put_lines(lines, settings, &(struct sink){.hash = &hash});
    return hash_end(&hash);
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
    sort_rows(&lines);
    put_lines(&lines, settings, &(struct sink){.text = ret_text});
}
