// SPDX-License-Identifier: MIT
#include "store_digest.h"
#include "store_view.h"
#include <stdlib.h>
#include <string.h>

static void put_part(const struct record_part *part, struct bytes *bytes)
{
    bytes_u64(bytes, (uint64_t)part->test_length);
    for (size_t v = 0; v < part->count; v++) {
        const struct record_value *value = &part->values[v];
        if (value->field && value->field->role == ROLE_RUN)
            continue;
        bytes_text(bytes, value->name);
        for (int d = 0; d < value->dimensions; d++)
            bytes_u32(bytes, value->extent[d]);
        bytes_raw(bytes, value->data, record_size(value) * record_type_size(value->type));
    }
}

static enum status_code put_row(struct store_view *view, size_t row, struct bytes *bytes, struct status *status)
{
    struct record record = {0};
    enum status_code code = store_view_record(view, row, &record, status);
    if (code)
        return code;
    bytes_u64(bytes, record.identity.high);
    bytes_u64(bytes, record.identity.low);
    bytes_u8(bytes, (uint8_t)record.status);
    for (size_t p = 0; p < record.parts_count; p++)
        put_part(&record.parts[p], bytes);
    record_fini(&record);
    return bytes->failed ? status_set(status, STATUS_MEMORY, "out of memory for the digest") : STATUS_OK;
}

// One hash a trial, so that the order of rows does not matter once they are sorted.
static enum status_code hash_rows(struct store_view *view, struct hash128 *hashes, struct status *status)
{
    struct bytes bytes = {0};
    enum status_code code = STATUS_OK;
    for (size_t row = 0; code == STATUS_OK && row < store_view_rows(view); row++) {
        bytes_clear(&bytes);
        code = put_row(view, row, &bytes, status);
        hashes[row] = hash_128(bytes.data, bytes.size);
    }
    bytes_fini(&bytes);
    return code;
}

enum status_code store_digest(const char *path, struct hash128 *ret_hash, struct status *status)
{
    struct store_view *view = NULL;
    struct hash128 *hashes = NULL;
    enum status_code code = store_view_open(path, &view, status);
    if (code)
        return code;
    size_t rows = store_view_rows(view);
    hashes = calloc(rows ? rows : 1, sizeof *hashes);
    code = hashes ? hash_rows(view, hashes, status) : status_set(status, STATUS_MEMORY, "out of memory for the digest");
    if (code == STATUS_OK) {
        qsort(hashes, rows, sizeof *hashes, hash_compare);
        *ret_hash = hash_128(hashes, rows * sizeof *hashes);
    }
    free(hashes);
    store_view_close(view);
    return code;
}
