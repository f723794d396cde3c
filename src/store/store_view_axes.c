// SPDX-License-Identifier: MIT
#include "store_names.h"
#include "store_view_private.h"
#include <stdlib.h>
#include <string.h>

static enum status_code no_memory(const struct store_view *view, struct status *status)
{
    return status_set(status, STATUS_MEMORY, "no memory to read %s", view->path);
}

// The length of the dimension scale `name` of the root.
static enum status_code scale_size(struct store_view *view, const char *name, size_t *ret_size, struct status *status)
{
    const struct h5 h5 = {view->path, status};
    hsize_t size[H5_RANK] = {0};
    int rank = 0;
    enum status_code code = store_h5_extent(&h5, view->file, name, &rank, size);
    if (code == STATUS_OK)
        *ret_size = size[0];
    return code;
}

// The columns of an axis: the settings of the root whose dimension it is.
static enum status_code load_columns(struct store_view *view, struct store_axis *axis, struct status *status)
{
    const struct setting **columns = arena_get(view->arena, settings_count, sizeof *columns);
    const union setting_value **values = arena_get(view->arena, settings_count, sizeof *values);
    if (!columns || !values)
        return no_memory(view, status);
    axis->columns = columns;
    axis->values = values;
    for (size_t s = 0; s < settings_count; s++) {
        char scale[64];
        const struct setting *setting = &settings_table[s];
        if (!store_h5_has(view->file, setting->name))
            continue;
        store_h5_scale_name(view->file, setting->name, scale, sizeof scale);
        if (strcmp(scale, axis->name) != 0)
            continue;
        union setting_value *column = arena_get(view->arena, axis->count ? axis->count : 1, sizeof *column);
        if (!column)
            return no_memory(view, status);
        enum status_code code = store_view_read_setting(view, "", setting, axis->count, column, status);
        if (code != STATUS_OK)
            return code;
        columns[axis->columns_count] = setting;
        values[axis->columns_count++] = column;
    }
    return STATUS_OK;
}

enum status_code store_view_load_axes(struct store_view *view, struct status *status)
{
    const struct h5 h5 = {view->path, status};
    const char *names = NULL;
    enum status_code code = store_h5_get_text(&h5, view->file, ATTRIBUTE_AXES, view->arena, &names);
    if (code == STATUS_OK)
        code = scale_size(view, NAME_REPLICATE, &view->replicates, status);
    if (code != STATUS_OK)
        return code;
    view->axes = arena_get(view->arena, strlen(names) / 2 + 1, sizeof *view->axes);
    if (!view->axes)
        return no_memory(view, status);
    for (const char *at = names; *at && code == STATUS_OK;) {
        size_t length = strcspn(at, " ");
        const char *name = arena_text(view->arena, at, length);
        if (!name)
            return no_memory(view, status);
        at += length + (at[length] == ' ');
        if (strcmp(name, NAME_REPLICATE) == 0 || strcmp(name, NAME_TEST_LENGTH) == 0)
            continue;
        struct store_axis *axis = &view->axes[view->axes_count++];
        axis->name = name;
        code = scale_size(view, name, &axis->count, status);
        if (code == STATUS_OK)
            code = load_columns(view, axis, status);
    }
    return code;
}

// The names of flags are in the attribute flag_meanings, divided by spaces; `absent` is not among them here.
static enum status_code load_flags(struct store_view *view, const char *meanings, struct store_derived *derived,
                                   struct status *status)
{
    const char **flags = arena_get(view->arena, strlen(meanings) / 2 + 2, sizeof *flags);
    if (!flags)
        return no_memory(view, status);
    while (*meanings) {
        size_t length = strcspn(meanings, " ");
        const char *flag = arena_text(view->arena, meanings, length);
        if (!flag)
            return no_memory(view, status);
        meanings += length + (meanings[length] == ' ');
        if (*meanings || strcmp(flag, "absent") != 0)
            flags[derived->flags_count++] = flag;
    }
    derived->flags = flags;
    return STATUS_OK;
}

static enum status_code load_one(struct store_view *view, const char *name, struct store_derived *derived,
                                 struct status *status)
{
    const struct h5 h5 = {view->path, status};
    size_t count = view->rows_count * view->lengths_count;
    char path[128];
    const char *meanings = NULL;
    snprintf(path, sizeof path, GROUP_TRIALS "/%s", name);
    hid_t object = H5Dopen2(view->file, path, H5P_DEFAULT);
    if (object < 0)
        return store_h5_error(&h5, "read", path);
    bool flags = store_h5_has_attribute(object, "flag_meanings");
    derived->name = name;
    enum status_code code = store_h5_get_text(&h5, object, "long_name", view->arena, &derived->long_name);
    if (code == STATUS_OK)
        code = store_h5_get_text(&h5, object, "units", view->arena, &derived->unit);
    if (code == STATUS_OK && flags)
        code = store_h5_get_text(&h5, object, "flag_meanings", view->arena, &meanings);
    H5Dclose(object);
    if (code == STATUS_OK && flags)
        code = load_flags(view, meanings, derived, status);
    void *data = arena_get(view->arena, count + 1, flags ? 1 : sizeof(float));
    if (code == STATUS_OK && !data)
        code = no_memory(view, status);
    if (code == STATUS_OK)
        code = store_h5_get_rows(&h5, view->file, path, flags ? H5_U8 : H5_F32, 0, view->rows_count,
                                 view->lengths_count, data);
    derived->code = flags ? data : NULL;
    derived->real = flags ? NULL : data;
    return code;
}

enum status_code store_view_load_derived(struct store_view *view, struct status *status)
{
    const struct h5 h5 = {view->path, status};
    const char *names = NULL;
    hid_t trials = H5Gopen2(view->file, GROUP_TRIALS, H5P_DEFAULT);
    if (trials < 0)
        return store_h5_error(&h5, "open group", GROUP_TRIALS);
    enum status_code code = store_h5_get_text(&h5, trials, ATTRIBUTE_DERIVED, view->arena, &names);
    H5Gclose(trials);
    if (code != STATUS_OK)
        return code;
    view->derived = arena_get(view->arena, strlen(names) / 2 + 1, sizeof *view->derived);
    if (!view->derived)
        return no_memory(view, status);
    while (*names && code == STATUS_OK) {
        size_t length = strcspn(names, " ");
        const char *name = arena_text(view->arena, names, length);
        if (!name)
            return no_memory(view, status);
        names += length + (names[length] == ' ');
        code = load_one(view, name, &view->derived[view->derived_count++], status);
    }
    return code;
}
