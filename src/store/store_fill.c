// SPDX-License-Identifier: MIT
#include "store_fill.h"
#include "store_view_private.h"
#include <stdlib.h>
#include <string.h>

// Rows of the published file are read in blocks of about so many bytes.
enum { BLOCK_BYTES = 1 << 23 };

static enum status_code no_memory(const struct fill *fill, struct status *status)
{
    return status_set(status, STATUS_MEMORY, "no memory for the columns of %s", fill->plan->path);
}

enum status_code store_fill_init(struct plan *plan, struct fill *ret_fill, struct status *status)
{
    struct fill fill = {.plan = plan, .data = calloc(plan->schema.columns_count + 1, sizeof *fill.data)};
    if (!fill.data)
        return no_memory(&fill, status);
    *ret_fill = fill;
    return STATUS_OK;
}

void store_fill_drop(struct fill *fill)
{
    for (size_t i = 0; i < fill->plan->schema.columns_count; i++) {
        free(fill->data[i]);
        fill->data[i] = NULL;
    }
}

void store_fill_fini(struct fill *fill)
{
    if (fill->data)
        store_fill_drop(fill);
    free(fill->data);
    *fill = (struct fill){0};
}

size_t store_fill_unit(const struct plan *plan, const struct column *column)
{
    return store_column_elements(column) * (column->part == RECORD_TEST ? plan->lengths_count : 1);
}

size_t store_fill_bytes(const struct plan *plan, const struct column *column)
{
    return plan->rows_count * store_fill_unit(plan, column) * record_type_size(column->type);
}

enum status_code store_fill_add(struct fill *fill, size_t at, struct status *status)
{
    const struct column *column = &fill->plan->schema.columns[at];
    size_t bytes = store_fill_bytes(fill->plan, column), size = record_type_size(column->type);
    char *data = malloc(bytes + size);
    if (!data)
        return no_memory(fill, status);
    // Doubling what is there already: one element, then two, four …
    memcpy(data, store_h5_fill((enum h5_type)column->type), size);
    for (size_t done = size; done < bytes; done *= 2)
        memcpy(data + done, data, done < bytes - done ? done : bytes - done);
    fill->data[at] = data;
    return STATUS_OK;
}

const uint32_t *store_fill_extent(const struct schema *schema, uint32_t number, size_t column)
{
    const struct layout *layout = &schema->layouts[number];
    for (size_t i = 0; i < layout->count; i++)
        if (layout->values[i].column == column)
            return layout->values[i].extent;
    return NULL;
}

static char *place_of(const struct fill *fill, size_t at, size_t row, size_t length)
{
    const struct plan *plan = fill->plan;
    const struct column *column = &plan->schema.columns[at];
    size_t index = column->part == RECORD_TEST ? row * plan->lengths_count + length : row;
    return (char *)fill->data[at] + index * store_column_bytes(column);
}

static enum status_code take_record(void *self, size_t row, uint64_t offset, const struct store_payload *payload,
                                    struct record *record, struct status *status)
{
    struct fill *fill = self;
    const struct plan *plan = fill->plan;
    (void)payload;
    (void)status;
    for (size_t p = 0; p < record->parts_count; p++) {
        const struct record_part *part = &record->parts[p];
        bool training = part->kind == RECORD_TRAINING;
        const struct index_part *wanted =
            store_index_part(plan->entries[row], training ? INDEX_TRAINING : part->test_length);
        if (!wanted || wanted->source != offset)
            continue;
        size_t length = training ? 0 : store_plan_length_index(plan, part->test_length);
        uint32_t number = training ? plan->training_layout[row] : plan->test_layout[row * plan->lengths_count + length];
        const struct layout *layout = &plan->schema.layouts[number];
        for (size_t i = 0; i < layout->count; i++) {
            size_t at = layout->values[i].column;
            if (fill->data[at])
                store_column_pad(&plan->schema.columns[at], layout->values[i].extent, part->values[i].data,
                                 place_of(fill, at, row, length));
        }
    }
    return STATUS_OK;
}

// One column of the published file, on its way into one of the new.
struct transfer {
    struct fill *fill;
    size_t to;                // column of the plan
    const struct column *old; // of the view
    bool shared;              // the old dataset has one value for all rows
    size_t old_bytes;         // of one value, padding included
    char *block, *compact;
    size_t first, count; // old rows in the block
};

static void transfer_value(const struct transfer *move, size_t row, size_t length, size_t old_row, size_t old_length,
                           uint32_t layout)
{
    const struct plan *plan = move->fill->plan;
    const struct column *column = &plan->schema.columns[move->to];
    const uint32_t *extent = store_fill_extent(&plan->schema, layout, move->to);
    if (!extent)
        return;
    size_t lengths = column->part == RECORD_TEST ? plan->sources.view->lengths_count : 1;
    size_t index = move->shared ? 0 : (old_row - move->first) * lengths + old_length;
    const char *from = move->block + index * move->old_bytes;
    store_column_unpad(move->old, extent, from, move->compact);
    store_column_pad(column, extent, move->compact, place_of(move->fill, move->to, row, length));
}

static void transfer_row(const struct transfer *move, size_t row)
{
    const struct plan *plan = move->fill->plan;
    const struct index_entry *entry = plan->entries[row];
    bool training = move->old->part == RECORD_TRAINING;
    for (const struct index_part *part = entry->parts; part; part = part->next) {
        if (part->source != INDEX_PUBLISHED || training != (part->test_length == INDEX_TRAINING))
            continue;
        size_t length = training ? 0 : store_plan_length_index(plan, part->test_length);
        size_t old_length = training ? 0 : store_view_length_index(plan->sources.view, part->test_length);
        uint32_t layout = training ? plan->training_layout[row] : plan->test_layout[row * plan->lengths_count + length];
        transfer_value(move, row, length, entry->row, old_length, layout);
    }
}

// Old rows in blocks; `new_row` says where each has gone.
static enum status_code transfer_blocks(struct transfer *move, const ptrdiff_t *new_row, struct status *status)
{
    struct store_view *view = move->fill->plan->sources.view;
    const struct h5 h5 = {view->path, status};
    size_t lengths = move->old->part == RECORD_TEST ? view->lengths_count : 1;
    size_t row_bytes = move->old_bytes * lengths, rows = store_view_rows(view);
    size_t step = move->shared ? rows : BLOCK_BYTES / (row_bytes ? row_bytes : 1) + 1;
    move->block = malloc((step < rows && !move->shared ? step : move->shared ? 1 : rows) * row_bytes + 1);
    move->compact = malloc(move->old_bytes + 1);
    if (!move->block || !move->compact)
        return no_memory(move->fill, status);
    for (move->first = 0; move->first < rows; move->first += step) {
        size_t elements = store_column_elements(move->old), left = rows - move->first;
        size_t count = move->shared ? move->old->extent[0] : step < left ? step : left;
        size_t unit = move->shared ? elements / count : elements * lengths;
        enum status_code code = store_h5_get_rows(&h5, view->file, move->old->path, (enum h5_type)move->old->type,
                                                  move->shared ? 0 : move->first, count, unit, move->block);
        if (code != STATUS_OK)
            return code;
        for (size_t old = move->first; old < rows && old < move->first + step; old++)
            if (new_row[old] >= 0)
                transfer_row(move, (size_t)new_row[old]);
    }
    return STATUS_OK;
}

static enum status_code transfer_column(struct fill *fill, size_t to, const struct column *old,
                                        const ptrdiff_t *new_row, struct status *status)
{
    const struct h5 h5 = {fill->plan->sources.view->path, status};
    struct transfer move = {.fill = fill, .to = to, .old = old, .old_bytes = store_column_bytes(old)};
    hsize_t size[H5_RANK];
    int rank = 0;
    enum status_code code = store_h5_extent(&h5, fill->plan->sources.view->file, old->path, &rank, size);
    if (code != STATUS_OK || store_column_elements(old) == 0)
        return code;
    move.shared = rank == old->dimensions;
    code = transfer_blocks(&move, new_row, status);
    free(move.block);
    free(move.compact);
    return code;
}

static enum status_code transfer_all(struct fill *fill, struct status *status)
{
    struct plan *plan = fill->plan;
    const struct schema *old = &plan->sources.view->schema;
    size_t rows = store_view_rows(plan->sources.view);
    ptrdiff_t *new_row = malloc((rows + 1) * sizeof *new_row);
    if (!new_row)
        return no_memory(fill, status);
    for (size_t i = 0; i < rows; i++)
        new_row[i] = -1;
    for (size_t row = 0; row < plan->rows_count; row++)
        if (plan->entries[row]->row != SIZE_MAX)
            new_row[plan->entries[row]->row] = (ptrdiff_t)row;
    enum status_code code = STATUS_OK;
    for (size_t i = 0; i < old->columns_count && code == STATUS_OK; i++) {
        ptrdiff_t to = store_schema_find(&plan->schema, &old->columns[i]);
        if (to >= 0 && fill->data[to])
            code = transfer_column(fill, (size_t)to, &old->columns[i], new_row, status);
    }
    free(new_row);
    return code;
}

enum status_code store_fill_run(struct fill *fill, struct status *status)
{
    enum status_code code = STATUS_OK;
    if (fill->plan->sources.view)
        code = transfer_all(fill, status);
    if (code == STATUS_OK)
        code = store_plan_replay(fill->plan, take_record, fill, status);
    return code;
}

const void *store_fill_shared(const struct fill *fill, size_t at)
{
    const struct plan *plan = fill->plan;
    const struct column *column = &plan->schema.columns[at];
    size_t bytes = store_column_bytes(column);
    const char *first = NULL;
    for (size_t row = 0; row < plan->rows_count; row++) {
        const uint32_t *extent = store_fill_extent(&plan->schema, plan->training_layout[row], at);
        const char *here = (const char *)fill->data[at] + row * bytes;
        if (!extent)
            continue;
        if (memcmp(extent, column->extent, column->dimensions * sizeof *extent) != 0 ||
            (first && memcmp(first, here, bytes) != 0))
            return NULL;
        first = first ? first : here;
    }
    return first;
}
