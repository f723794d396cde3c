// SPDX-License-Identifier: MIT
#include "record_private.h"
#include <stdlib.h>
#include <string.h>

// Equal parts and fields are looked for in quadratic time, so that a forged count must have a bound.
enum { PARTS_LIMIT = 1 << 16, VALUES_LIMIT = 1 << 10, TEXTS_BLOCK = 1 << 10 };

static enum status_code damaged(struct status *status, const char *what)
{
    return status_set(status, STATUS_DAMAGED, "record: %s", what);
}

// A name as the store's variables have them: lower-case letters, digits, underscores.
static bool read_name(struct bytes_reader *reader, char ret_name[RECORD_NAME_SIZE])
{
    size_t length = 0;
    const char *text = bytes_read_text(reader, &length);
    if (reader->failed || length == 0 || length >= RECORD_NAME_SIZE)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!(text[i] >= 'a' && text[i] <= 'z') && !(text[i] >= '0' && text[i] <= '9') && text[i] != '_')
            return false;
    memcpy(ret_name, text, length);
    ret_name[length] = '\0';
    return true;
}

// The row that describes the value in every respect, or NULL.
static const struct record_field *describing_field(const struct record_value *value, enum record_part_kind kind)
{
    const struct record_field *field = record_field_by_id(value->id);
    if (!field || field->part != kind || field->type != value->type || strcmp(field->name, value->name) != 0 ||
        record_field_dimensions(field) != value->dimensions)
        return NULL;
    for (size_t i = 0; i < value->dimensions; i++)
        if (strcmp(field->dimension[i], value->dimension[i]) != 0)
            return NULL;
    return field;
}

// True when the extents' product times the element's size is exactly `size` bytes.
static bool fits(const struct record_value *value, size_t size)
{
    size_t product = record_type_size(value->type);
    for (size_t i = 0; i < value->dimensions; i++)
        if (__builtin_mul_overflow(product, (size_t)value->extent[i], &product))
            return false;
    return product == size;
}

static void decode_elements(const unsigned char *from, size_t size, const struct record_value *value)
{
    struct bytes_reader reader = bytes_reader(from, size);
    size_t element = record_type_size(value->type);
    for (size_t i = 0; i < size / element; i++) {
        if (element == 4)
            ((uint32_t *)value->data)[i] = bytes_read_u32(&reader);
        else if (element == 8)
            ((uint64_t *)value->data)[i] = bytes_read_u64(&reader);
        else
            ((uint8_t *)value->data)[i] = bytes_read_u8(&reader);
    }
}

static enum status_code decode_head(struct bytes_reader *reader, struct record_value *value, struct status *status)
{
    value->id = bytes_read_u16(reader);
    value->type = bytes_read_u8(reader);
    value->dimensions = bytes_read_u8(reader);
    if (reader->failed || record_type_size(value->type) == 0 || value->dimensions > RECORD_DIMENSIONS)
        return damaged(status, "a field has an unknown type or too many dimensions");
    if (!read_name(reader, value->name))
        return damaged(status, "a field's name is not one");
    for (size_t i = 0; i < value->dimensions; i++) {
        if (!read_name(reader, value->dimension[i]))
            return damaged(status, "a dimension's name is not one");
        value->extent[i] = bytes_read_u32(reader);
    }
    return STATUS_OK;
}

static bool has_field(const struct record_part *part, const struct record_value *value)
{
    for (size_t i = 0; i < part->count; i++)
        if (part->values[i].id == value->id || strcmp(part->values[i].name, value->name) == 0)
            return true;
    return false;
}

static enum status_code decode_value(struct bytes_reader *reader, struct record_part *part, struct status *status)
{
    struct record_value value = {0};
    enum status_code code = decode_head(reader, &value, status);
    if (code != STATUS_OK)
        return code;
    size_t size = 0;
    const unsigned char *elements = bytes_read_blob(reader, &size);
    if (reader->failed || !fits(&value, size))
        return damaged(status, "a field's elements do not fill its extents");
    if (has_field(part, &value))
        return damaged(status, "a part has a field twice");
    value.field = describing_field(&value, part->kind);
    value.data = malloc(size ? size : 1);
    if (!value.data)
        return status_set(status, STATUS_MEMORY, "record: no memory for a field of %zu bytes", size);
    decode_elements(elements, size, &value);
    if (record_value_append(part, &value))
        return STATUS_OK;
    free(value.data);
    return status_set(status, STATUS_MEMORY, "record: no memory for a field");
}

static enum status_code decode_part(struct bytes_reader *reader, struct record *record, struct status *status)
{
    uint32_t kind = bytes_read_u32(reader);
    int64_t test_length = (int64_t)bytes_read_u64(reader);
    uint32_t count = bytes_read_u32(reader);
    if (reader->failed || kind > RECORD_TEST || count > VALUES_LIMIT)
        return damaged(status, "a part is of no known kind");
    if (kind == RECORD_TRAINING ? test_length != 0 : test_length < 1)
        return damaged(status, "a part's test length is impossible");
    if (record_find_part(record, kind, test_length))
        return damaged(status, "a part appears twice");
    struct record_part *part = record_part_append(record, kind, test_length);
    if (!part)
        return status_set(status, STATUS_MEMORY, "record: no memory for a part");
    for (uint32_t i = 0; i < count; i++) {
        enum status_code code = decode_value(reader, part, status);
        if (code != STATUS_OK)
            return code;
    }
    return STATUS_OK;
}

static enum status_code decode_failure(struct bytes_reader *reader, struct record *record, struct status *status)
{
    size_t length = 0;
    const char *reason = bytes_read_text(reader, &length);
    record->exit_status = (int32_t)bytes_read_u32(reader);
    record->signal = (int32_t)bytes_read_u32(reader);
    record->last_step = (int64_t)bytes_read_u64(reader);
    record->attempts = bytes_read_u32(reader);
    if (reader->failed || length >= sizeof record->reason || memchr(reason, 0, length))
        return damaged(status, "its reason of failure is not a text");
    memcpy(record->reason, reason, length);
    return STATUS_OK;
}

static enum status_code decode_identity(struct bytes_reader *reader, struct record *record, struct status *status)
{
    uint32_t version = bytes_read_u32(reader);
    if (!reader->failed && version > RECORD_VERSION)
        return status_set(status, STATUS_INVALID,
                          "record: version %u; this program reads up to %d, use the one that wrote it", version,
                          RECORD_VERSION);
    record->identity.high = bytes_read_u64(reader);
    record->identity.low = bytes_read_u64(reader);
    record->numerics = bytes_read_u32(reader);
    uint32_t state = bytes_read_u32(reader);
    if (reader->failed || version == 0 || state >= RECORD_STATUSES)
        return damaged(status, "its head is not one");
    record->status = state;
    record->texts = arena_create(TEXTS_BLOCK, 0);
    if (!record->texts)
        return status_set(status, STATUS_MEMORY, "record: no memory for its settings");
    enum status_code code = settings_decode(reader, record->texts, &record->settings, status);
    if (code != STATUS_OK)
        status_context(status, "record");
    return code;
}

static enum status_code decode_parts(struct bytes_reader *reader, struct record *record, struct status *status)
{
    uint32_t count = bytes_read_u32(reader);
    if (reader->failed || count > PARTS_LIMIT)
        return damaged(status, "it has too many parts");
    for (uint32_t i = 0; i < count; i++) {
        enum status_code code = decode_part(reader, record, status);
        if (code != STATUS_OK)
            return code;
    }
    return bytes_left(reader) ? damaged(status, "bytes are left behind its end") : STATUS_OK;
}

enum status_code record_decode(const void *data, size_t size, struct record *ret_record, struct status *status)
{
    struct bytes_reader reader = bytes_reader(data, size);
    struct record record = {0};
    enum status_code code = decode_identity(&reader, &record, status);
    if (code == STATUS_OK)
        code = decode_failure(&reader, &record, status);
    if (code == STATUS_OK)
        code = decode_parts(&reader, &record, status);
    if (code == STATUS_OK)
        *ret_record = record;
    else
        record_fini(&record);
    return code;
}
