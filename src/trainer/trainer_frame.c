// SPDX-License-Identifier: MIT
#include "base_hash.h"
#include "trainer_private.h"

static const uint32_t magic = 0x4652474c; // "LGRF"
static const uint64_t frame_limit = 1 << 30;

static void put(unsigned char *at, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

void frame_header(enum frame_kind kind, const void *payload, size_t size, unsigned char ret_header[FRAME_HEADER])
{
    put(ret_header, magic, 4);
    put(ret_header + 4, kind, 4);
    put(ret_header + 8, size, 8);
    put(ret_header + 16, hash_64(size > 0 ? payload : "", size), 8);
}

void frame_put(struct bytes *bytes, enum frame_kind kind, const void *payload, size_t size)
{
    unsigned char header[FRAME_HEADER];
    frame_header(kind, payload, size, header);
    bytes_raw(bytes, header, sizeof header);
    bytes_raw(bytes, payload, size);
}

enum status_code frame_get(const struct bytes *bytes, struct frame *ret_frame, size_t *ret_size, struct status *status)
{
    struct bytes_reader reader = bytes_reader(bytes->data, bytes->size);
    *ret_size = 0;
    if (bytes->size < FRAME_HEADER)
        return STATUS_OK;
    uint32_t start = bytes_read_u32(&reader), kind = bytes_read_u32(&reader);
    uint64_t size = bytes_read_u64(&reader), check = bytes_read_u64(&reader);
    if (start != magic || kind < FRAME_READY || kind > FRAME_CRASH || size > frame_limit)
        return status_set(status, STATUS_DAMAGED, "bytes on the trainer's pipe that are no message");
    if (bytes_left(&reader) < size)
        return STATUS_OK;
    const unsigned char *payload = bytes_read_raw(&reader, size);
    if (hash_64(payload, size) != check)
        return status_set(status, STATUS_DAMAGED, "a damaged message on the trainer's pipe");
    *ret_frame = (struct frame){(enum frame_kind)kind, payload, size};
    *ret_size = FRAME_HEADER + size;
    return STATUS_OK;
}
