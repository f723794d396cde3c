// SPDX-License-Identifier: MIT
#include "store_diff_private.h"
#include <stdlib.h>
#include <string.h>

// A column of one store, whole; data NULL when the store has no such column.
struct loaded {
    const struct store_view *view;
    ptrdiff_t number; // of the column in the view's schema
    char *data;
    size_t bytes; // of one value, padding included
    bool shared;
};

static enum status_code load(struct pair *pair, struct store_view *view, const struct column *like,
                             struct loaded *loaded)
{
    const struct h5 h5 = {view->path, pair->status};
    *loaded = (struct loaded){.view = view, .number = store_schema_find(&view->schema, like)};
    if (loaded->number < 0)
        return STATUS_OK;
    const struct column *column = &view->schema.columns[loaded->number];
    size_t elements = store_column_elements(column), lengths = column->part == RECORD_TEST ? view->lengths_count : 1;
    hsize_t size[H5_RANK];
    int rank = 0;
    loaded->bytes = store_column_bytes(column);
    enum status_code code = store_h5_extent(&h5, view->file, column->path, &rank, size);
    if (code != STATUS_OK)
        return code;
    loaded->shared = rank == column->dimensions;
    loaded->data = malloc((loaded->shared ? 1 : view->rows_count * lengths) * loaded->bytes + 1);
    if (!loaded->data)
        return store_diff_no_memory(pair);
    if (elements == 0)
        return STATUS_OK;
    size_t rows = loaded->shared ? column->extent[0] : view->rows_count;
    size_t unit = loaded->shared ? elements / rows : elements * lengths;
    return store_h5_get_rows(&h5, view->file, column->path, (enum h5_type)column->type, 0, rows, unit, loaded->data);
}

// The value of a row and length (SIZE_MAX: the store has no such length), and its extent; NULL when it has none.
static const char *value_at(const struct loaded *loaded, size_t row, bool test, size_t length,
                            const uint32_t **ret_extent)
{
    const struct store_view *view = loaded->view;
    if (loaded->number < 0 || (test && length == SIZE_MAX))
        return NULL;
    uint32_t layout = test ? view->test_layout[row * view->lengths_count + length] : view->training_layout[row];
    const struct layout *values = &view->schema.layouts[layout];
    for (size_t i = 0; i < values->count; i++)
        if (values->values[i].column == (size_t)loaded->number) {
            *ret_extent = values->values[i].extent;
            size_t index = loaded->shared ? 0 : test ? row * view->lengths_count + length : row;
            return loaded->data + index * loaded->bytes;
        }
    return NULL;
}

// Elements of two values with the same extent; `first` and `second` may be padded differently.
static enum status_code compare_elements(struct pair *pair, struct place *place, const struct loaded *first,
                                         const char *first_value, const struct loaded *second, const char *second_value,
                                         const uint32_t *extent)
{
    const struct column *columns[2] = {&first->view->schema.columns[first->number],
                                       &second->view->schema.columns[second->number]};
    struct column exact = *columns[0];
    memcpy(exact.extent, extent, sizeof exact.extent);
    size_t size = record_type_size(exact.type), count = store_column_elements(&exact);
    char *values = malloc(2 * count * size + 1), *other = values ? values + count * size : NULL;
    enum status_code code = values ? STATUS_OK : store_diff_no_memory(pair);
    if (values) {
        store_column_unpad(columns[0], extent, first_value, values);
        store_column_unpad(columns[1], extent, second_value, other);
        pair->found->values += count;
    }
    bool same = values && memcmp(values, other, count * size) == 0;
    for (size_t i = 0; i < count && code == STATUS_OK && !same; i++) {
        const char *a = values + i * size, *b = other + i * size;
        if (store_diff_same(exact.type, a, b))
            continue;
        char index[256], texts[2][STORE_DIFFERENCE_TEXT];
        place->column = &exact;
        place->element = i;
        store_diff_index_text(place, index, sizeof index);
        store_diff_value_text(exact.type, a, texts[0]);
        store_diff_value_text(exact.type, b, texts[1]);
        code = store_diff_add(pair, &pair->first->rows[place->row], exact.name, index, texts[0], texts[1]);
    }
    free(values);
    return code;
}

static enum status_code compare_value(struct pair *pair, struct place *place, const struct loaded *first,
                                      const struct loaded *second, const char *name, size_t second_row)
{
    bool test = place->test_length != 0;
    const uint32_t *extents[2] = {NULL, NULL};
    size_t lengths[2] = {0, 0};
    if (test) {
        lengths[0] = store_view_length_index(pair->first, place->test_length);
        lengths[1] = store_view_length_index(pair->second, place->test_length);
    }
    const char *a = value_at(first, place->row, test, lengths[0], &extents[0]);
    const char *b = value_at(second, second_row, test, lengths[1], &extents[1]);
    if (!a && !b)
        return STATUS_OK;
    if (a && b && memcmp(extents[0], extents[1], RECORD_DIMENSIONS * sizeof *extents[0]) == 0)
        return compare_elements(pair, place, first, a, second, b, extents[0]);
    char index[256];
    place->column = NULL;
    store_diff_index_text(place, index, sizeof index);
    return store_diff_add(pair, &pair->first->rows[place->row], name, index,
                          !a  ? "absent"
                          : b ? "of one size"
                              : "present",
                          !b  ? "absent"
                          : a ? "of another size"
                              : "present");
}

// All test lengths of both stores, those of the first first.
static size_t length_of(const struct pair *pair, size_t at, int64_t *ret_length)
{
    size_t first = pair->first->lengths_count, total = first + pair->second->lengths_count;
    if (at < total)
        *ret_length = at < first ? pair->first->lengths[at] : pair->second->lengths[at - first];
    return total;
}

enum status_code store_diff_column(struct pair *pair, const struct column *like)
{
    struct loaded first = {0}, second = {0};
    enum status_code code = load(pair, pair->first, like, &first);
    if (code == STATUS_OK)
        code = load(pair, pair->second, like, &second);
    for (size_t row = 0; row < pair->first->rows_count && code == STATUS_OK; row++) {
        ptrdiff_t other = store_view_find(pair->second, pair->first->rows[row].identity);
        if (other < 0 || !store_diff_is_compared(&pair->first->rows[row]) ||
            !store_diff_is_compared(&pair->second->rows[other]))
            continue;
        struct place place = {.row = row};
        if (like->part == RECORD_TRAINING) {
            code = compare_value(pair, &place, &first, &second, like->name, (size_t)other);
            continue;
        }
        for (size_t i = 0; i < length_of(pair, i, &place.test_length) && code == STATUS_OK; i++)
            if (i < pair->first->lengths_count || store_view_length_index(pair->first, place.test_length) == SIZE_MAX)
                code = compare_value(pair, &place, &first, &second, like->name, (size_t)other);
    }
    free(first.data);
    free(second.data);
    return code;
}
