// SPDX-License-Identifier: MIT
#include "base_text.h"
#include "show.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool show_is_number(const struct store_axis *axis)
{
    return axis->columns[0]->type != SETTING_CHOICE && axis->columns[0]->type != SETTING_BOOL;
}

// The numeric axis with the most values runs down the tables, unless one is named.
static enum status_code choose_rows(struct show *show, const char *name, struct status *status)
{
    const char *names[SHOW_AXES];
    show->row_axis = show->axes_count;
    for (size_t a = 0; a < show->axes_count; a++) {
        names[a] = show->axes[a].name;
        if (name ? strcmp(name, names[a]) == 0
                 : show_is_number(&show->axes[a]) &&
                       (show->row_axis == show->axes_count || show->axes[a].count > show->axes[show->row_axis].count))
            show->row_axis = a;
    }
    if (show->row_axis == show->axes_count && !name && show->axes_count)
        show->row_axis = 0;
    if (!name || show->row_axis < show->axes_count)
        return STATUS_OK;
    const char *nearest = text_nearest(name, names, show->axes_count);
    return status_set(status, STATUS_INVALID, "show: the store has no axis '%s'%s%s%s", name,
                      nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

size_t show_cell(const struct show *show, const size_t *index)
{
    size_t cell = 0;
    for (size_t a = 0; a < show->axes_count; a++)
        cell = cell * show->axes[a].count + index[a];
    return cell;
}

bool show_next(const struct show *show, const bool *fixed, size_t *index)
{
    for (size_t a = show->axes_count; a-- > 0;) {
        if (fixed[a])
            continue;
        if (++index[a] < show->axes[a].count)
            return true;
        index[a] = 0;
    }
    return false;
}

// Settings of a cell: what is fixed in the store, then the axes.
static void cell_settings(const struct show *show, const struct settings *base, const size_t *index, size_t replicate,
                          struct settings *ret_settings)
{
    *ret_settings = *base;
    ret_settings->replicate = (int64_t)replicate;
    for (size_t a = 0; a < show->axes_count; a++)
        for (size_t c = 0; c < show->axes[a].columns_count; c++)
            setting_put(show->axes[a].columns[c], ret_settings, show->axes[a].values[c][index[a]]);
}

// Settings that are the same in the whole cube. Twins differ from it in their noise rate, which therefore is not fixed
// in the store; any other row has the cube's.
static void cube_settings(const struct show *show, struct settings *ret_settings)
{
    union setting_value value;
    settings_defaults(ret_settings);
    for (size_t row = store_view_rows(show->view); row-- > 0;)
        if (!store_view_row(show->view, row)->twin)
            *ret_settings = store_view_row(show->view, row)->settings;
    for (size_t i = 0; i < settings_count; i++)
        if (store_view_fixed(show->view, &settings_table[i], &value))
            setting_put(&settings_table[i], ret_settings, value);
}

static void find_rows(struct show *show)
{
    struct settings base, settings;
    cube_settings(show, &base);
    size_t index[SHOW_AXES] = {0};
    const bool none[SHOW_AXES] = {0};
    do
        for (size_t r = 0; r < show->replicates; r++) {
            cell_settings(show, &base, index, r, &settings);
            show->rows[show_cell(show, index) * show->replicates + r] =
                store_view_find(show->view, settings_identity(&settings));
        }
    while (show_next(show, none, index));
}

enum status_code show_init(const char *path, const char *row_axis, struct show *ret_show, struct status *status)
{
    struct show *show = ret_show;
    *show = (struct show){.cells = 1, .colour = cli_is_terminal(STDOUT_FILENO)};
    enum status_code code = store_view_open(path, &show->view, status);
    if (code)
        return code;
    show->axes_count = store_view_axes(show->view, &show->axes);
    if (show->axes_count > SHOW_AXES)
        return status_set(status, STATUS_INVALID, "%s has %zu axes; show prints at most %d", path, show->axes_count,
                          SHOW_AXES);
    code = choose_rows(show, row_axis, status);
    if (code)
        return code;
    show->replicates = store_view_replicates(show->view);
    show->lengths_count = store_view_cube_lengths(show->view, &show->lengths);
    for (size_t a = 0; a < show->axes_count; a++)
        show->cells *= show->axes[a].count;
    show->arena = arena_create(1 << 16, 0);
    if (show->arena)
        show->rows = arena_get(show->arena, show->cells * show->replicates, sizeof *show->rows);
    show->table = store_view_table(show->view);
    if (!show->rows || !show->table)
        return status_set(status, STATUS_MEMORY, "out of memory for %s", path);
    find_rows(show);
    return STATUS_OK;
}

void show_fini(struct show *show)
{
    store_view_close(show->view);
    arena_destroy(show->arena);
    *show = (struct show){0};
}

ptrdiff_t show_row(const struct show *show, size_t cell)
{
    for (size_t r = 0; r < show->replicates; r++)
        if (show->rows[cell * show->replicates + r] >= 0)
            return show->rows[cell * show->replicates + r];
    return -1;
}

int64_t show_longest(const struct show *show, ptrdiff_t row)
{
    for (size_t t = show->lengths_count; row >= 0 && t-- > 0;)
        if (store_view_has(show->view, (size_t)row, show->lengths[t]))
            return show->lengths[t];
    return 0;
}

char *show_value(const struct store_axis *axis, size_t index, char *ret_text, size_t size)
{
    char text[SETTING_TEXT_SIZE];
    *ret_text = 0;
    for (size_t c = 0; c < axis->columns_count; c++)
        snprintf(ret_text + strlen(ret_text), size - strlen(ret_text), "%s%s", c ? "/" : "",
                 setting_text(axis->columns[c], axis->values[c][index], text));
    return ret_text;
}

void show_place(const struct show *show, const bool *skip, const size_t *index, struct bytes *ret_text)
{
    char value[128];
    for (size_t a = 0; a < show->axes_count; a++) {
        if (skip[a])
            continue;
        if (ret_text->size)
            bytes_u8(ret_text, ' ');
        bytes_raw(ret_text, show->axes[a].name, strlen(show->axes[a].name));
        bytes_u8(ret_text, '=');
        show_value(&show->axes[a], index[a], value, sizeof value);
        bytes_raw(ret_text, value, strlen(value));
    }
}

static ptrdiff_t length_index(const struct show *show, int64_t length)
{
    const int64_t *all;
    size_t count = store_view_lengths(show->view, &all);
    for (size_t i = 0; i < count; i++)
        if (all[i] == length)
            return (ptrdiff_t)i;
    return -1;
}

double show_derived(const struct show *show, const char *name, ptrdiff_t row, int64_t length)
{
    const struct store_derived *list;
    const int64_t *all;
    size_t count = store_view_derived(show->view, &list), lengths = store_view_lengths(show->view, &all);
    ptrdiff_t at = length_index(show, length);
    for (size_t i = 0; i < count && row >= 0 && at >= 0; i++) {
        if (strcmp(list[i].name, name) != 0)
            continue;
        size_t place = (size_t)row * lengths + (size_t)at;
        if (list[i].code)
            return list[i].code[place] == STORE_ABSENT ? NAN : list[i].code[place];
        return (double)list[i].real[place];
    }
    return NAN;
}

double show_test(const struct show *show, enum record_field_id id, ptrdiff_t row, int64_t length)
{
    const double *column = show->table->test(show->table->self, id);
    ptrdiff_t at = length_index(show, length);
    return column && row >= 0 && at >= 0 ? column[(size_t)row * show->table->lengths_count + (size_t)at] : NAN;
}
