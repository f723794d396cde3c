// SPDX-License-Identifier: MIT
#include "store_sweep.h"
#include <stdlib.h>
#include <string.h>

void store_sweep_fini(struct store_sweep *sweep)
{
    free(sweep->name);
    free(sweep->text);
    free(sweep->is_axis);
    arena_destroy(sweep->texts);
    *sweep = (struct store_sweep){0};
}

enum status_code store_sweep_init(struct store_sweep *ret_sweep, struct status *status)
{
    struct store_sweep sweep = {.is_axis = calloc(settings_count, sizeof(bool)), .texts = arena_create(1 << 10, 0)};
    if (!sweep.is_axis || !sweep.texts) {
        store_sweep_fini(&sweep);
        return status_set(status, STATUS_MEMORY, "no memory for a sweep's settings");
    }
    settings_defaults(&sweep.base);
    *ret_sweep = sweep;
    return STATUS_OK;
}

const struct axis_column *store_sweep_column(const struct sweep *sweep, const struct setting *setting,
                                             size_t *ret_count)
{
    for (size_t i = 0; i < sweep->axes_count; i++)
        for (size_t j = 0; j < sweep->axes[i].columns_count; j++)
            if (sweep->axes[i].columns[j].setting == setting) {
                *ret_count = sweep->axes[i].count;
                return &sweep->axes[i].columns[j];
            }
    return NULL;
}

void store_sweep_encode(const struct sweep *sweep, uint64_t planned, struct bytes *bytes)
{
    bytes_text(bytes, sweep->name);
    bytes_blob(bytes, sweep->text, sweep->text_size);
    bytes_u64(bytes, planned);
    settings_encode(&sweep->base, bytes);
    uint32_t count = 0;
    for (size_t i = 0; i < sweep->axes_count; i++)
        count += (uint32_t)sweep->axes[i].columns_count;
    bytes_u32(bytes, count);
    for (size_t i = 0; i < sweep->axes_count; i++)
        for (size_t j = 0; j < sweep->axes[i].columns_count; j++)
            bytes_text(bytes, sweep->axes[i].columns[j].setting->name);
}

static enum status_code decode_axes(struct bytes_reader *reader, struct store_sweep *sweep, struct status *status)
{
    uint32_t count = bytes_read_u32(reader);
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        size_t length = 0;
        const char *name = bytes_read_text(reader, &length);
        const struct setting *setting = name ? setting_find(name, length) : NULL;
        if (name && !setting)
            return status_set(
                status, STATUS_INVALID,
                "its sweep has an axis '%.*s' that this program does not know; use the lgsweep that began "
                "it",
                (int)(length < 64 ? length : 64), name);
        if (setting)
            sweep->is_axis[setting_index(setting)] = true;
    }
    return STATUS_OK;
}

enum status_code store_sweep_decode(const void *data, size_t size, struct store_sweep *ret_sweep, struct status *status)
{
    struct bytes_reader reader = bytes_reader(data, size);
    struct store_sweep sweep = {0};
    enum status_code code = store_sweep_init(&sweep, status);
    if (code != STATUS_OK)
        return code;
    size_t name_length = 0;
    const char *name = bytes_read_text(&reader, &name_length);
    const unsigned char *text = bytes_read_blob(&reader, &sweep.text_size);
    sweep.planned = bytes_read_u64(&reader);
    code = settings_decode(&reader, sweep.texts, &sweep.base, status);
    if (code == STATUS_OK)
        code = decode_axes(&reader, &sweep, status);
    if (code == STATUS_OK && reader.failed)
        code = status_set(status, STATUS_DAMAGED, "its description of the sweep ends early");
    if (code != STATUS_OK)
        goto out;
    sweep.name = strndup(name, name_length);
    sweep.text = malloc(sweep.text_size + 1);
    if (!sweep.name || !sweep.text) {
        code = status_set(status, STATUS_MEMORY, "no memory for a sweep's text");
        goto out;
    }
    memcpy(sweep.text, text, sweep.text_size);
    sweep.text[sweep.text_size] = '\0';
    *ret_sweep = sweep;
    return STATUS_OK;
out:
    store_sweep_fini(&sweep);
    return code;
}

// Appends the values of an axis, a few of them.
static void describe_values(const struct setting *setting, const struct axis_column *column, size_t count,
                            struct bytes *text)
{
    enum { SHOWN = 8 };
    char value[SETTING_TEXT_SIZE];
    bytes_raw(text, "[", 1);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        setting_brief(setting, column->values[i], value);
        if (i)
            bytes_raw(text, ", ", 2);
        bytes_raw(text, value, strlen(value));
    }
    if (count > SHOWN)
        bytes_raw(text, ", …", strlen(", …"));
    bytes_raw(text, "]", 1);
}

// Appends "  name is OLD there and NEW here" when the old value is not the sweep's, nor on its axis.
static void compare_setting(const struct setting *setting, const struct store_sweep *stored, const struct sweep *sweep,
                            struct bytes *text)
{
    size_t count = 0;
    char value[SETTING_TEXT_SIZE];
    union setting_value old = setting_get(setting, &stored->base), now = setting_get(setting, &sweep->base);
    const struct axis_column *column = store_sweep_column(sweep, setting, &count);
    bool same = !column && setting_compare(setting, old, now) == 0;
    for (size_t i = 0; column && i < count; i++)
        same = same || setting_compare(setting, old, column->values[i]) == 0;
    if (same)
        return;
    const char *const words[] = {"\n  ", setting->name, " is ", setting_brief(setting, old, value), " there and "};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        bytes_raw(text, words[i], strlen(words[i]));
    if (column) {
        describe_values(setting, column, count, text);
    } else {
        setting_brief(setting, now, value);
        bytes_raw(text, value, strlen(value));
    }
    bytes_raw(text, " here", strlen(" here"));
}

enum status_code store_sweep_check(const struct store_sweep *stored, const struct sweep *sweep, const char *path,
                                   struct status *status)
{
    struct bytes text = {0};
    enum status_code code = STATUS_OK;
    for (size_t i = 0; i < settings_count; i++)
        if (!settings_table[i].assigned && !settings_table[i].unhashed && !stored->is_axis[i])
            compare_setting(&settings_table[i], stored, sweep, &text);
    if (text.failed)
        code = status_set(status, STATUS_MEMORY, "no memory to compare settings");
    else if (text.size)
        code = status_set(status, STATUS_INVALID,
                          "%s was made with other settings; change these back, or begin another store with -o:%.*s",
                          path, (int)text.size, (const char *)text.data);
    bytes_fini(&text);
    return code;
}
