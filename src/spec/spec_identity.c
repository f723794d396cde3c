// SPDX-License-Identifier: MIT
#include "spec_private.h"
#include <stdio.h>
#include <string.h>

enum { LINE_SIZE = SETTING_NAME_LIMIT + SETTING_TEXT_SIZE + 2, CANONICAL_SIZE = SETTINGS_LIMIT * LINE_SIZE };

// The row whose name follows `after` (NULL: the first) in byte order.
static const struct setting *next_by_name(const struct setting *after)
{
    const struct setting *next = NULL;
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *row = &settings_table[i];
        if ((!after || strcmp(row->name, after->name) > 0) && (!next || strcmp(row->name, next->name) < 0))
            next = row;
    }
    return next;
}

static size_t canonical_lines(const struct settings *settings, char ret_text[CANONICAL_SIZE])
{
    size_t used = 0;
    for (const struct setting *row = next_by_name(NULL); row; row = next_by_name(row)) {
        char value[SETTING_TEXT_SIZE];
        if (!setting_applies(row, settings) || setting_is_default(row, settings))
            continue;
        setting_text(row, setting_get(row, settings), value);
        used += (size_t)snprintf(ret_text + used, CANONICAL_SIZE - used, "%s=%s\n", row->name, value);
    }
    return used;
}

struct hash128 settings_identity(const struct settings *settings)
{
    char text[CANONICAL_SIZE];
    size_t length = canonical_lines(settings, text);
    return hash_128(text, length);
}

void settings_canonical(const struct settings *settings, struct bytes *ret_text)
{
    char text[CANONICAL_SIZE];
    size_t length = canonical_lines(settings, text);
    bytes_raw(ret_text, text, length);
}
