// SPDX-License-Identifier: MIT
// Column by column: both stores' values of a field in memory, the rows matched by identity.
#include "store_diff.h"
#include "base_text.h"
#include "store_view_private.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Two stores under comparison.
struct pair {
    struct store_view *first, *second;
    size_t other; // index of the second among the paths
    struct arena *arena;
    struct store_differences *found;
    size_t limit;
    struct store_difference *list; // (limit)
    struct status *status;
};

// Which number of which trial.
struct place {
    size_t row;          // of the first store
    int64_t test_length; // 0: training
    const struct column *column;
    size_t element;
};

static enum status_code no_memory(const struct pair *pair)
{
    return status_set(pair->status, STATUS_MEMORY, "no memory to compare %s with %s", pair->first->path,
                      pair->second->path);
}

// The next free difference, counted even when the list is full (NULL then).
static struct store_difference *next(struct pair *pair)
{
    pair->found->total++;
    if (pair->found->count == pair->limit)
        return NULL;
    struct store_difference *difference = &pair->list[pair->found->count++];
    *difference = (struct store_difference){.other = pair->other, .settings = "", .field = "", .index = ""};
    return difference;
}

static enum status_code add(struct pair *pair, const struct store_row *row, const char *field, const char *index,
                            const char *first, const char *second)
{
    struct store_difference *difference = next(pair);
    if (!difference)
        return STATUS_OK;
    if (row) {
        difference->identity = row->identity;
        difference->settings = store_settings_line(&row->settings, pair->arena);
    }
    difference->field = arena_text(pair->arena, field, strlen(field));
    difference->index = arena_text(pair->arena, index, strlen(index));
    snprintf(difference->first, sizeof difference->first, "%s", first);
    snprintf(difference->second, sizeof difference->second, "%s", second);
    return difference->settings && difference->field && difference->index ? STATUS_OK : no_memory(pair);
}

// "test_length=32, eval=5"
static void index_text(const struct place *place, char *ret_text, size_t size)
{
    size_t left = place->element, at = 0, index[RECORD_DIMENSIONS];
    ret_text[0] = '\0';
    if (place->test_length)
        at += (size_t)snprintf(ret_text, size, "test_length=%" PRId64, place->test_length);
    if (!place->column)
        return;
    for (int d = place->column->dimensions - 1; d >= 0; d--) {
        index[d] = left % place->column->extent[d];
        left /= place->column->extent[d];
    }
    for (int d = 0; d < place->column->dimensions && at < size; d++)
        at += (size_t)snprintf(ret_text + at, size - at, "%s%s=%zu", at ? ", " : "", place->column->dimension[d],
                               index[d]);
}

static void value_text(enum record_type type, const void *value, char ret_text[STORE_DIFFERENCE_TEXT])
{
    char number[TEXT_NUMBER_SIZE];
    int64_t integer = 0;
    double real = 0;
    float single = 0;
    switch (type) {
    case RECORD_F32:
        memcpy(&single, value, sizeof single);
        text_real(single, number);
        break;
    case RECORD_F64:
        memcpy(&real, value, sizeof real);
        text_real(real, number);
        break;
    default:
        integer = type == RECORD_U8    ? *(const uint8_t *)value
                  : type == RECORD_I32 ? *(const int32_t *)value
                                       : *(const int64_t *)value;
        snprintf(number, sizeof number, "%" PRId64, integer);
    }
    snprintf(ret_text, STORE_DIFFERENCE_TEXT, "%s", number);
}

static bool is_nan(enum record_type type, const void *value)
{
    float single = 0;
    double real = 0;
    if (type == RECORD_F32)
        memcpy(&single, value, sizeof single);
    if (type == RECORD_F64)
        memcpy(&real, value, sizeof real);
    return single != single || real != real;
}

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
        return no_memory(pair);
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
    enum status_code code = values ? STATUS_OK : no_memory(pair);
    if (values) {
        store_column_unpad(columns[0], extent, first_value, values);
        store_column_unpad(columns[1], extent, second_value, other);
        pair->found->values += count;
    }
    bool same = values && memcmp(values, other, count * size) == 0;
    for (size_t i = 0; i < count && code == STATUS_OK && !same; i++) {
        const char *a = values + i * size, *b = other + i * size;
        if (memcmp(a, b, size) == 0 || (is_nan(exact.type, a) && is_nan(exact.type, b)))
            continue;
        char index[256], texts[2][STORE_DIFFERENCE_TEXT];
        place->column = &exact;
        place->element = i;
        index_text(place, index, sizeof index);
        value_text(exact.type, a, texts[0]);
        value_text(exact.type, b, texts[1]);
        code = add(pair, &pair->first->rows[place->row], exact.name, index, texts[0], texts[1]);
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
    index_text(place, index, sizeof index);
    return add(pair, &pair->first->rows[place->row], name, index,
               !a  ? "absent"
               : b ? "of one size"
                   : "present",
               !b  ? "absent"
               : a ? "of another size"
                   : "present");
}

static bool is_compared(const struct store_row *row)
{
    return row->status != RECORD_PENDING;
}

// All test lengths of both stores, those of the first first.
static size_t length_of(const struct pair *pair, size_t at, int64_t *ret_length)
{
    size_t first = pair->first->lengths_count, total = first + pair->second->lengths_count;
    if (at < total)
        *ret_length = at < first ? pair->first->lengths[at] : pair->second->lengths[at - first];
    return total;
}

static enum status_code compare_column(struct pair *pair, const struct column *like)
{
    struct loaded first = {0}, second = {0};
    enum status_code code = load(pair, pair->first, like, &first);
    if (code == STATUS_OK)
        code = load(pair, pair->second, like, &second);
    for (size_t row = 0; row < pair->first->rows_count && code == STATUS_OK; row++) {
        ptrdiff_t other = store_view_find(pair->second, pair->first->rows[row].identity);
        if (other < 0 || !is_compared(&pair->first->rows[row]) || !is_compared(&pair->second->rows[other]))
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

static enum status_code compare_columns(struct pair *pair)
{
    const struct schema *first = &pair->first->schema, *second = &pair->second->schema;
    enum status_code code = STATUS_OK;
    for (size_t i = 0; i < first->columns_count && code == STATUS_OK; i++)
        if (!store_column_is_run(&first->columns[i]))
            code = compare_column(pair, &first->columns[i]);
    for (size_t i = 0; i < second->columns_count && code == STATUS_OK; i++)
        if (!store_column_is_run(&second->columns[i]) && store_schema_find(first, &second->columns[i]) < 0)
            code = compare_column(pair, &second->columns[i]);
    return code;
}

// Trials that one store lacks, and states.
static enum status_code compare_rows(struct pair *pair)
{
    enum status_code code = STATUS_OK;
    for (size_t row = 0; row < pair->first->rows_count && code == STATUS_OK; row++) {
        const struct store_row *here = &pair->first->rows[row];
        ptrdiff_t other = store_view_find(pair->second, here->identity);
        const struct store_row *there = other < 0 ? NULL : &pair->second->rows[other];
        if (!is_compared(here))
            continue;
        if (!there || !is_compared(there))
            code = add(pair, here, "trial", "", record_status_names[here->status], "absent");
        else if (here->status != there->status)
            code = add(pair, here, "status", "", record_status_names[here->status], record_status_names[there->status]);
    }
    for (size_t row = 0; row < pair->second->rows_count && code == STATUS_OK; row++) {
        const struct store_row *there = &pair->second->rows[row];
        ptrdiff_t other = store_view_find(pair->first, there->identity);
        if (is_compared(there) && (other < 0 || !is_compared(&pair->first->rows[other])))
            code = add(pair, there, "trial", "", "absent", record_status_names[there->status]);
    }
    return code;
}

static const struct store_derived *find_derived(const struct store_view *view, const char *name)
{
    for (size_t i = 0; i < view->derived_count; i++)
        if (strcmp(view->derived[i].name, name) == 0)
            return &view->derived[i];
    return NULL;
}

static enum status_code compare_derived_number(struct pair *pair, struct place *place,
                                               const struct store_derived *first, size_t at,
                                               const struct store_derived *second, size_t other)
{
    char texts[2][STORE_DIFFERENCE_TEXT], index[256];
    bool codes = first->code != NULL;
    enum record_type type = codes ? RECORD_U8 : RECORD_F32;
    const void *a = codes ? (const void *)&first->code[at] : (const void *)&first->real[at];
    const void *b = codes ? (const void *)&second->code[other] : (const void *)&second->real[other];
    pair->found->values++;
    if (memcmp(a, b, record_type_size(type)) == 0 || (is_nan(type, a) && is_nan(type, b)))
        return STATUS_OK;
    value_text(type, a, texts[0]);
    value_text(type, b, texts[1]);
    if (codes && first->code[at] < first->flags_count)
        snprintf(texts[0], sizeof texts[0], "%s", first->flags[first->code[at]]);
    if (codes && second->code[other] < second->flags_count)
        snprintf(texts[1], sizeof texts[1], "%s", second->flags[second->code[other]]);
    place->column = NULL;
    index_text(place, index, sizeof index);
    return add(pair, &pair->first->rows[place->row], first->name, index, texts[0], texts[1]);
}

static enum status_code compare_derived(struct pair *pair, const struct store_derived *first)
{
    const struct store_view *a = pair->first, *b = pair->second;
    const struct store_derived *second = find_derived(b, first->name);
    enum status_code code = STATUS_OK;
    if (!second || (first->code == NULL) != (second->code == NULL))
        return add(pair, NULL, first->name, "", "present", "absent");
    for (size_t row = 0; row < a->rows_count && code == STATUS_OK; row++) {
        ptrdiff_t other = store_view_find(b, a->rows[row].identity);
        for (size_t i = 0; i < a->lengths_count && code == STATUS_OK && other >= 0; i++) {
            struct place place = {.row = row, .test_length = a->lengths[i]};
            size_t length = store_view_length_index(b, a->lengths[i]);
            if (length != SIZE_MAX && is_compared(&a->rows[row]))
                code = compare_derived_number(pair, &place, first, row * a->lengths_count + i, second,
                                              (size_t)other * b->lengths_count + length);
        }
    }
    return code;
}

static enum status_code compare_views(struct pair *pair)
{
    enum status_code code = STATUS_OK;
    char first[32], second[32];
    if (pair->first->numerics != pair->second->numerics) {
        snprintf(first, sizeof first, "%" PRIu32, pair->first->numerics);
        snprintf(second, sizeof second, "%" PRIu32, pair->second->numerics);
        code = add(pair, NULL, "numerics", "", first, second);
    }
    if (code == STATUS_OK)
        code = compare_rows(pair);
    if (code == STATUS_OK)
        code = compare_columns(pair);
    for (size_t i = 0; i < pair->first->derived_count && code == STATUS_OK; i++)
        code = compare_derived(pair, &pair->first->derived[i]);
    for (size_t i = 0; i < pair->second->derived_count && code == STATUS_OK; i++)
        if (!find_derived(pair->first, pair->second->derived[i].name))
            code = add(pair, NULL, pair->second->derived[i].name, "", "absent", "present");
    return code;
}

enum status_code store_diff(const char *const *paths, size_t count, size_t limit, struct arena *arena,
                            struct store_differences *ret_differences, struct status *status)
{
    struct store_differences found = {0};
    struct pair pair = {.arena = arena, .found = &found, .limit = limit, .status = status};
    pair.list = arena_get(arena, limit + 1, sizeof *pair.list);
    if (!pair.list)
        return status_set(status, STATUS_MEMORY, "no memory to compare stores");
    if (count < 2)
        return status_set(status, STATUS_INVALID, "name at least two stores to compare");
    enum status_code code = store_view_open(paths[0], &pair.first, status);
    for (pair.other = 1; pair.other < count && code == STATUS_OK; pair.other++) {
        code = store_view_open(paths[pair.other], &pair.second, status);
        if (code == STATUS_OK)
            code = compare_views(&pair);
        store_view_close(pair.second);
        pair.second = NULL;
    }
    for (size_t row = 0; code == STATUS_OK && row < store_view_rows(pair.first); row++)
        found.trials += is_compared(store_view_row(pair.first, row));
    store_view_close(pair.first);
    found.list = pair.list;
    if (code == STATUS_OK)
        *ret_differences = found;
    return code;
}
