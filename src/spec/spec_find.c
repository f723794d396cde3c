// SPDX-License-Identifier: MIT
#include "base_text.h"
#include "spec_private.h"
#include <string.h>

static bool is_text(const char *text, const char *name, size_t length)
{
    return strlen(text) == length && memcmp(text, name, length) == 0;
}

// The section's own kind: the row named like the section.
static bool is_kind(const struct setting *setting)
{
    return strcmp(setting->name, section_names[setting->section]) == 0;
}

const struct setting *setting_find(const char *name, size_t length)
{
    for (size_t i = 0; i < settings_count; i++)
        if (is_text(settings_table[i].name, name, length))
            return &settings_table[i];
    return NULL;
}

const struct setting *setting_find_in(enum setting_section section, const char *name, size_t length)
{
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *setting = &settings_table[i];
        if (setting->section != section)
            continue;
        if (is_text(setting->name, name, length) || (is_kind(setting) && is_text("kind", name, length)))
            return setting;
    }
    return NULL;
}

const char *setting_nearest(const char *name, enum setting_section section, bool any_section)
{
    const char *names[SETTINGS_LIMIT + SECTIONS];
    size_t count = 0;
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *setting = &settings_table[i];
        if (setting->assigned || (!any_section && setting->section != section))
            continue;
        names[count++] = setting->name;
        if (!any_section && is_kind(setting))
            names[count++] = "kind";
    }
    return text_nearest(name, names, count);
}

size_t setting_index(const struct setting *setting)
{
    return (size_t)(setting - settings_table);
}
