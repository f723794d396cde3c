// SPDX-License-Identifier: MIT
// Station before: store_publish.
#include "store_view_private.h"
#include <stdlib.h>
#include <string.h>

enum status_code store_view_open(const char *path, struct store_view **ret_view, struct status *status)
{
    const struct h5 h5 = {path, status};
    struct store_view *view = calloc(1, sizeof *view);
    if (view) {
        view->file = H5I_INVALID_HID;
        view->arena = arena_create(1 << 16, 0);
        view->path = view->arena ? arena_text(view->arena, path, strlen(path)) : NULL;
    }
    if (!view || !view->path) {
        store_view_close(view);
        return status_set(status, STATUS_MEMORY, "no memory to read %s", path);
    }
    enum status_code code = store_h5_open(&h5, &view->file);
    if (code == STATUS_OK)
        code = store_view_load_head(view, status);
    if (code == STATUS_OK)
        code = store_view_load_rows(view, status);
    if (code == STATUS_OK)
        code = store_view_load_layouts(view, status);
    if (code == STATUS_OK)
        code = store_view_load_axes(view, status);
    if (code == STATUS_OK)
        code = store_view_load_derived(view, status);
    if (code != STATUS_OK) {
        store_view_close(view);
        return code;
    }
    *ret_view = view;
    return STATUS_OK;
}

void store_view_close(struct store_view *view)
{
    if (!view)
        return;
    if (view->file >= 0)
        H5Fclose(view->file);
    store_schema_fini(&view->schema);
    arena_destroy(view->arena);
    free(view);
}

const char *store_view_path(const struct store_view *view)
{
    return view->path;
}

const char *store_view_name(const struct store_view *view)
{
    return view->name;
}

const char *store_view_sweep_text(const struct store_view *view)
{
    return view->sweep_text;
}

const char *store_view_published(const struct store_view *view)
{
    return view->published;
}

uint32_t store_view_numerics(const struct store_view *view)
{
    return view->numerics;
}

bool store_view_has_cube(const struct store_view *view)
{
    return view->has_cube;
}

uint64_t store_view_journal(const struct store_view *view, uint64_t *ret_end)
{
    *ret_end = view->journal_end;
    return view->journal_id;
}

size_t store_view_rows(const struct store_view *view)
{
    return view->rows_count;
}

const struct store_row *store_view_row(const struct store_view *view, size_t row)
{
    return &view->rows[row];
}

ptrdiff_t store_view_find(const struct store_view *view, struct hash128 identity)
{
    return store_rows_find(&view->lookup, identity);
}

size_t store_view_axes(const struct store_view *view, const struct store_axis **ret_axes)
{
    *ret_axes = view->axes;
    return view->axes_count;
}

size_t store_view_replicates(const struct store_view *view)
{
    return view->replicates;
}

size_t store_view_cube_lengths(const struct store_view *view, const int64_t **ret_lengths)
{
    *ret_lengths = view->cube_lengths;
    return view->cube_lengths_count;
}

bool store_view_fixed(const struct store_view *view, const struct setting *setting, union setting_value *ret_value)
{
    if (!view->is_fixed[setting_index(setting)])
        return false;
    *ret_value = setting_get(setting, &view->fixed);
    return true;
}

size_t store_view_lengths(const struct store_view *view, const int64_t **ret_lengths)
{
    *ret_lengths = view->lengths;
    return view->lengths_count;
}

size_t store_view_length_index(const struct store_view *view, int64_t test_length)
{
    for (size_t i = 0; i < view->lengths_count; i++)
        if (view->lengths[i] == test_length)
            return i;
    return SIZE_MAX;
}

bool store_view_has(const struct store_view *view, size_t row, int64_t test_length)
{
    size_t at = store_view_length_index(view, test_length);
    return at != SIZE_MAX && view->test_layout[row * view->lengths_count + at] != 0;
}

bool store_view_trained(const struct store_view *view, size_t row)
{
    return view->training_layout[row] != 0;
}

const struct record_table *store_view_table(struct store_view *view)
{
    if (!view->table) {
        struct store_table_source source = {
            .file = view->file,
            .path = view->path,
            .schema = &view->schema,
            .rows_count = view->rows_count,
            .lengths_count = view->lengths_count,
            .rows = view->rows,
            .lengths = view->lengths,
        };
        if (store_table_create(&source, &view->lookup, view->arena, &view->table, NULL) != STATUS_OK)
            return NULL;
    }
    return &view->table->table;
}

size_t store_view_derived(struct store_view *view, const struct store_derived **ret_derived)
{
    *ret_derived = view->derived;
    return view->derived_count;
}
