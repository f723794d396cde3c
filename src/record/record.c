// SPDX-License-Identifier: MIT
#include "record_private.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const record_status_names[RECORD_STATUSES] = {"pending", "done", "diverged", "failed", "excluded"};

void record_init(struct record *record, const struct settings *settings)
{
    *record = (struct record){
        .identity = settings_identity(settings),
        .numerics = NUMERICS,
        .status = RECORD_PENDING,
        .settings = *settings,
    };
}

static void part_fini(struct record_part *part)
{
    for (size_t i = 0; i < part->count; i++)
        free(part->values[i].data);
    free(part->values);
}

void record_fini(struct record *record)
{
    for (size_t i = 0; i < record->parts_count; i++)
        part_fini(&record->parts[i]);
    free(record->parts);
    arena_destroy(record->texts);
    memset(record, 0, sizeof *record);
}

bool record_reserve(void **array, size_t *capacity, size_t wanted, size_t size)
{
    if (wanted <= *capacity)
        return true;
    size_t larger = *capacity < 4 ? 4 : 2 * *capacity;
    if (larger < wanted)
        larger = wanted;
    void *grown = reallocarray(*array, larger, size);
    if (!grown)
        return false;
    *array = grown;
    *capacity = larger;
    return true;
}

const struct record_part *record_find_part(const struct record *record, enum record_part_kind kind, int64_t test_length)
{
    for (size_t i = 0; i < record->parts_count; i++) {
        const struct record_part *part = &record->parts[i];
        if (part->kind == kind && part->test_length == test_length)
            return part;
    }
    return NULL;
}

struct record_part *record_part_append(struct record *record, enum record_part_kind kind, int64_t test_length)
{
    void *parts = record->parts;
    bool grown = record_reserve(&parts, &record->parts_capacity, record->parts_count + 1, sizeof *record->parts);
    record->parts = parts;
    if (!grown)
        return NULL;
    struct record_part *part = &record->parts[record->parts_count++];
    *part = (struct record_part){.kind = kind, .test_length = test_length};
    return part;
}

struct record_part *record_part(struct record *record, enum record_part_kind kind, int64_t test_length, bool create)
{
    const struct record_part *found = record_find_part(record, kind, test_length);
    if (found)
        return &record->parts[found - record->parts];
    return create ? record_part_append(record, kind, test_length) : NULL;
}

struct record_value *record_value_append(struct record_part *part, const struct record_value *value)
{
    void *values = part->values;
    bool grown = record_reserve(&values, &part->capacity, part->count + 1, sizeof *part->values);
    part->values = values;
    if (!grown)
        return NULL;
    part->values[part->count] = *value;
    return &part->values[part->count++];
}

const struct record_value *record_find(const struct record_part *part, enum record_field_id id)
{
    for (size_t i = 0; part && i < part->count; i++)
        if (part->values[i].field && part->values[i].field->id == id)
            return &part->values[i];
    return NULL;
}

size_t record_size(const struct record_value *value)
{
    size_t size = 1;
    for (size_t i = 0; i < value->dimensions; i++)
        size *= value->extent[i];
    return size;
}

static void fill(const struct record_value *value, size_t count)
{
    switch (value->type) {
    case RECORD_F32:
        for (size_t i = 0; i < count; i++)
            ((float *)value->data)[i] = NAN;
        break;
    case RECORD_F64:
        for (size_t i = 0; i < count; i++)
            ((double *)value->data)[i] = NAN;
        break;
    default:
        memset(value->data, 0, count * record_type_size(value->type));
    }
}

// Known to the program or not.
static const struct record_value *value_of_id(const struct record_part *part, enum record_field_id id)
{
    for (size_t i = 0; i < part->count; i++)
        if (part->values[i].id == id)
            return &part->values[i];
    return NULL;
}

static bool same_shape(const struct record_value *a, const struct record_value *b)
{
    return a->field == b->field && memcmp(a->extent, b->extent, sizeof a->extent) == 0;
}

void *record_add(struct record_part *part, enum record_field_id id, const uint32_t *extents)
{
    const struct record_field *field = record_field_by_id(id);
    assert(field && field->part == part->kind);
    struct record_value value = {.field = field, .id = (uint16_t)id, .type = (uint8_t)field->type};
    value.dimensions = (uint8_t)record_field_dimensions(field);
    if (value.dimensions)
        memcpy(value.extent, extents, value.dimensions * sizeof *extents);
    const struct record_value *present = value_of_id(part, id);
    if (present)
        return same_shape(present, &value) ? present->data : NULL;
    strcpy(value.name, field->name);
    for (size_t i = 0; i < value.dimensions; i++)
        strcpy(value.dimension[i], field->dimension[i]);
    size_t count = record_size(&value);
    value.data = reallocarray(NULL, count ? count : 1, record_type_size(field->type));
    if (!value.data)
        return NULL;
    fill(&value, count);
    if (record_value_append(part, &value))
        return value.data;
    free(value.data);
    return NULL;
}
