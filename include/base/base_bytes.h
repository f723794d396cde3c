// SPDX-License-Identifier: MIT
// A growing byte buffer and a bounded reader; integers and floats are little-endian whatever the machine.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Owned by the caller; zero-initialised is empty. `failed` is set once memory is out, and later writes do nothing, so
// that a caller checks once, at the end.
struct bytes {
    unsigned char *data;
    size_t size, capacity;
    bool failed;
};
void bytes_fini(struct bytes *bytes);  // frees and zeroes; accepts an empty one
void bytes_clear(struct bytes *bytes); // keeps the capacity
void bytes_u8(struct bytes *bytes, uint8_t value);
void bytes_u16(struct bytes *bytes, uint16_t value);
void bytes_u32(struct bytes *bytes, uint32_t value);
void bytes_u64(struct bytes *bytes, uint64_t value);
void bytes_f64(struct bytes *bytes, double value);
void bytes_raw(struct bytes *bytes, const void *data, size_t size);
void bytes_text(struct bytes *bytes, const char *text);              // u32 length, then the bytes
void bytes_blob(struct bytes *bytes, const void *data, size_t size); // u64 size, then the bytes
void bytes_set_u32(struct bytes *bytes, size_t at, uint32_t value);  // overwrites at an offset already written
void bytes_drop_front(struct bytes *bytes, size_t size);             // removes the first `size` bytes

// Reads past the end return zero or an empty view and set `failed`, for good.
struct bytes_reader {
    const unsigned char *data;
    size_t size, at;
    bool failed;
};
struct bytes_reader bytes_reader(const void *data, size_t size);
size_t bytes_left(const struct bytes_reader *reader);
uint8_t bytes_read_u8(struct bytes_reader *reader);
uint16_t bytes_read_u16(struct bytes_reader *reader);
uint32_t bytes_read_u32(struct bytes_reader *reader);
uint64_t bytes_read_u64(struct bytes_reader *reader);
double bytes_read_f64(struct bytes_reader *reader);
const unsigned char *bytes_read_raw(struct bytes_reader *reader, size_t size); // a view, NULL past the end
// A view of a text (not zero-terminated) or blob and its size; NULL past the end.
const char *bytes_read_text(struct bytes_reader *reader, size_t *ret_length);
const unsigned char *bytes_read_blob(struct bytes_reader *reader, size_t *ret_size);
