// SPDX-License-Identifier: MIT
#include "store_schema.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t store_column_elements(const struct column *column)
{
    size_t elements = 1;
    for (int i = 0; i < column->dimensions; i++)
        elements *= column->extent[i];
    return elements;
}

void store_schema_unify(struct schema *schema)
{
    for (size_t i = 0; i < schema->columns_count; i++)
        for (int d = 0; d < schema->columns[i].dimensions; d++) {
            const char *name = schema->columns[i].dimension[d];
            uint32_t *extent = &schema->columns[i].extent[d];
            for (size_t j = 0; j < schema->columns_count; j++)
                for (int e = 0; e < schema->columns[j].dimensions; e++)
                    if (schema->columns[j].extent[e] > *extent && strcmp(schema->columns[j].dimension[e], name) == 0)
                        *extent = schema->columns[j].extent[e];
        }
}

size_t store_column_bytes(const struct column *column)
{
    return store_column_elements(column) * record_type_size(column->type);
}

// Runs `count` lines of `bytes` along the last dimension; the padded side is wider.
struct pad {
    const struct column *column;
    const uint32_t *extent;
    size_t element;
    bool inwards; // into the padded side
};

static void copy_box(const struct pad *pad, int dimension, char *compact, char *padded, size_t *compact_at,
                     size_t padded_at)
{
    int last = pad->column->dimensions - 1;
    if (dimension >= last) {
        size_t bytes = (dimension < 0 || last < 0 ? 1 : pad->extent[last]) * pad->element;
        if (pad->inwards)
            memcpy(padded + padded_at * pad->element, compact + *compact_at, bytes);
        else
            memcpy(compact + *compact_at, padded + padded_at * pad->element, bytes);
        *compact_at += bytes;
        return;
    }
    size_t stride = 1;
    for (int d = dimension + 1; d <= last; d++)
        stride *= pad->column->extent[d];
    for (uint32_t i = 0; i < pad->extent[dimension]; i++)
        copy_box(pad, dimension + 1, compact, padded, compact_at, padded_at + i * stride);
}

void store_column_pad(const struct column *column, const uint32_t *extent, const void *value, void *ret_padded)
{
    struct pad pad = {column, extent, record_type_size(column->type), true};
    size_t at = 0;
    copy_box(&pad, 0, (char *)(uintptr_t)value, ret_padded, &at, 0);
}

void store_column_unpad(const struct column *column, const uint32_t *extent, const void *padded, void *ret_value)
{
    struct pad pad = {column, extent, record_type_size(column->type), false};
    size_t at = 0;
    copy_box(&pad, 0, ret_value, (char *)(uintptr_t)padded, &at, 0);
}

void store_schema_describe(const struct schema *schema, uint32_t layout, struct bytes *ret_text)
{
    const struct layout *from = &schema->layouts[layout];
    for (size_t i = 0; i < from->count; i++) {
        const struct column *column = &schema->columns[from->values[i].column];
        char word[2 * COLUMN_PATH_SIZE];
        snprintf(word, sizeof word, "%u %s %s %s", column->id, column->name, record_type_name(column->type),
                 column->path);
        bytes_raw(ret_text, word, strlen(word));
        for (int d = 0; d < column->dimensions; d++) {
            snprintf(word, sizeof word, " %s=%" PRIu32, column->dimension[d], from->values[i].extent[d]);
            bytes_raw(ret_text, word, strlen(word));
        }
        bytes_raw(ret_text, "\n", 1);
    }
}

static bool parse_type(const char *word, uint8_t *ret_type)
{
    for (int type = RECORD_F32; type <= RECORD_U8; type++)
        if (strcmp(record_type_name(type), word) == 0) {
            *ret_type = (uint8_t)type;
            return true;
        }
    return false;
}

// One line, without its end. Widths in the formats are the sizes of the fields less one.
static bool parse_line(const char *line, struct column *column, uint32_t *extent)
{
    char type[8];
    int at = 0;
    _Static_assert(RECORD_NAME_SIZE == 48 && COLUMN_PATH_SIZE == 80, "widths in the formats below");
    if (sscanf(line, "%" SCNu16 " %47[a-z0-9_] %7s %79[a-z0-9_/]%n", &column->id, column->name, type, column->path,
               &at) != 4 ||
        !parse_type(type, &column->type))
        return false;
    for (line += at; *line == ' '; line += at) {
        if (column->dimensions == RECORD_DIMENSIONS ||
            sscanf(line, " %47[a-z0-9_]=%" SCNu32 "%n", column->dimension[column->dimensions],
                   &extent[column->dimensions], &at) != 2)
            return false;
        column->dimensions++;
    }
    return *line == '\0';
}

enum { LINE_SIZE = 512, LAYOUT_VALUES = 1024 };

enum status_code store_schema_parse(struct schema *schema, enum record_part_kind part, const char *text,
                                    uint32_t *ret_layout, struct status *status)
{
    struct layout_value values[LAYOUT_VALUES];
    size_t count = 0;
    memset(values, 0, sizeof values);
    while (*text) {
        char line[LINE_SIZE];
        size_t length = strcspn(text, "\n");
        struct column like = {.part = part};
        if (length >= sizeof line || count == LAYOUT_VALUES)
            return status_set(status, STATUS_DAMAGED, "a layout is too long");
        memcpy(line, text, length);
        line[length] = '\0';
        if (!parse_line(line, &like, values[count].extent))
            return status_set(status, STATUS_DAMAGED, "layout line '%.100s' is not one", line);
        ptrdiff_t column = store_schema_column(schema, &like);
        if (column < 0)
            return status_set(status, STATUS_MEMORY, "no memory for a layout");
        values[count++].column = (uint32_t)column;
        text += length + (text[length] == '\n');
    }
    *ret_layout = store_schema_layout(schema, values, count);
    return *ret_layout ? STATUS_OK : status_set(status, STATUS_MEMORY, "no memory for a layout");
}
