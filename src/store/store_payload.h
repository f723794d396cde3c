// SPDX-License-Identifier: MIT
// The payload of a STORE_RESULT or STORE_FAILURE entry: what the index needs in front, then the encoded record.
#pragma once
#include "base_bytes.h"
#include "base_status.h"
#include "record.h"
#include "store.h"
#include "store_journal.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store_payload {
    enum record_status status;
    bool trained, twin;
    size_t lengths_count;
    int64_t *lengths;           // owned
    const char *host, *version; // views, not zero-terminated
    size_t host_length, version_length;
    double finished;
    uint32_t attempts;
    const unsigned char *record; // view
    size_t record_size;
};

void store_payload_encode(const struct record *record, bool twin, const struct store_origin *origin,
                          struct bytes *bytes);
// STATUS_DAMAGED when it is not one. Views point into entry->payload.
enum status_code store_payload_decode(const struct store_entry *entry, struct store_payload *ret_payload,
                                      struct status *status) MUST_CHECK;
void store_payload_fini(struct store_payload *payload);
