// SPDX-License-Identifier: MIT
// Fields: a variable of trials or run for each column, and one of the cube.
#include "store_names.h"
#include "store_write.h"
#include <string.h>

enum { MEMORY = 128 << 20 };

static struct about about_of(const struct column *column, const char *coordinates)
{
    if (!column->field)
        return (struct about){column->name, NULL, "A field that the program which wrote this file did not know.",
                              coordinates};
    return (struct about){column->field->long_name, column->field->unit, column->field->help, coordinates};
}

enum status_code store_write_field(const struct writing *writing, hid_t dataset, const struct column *column,
                                   const char *coordinates)
{
    struct about about = about_of(column, coordinates);
    enum h5_type type = (enum h5_type)column->type;
    enum status_code code = store_h5_put_numbers(&writing->h5, dataset, "_FillValue", type, 0, store_h5_fill(type));
    return code == STATUS_OK ? store_write_about(&writing->h5, dataset, &about) : code;
}

struct rows_source {
    const char *data;
    size_t bytes; // of one row
};

static const void *get_rows(void *self, size_t first, size_t count)
{
    const struct rows_source *rows = self;
    (void)count;
    return rows->data + first * rows->bytes;
}

enum status_code store_write_column(struct writing *writing, size_t at)
{
    const struct plan *plan = writing->plan;
    const struct column *column = &plan->schema.columns[at];
    bool run = store_column_is_run(column);
    struct h5_shape shape = {1, {plan->rows_count}, {run ? writing->run_trial : writing->trials_trial}};
    if (column->part == RECORD_TEST) {
        shape.scale[shape.rank] = run ? writing->run_length : writing->trials_length;
        shape.size[shape.rank++] = plan->lengths_count;
    }
    for (int d = 0; d < column->dimensions; d++) {
        const struct dimension *dimension = store_write_dimension(writing, column->dimension[d]);
        shape.scale[shape.rank] = run ? dimension->run : dimension->trials;
        shape.size[shape.rank++] = column->extent[d];
    }
    struct rows_source rows = {writing->fill.data[at], store_fill_unit(plan, column) * record_type_size(column->type)};
    hid_t dataset = 0;
    enum status_code code = store_h5_put_variable(&writing->h5, writing->file, column->path, (enum h5_type)column->type,
                                                  &shape, 1, (struct h5_source){get_rows, &rows}, &dataset);
    return code == STATUS_OK ? store_write_field(writing, dataset, column, run ? NULL : writing->trial_coordinates)
                             : code;
}

static bool is_coordinate(const struct writing *writing, size_t at)
{
    for (size_t i = 0; i < writing->dimensions_count; i++)
        if (writing->dimensions[i].column == (ptrdiff_t)at)
            return true;
    return false;
}

// Shared values that stand in for their column: those of a field called like its dimension.
static bool is_scale(const struct writing *writing, size_t at)
{
    const struct column *column = &writing->plan->schema.columns[at];
    return is_coordinate(writing, at) && strcmp(column->name, column->dimension[0]) == 0;
}

// Fills and writes the columns from *at on that fit in memory together, at least one.
static enum status_code write_some(struct writing *writing, size_t *at)
{
    const struct plan *plan = writing->plan;
    size_t limit = writing->options->memory ? writing->options->memory : MEMORY, taken = 0, first = *at;
    enum status_code code = STATUS_OK;
    for (; *at < plan->schema.columns_count && code == STATUS_OK; (*at)++) {
        size_t bytes = store_fill_bytes(plan, &plan->schema.columns[*at]);
        if (is_scale(writing, *at))
            continue;
        if (taken && (bytes > limit || taken > limit - bytes))
            break;
        taken += bytes;
        code = store_fill_add(&writing->fill, *at, writing->h5.status);
    }
    if (code == STATUS_OK)
        code = store_fill_run(&writing->fill, writing->h5.status);
    for (size_t i = first; i < *at && code == STATUS_OK; i++) {
        if (!writing->fill.data[i])
            continue;
        code = store_write_column(writing, i);
        bool in_cube = plan->has_cube && !is_coordinate(writing, i) && !store_column_is_run(&plan->schema.columns[i]);
        if (code == STATUS_OK && in_cube)
            code = store_write_cube(writing, i);
    }
    store_fill_drop(&writing->fill);
    return code;
}

enum status_code store_write_columns(struct writing *writing)
{
    enum status_code code = writing->plan->has_cube ? store_write_cube_status(writing) : STATUS_OK;
    for (size_t at = 0; at < writing->plan->schema.columns_count && code == STATUS_OK;)
        code = write_some(writing, &at);
    return code;
}
