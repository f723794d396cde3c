// SPDX-License-Identifier: MIT
// Which values there are: columns, one for each field of any trial, and layouts, which say exactly what one part of one
// trial holds. A store has few layouts, since most trials are alike; with them a record is rebuilt as it was, whatever
// is padded in the columns.
#pragma once
#include "base_arena.h"
#include "base_bytes.h"
#include "base_status.h"
#include "record.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COLUMN_PATH_SIZE = 80 };

struct column {
    enum record_part_kind part;
    uint16_t id;
    uint8_t type, dimensions;
    char name[RECORD_NAME_SIZE];
    char dimension[RECORD_DIMENSIONS][RECORD_NAME_SIZE];
    uint32_t extent[RECORD_DIMENSIONS]; // the largest of any trial
    const struct record_field *field;   // NULL: unknown to this program
    char path[COLUMN_PATH_SIZE];        // of its dataset: "trials/test_error"
};

struct layout_value {
    uint32_t column;
    uint32_t extent[RECORD_DIMENSIONS];
};

// One part, in the order of its record.
struct layout {
    size_t count;
    struct layout_value *values;
    uint64_t hash;
};

// Layout 0 is that of an absent part.
struct schema {
    struct arena *arena;
    size_t columns_count, columns_capacity;
    struct column *columns;
    size_t layouts_count, layouts_capacity;
    struct layout *layouts;
};

enum status_code store_schema_init(struct schema *ret_schema, struct status *status) MUST_CHECK;
void store_schema_fini(struct schema *schema); // accepts a zeroed one

// The column that has exactly this description, added when there is none; -1 when memory is out. `like` gives part, id,
// type, name and dimensions.
ptrdiff_t store_schema_column(struct schema *schema, const struct column *like);
ptrdiff_t store_schema_find(const struct schema *schema, const struct column *like); // or -1
// The number of a layout, added when it is new; 0 when memory is out. Extends the extents of its columns.
uint32_t store_schema_layout(struct schema *schema, const struct layout_value *values, size_t count);
// The layout of a part of a record, with its columns.
enum status_code store_schema_part(struct schema *schema, const struct record_part *part, uint32_t *ret_layout,
                                   struct status *status) MUST_CHECK;
// The layout of another schema in this one.
enum status_code store_schema_import(struct schema *schema, const struct schema *other, uint32_t layout,
                                     uint32_t *ret_layout, struct status *status) MUST_CHECK;

// Columns along one dimension all get its largest extent, so that they can share its scale.
void store_schema_unify(struct schema *schema);
// Brings the columns into an order that does not depend on that of their arrival, and gives each a path of its own.
// `is_taken` says which names of a group are not free.
enum status_code store_schema_sort(struct schema *schema, bool (*is_taken)(const char *name),
                                   struct status *status) MUST_CHECK;

// A layout as text, a line for each value: "id name type path dimension=extent …"; and back.
void store_schema_describe(const struct schema *schema, uint32_t layout, struct bytes *ret_text);
enum status_code store_schema_parse(struct schema *schema, enum record_part_kind part, const char *text,
                                    uint32_t *ret_layout, struct status *status) MUST_CHECK;

size_t store_column_elements(const struct column *column); // of one row and length, padding included
size_t store_column_bytes(const struct column *column);
bool store_column_is_run(const struct column *column); // a timing: in group run, and no science

// Copies a value with `extent` into or out of a padded one; both row-major.
void store_column_pad(const struct column *column, const uint32_t *extent, const void *value, void *ret_padded);
void store_column_unpad(const struct column *column, const uint32_t *extent, const void *padded, void *ret_value);
