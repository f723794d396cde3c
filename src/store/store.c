// SPDX-License-Identifier: MIT
// Station before: store_open; after: store_publish, in a child process.
#include "store_payload.h"
#include "store_private.h"
#include <inttypes.h>

bool store_done(const struct store *store, struct hash128 identity, int64_t test_length)
{
    const struct index_entry *entry = store_index_find(store->index, identity);
    return entry && (entry->status == RECORD_DONE || entry->status == RECORD_DIVERGED) &&
           store_index_part(entry, INDEX_TRAINING) && store_index_part(entry, test_length);
}

enum record_status store_status(const struct store *store, struct hash128 identity)
{
    const struct index_entry *entry = store_index_find(store->index, identity);
    return entry ? entry->status : RECORD_PENDING;
}

uint32_t store_attempts(const struct store *store, struct hash128 identity)
{
    const struct index_entry *entry = store_index_find(store->index, identity);
    return entry ? entry->attempts : 0;
}

size_t store_trials(const struct store *store)
{
    return store->trials;
}

// Queues store->payload as an entry, and takes it into the index.
static enum status_code append(struct store *store, enum store_entry_kind kind, struct hash128 identity,
                               uint64_t *ret_ticket, struct status *status)
{
    uint64_t end = 0;
    bytes_clear(&store->entry);
    store_journal_put(&store->entry, kind, identity, store->payload.data, store->payload.size);
    if (store->payload.failed || store->entry.failed) {
        bytes_fini(&store->payload);
        bytes_fini(&store->entry);
        return status_set(status, STATUS_MEMORY, "no memory to append to %s", store->journal_path);
    }
    enum status_code code = store_writer_append(store->writer, &store->entry, &end, status);
    if (code != STATUS_OK)
        return code;
    const struct index_entry *before = store_index_find(store->index, identity);
    bool known = before && before->status != RECORD_PENDING;
    struct store_entry entry = {kind, identity, end - store->entry.size, store->payload.data, store->payload.size};
    code = store_index_entry(store->index, &entry, status);
    if (code == STATUS_OK) {
        store->trials += !known && kind != STORE_ATTEMPT;
        if (ret_ticket)
            *ret_ticket = end;
    }
    return code;
}

static enum status_code append_record(struct store *store, enum store_entry_kind kind, const struct record *record,
                                      const struct store_origin *origin, uint64_t *ret_ticket, struct status *status)
{
    if (record->numerics != NUMERICS)
        return status_set(status, STATUS_INVALID, "a result of numerics %" PRIu32 " does not belong in %s",
                          record->numerics, store->path);
    ptrdiff_t trial = grid_find(store->grid, record->identity);
    bool twin = trial >= 0 && grid_trial(store->grid, (size_t)trial)->twin;
    bytes_clear(&store->payload);
    store_payload_encode(record, twin, origin, &store->payload);
    return append(store, kind, record->identity, ret_ticket, status);
}

enum status_code store_append_result(struct store *store, const struct record *record,
                                     const struct store_origin *origin, uint64_t *ret_ticket, struct status *status)
{
    if (record->status != RECORD_DONE && record->status != RECORD_DIVERGED)
        return status_set(status, STATUS_INTERNAL, "a result has status %d", (int)record->status);
    return append_record(store, STORE_RESULT, record, origin, ret_ticket, status);
}

enum status_code store_append_failure(struct store *store, const struct record *record,
                                      const struct store_origin *origin, uint64_t *ret_ticket, struct status *status)
{
    if (record->status != RECORD_FAILED)
        return status_set(status, STATUS_INTERNAL, "a failure has status %d", (int)record->status);
    return append_record(store, STORE_FAILURE, record, origin, ret_ticket, status);
}

enum status_code store_append_attempt(struct store *store, struct hash128 identity, uint64_t *ret_ticket,
                                      struct status *status)
{
    bytes_clear(&store->payload);
    bytes_u32(&store->payload, store_attempts(store, identity) + 1);
    return append(store, STORE_ATTEMPT, identity, ret_ticket, status);
}

uint64_t store_synced(const struct store *store)
{
    return store_writer_synced(store->writer);
}

enum status_code store_health(struct store *store, struct status *status)
{
    return store_writer_health(store->writer, status);
}

enum status_code store_sync(struct store *store, struct status *status)
{
    return store_writer_wait(store->writer, status);
}

const char *store_token(const struct store *store)
{
    return store_lock_token(store->lock);
}
