// SPDX-License-Identifier: MIT
#include "store_payload.h"
#include <math.h>
#include <stdlib.h>

enum { FLAG_TRAINED = 1, FLAG_TWIN = 2 };

void store_payload_encode(const struct record *record, bool twin, const struct store_origin *origin,
                          struct bytes *bytes)
{
    size_t lengths = 0;
    bool trained = record_find_part(record, RECORD_TRAINING, 0) != NULL;
    for (size_t i = 0; i < record->parts_count; i++)
        lengths += record->parts[i].kind == RECORD_TEST;
    bytes_u8(bytes, (uint8_t)record->status);
    bytes_u8(bytes, (uint8_t)((trained ? FLAG_TRAINED : 0) | (twin ? FLAG_TWIN : 0)));
    bytes_u32(bytes, (uint32_t)lengths);
    for (size_t i = 0; i < record->parts_count; i++)
        if (record->parts[i].kind == RECORD_TEST)
            bytes_u64(bytes, (uint64_t)record->parts[i].test_length);
    bytes_text(bytes, origin && origin->host ? origin->host : "");
    bytes_text(bytes, origin && origin->version ? origin->version : "");
    bytes_f64(bytes, origin ? origin->finished : (double)NAN);
    bytes_u32(bytes, record->attempts);
    record_encode(record, bytes);
}

enum status_code store_payload_decode(const struct store_entry *entry, struct store_payload *ret_payload,
                                      struct status *status)
{
    struct bytes_reader reader = bytes_reader(entry->payload, entry->size);
    struct store_payload payload = {.status = bytes_read_u8(&reader)};
    uint8_t flags = bytes_read_u8(&reader);
    payload.trained = flags & FLAG_TRAINED;
    payload.twin = flags & FLAG_TWIN;
    payload.lengths_count = bytes_read_u32(&reader);
    if (reader.failed || payload.lengths_count > bytes_left(&reader) / 8 || payload.status >= RECORD_STATUSES)
        goto damaged;
    payload.lengths = calloc(payload.lengths_count ? payload.lengths_count : 1, sizeof *payload.lengths);
    if (!payload.lengths)
        return status_set(status, STATUS_MEMORY, "no memory for an entry of the journal");
    bool sound = true;
    for (size_t i = 0; i < payload.lengths_count; i++) {
        payload.lengths[i] = (int64_t)bytes_read_u64(&reader);
        sound = sound && payload.lengths[i] > 0;
    }
    payload.host = bytes_read_text(&reader, &payload.host_length);
    payload.version = bytes_read_text(&reader, &payload.version_length);
    payload.finished = bytes_read_f64(&reader);
    payload.attempts = bytes_read_u32(&reader);
    payload.record_size = bytes_left(&reader);
    payload.record = bytes_read_raw(&reader, payload.record_size);
    if (sound && !reader.failed) {
        *ret_payload = payload;
        return STATUS_OK;
    }
damaged:
    store_payload_fini(&payload);
    return status_set(status, STATUS_DAMAGED, "the journal's entry at offset %llu is not a result",
                      (unsigned long long)entry->offset);
}

void store_payload_fini(struct store_payload *payload)
{
    free(payload->lengths);
    payload->lengths = NULL;
}
