// SPDX-License-Identifier: MIT
#include "spec_private.h"
#include <stdio.h>
#include <string.h>

enum { LINE_SIZE = SETTING_NAME_LIMIT + SETTING_TEXT_SIZE + 2, CANONICAL_SIZE = SETTINGS_LIMIT * LINE_SIZE };

// A row and the last line that was written for it; length 0: none yet.
struct line {
    const struct setting *row;
    union setting_value value;
    int length;
    char text[LINE_SIZE];
};

// (settings_count) in byte order of the names.
struct settings_lines {
    struct line line[SETTINGS_LIMIT];
};

static void lines_init(struct settings_lines *lines)
{
    for (size_t i = 0; i < settings_count; i++) {
        size_t at = i;
        for (; at && strcmp(settings_table[i].name, lines->line[at - 1].row->name) < 0; at--)
            lines->line[at].row = lines->line[at - 1].row;
        lines->line[at].row = &settings_table[i];
        lines->line[i].length = 0;
    }
}

static void write_line(struct line *line, union setting_value value)
{
    char text[SETTING_TEXT_SIZE];
    setting_text(line->row, value, text);
    line->value = value;
    line->length = snprintf(line->text, LINE_SIZE, "%s=%s\n", line->row->name, text);
}

static size_t canonical_lines(struct settings_lines *lines, const struct settings *settings,
                              char ret_text[CANONICAL_SIZE])
{
    size_t used = 0;
    for (size_t i = 0; i < settings_count; i++) {
        struct line *line = &lines->line[i];
        union setting_value value = setting_get(line->row, settings);
        if (setting_compare(line->row, value, line->row->standard) == 0 || !setting_applies(line->row, settings))
            continue;
        if (!line->length || setting_compare(line->row, value, line->value) != 0)
            write_line(line, value);
        memcpy(ret_text + used, line->text, (size_t)line->length);
        used += (size_t)line->length;
    }
    return used;
}

struct settings_lines *settings_lines_create(struct arena *arena)
{
    struct settings_lines *lines = arena_get(arena, 1, sizeof *lines);
    if (lines)
        lines_init(lines);
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
    struct settings_lines lines;
    lines_init(&lines);
    return settings_lines_identity(&lines, settings);
}

void settings_canonical(const struct settings *settings, struct bytes *ret_text)
{
    struct settings_lines lines;
    char text[CANONICAL_SIZE];
    lines_init(&lines);
    size_t length = canonical_lines(&lines, settings, text);
    bytes_raw(ret_text, text, length);
}
