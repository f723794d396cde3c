// SPDX-License-Identifier: MIT
#include "record.h"
#include <string.h>

static uint32_t bits32(const void *data, size_t at)
{
    uint32_t bits;
    memcpy(&bits, (const char *)data + at * sizeof bits, sizeof bits);
    return bits;
}

static uint64_t bits64(const void *data, size_t at)
{
    uint64_t bits;
    memcpy(&bits, (const char *)data + at * sizeof bits, sizeof bits);
    return bits;
}

static uint32_t canonical32(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits;
}

static uint64_t canonical64(uint64_t bits)
{
    return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000 ? 0x7ff8000000000000 : bits;
}

static void encode_elements(const struct record_value *value, struct bytes *bytes)
{
    size_t count = record_size(value), size = record_type_size(value->type);
    bool canonical = value->field && (value->type == RECORD_F32 || value->type == RECORD_F64);
    bytes_u64(bytes, (uint64_t)count * size);
    for (size_t i = 0; i < count && size == 4; i++)
        bytes_u32(bytes, canonical ? canonical32(bits32(value->data, i)) : bits32(value->data, i));
    for (size_t i = 0; i < count && size == 8; i++)
        bytes_u64(bytes, canonical ? canonical64(bits64(value->data, i)) : bits64(value->data, i));
    if (size == 1)
        bytes_raw(bytes, value->data, count);
}

static void encode_value(const struct record_value *value, struct bytes *bytes)
{
    bytes_u16(bytes, value->id);
    bytes_u8(bytes, value->type);
    bytes_u8(bytes, value->dimensions);
    bytes_text(bytes, value->name);
    for (size_t i = 0; i < value->dimensions; i++) {
        bytes_text(bytes, value->dimension[i]);
        bytes_u32(bytes, value->extent[i]);
    }
    encode_elements(value, bytes);
}

static void encode_part(const struct record_part *part, struct bytes *bytes)
{
    bytes_u32(bytes, part->kind);
    bytes_u64(bytes, (uint64_t)part->test_length);
    bytes_u32(bytes, (uint32_t)part->count);
    for (size_t i = 0; i < part->count; i++)
        encode_value(&part->values[i], bytes);
}

void record_encode(const struct record *record, struct bytes *bytes)
{
    bytes_u32(bytes, RECORD_VERSION);
    bytes_u64(bytes, record->identity.high);
    bytes_u64(bytes, record->identity.low);
    bytes_u32(bytes, record->numerics);
    bytes_u32(bytes, record->status);
    settings_encode(&record->settings, bytes);
    bytes_text(bytes, record->reason);
    bytes_u32(bytes, (uint32_t)record->exit_status);
    bytes_u32(bytes, (uint32_t)record->signal);
    bytes_u64(bytes, (uint64_t)record->last_step);
    bytes_u32(bytes, record->attempts);
    bytes_u32(bytes, (uint32_t)record->parts_count);
    for (size_t i = 0; i < record->parts_count; i++)
        encode_part(&record->parts[i], bytes);
}
