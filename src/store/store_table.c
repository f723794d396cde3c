// SPDX-License-Identifier: MIT
#include "store_table.h"
#include <math.h>

static const struct column *scalar_column(const struct schema *schema, const struct record_field *field)
{
    for (size_t i = 0; i < schema->columns_count; i++)
        if (schema->columns[i].field == field && schema->columns[i].dimensions == 0)
            return &schema->columns[i];
    return NULL;
}

// What an absent element of the type reads as in a double.
static double absent_number(enum record_type type)
{
    switch (type) {
    case RECORD_I32:
        return INT32_MIN;
    case RECORD_I64:
        return (double)INT64_MIN;
    case RECORD_U8:
        return UINT8_MAX;
    default:
        return NAN;
    }
}

static const double *read_column(struct store_table *self, const struct record_field *field, size_t count)
{
    const struct h5 h5 = {self->path, NULL};
    const struct column *column = scalar_column(self->schema, field);
    double *data = arena_get(self->arena, count ? count : 1, sizeof *data);
    if (!data)
        return NULL;
    size_t rows = self->table.trials;
    if (column && rows &&
        store_h5_get_rows(&h5, self->file, column->path, H5_F64, 0, rows, count / rows, data) != STATUS_OK)
        return NULL;
    double absent = absent_number(field->type);
    for (size_t i = 0; i < count; i++)
        if (!column || data[i] == absent)
            data[i] = NAN;
    return data;
}

static const double *get(struct store_table *self, enum record_field_id id, enum record_part_kind part, size_t count)
{
    const struct record_field *field = record_field_by_id(id);
    if (!field || field->part != part || record_field_dimensions(field) != 0)
        return NULL;
    size_t at = (size_t)(field - record_fields);
    if (!self->columns[at])
        self->columns[at] = read_column(self, field, count);
    return self->columns[at];
}

static const double *get_training(void *self, enum record_field_id id)
{
    struct store_table *table = self;
    return get(table, id, RECORD_TRAINING, table->table.trials);
}

static const double *get_test(void *self, enum record_field_id id)
{
    struct store_table *table = self;
    return get(table, id, RECORD_TEST, table->table.trials * table->table.lengths_count);
}

enum status_code store_table_create(const struct store_table_source *source, const struct row_lookup *lookup,
                                    struct arena *arena, struct store_table **ret_table, struct status *status)
{
    size_t count = source->rows_count, room = count ? count : 1;
    size_t *group = NULL;
    ptrdiff_t *twin = NULL;
    struct store_table *table = arena_get(arena, 1, sizeof *table);
    uint8_t *state = arena_get(arena, room, sizeof *state);
    double *noise_rate = arena_get(arena, room, sizeof *noise_rate);
    int64_t *train_length = arena_get(arena, room, sizeof *train_length);
    const double **columns = arena_get(arena, record_fields_count, sizeof *columns);
    if (!table || !state || !noise_rate || !train_length || !columns)
        return status_set(status, STATUS_MEMORY, "no memory for the table of trials");
    enum status_code code = store_rows_relate(source->rows, count, lookup, arena, &group, &twin, status);
    if (code != STATUS_OK)
        return code;
    for (size_t i = 0; i < count; i++) {
        state[i] = (uint8_t)source->rows[i].status;
        noise_rate[i] = source->rows[i].settings.task.noise_rate;
        train_length[i] = source->rows[i].settings.task.train_length;
    }
    *table = (struct store_table){
        .table = {count, source->lengths_count, source->lengths, state, group, twin, noise_rate, train_length, table,
                  get_training, get_test},
        .arena = arena,
        .file = source->file,
        .path = source->path,
        .schema = source->schema,
        .columns = columns,
    };
    *ret_table = table;
    return STATUS_OK;
}
