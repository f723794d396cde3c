// SPDX-License-Identifier: MIT
#include "store_view_private.h"
#include <stdlib.h>
#include <string.h>

// Where a value is: row `row` and, of a test part, length `length`.
struct place {
    size_t row, length;
};

// One value, exactly its extents. A column without the dimension `trial` holds one value for all rows.
static enum status_code read_value(struct store_view *view, const struct column *column, struct place place,
                                   const uint32_t *extent, void *ret_data, struct status *status)
{
    const struct h5 h5 = {view->path, status};
    hsize_t start[H5_RANK] = {0}, count[H5_RANK], size[H5_RANK];
    int rank = 0, at = 0;
    enum status_code code = store_h5_extent(&h5, view->file, column->path, &rank, size);
    if (code != STATUS_OK)
        return code;
    if (rank > column->dimensions) {
        start[at] = place.row;
        count[at++] = 1;
        if (column->part == RECORD_TEST) {
            start[at] = place.length;
            count[at++] = 1;
        }
    }
    for (int d = 0; d < column->dimensions; d++)
        count[at++] = extent[d];
    return store_h5_get_box(&h5, view->file, column->path, (enum h5_type)column->type, at, start, count, ret_data);
}

static struct record_value value_of(const struct column *column, const uint32_t *extent)
{
    struct record_value value = {
        .field = column->field, .id = column->id, .type = column->type, .dimensions = column->dimensions};
    memcpy(value.name, column->name, sizeof value.name);
    memcpy(value.dimension, column->dimension, sizeof value.dimension);
    for (int d = 0; d < column->dimensions; d++)
        value.extent[d] = extent[d];
    return value;
}

static enum status_code no_memory(const struct store_view *view, struct status *status)
{
    return status_set(status, STATUS_MEMORY, "no memory for a record of %s", view->path);
}

static enum status_code read_part(struct store_view *view, uint32_t number, struct place place,
                                  struct record_part *part, struct status *status)
{
    const struct layout *layout = &view->schema.layouts[number];
    part->values = calloc(layout->count ? layout->count : 1, sizeof *part->values);
    if (!part->values)
        return no_memory(view, status);
    part->capacity = layout->count;
    for (size_t i = 0; i < layout->count; i++) {
        const struct layout_value *from = &layout->values[i];
        const struct column *column = &view->schema.columns[from->column];
        struct record_value value = value_of(column, from->extent);
        size_t bytes = record_size(&value) * record_type_size(value.type);
        value.data = malloc(bytes ? bytes : 1);
        if (!value.data)
            return no_memory(view, status);
        part->values[part->count++] = value;
        enum status_code code = read_value(view, column, place, from->extent, value.data, status);
        if (code != STATUS_OK)
            return code;
    }
    return STATUS_OK;
}

static void copy_head(const struct store_row *row, struct record *record)
{
    record->identity = row->identity;
    record->numerics = row->numerics;
    record->status = row->status;
    record->settings = row->settings;
    record->exit_status = row->exit_status;
    record->signal = row->signal;
    record->last_step = row->last_step;
    record->attempts = row->attempts;
    snprintf(record->reason, sizeof record->reason, "%s", row->reason);
}

enum status_code store_view_record(struct store_view *view, size_t row, struct record *ret_record,
                                   struct status *status)
{
    struct record record = {0};
    enum status_code code = STATUS_OK;
    copy_head(&view->rows[row], &record);
    if (view->training_layout[row]) {
        struct record_part *part = record_part(&record, RECORD_TRAINING, 0, true);
        code = part ? read_part(view, view->training_layout[row], (struct place){row, 0}, part, status)
                    : no_memory(view, status);
    }
    for (size_t i = 0; i < view->lengths_count && code == STATUS_OK; i++) {
        uint32_t layout = view->test_layout[row * view->lengths_count + i];
        if (!layout)
            continue;
        struct record_part *part = record_part(&record, RECORD_TEST, view->lengths[i], true);
        code = part ? read_part(view, layout, (struct place){row, i}, part, status) : no_memory(view, status);
    }
    if (code != STATUS_OK) {
        record_fini(&record);
        return code;
    }
    *ret_record = record;
    return STATUS_OK;
}
