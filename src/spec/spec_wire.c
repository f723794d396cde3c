// SPDX-License-Identifier: MIT
#include "spec_private.h"
#include <string.h>

void settings_encode(const struct settings *settings, struct bytes *bytes)
{
    uint16_t count = 0;
    for (size_t i = 0; i < settings_count; i++)
        count += !setting_is_default(&settings_table[i], settings);
    bytes_u16(bytes, count);
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *setting = &settings_table[i];
        char text[SETTING_TEXT_SIZE];
        if (setting_is_default(setting, settings))
            continue;
        bytes_text(bytes, setting->name);
        bytes_text(bytes, setting_text(setting, setting_get(setting, settings), text));
    }
}

// As setting_parse, of a text that need not end with a zero: of a value that is one, a copy.
static enum status_code parse_copy(const struct setting *setting, const char *text, size_t length, struct arena *arena,
                                   union setting_value *ret_value, struct status *status)
{
    enum status_code code = setting_parse(setting, text, length, ret_value, status);
    if (code != STATUS_OK || setting->type != SETTING_TEXT)
        return code;
    ret_value->text = arena_text(arena, text, length);
    return ret_value->text ? STATUS_OK
                           : status_set(status, STATUS_MEMORY, "no memory for the text of '%s'", setting->name);
}

static enum status_code decode_one(struct bytes_reader *reader, struct arena *arena, struct settings *settings,
                                   bool *seen, struct status *status)
{
    size_t name_length = 0, text_length = 0;
    const char *name = bytes_read_text(reader, &name_length);
    const char *text = bytes_read_text(reader, &text_length);
    if (reader->failed)
        return status_set(status, STATUS_DAMAGED, "settings end early");
    const struct setting *setting = setting_find(name, name_length);
    if (!setting)
        return status_set(status, STATUS_INVALID,
                          "unknown setting '%.*s'; it was written by a newer version of lgsweep, use that one",
                          name_length < SETTING_NAME_LIMIT ? (int)name_length : SETTING_NAME_LIMIT, name);
    if (seen[setting_index(setting)])
        return status_set(status, STATUS_DAMAGED, "setting '%s' appears twice", setting->name);
    seen[setting_index(setting)] = true;
    union setting_value value;
    enum status_code code = parse_copy(setting, text, text_length, arena, &value, status);
    if (code == STATUS_INVALID)
        return status_set(status, STATUS_DAMAGED, "setting '%s' has a value out of its domain", setting->name);
    if (code != STATUS_OK)
        return code;
    setting_put(setting, settings, value);
    return STATUS_OK;
}

enum status_code settings_decode(struct bytes_reader *reader, struct arena *arena, struct settings *ret_settings,
                                 struct status *status)
{
    struct settings settings;
    bool seen[SETTINGS_LIMIT] = {false};
    settings_defaults(&settings);
    uint16_t count = bytes_read_u16(reader);
    if (reader->failed)
        return status_set(status, STATUS_DAMAGED, "settings end early");
    for (uint16_t i = 0; i < count; i++) {
        enum status_code code = decode_one(reader, arena, &settings, seen, status);
        if (code != STATUS_OK)
            return code;
    }
    *ret_settings = settings;
    return STATUS_OK;
}

static enum status_code read_line(const char *line, size_t length, struct arena *arena, struct settings *settings,
                                  struct status *status)
{
    const char *equals = memchr(line, '=', length);
    const size_t name = equals ? (size_t)(equals - line) : length;
    const struct setting *setting = setting_find(line, name);
    union setting_value value;
    if (!equals || !setting)
        return status_set(status, STATUS_INVALID, "\"%.*s\" is no setting that this version of lgsweep knows",
                          (int)(length < 80 ? length : 80), line);
    enum status_code code = parse_copy(setting, equals + 1, length - name - 1, arena, &value, status);
    if (code == STATUS_OK)
        setting_put(setting, settings, value);
    return code;
}

enum status_code settings_read(const char *text, size_t size, struct arena *arena, struct settings *ret_settings,
                               struct status *status)
{
    struct settings settings;
    settings_defaults(&settings);
    for (size_t at = 0; at < size;) {
        const char *line = text + at, *end = memchr(line, '\n', size - at);
        const size_t length = end ? (size_t)(end - line) : size - at;
        enum status_code code = read_line(line, length, arena, &settings, status);
        if (code != STATUS_OK)
            return code;
        at += length + 1;
    }
    *ret_settings = settings;
    return STATUS_OK;
}
