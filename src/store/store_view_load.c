// SPDX-License-Identifier: MIT
#include "store_names.h"
#include "store_view_private.h"
#include <stdlib.h>
#include <string.h>

static enum status_code no_memory(const struct store_view *view, struct status *status)
{
    return status_set(status, STATUS_MEMORY, "no memory to read %s", view->path);
}

static enum status_code check_schema(struct store_view *view, struct status *status)
{
    const struct h5 h5 = {view->path, status};
    const char *schema = "";
    static const char prefix[] = STORE_SCHEMA_NAME "/";
    if (store_h5_has_attribute(view->file, ATTRIBUTE_SCHEMA)) {
        enum status_code code = store_h5_get_text(&h5, view->file, ATTRIBUTE_SCHEMA, view->arena, &schema);
        if (code != STATUS_OK)
            return code;
    }
    if (strncmp(schema, prefix, strlen(prefix)) != 0)
        return status_set(status, STATUS_INVALID,
                          "%s: an HDF5 file, but not a store of lgsweep; choose another name for the store with -o",
                          view->path);
    if (atol(schema + strlen(prefix)) > STORE_SCHEMA_VERSION)
        return status_set(status, STATUS_INVALID,
                          "%s: a store of schema %s, and this program knows schema %d; use the "
                          "lgsweep that wrote it",
                          view->path, schema + strlen(prefix), STORE_SCHEMA_VERSION);
    return STATUS_OK;
}

static enum status_code read_fixed(struct store_view *view, const struct setting *setting, struct status *status)
{
    const struct h5 h5 = {view->path, status};
    union setting_value value = {0};
    uint8_t flag = 0;
    const char *text = "";
    enum status_code code = STATUS_OK;
    switch (setting->type) {
    case SETTING_INT:
        code = store_h5_get_number(&h5, view->file, setting->name, H5_I64, &value.i);
        break;
    case SETTING_UINT:
        code = store_h5_get_number(&h5, view->file, setting->name, H5_U64, &value.u);
        break;
    case SETTING_REAL:
        code = store_h5_get_number(&h5, view->file, setting->name, H5_F64, &value.r);
        break;
    case SETTING_BOOL:
        code = store_h5_get_number(&h5, view->file, setting->name, H5_U8, &flag);
        value.b = flag == 1;
        break;
    case SETTING_CHOICE:
    case SETTING_TEXT:
        code = store_h5_get_text(&h5, view->file, setting->name, view->arena, &text);
        if (code == STATUS_OK && setting_parse(setting, text, strlen(text), &value, status) != STATUS_OK)
            return status_context(status, "%s: %s", view->path, setting->name);
    }
    if (code == STATUS_OK)
        setting_put(setting, &view->fixed, value);
    return code;
}

static enum status_code load_settings(struct store_view *view, struct status *status)
{
    enum status_code code = STATUS_OK;
    settings_defaults(&view->fixed);
    view->is_fixed = arena_get(view->arena, settings_count, sizeof *view->is_fixed);
    if (!view->is_fixed)
        return no_memory(view, status);
    for (size_t i = 0; i < settings_count && code == STATUS_OK; i++) {
        view->is_fixed[i] = store_h5_has_attribute(view->file, settings_table[i].name);
        if (view->is_fixed[i])
            code = read_fixed(view, &settings_table[i], status);
    }
    return code;
}

static enum status_code load_run(struct store_view *view, struct status *status)
{
    const struct h5 h5 = {view->path, status};
    const struct {
        const char *name;
        const char **text;
    } texts[] = {
        {ATTRIBUTE_NAME, &view->name}, {ATTRIBUTE_SWEEP, &view->sweep_text}, {ATTRIBUTE_PUBLISHED, &view->published}};
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = {{ATTRIBUTE_PLANNED, &view->planned},
                   {ATTRIBUTE_JOURNAL_ID, &view->journal_id},
                   {ATTRIBUTE_JOURNAL_END, &view->journal_end}};
    hid_t run = H5Gopen2(view->file, GROUP_RUN, H5P_DEFAULT);
    if (run < 0)
        return store_h5_error(&h5, "open group", GROUP_RUN);
    enum status_code code = STATUS_OK;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && code == STATUS_OK; i++)
        code = store_h5_get_text(&h5, run, texts[i].name, view->arena, texts[i].text);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && code == STATUS_OK; i++)
        code = store_h5_get_number(&h5, run, numbers[i].name, H5_U64, numbers[i].number);
    H5Gclose(run);
    return code;
}

enum status_code store_view_load_head(struct store_view *view, struct status *status)
{
    const struct h5 h5 = {view->path, status};
    int32_t numerics = 0, cube = 0;
    enum status_code code = check_schema(view, status);
    if (code == STATUS_OK)
        code = store_h5_get_number(&h5, view->file, ATTRIBUTE_NUMERICS, H5_I32, &numerics);
    if (code == STATUS_OK)
        code = store_h5_get_number(&h5, view->file, ATTRIBUTE_CUBE, H5_I32, &cube);
    view->numerics = (uint32_t)numerics;
    view->has_cube = cube == 1;
    if (code == STATUS_OK)
        code = load_settings(view, status);
    return code == STATUS_OK ? load_run(view, status) : code;
}

static enum status_code read_numbers(struct store_view *view, const char *path, enum h5_type type, size_t count,
                                     void *ret_data, struct status *status)
{
    const struct h5 h5 = {view->path, status};
    return store_h5_get_rows(&h5, view->file, path, type, 0, count, 1, ret_data);
}

static enum status_code read_texts(struct store_view *view, const char *path, const struct setting *setting,
                                   size_t count, union setting_value *ret_values, struct status *status)
{
    const struct h5 h5 = {view->path, status};
    const char **texts = arena_get(view->arena, count + 1, sizeof *texts);
    enum status_code code =
        texts ? store_h5_get_texts(&h5, view->file, path, count, view->arena, texts) : no_memory(view, status);
    for (size_t i = 0; i < count && code == STATUS_OK; i++) {
        code = setting_parse(setting, texts[i], strlen(texts[i]), &ret_values[i], status);
        if (code != STATUS_OK)
            status_context(status, "%s: %s", view->path, path);
    }
    return code;
}

// Of what is stored as numbers.
static enum h5_type type_of(const struct setting *setting)
{
    switch (setting->type) {
    case SETTING_INT:
        return H5_I64;
    case SETTING_UINT:
        return H5_U64;
    case SETTING_REAL:
        return H5_F64;
    case SETTING_CHOICE:
    case SETTING_BOOL:
    case SETTING_TEXT: // read elsewhere
        break;
    }
    return H5_U8;
}

enum status_code store_view_read_setting(struct store_view *view, const char *group, const struct setting *setting,
                                         size_t count, union setting_value *ret_values, struct status *status)
{
    const enum h5_type type = type_of(setting);
    const size_t size = store_h5_size(type);
    size_t choices = 0;
    for (; setting->type == SETTING_CHOICE && setting->choices[choices];)
        choices++;
    char path[128];
    snprintf(path, sizeof path, "%s/%s%s", group, setting->name, setting->type == SETTING_CHOICE ? CODE_SUFFIX : "");
    if (setting->type == SETTING_TEXT)
        return read_texts(view, path, setting, count, ret_values, status);
    unsigned char *data = malloc(count ? count * size : 1);
    if (!data)
        return no_memory(view, status);
    enum status_code code = read_numbers(view, path, type, count, data, status);
    for (size_t i = 0; i < count && code == STATUS_OK; i++) {
        union setting_value value = {0};
        if (type == H5_U8 && setting->type == SETTING_BOOL)
            value.b = data[i] == 1;
        else if (type == H5_U8)
            value.choice = data[i];
        else
            memcpy(&value, data + i * size, size);
        if (setting->type == SETTING_CHOICE && data[i] >= choices)
            code = status_set(status, STATUS_INVALID,
                              "%s: %s has a choice that this program does not know; use the "
                              "lgsweep that wrote it",
                              view->path, path);
        ret_values[i] = value;
    }
    free(data);
    return code;
}

// A setting that varies has a column, whether or not it has one value for the sweep.
static enum status_code load_setting_columns(struct store_view *view, struct status *status)
{
    union setting_value *values = calloc(view->rows_count ? view->rows_count : 1, sizeof *values);
    enum status_code code = values ? STATUS_OK : no_memory(view, status);
    for (size_t i = 0; i < view->rows_count; i++)
        view->rows[i].settings = view->fixed;
    for (size_t s = 0; s < settings_count && code == STATUS_OK; s++) {
        char path[128];
        snprintf(path, sizeof path, GROUP_TRIALS "/%s", settings_table[s].name);
        if (!store_h5_has(view->file, path))
            continue;
        view->is_fixed[s] = false;
        code = store_view_read_setting(view, GROUP_TRIALS, &settings_table[s], view->rows_count, values, status);
        for (size_t i = 0; i < view->rows_count && code == STATUS_OK; i++)
            setting_put(&settings_table[s], &view->rows[i].settings, values[i]);
    }
    free(values);
    return code;
}

static enum status_code load_texts(struct store_view *view, struct status *status)
{
    const struct h5 h5 = {view->path, status};
    static const char *const paths[] = {GROUP_TRIALS "/" NAME_IDENTITY, GROUP_TRIALS "/" NAME_FAILURE_REASON,
                                        GROUP_RUN "/" NAME_HOST, GROUP_RUN "/" NAME_VERSION};
    enum { TEXTS = sizeof paths / sizeof paths[0] };
    size_t rows = view->rows_count;
    const char **texts = arena_get(view->arena, TEXTS * rows + 1, sizeof *texts);
    enum status_code code = texts ? STATUS_OK : no_memory(view, status);
    for (size_t i = 0; i < TEXTS && code == STATUS_OK; i++)
        code = store_h5_get_texts(&h5, view->file, paths[i], rows, view->arena, texts + i * rows);
    for (size_t i = 0; i < rows && code == STATUS_OK; i++) {
        struct store_row *row = &view->rows[i];
        if (!hash_parse(texts[i], strlen(texts[i]), &row->identity))
            code = status_set(status, STATUS_DAMAGED, "%s: row %zu has no identity", view->path, i);
        row->reason = texts[rows + i];
        row->host = texts[2 * rows + i];
        row->version = texts[3 * rows + i];
    }
    return code;
}

// Numbers of a row: where they are, and where they go.
#define ROW_NUMBERS(member, the_type) offsetof(struct store_row, member), the_type
static const struct {
    const char *path;
    size_t offset;
    enum h5_type type;
} row_numbers[] = {
    {GROUP_TRIALS "/" NAME_NUMERICS, ROW_NUMBERS(numerics, H5_I32)},
    {GROUP_TRIALS "/" NAME_STATUS, ROW_NUMBERS(status, H5_I32)},
    {GROUP_TRIALS "/" NAME_TWIN, ROW_NUMBERS(twin, H5_U8)},
    {GROUP_TRIALS "/" NAME_ATTEMPTS, ROW_NUMBERS(attempts, H5_I32)},
    {GROUP_TRIALS "/" NAME_FAILURE_EXIT, ROW_NUMBERS(exit_status, H5_I32)},
    {GROUP_TRIALS "/" NAME_FAILURE_SIGNAL, ROW_NUMBERS(signal, H5_I32)},
    {GROUP_TRIALS "/" NAME_FAILURE_STEP, ROW_NUMBERS(last_step, H5_I64)},
    {GROUP_RUN "/" NAME_FINISHED, ROW_NUMBERS(finished, H5_F64)},
};

static enum status_code load_numbers(struct store_view *view, struct status *status)
{
    unsigned char *data = malloc(8 * view->rows_count + 1);
    enum status_code code = data ? STATUS_OK : no_memory(view, status);
    for (size_t n = 0; n < sizeof row_numbers / sizeof row_numbers[0] && code == STATUS_OK; n++) {
        size_t size = store_h5_size(row_numbers[n].type);
        code = read_numbers(view, row_numbers[n].path, row_numbers[n].type, view->rows_count, data, status);
        for (size_t i = 0; i < view->rows_count && code == STATUS_OK; i++) {
            // A byte is a yes or no, and only these are a bool.
            unsigned char yes = data[i] == 1;
            memcpy((char *)&view->rows[i] + row_numbers[n].offset, size == 1 ? &yes : data + i * size, size);
        }
    }
    for (size_t i = 0; i < view->rows_count && code == STATUS_OK; i++)
        if (view->rows[i].status >= RECORD_STATUSES)
            code = status_set(status, STATUS_DAMAGED, "%s: row %zu has no status", view->path, i);
    free(data);
    return code;
}

static enum status_code load_lengths(struct store_view *view, const char *path, size_t *ret_count,
                                     int64_t **ret_lengths, struct status *status)
{
    const struct h5 h5 = {view->path, status};
    hsize_t size[H5_RANK] = {0};
    int rank = 0;
    enum status_code code = store_h5_extent(&h5, view->file, path, &rank, size);
    if (code != STATUS_OK)
        return code;
    int64_t *lengths = arena_get(view->arena, size[0] ? size[0] : 1, sizeof *lengths);
    if (!lengths)
        return no_memory(view, status);
    *ret_count = size[0];
    *ret_lengths = lengths;
    return read_numbers(view, path, H5_I64, size[0], lengths, status);
}

enum status_code store_view_load_rows(struct store_view *view, struct status *status)
{
    const struct h5 h5 = {view->path, status};
    hsize_t size[H5_RANK] = {0};
    int rank = 0;
    enum status_code code = store_h5_extent(&h5, view->file, GROUP_TRIALS "/" NAME_TRIAL, &rank, size);
    if (code != STATUS_OK)
        return code;
    view->rows_count = size[0];
    view->rows = arena_get(view->arena, size[0] ? size[0] : 1, sizeof *view->rows);
    if (!view->rows)
        return no_memory(view, status);
    code = load_lengths(view, GROUP_TRIALS "/" NAME_TEST_LENGTH, &view->lengths_count, &view->lengths, status);
    if (code == STATUS_OK)
        code = load_lengths(view, "/" NAME_TEST_LENGTH, &view->cube_lengths_count, &view->cube_lengths, status);
    if (code == STATUS_OK)
        code = load_setting_columns(view, status);
    if (code == STATUS_OK)
        code = load_texts(view, status);
    if (code == STATUS_OK)
        code = load_numbers(view, status);
    if (code == STATUS_OK)
        code = store_rows_sort(view->rows, view->rows_count, view->arena, &view->lookup, status);
    return code;
}
