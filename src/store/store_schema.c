// SPDX-License-Identifier: MIT
#include "store_schema.h"
#include "base_hash.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status_code no_memory(struct status *status)
{
    return status_set(status, STATUS_MEMORY, "no memory for the columns of the store");
}

enum status_code store_schema_init(struct schema *ret_schema, struct status *status)
{
    struct schema schema = {.arena = arena_create(1 << 14, 0), .layouts_count = 1, .layouts_capacity = 16};
    schema.layouts = calloc(schema.layouts_capacity, sizeof *schema.layouts);
    if (!schema.arena || !schema.layouts) {
        store_schema_fini(&schema);
        return no_memory(status);
    }
    *ret_schema = schema;
    return STATUS_OK;
}

void store_schema_fini(struct schema *schema)
{
    arena_destroy(schema->arena);
    free(schema->columns);
    free(schema->layouts);
    *schema = (struct schema){0};
}

static int compare_columns(const struct column *a, const struct column *b)
{
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    int order = strcmp(a->name, b->name);
    if (order || a->type != b->type)
        return order ? order : a->type - b->type;
    if (a->dimensions != b->dimensions)
        return a->dimensions - b->dimensions;
    for (int i = 0; i < a->dimensions && !order; i++)
        order = strcmp(a->dimension[i], b->dimension[i]);
    return order;
}

// The field that describes the column in every respect, as record_decode finds it.
static const struct record_field *field_of(const struct column *column)
{
    const struct record_field *field = record_field_by_id(column->id);
    if (!field || field->part != column->part || field->type != column->type ||
        strcmp(field->name, column->name) != 0 || record_field_dimensions(field) != column->dimensions)
        return NULL;
    for (int i = 0; i < column->dimensions; i++)
        if (strcmp(field->dimension[i], column->dimension[i]) != 0)
            return NULL;
    return field;
}

ptrdiff_t store_schema_find(const struct schema *schema, const struct column *like)
{
    for (size_t i = 0; i < schema->columns_count; i++)
        if (compare_columns(&schema->columns[i], like) == 0)
            return (ptrdiff_t)i;
    return -1;
}

ptrdiff_t store_schema_column(struct schema *schema, const struct column *like)
{
    ptrdiff_t found = store_schema_find(schema, like);
    if (found >= 0)
        return found;
    if (schema->columns_count == schema->columns_capacity) {
        size_t capacity = schema->columns_capacity ? 2 * schema->columns_capacity : 64;
        struct column *columns = reallocarray(schema->columns, capacity, sizeof *columns);
        if (!columns)
            return -1;
        schema->columns = columns;
        schema->columns_capacity = capacity;
    }
    struct column *column = &schema->columns[schema->columns_count];
    *column = *like;
    column->field = field_of(column);
    memset(column->extent, 0, sizeof column->extent);
    return (ptrdiff_t)schema->columns_count++;
}

static bool same_layout(const struct layout *a, const struct layout *b)
{
    return a->hash == b->hash && a->count == b->count &&
           memcmp(a->values, b->values, a->count * sizeof *a->values) == 0;
}

uint32_t store_schema_layout(struct schema *schema, const struct layout_value *values, size_t count)
{
    struct layout layout = {.count = count, .hash = hash_64(values, count * sizeof *values)};
    layout.values = arena_get(schema->arena, count ? count : 1, sizeof *values);
    if (!layout.values)
        return 0;
    memcpy(layout.values, values, count * sizeof *values);
    for (size_t i = 1; i < schema->layouts_count; i++)
        if (same_layout(&schema->layouts[i], &layout))
            return (uint32_t)i;
    if (schema->layouts_count == schema->layouts_capacity) {
        size_t capacity = 2 * schema->layouts_capacity;
        struct layout *layouts = reallocarray(schema->layouts, capacity, sizeof *layouts);
        if (!layouts)
            return 0;
        schema->layouts = layouts;
        schema->layouts_capacity = capacity;
    }
    for (size_t i = 0; i < count; i++) {
        struct column *column = &schema->columns[values[i].column];
        for (int d = 0; d < column->dimensions; d++)
            if (values[i].extent[d] > column->extent[d])
                column->extent[d] = values[i].extent[d];
    }
    schema->layouts[schema->layouts_count] = layout;
    return (uint32_t)schema->layouts_count++;
}

enum status_code store_schema_part(struct schema *schema, const struct record_part *part, uint32_t *ret_layout,
                                   struct status *status)
{
    struct layout_value *values = calloc(part->count ? part->count : 1, sizeof *values);
    uint32_t layout = 0;
    bool good = values != NULL;
    for (size_t i = 0; good && i < part->count; i++) {
        const struct record_value *value = &part->values[i];
        struct column like = {
            .part = part->kind, .id = value->id, .type = value->type, .dimensions = value->dimensions};
        strcpy(like.name, value->name);
        for (int d = 0; d < value->dimensions; d++) {
            strcpy(like.dimension[d], value->dimension[d]);
            values[i].extent[d] = value->extent[d];
        }
        ptrdiff_t column = store_schema_column(schema, &like);
        good = column >= 0;
        values[i].column = (uint32_t)column;
    }
    if (good)
        layout = store_schema_layout(schema, values, part->count);
    free(values);
    if (!layout)
        return no_memory(status);
    *ret_layout = layout;
    return STATUS_OK;
}

enum status_code store_schema_import(struct schema *schema, const struct schema *other, uint32_t layout,
                                     uint32_t *ret_layout, struct status *status)
{
    const struct layout *from = &other->layouts[layout];
    struct layout_value *values = calloc(from->count ? from->count : 1, sizeof *values);
    uint32_t number = 0;
    bool good = values != NULL;
    for (size_t i = 0; good && i < from->count; i++) {
        ptrdiff_t column = store_schema_column(schema, &other->columns[from->values[i].column]);
        good = column >= 0;
        values[i] = from->values[i];
        values[i].column = (uint32_t)column;
    }
    if (good)
        number = store_schema_layout(schema, values, from->count);
    free(values);
    if (!number)
        return no_memory(status);
    *ret_layout = number;
    return STATUS_OK;
}

bool store_column_is_run(const struct column *column)
{
    return column->field && column->field->role == ROLE_RUN;
}

// A name of its own within the group: the field's, else with "_value", its id, and further numbers behind it.
static void choose_path(struct schema *schema, size_t at, bool (*is_taken)(const char *name))
{
    struct column *column = &schema->columns[at];
    const char *group = store_column_is_run(column) ? "run" : "trials";
    for (int attempt = 0;; attempt++) {
        char name[RECORD_NAME_SIZE + 24];
        if (attempt == 0)
            strcpy(name, column->name);
        else if (attempt == 1)
            snprintf(name, sizeof name, "%s_value", column->name);
        else
            snprintf(name, sizeof name, "%s_%u_%d", column->name, column->id, attempt);
        bool taken = is_taken(name);
        for (size_t i = 0; i < schema->columns_count && !taken; i++)
            for (int d = 0; d < schema->columns[i].dimensions; d++)
                taken = taken || strcmp(schema->columns[i].dimension[d], name) == 0;
        snprintf(column->path, sizeof column->path, "%s/%s", group, name);
        for (size_t i = 0; i < at; i++)
            taken = taken || strcmp(schema->columns[i].path, column->path) == 0;
        if (!taken)
            return;
    }
}

static int compare_slots(const void *a, const void *b)
{
    return compare_columns(*(struct column *const *)a, *(struct column *const *)b);
}

enum status_code store_schema_sort(struct schema *schema, bool (*is_taken)(const char *name), struct status *status)
{
    size_t count = schema->columns_count;
    struct column **order = calloc(count + 1, sizeof *order);
    struct column *sorted = calloc(count + 1, sizeof *sorted);
    uint32_t *moved = calloc(count + 1, sizeof *moved);
    bool good = order && sorted && moved;
    for (size_t i = 0; good && i < count; i++)
        order[i] = &schema->columns[i];
    if (good && count) {
        qsort(order, count, sizeof *order, compare_slots);
        for (size_t i = 0; i < count; i++) {
            sorted[i] = *order[i];
            moved[order[i] - schema->columns] = (uint32_t)i;
        }
        memcpy(schema->columns, sorted, count * sizeof *sorted);
    }
    for (size_t i = 1; good && i < schema->layouts_count; i++)
        for (size_t j = 0; j < schema->layouts[i].count; j++)
            schema->layouts[i].values[j].column = moved[schema->layouts[i].values[j].column];
    for (size_t i = 0; good && i < count; i++)
        choose_path(schema, i, is_taken);
    free(order);
    free(sorted);
    free(moved);
    return good ? STATUS_OK : no_memory(status);
}
