// SPDX-License-Identifier: MIT
#include "base_text.h"
#include "show.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool show_is_number(const struct store_axis *axis)
{
    const enum setting_type type = axis->columns[0]->type;
    return type == SETTING_INT || type == SETTING_UINT || type == SETTING_REAL;
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
    if (strcmp(name, "test_length") == 0 || strcmp(name, "replicate") == 0)
        return status_set(status, STATUS_INVALID, "show: --rows takes an axis of settings; %s",
                          *name == 't' ? "test lengths run across the tables" : "replicates are averaged");
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

static enum status_code load_sweep(struct show *show, struct status *status)
{
    const char *text = store_view_sweep_text(show->view), *path = store_view_path(show->view);
    enum status_code code = cli_sweep_parse(path, text, strlen(text), &show->sweep, status);
    if (code)
        return code;
    bool fits = grid_cell_count(show->sweep.grid) == show->cells * show->replicates &&
                show->sweep.sweep.axes_count == show->axes_count;
    for (size_t a = 0; fits && a < show->axes_count; a++)
        fits = show->sweep.sweep.axes[a].count == show->axes[a].count;
    return fits ? STATUS_OK
                : status_set(status, STATUS_DAMAGED, "%s: the sweep file that it holds does not have its axes", path);
}

static enum status_code count_rows(struct show *show, struct status *status)
{
    const int64_t *all;
    size_t count = store_view_lengths(show->view, &all);
    int64_t *lengths = arena_get(show->arena, count + 1, sizeof *lengths);
    if (!lengths)
        return status_set(status, STATUS_MEMORY, "out of memory for %s", store_view_path(show->view));
    enum status_code code = standing_init(show->sweep.grid, show->arena, &show->standing, status);
    for (size_t row = 0; code == STATUS_OK && row < store_view_rows(show->view); row++) {
        const struct store_row *is = store_view_row(show->view, row);
        struct store_trial trial = {is->identity, is->status, 0, lengths};
        for (size_t i = 0; i < count; i++)
            if (store_view_has(show->view, row, all[i]))
                lengths[trial.lengths_count++] = all[i];
        standing_take(&show->standing, &trial);
    }
    return code;
}

// By the sweep's grid, so that a cell that it excludes has none, even where a twin has the same settings.
static void find_rows(struct show *show)
{
    for (size_t cell = 0; cell < show->cells * show->replicates; cell++) {
        ptrdiff_t trial = grid_cell_trial(show->sweep.grid, cell);
        show->rows[cell] =
            trial < 0 ? -1 : store_view_find(show->view, grid_trial(show->sweep.grid, (size_t)trial)->identity);
    }
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
    if (show->arena) {
        show->rows = arena_get(show->arena, show->cells * show->replicates, sizeof *show->rows);
        show->scratch = arena_get(show->arena, show->replicates + 1, sizeof *show->scratch);
    }
    show->table = store_view_table(show->view);
    if (!show->rows || !show->scratch || !show->table)
        return status_set(status, STATUS_MEMORY, "out of memory for %s", path);
    code = load_sweep(show, status);
    if (code == STATUS_OK)
        code = count_rows(show, status);
    if (code == STATUS_OK)
        find_rows(show);
    return code;
}

void show_fini(struct show *show)
{
    store_view_close(show->view);
    cli_sweep_fini(&show->sweep);
    arena_destroy(show->arena);
    *show = (struct show){0};
}

bool show_finished(const struct show *show, ptrdiff_t row)
{
    enum record_status status = row < 0 ? RECORD_PENDING : store_view_row(show->view, (size_t)row)->status;
    return status == RECORD_DONE || status == RECORD_DIVERGED;
}

bool show_failed(const struct show *show, ptrdiff_t row)
{
    return row >= 0 && store_view_row(show->view, (size_t)row)->status == RECORD_FAILED;
}

ptrdiff_t show_row(const struct show *show, size_t cell)
{
    const ptrdiff_t *rows = &show->rows[cell * show->replicates];
    ptrdiff_t failed = -1;
    for (size_t r = 0; r < show->replicates; r++) {
        if (show_finished(show, rows[r]))
            return rows[r];
        if (failed < 0 && show_failed(show, rows[r]))
            failed = rows[r];
    }
    return failed;
}

bool show_has(const struct show *show, size_t cell, int64_t length)
{
    ptrdiff_t row = show_row(show, cell);
    return row >= 0 && grid_wants(show->sweep.grid, cell * show->replicates, length) &&
           (show_failed(show, row) || store_view_has(show->view, (size_t)row, length));
}

int64_t show_longest(const struct show *show, size_t cell)
{
    for (size_t t = show->lengths_count; t-- > 0;)
        if (show_has(show, cell, show->lengths[t]))
            return show->lengths[t];
    return 0;
}

char *show_value(const struct store_axis *axis, size_t index, char *ret_text, size_t size)
{
    char text[SETTING_TEXT_SIZE];
    *ret_text = 0;
    for (size_t c = 0; c < axis->columns_count; c++)
        snprintf(ret_text + strlen(ret_text), size - strlen(ret_text), "%s%s", c ? "/" : "",
                 setting_brief(axis->columns[c], axis->values[c][index], text));
    return ret_text;
}

int show_width(const struct store_axis *axis)
{
    char value[128];
    size_t width = strlen(axis->name) > 12 ? strlen(axis->name) : 12;
    for (size_t i = 0; i < axis->count; i++) {
        size_t length = strlen(show_value(axis, i, value, sizeof value));
        width = length > width ? length : width;
    }
    return (int)width;
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
