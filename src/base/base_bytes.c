// SPDX-License-Identifier: MIT
#include "base_bytes.h"
#include <stdlib.h>
#include <string.h>

void bytes_fini(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){0};
}

void bytes_clear(struct bytes *bytes)
{
    bytes->size = 0;
    bytes->failed = false;
}

// Room for `size` more bytes, counted in already; NULL once failed.
static unsigned char *extend(struct bytes *bytes, size_t size)
{
    if (bytes->failed || size > SIZE_MAX / 4 - bytes->size)
        return bytes->failed = true, NULL;
    size_t need = bytes->size + size;
    if (need > bytes->capacity || !bytes->data) {
        size_t capacity = need > 2 * bytes->capacity ? need : 2 * bytes->capacity;
        capacity = capacity < 64 ? 64 : capacity;
        unsigned char *data = realloc(bytes->data, capacity);
        if (!data)
            return bytes->failed = true, NULL;
        bytes->data = data;
        bytes->capacity = capacity;
    }
    unsigned char *at = bytes->data + bytes->size;
    bytes->size = need;
    return at;
}

static void put(unsigned char *at, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static void write(struct bytes *bytes, uint64_t value, int size)
{
    unsigned char *at = extend(bytes, (size_t)size);
    if (at)
        put(at, value, size);
}

void bytes_u8(struct bytes *bytes, uint8_t value)
{
    write(bytes, value, 1);
}

void bytes_u16(struct bytes *bytes, uint16_t value)
{
    write(bytes, value, 2);
}

void bytes_u32(struct bytes *bytes, uint32_t value)
{
    write(bytes, value, 4);
}

void bytes_u64(struct bytes *bytes, uint64_t value)
{
    write(bytes, value, 8);
}

void bytes_f64(struct bytes *bytes, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    write(bytes, bits, 8);
}

void bytes_raw(struct bytes *bytes, const void *data, size_t size)
{
    unsigned char *at = extend(bytes, size);
    if (at && size)
        memcpy(at, data, size);
}

void bytes_text(struct bytes *bytes, const char *text)
{
    size_t length = strlen(text);
    if (length > UINT32_MAX) {
        bytes->failed = true;
        return;
    }
    bytes_u32(bytes, (uint32_t)length);
    bytes_raw(bytes, text, length);
}

void bytes_blob(struct bytes *bytes, const void *data, size_t size)
{
    bytes_u64(bytes, size);
    bytes_raw(bytes, data, size);
}

void bytes_set_u32(struct bytes *bytes, size_t at, uint32_t value)
{
    if (bytes->size >= 4 && at <= bytes->size - 4)
        put(bytes->data + at, value, 4);
    else
        bytes->failed = true;
}

void bytes_drop_front(struct bytes *bytes, size_t size)
{
    if (size >= bytes->size) {
        bytes->size = 0;
        return;
    }
    memmove(bytes->data, bytes->data + size, bytes->size - size);
    bytes->size -= size;
}

struct bytes_reader bytes_reader(const void *data, size_t size)
{
    return (struct bytes_reader){.data = data, .size = size};
}

size_t bytes_left(const struct bytes_reader *reader)
{
    return reader->failed ? 0 : reader->size - reader->at;
}

const unsigned char *bytes_read_raw(struct bytes_reader *reader, size_t size)
{
    static const unsigned char nothing[1];
    if (reader->failed || size > reader->size - reader->at)
        return reader->failed = true, NULL;
    const unsigned char *view = reader->data ? reader->data + reader->at : nothing;
    reader->at += size;
    return view;
}

static uint64_t read(struct bytes_reader *reader, int size)
{
    const unsigned char *at = bytes_read_raw(reader, (size_t)size);
    uint64_t value = 0;
    for (int i = 0; at && i < size; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

uint8_t bytes_read_u8(struct bytes_reader *reader)
{
    return (uint8_t)read(reader, 1);
}

uint16_t bytes_read_u16(struct bytes_reader *reader)
{
    return (uint16_t)read(reader, 2);
}

uint32_t bytes_read_u32(struct bytes_reader *reader)
{
    return (uint32_t)read(reader, 4);
}

uint64_t bytes_read_u64(struct bytes_reader *reader)
{
    return read(reader, 8);
}

double bytes_read_f64(struct bytes_reader *reader)
{
    uint64_t bits = read(reader, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

const char *bytes_read_text(struct bytes_reader *reader, size_t *ret_length)
{
    uint32_t length = bytes_read_u32(reader);
    const unsigned char *view = bytes_read_raw(reader, length);
    *ret_length = view ? length : 0;
    return (const char *)view;
}

const unsigned char *bytes_read_blob(struct bytes_reader *reader, size_t *ret_size)
{
    uint64_t size = bytes_read_u64(reader);
    const unsigned char *view = size <= SIZE_MAX ? bytes_read_raw(reader, (size_t)size) : NULL;
    *ret_size = view ? (size_t)size : 0;
    return view;
}
