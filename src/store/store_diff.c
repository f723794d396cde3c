// SPDX-License-Identifier: MIT
// Column by column: both stores' values of a field in memory, the rows matched by identity.
#include "store_diff.h"
#include "store_diff_private.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool store_diff_is_compared(const struct store_row *row)
{
    return row->status != RECORD_PENDING;
}

static enum status_code compare_columns(struct pair *pair)
{
    const struct schema *first = &pair->first->schema, *second = &pair->second->schema;
    enum status_code code = STATUS_OK;
    for (size_t i = 0; i < first->columns_count && code == STATUS_OK; i++)
        if (!store_column_is_run(&first->columns[i]))
            code = store_diff_column(pair, &first->columns[i]);
    for (size_t i = 0; i < second->columns_count && code == STATUS_OK; i++)
        if (!store_column_is_run(&second->columns[i]) && store_schema_find(first, &second->columns[i]) < 0)
            code = store_diff_column(pair, &second->columns[i]);
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
        if (!store_diff_is_compared(here))
            continue;
        if (!there || !store_diff_is_compared(there))
            code = store_diff_add(pair, here, "trial", "", record_status_names[here->status], "absent");
        else if (here->status != there->status)
            code = store_diff_add(pair, here, "status", "", record_status_names[here->status],
                                  record_status_names[there->status]);
    }
    for (size_t row = 0; row < pair->second->rows_count && code == STATUS_OK; row++) {
        const struct store_row *there = &pair->second->rows[row];
        ptrdiff_t other = store_view_find(pair->first, there->identity);
        if (store_diff_is_compared(there) && (other < 0 || !store_diff_is_compared(&pair->first->rows[other])))
            code = store_diff_add(pair, there, "trial", "", "absent", record_status_names[there->status]);
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
    if (store_diff_same(type, a, b))
        return STATUS_OK;
    store_diff_value_text(type, a, texts[0]);
    store_diff_value_text(type, b, texts[1]);
    if (codes && first->code[at] < first->flags_count)
        snprintf(texts[0], sizeof texts[0], "%s", first->flags[first->code[at]]);
    if (codes && second->code[other] < second->flags_count)
        snprintf(texts[1], sizeof texts[1], "%s", second->flags[second->code[other]]);
    place->column = NULL;
    store_diff_index_text(place, index, sizeof index);
    return store_diff_add(pair, &pair->first->rows[place->row], first->name, index, texts[0], texts[1]);
}

static enum status_code compare_derived(struct pair *pair, const struct store_derived *first)
{
    const struct store_view *a = pair->first, *b = pair->second;
    const struct store_derived *second = find_derived(b, first->name);
    enum status_code code = STATUS_OK;
    if (!second || (first->code == NULL) != (second->code == NULL))
        return store_diff_add(pair, NULL, first->name, "", "present", "absent");
    for (size_t row = 0; row < a->rows_count && code == STATUS_OK; row++) {
        ptrdiff_t other = store_view_find(b, a->rows[row].identity);
        for (size_t i = 0; i < a->lengths_count && code == STATUS_OK && other >= 0; i++) {
            struct place place = {.row = row, .test_length = a->lengths[i]};
            size_t length = store_view_length_index(b, a->lengths[i]);
            if (length != SIZE_MAX && store_diff_is_compared(&a->rows[row]))
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
        code = store_diff_add(pair, NULL, "numerics", "", first, second);
    }
    if (code == STATUS_OK)
        code = compare_rows(pair);
    if (code == STATUS_OK)
        code = compare_columns(pair);
    for (size_t i = 0; i < pair->first->derived_count && code == STATUS_OK; i++)
        code = compare_derived(pair, &pair->first->derived[i]);
    for (size_t i = 0; i < pair->second->derived_count && code == STATUS_OK; i++)
        if (!find_derived(pair->first, pair->second->derived[i].name))
            code = store_diff_add(pair, NULL, pair->second->derived[i].name, "", "absent", "present");
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
        found.trials += store_diff_is_compared(store_view_row(pair.first, row));
    store_view_close(pair.first);
    found.list = pair.list;
    if (code == STATUS_OK)
        *ret_differences = found;
    return code;
}
