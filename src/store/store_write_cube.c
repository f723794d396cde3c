// SPDX-License-Identifier: MIT
// The root: the same values by axes and replicate instead of by trial.
#include "store_names.h"
#include "store_write.h"
#include <stdlib.h>
#include <string.h>

static void append_name(struct bytes *names, const char *name, const char *suffix)
{
    if (names->size)
        bytes_raw(names, " ", 1);
    bytes_raw(names, name, strlen(name));
    bytes_raw(names, suffix, strlen(suffix));
}

const char *store_write_cube_coordinates(const struct writing *writing, bool has_length, bool has_eval)
{
    const struct sweep *sweep = writing->plan->sweep;
    struct bytes names = {0};
    for (size_t i = 0; i < sweep->axes_count; i++)
        for (size_t j = 0; j < sweep->axes[i].columns_count; j++) {
            const struct setting *setting = sweep->axes[i].columns[j].setting;
            if (strcmp(setting->name, sweep->axes[i].name) != 0)
                append_name(&names, setting->name, "");
            if (setting->type == SETTING_CHOICE)
                append_name(&names, setting->name, CODE_SUFFIX);
        }
    if (has_length)
        append_name(&names, NAME_LENGTH_RATIO, "");
    if (has_eval && writing->has_step)
        append_name(&names, "step", "");
    const char *text = names.failed ? NULL : arena_text(writing->plan->arena, (const char *)names.data, names.size);
    bytes_fini(&names);
    return text;
}

// Cells in turn, each a copy of its trial's row or of the fill value.
struct cube_source {
    const struct writing *writing;
    const struct column *column;
    const char *rows;
    size_t value; // bytes of one row and length
    bool test;
    char *buffer;
    size_t capacity;
};

static void put_cell(const struct cube_source *cube, size_t cell, char *to)
{
    const struct plan *plan = cube->writing->plan;
    const void *fill = store_h5_fill((enum h5_type)cube->column->type);
    size_t size = record_type_size(cube->column->type), lengths = cube->test ? plan->cube_lengths_count : 1;
    ptrdiff_t trial = grid_cell_trial(plan->grid, cell);
    ptrdiff_t row = trial < 0 ? -1 : plan->row_of_trial[trial];
    for (size_t i = 0; i < lengths; i++, to += cube->value) {
        if (row >= 0 && (!cube->test || grid_wants(plan->grid, cell, plan->cube_lengths[i]))) {
            size_t from = cube->test
                              ? (size_t)row * plan->lengths_count + store_plan_length_index(plan, plan->cube_lengths[i])
                              : (size_t)row;
            memcpy(to, cube->rows + from * cube->value, cube->value);
        } else {
            for (size_t at = 0; at < cube->value; at += size)
                memcpy(to + at, fill, size);
        }
    }
}

static const void *get_cells(void *self, size_t first, size_t count)
{
    struct cube_source *cube = self;
    size_t bytes = cube->value * (cube->test ? cube->writing->plan->cube_lengths_count : 1);
    if (count * bytes > cube->capacity) {
        free(cube->buffer);
        cube->capacity = count * bytes;
        cube->buffer = malloc(cube->capacity);
        if (!cube->buffer)
            return NULL;
    }
    for (size_t i = 0; i < count; i++)
        put_cell(cube, first + i, cube->buffer + i * bytes);
    return cube->buffer;
}

static struct h5_shape cell_shape(const struct writing *writing)
{
    struct h5_shape shape = {.rank = (int)writing->cell_axes};
    for (size_t i = 0; i < writing->cell_axes; i++) {
        shape.size[i] = writing->cell_size[i];
        shape.scale[i] = i + 1 < writing->cell_axes ? writing->axis[i] : writing->replicate;
    }
    return shape;
}

enum status_code store_write_cube(struct writing *writing, size_t at)
{
    const struct plan *plan = writing->plan;
    const struct column *column = &plan->schema.columns[at];
    struct h5_shape shape = cell_shape(writing);
    bool test = column->part == RECORD_TEST, has_eval = false;
    if (test) {
        shape.scale[shape.rank] = writing->length;
        shape.size[shape.rank++] = plan->cube_lengths_count;
    }
    for (int d = 0; d < column->dimensions; d++) {
        const struct dimension *dimension = store_write_dimension(writing, column->dimension[d]);
        shape.scale[shape.rank] = dimension->root;
        shape.size[shape.rank++] = column->extent[d];
        has_eval = has_eval || strcmp(dimension->name, "eval") == 0;
    }
    struct cube_source cube = {writing, column, writing->fill.data[at], store_column_bytes(column), test, NULL, 0};
    hid_t dataset = 0;
    enum status_code code =
        store_h5_put_variable(&writing->h5, writing->file, strrchr(column->path, '/') + 1, (enum h5_type)column->type,
                              &shape, (int)writing->cell_axes, (struct h5_source){get_cells, &cube}, &dataset);
    free(cube.buffer);
    const char *coordinates = store_write_cube_coordinates(writing, test, has_eval);
    if (code == STATUS_OK && !coordinates)
        code = status_set(writing->h5.status, STATUS_MEMORY, "no memory for the names of coordinates");
    return code == STATUS_OK ? store_write_field(writing, dataset, column, coordinates) : code;
}

static const void *get_states(void *self, size_t first, size_t count)
{
    (void)count;
    return (const uint8_t *)self + first;
}

static enum status_code write_length_ratio(struct writing *writing)
{
    static const struct about about = {"test length over train length", "1", "test_length / train_length.", NULL};
    const struct plan *plan = writing->plan;
    size_t count = 1, axis = SIZE_MAX, lengths = plan->cube_lengths_count;
    const struct axis_column *column = NULL;
    for (size_t i = 0; i < plan->sweep->axes_count; i++)
        for (size_t j = 0; j < plan->sweep->axes[i].columns_count; j++)
            if (strcmp(plan->sweep->axes[i].columns[j].setting->name, "train_length") == 0) {
                column = &plan->sweep->axes[i].columns[j];
                axis = i;
                count = plan->sweep->axes[i].count;
            }
    double *ratios = malloc((count * lengths + 1) * sizeof *ratios);
    if (!ratios)
        return status_set(writing->h5.status, STATUS_MEMORY, "no memory for %s", NAME_LENGTH_RATIO);
    for (size_t i = 0; i < count * lengths; i++) {
        int64_t train = column ? column->values[i / lengths].i : plan->sweep->base.task.train_length;
        ratios[i] = (double)plan->cube_lengths[i % lengths] / (double)train;
    }
    struct h5_shape shape = {0};
    if (column) {
        shape.scale[shape.rank] = writing->axis[axis];
        shape.size[shape.rank++] = count;
    }
    shape.scale[shape.rank] = writing->length;
    shape.size[shape.rank++] = lengths;
    hid_t dataset = 0;
    enum status_code code =
        store_h5_put_array(&writing->h5, writing->file, NAME_LENGTH_RATIO, H5_F64, &shape, ratios, &dataset);
    free(ratios);
    return code == STATUS_OK ? store_write_about(&writing->h5, dataset, &about) : code;
}

enum status_code store_write_cube_status(struct writing *writing)
{
    const struct plan *plan = writing->plan;
    const struct h5 *h5 = &writing->h5;
    const char *states[RECORD_STATUSES + 1] = {0};
    size_t cells = grid_cell_count(plan->grid);
    uint8_t *cell_states = malloc(cells + 1);
    const struct about about = {"state of the trial", "1", NULL, store_write_cube_coordinates(writing, false, false)};
    memcpy(states, record_status_names, sizeof record_status_names);
    if (!cell_states || !about.coordinates) {
        free(cell_states);
        return status_set(h5->status, STATUS_MEMORY, "no memory for the cube's states");
    }
    for (size_t cell = 0; cell < cells; cell++) {
        ptrdiff_t trial = grid_cell_trial(plan->grid, cell);
        ptrdiff_t row = trial < 0 ? -1 : plan->row_of_trial[trial];
        enum record_status missing = trial < 0 ? RECORD_EXCLUDED : RECORD_PENDING;
        cell_states[cell] = (uint8_t)(row < 0 ? missing : plan->rows[row].status);
    }
    struct h5_shape shape = cell_shape(writing);
    hid_t dataset = 0;
    enum status_code code =
        store_h5_put_variable(h5, writing->file, NAME_STATUS, H5_U8, &shape, (int)writing->cell_axes,
                              (struct h5_source){get_states, cell_states}, &dataset);
    if (code == STATUS_OK)
        code = store_h5_put_flags(h5, dataset, states, false);
    if (code == STATUS_OK)
        code = store_write_about(h5, dataset, &about);
    free(cell_states);
    return code == STATUS_OK ? write_length_ratio(writing) : code;
}
