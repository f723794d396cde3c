// SPDX-License-Identifier: MIT
// A record from a trainer, a worker or a journal.
#include "fuzz.h"
#include "record.h"
#include <stdlib.h>
#include <string.h>

static void encode(const struct record *record, struct bytes *ret_bytes)
{
    record_encode(record, ret_bytes);
    if (ret_bytes->failed)
        abort();
}

// What was read is written and read again as it was; NaNs become canonical the first time.
static void check_round_trip(const struct record *record)
{
    struct bytes once = {0}, twice = {0};
    struct record again = {0};
    struct status status = {0};
    encode(record, &once);
    if (record_decode(once.data, once.size, &again, &status) != STATUS_OK)
        abort();
    encode(&again, &twice);
    if (once.size != twice.size || memcmp(once.data, twice.data, once.size) != 0)
        abort();
    record_fini(&again);
    bytes_fini(&once);
    bytes_fini(&twice);
}

static void check_values(const struct record *record)
{
    for (size_t p = 0; p < record->parts_count; p++) {
        const struct record_part *part = &record->parts[p];
        if (record_find_part(record, part->kind, part->test_length) != part)
            abort();
        for (size_t v = 0; v < part->count; v++) {
            const struct record_value *value = &part->values[v];
            size_t size = record_size(value);
            if (!value->data || (value->field && record_find(part, value->id) != value))
                abort();
            if (value->field && size)
                (void)record_real(part, value->id, size - 1);
        }
    }
}

// A merge with itself takes nothing and changes nothing.
static void check_merge(const unsigned char *data, size_t size, struct record *record)
{
    struct record other = {0};
    size_t parts = record->parts_count;
    if (record_decode(data, size, &other, NULL) != STATUS_OK || record_merge(record, &other, NULL) != STATUS_OK ||
        record->parts_count != parts)
        abort();
    record_fini(&other);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct record record = {.attempts = 77};
    struct status status = {0};
    enum status_code code = record_decode(data, size, &record, &status);
    if (code != STATUS_OK) {
        if ((code != STATUS_DAMAGED && code != STATUS_INVALID) || !*status.text || record.attempts != 77)
            abort();
        return 0;
    }
    check_values(&record);
    check_round_trip(&record);
    check_merge(data, size, &record);
    record_fini(&record);
    return 0;
}
