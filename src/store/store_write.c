// SPDX-License-Identifier: MIT
#include "store_write.h"
#include "store_names.h"
#include <stdlib.h>
#include <string.h>

enum status_code store_write_about(const struct h5 *h5, hid_t object, const struct about *about)
{
    const char *const attributes[][2] = {{"long_name", about->long_name},
                                         {"units", about->unit},
                                         {"description", about->help},
                                         {"coordinates", about->coordinates}};
    enum status_code code = STATUS_OK;
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0] && code == STATUS_OK; i++)
        if (attributes[i][1] && *attributes[i][1])
            code = store_h5_put_text(h5, object, attributes[i][0], attributes[i][1]);
    return code;
}

// "noise_rate" reads as "noise rate".
static void spaced(const char *name, char *ret_text, size_t size)
{
    snprintf(ret_text, size, "%s", name);
    for (char *at = ret_text; *at; at++)
        if (*at == '_')
            *at = ' ';
}

static enum status_code describe_setting(const struct h5 *h5, hid_t dataset, const struct setting *setting)
{
    char long_name[64];
    spaced(setting->name, long_name, sizeof long_name);
    const struct about about = {long_name, setting->unit, setting->help, NULL};
    return store_write_about(h5, dataset, &about);
}

static enum status_code write_codes(const struct h5 *h5, hid_t parent, const struct setting *setting, hid_t scale,
                                    size_t count, const union setting_value *values)
{
    char name[64];
    hid_t dataset = 0;
    uint8_t *codes = malloc(count + 1);
    if (!codes)
        return status_set(h5->status, STATUS_MEMORY, "no memory for the codes of %s", setting->name);
    for (size_t i = 0; i < count; i++)
        codes[i] = (uint8_t)values[i].choice;
    snprintf(name, sizeof name, "%s" CODE_SUFFIX, setting->name);
    enum status_code code = store_h5_put_coordinate(h5, parent, name, H5_U8, count, codes, scale, &dataset);
    if (code == STATUS_OK)
        code = store_h5_put_flags(h5, dataset, setting->choices, false);
    if (code == STATUS_OK)
        code = describe_setting(h5, dataset, setting);
    free(codes);
    return code;
}

static enum status_code write_choice(const struct h5 *h5, hid_t parent, const struct setting *setting, hid_t scale,
                                     size_t count, const union setting_value *values, hid_t *ret_dataset)
{
    const char **texts = malloc((count + 1) * sizeof *texts);
    if (!texts)
        return status_set(h5->status, STATUS_MEMORY, "no memory for the values of %s", setting->name);
    for (size_t i = 0; i < count; i++)
        texts[i] = setting->choices[values[i].choice];
    enum status_code code = store_h5_put_texts(h5, parent, setting->name, count, texts, scale, ret_dataset);
    free(texts);
    return code == STATUS_OK ? write_codes(h5, parent, setting, scale ? scale : *ret_dataset, count, values) : code;
}

static enum status_code write_flags(const struct h5 *h5, hid_t parent, const struct setting *setting, hid_t scale,
                                    size_t count, const union setting_value *values, hid_t *ret_dataset)
{
    static const char *const truth[] = {"false", "true", NULL};
    uint8_t *flags = malloc(count + 1);
    if (!flags)
        return status_set(h5->status, STATUS_MEMORY, "no memory for the values of %s", setting->name);
    for (size_t i = 0; i < count; i++)
        flags[i] = values[i].b;
    enum status_code code = store_h5_put_coordinate(h5, parent, setting->name, H5_U8, count, flags, scale, ret_dataset);
    free(flags);
    return code == STATUS_OK ? store_h5_put_flags(h5, *ret_dataset, truth, false) : code;
}

static enum status_code write_text(const struct h5 *h5, hid_t parent, const struct setting *setting, hid_t scale,
                                   size_t count, const union setting_value *values, hid_t *ret_dataset)
{
    const char **texts = malloc((count + 1) * sizeof *texts);
    if (!texts)
        return status_set(h5->status, STATUS_MEMORY, "no memory for the values of %s", setting->name);
    for (size_t i = 0; i < count; i++)
        texts[i] = values[i].text;
    enum status_code code = store_h5_put_texts(h5, parent, setting->name, count, texts, scale, ret_dataset);
    free(texts);
    return code;
}

enum status_code store_write_setting(const struct h5 *h5, hid_t parent, const struct setting *setting, hid_t scale,
                                     size_t count, const union setting_value *values, hid_t *ret_dataset)
{
    enum status_code code;
    if (setting->type == SETTING_CHOICE) {
        code = write_choice(h5, parent, setting, scale, count, values, ret_dataset);
    } else if (setting->type == SETTING_BOOL) {
        code = write_flags(h5, parent, setting, scale, count, values, ret_dataset);
    } else if (setting->type == SETTING_TEXT) {
        code = write_text(h5, parent, setting, scale, count, values, ret_dataset);
    } else {
        // The three number types fill the union whole.
        _Static_assert(sizeof *values == sizeof(int64_t), "an array of values is an array of numbers");
        enum h5_type type = setting->type == SETTING_INT ? H5_I64 : setting->type == SETTING_UINT ? H5_U64 : H5_F64;
        code = store_h5_put_coordinate(h5, parent, setting->name, type, count, values, scale, ret_dataset);
    }
    return code == STATUS_OK ? describe_setting(h5, *ret_dataset, setting) : code;
}

static enum status_code write_fixed(struct writing *writing, const struct setting *setting)
{
    const struct h5 *h5 = &writing->h5;
    union setting_value value = setting_get(setting, &writing->plan->sweep->base);
    uint8_t flag = setting->type == SETTING_BOOL && value.b;
    switch (setting->type) {
    case SETTING_INT:
        return store_h5_put_numbers(h5, writing->file, setting->name, H5_I64, 0, &value.i);
    case SETTING_UINT:
        return store_h5_put_numbers(h5, writing->file, setting->name, H5_U64, 0, &value.u);
    case SETTING_REAL:
        return store_h5_put_numbers(h5, writing->file, setting->name, H5_F64, 0, &value.r);
    case SETTING_BOOL:
        return store_h5_put_numbers(h5, writing->file, setting->name, H5_U8, 0, &flag);
    case SETTING_CHOICE:
        return store_h5_put_text(h5, writing->file, setting->name, setting->choices[value.choice]);
    case SETTING_TEXT:
        return store_h5_put_text(h5, writing->file, setting->name, value.text);
    }
    return status_set(h5->status, STATUS_INTERNAL, "setting %s has an unknown type", setting->name);
}

static enum status_code write_axes_attribute(struct writing *writing)
{
    struct bytes names = {0};
    for (size_t i = 0; i < writing->plan->sweep->axes_count; i++) {
        bytes_raw(&names, writing->plan->sweep->axes[i].name, strlen(writing->plan->sweep->axes[i].name));
        bytes_raw(&names, " ", 1);
    }
    static const char last[] = NAME_REPLICATE " " NAME_TEST_LENGTH;
    bytes_raw(&names, last, sizeof last);
    enum status_code code = names.failed
                                ? status_set(writing->h5.status, STATUS_MEMORY, "no memory for the names of axes")
                                : store_h5_put_text(&writing->h5, writing->file, ATTRIBUTE_AXES, (char *)names.data);
    bytes_fini(&names);
    return code;
}

enum status_code store_write_root(struct writing *writing)
{
    const struct h5 *h5 = &writing->h5;
    const int32_t numerics = NUMERICS, cube = writing->plan->has_cube;
    char schema[32];
    size_t count;
    snprintf(schema, sizeof schema, STORE_SCHEMA_NAME "/%d", STORE_SCHEMA_VERSION);
    enum status_code code = store_h5_put_text(h5, writing->file, "Conventions", "CF-1.10");
    if (code == STATUS_OK)
        code = store_h5_put_text(h5, writing->file, ATTRIBUTE_SCHEMA, schema);
    if (code == STATUS_OK)
        code = store_h5_put_numbers(h5, writing->file, ATTRIBUTE_NUMERICS, H5_I32, 0, &numerics);
    if (code == STATUS_OK)
        code = write_axes_attribute(writing);
    if (code == STATUS_OK)
        code = store_h5_put_numbers(h5, writing->file, ATTRIBUTE_CUBE, H5_I32, 0, &cube);
    for (size_t i = 0; i < settings_count && code == STATUS_OK; i++)
        if (!settings_table[i].assigned && !store_sweep_column(writing->plan->sweep, &settings_table[i], &count))
            code = write_fixed(writing, &settings_table[i]);
    if (code == STATUS_OK)
        code = store_h5_group(h5, writing->file, GROUP_TRIALS, &writing->trials);
    if (code == STATUS_OK)
        code = store_h5_group(h5, writing->file, GROUP_RUN, &writing->run);
    return code;
}
