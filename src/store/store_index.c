// SPDX-License-Identifier: MIT
#include "store_index.h"
#include "base_arena.h"
#include "store_payload.h"
#include <stdlib.h>
#include <string.h>

struct store_index {
    struct arena *arena;
    struct index_entry **entries; // in order of arrival
    size_t count, capacity;
    size_t *slots; // open addressing: position + 1, 0 free
    size_t slots_count;
};

static enum status_code no_memory(struct status *status)
{
    return status_set(status, STATUS_MEMORY, "no memory for the index of the store");
}

enum status_code store_index_create(struct store_index **ret_index, struct status *status)
{
    struct store_index *index = calloc(1, sizeof *index);
    if (!index)
        return no_memory(status);
    index->slots_count = 256;
    index->slots = calloc(index->slots_count, sizeof *index->slots);
    index->arena = arena_create(1 << 16, 0);
    if (!index->slots || !index->arena) {
        store_index_destroy(index);
        return no_memory(status);
    }
    *ret_index = index;
    return STATUS_OK;
}

void store_index_destroy(struct store_index *index)
{
    if (!index)
        return;
    arena_destroy(index->arena);
    free(index->entries);
    free(index->slots);
    free(index);
}

size_t store_index_count(const struct store_index *index)
{
    return index->count;
}

const struct index_entry *store_index_at(const struct store_index *index, size_t at)
{
    return index->entries[at];
}

// The slot of the identity, or the free one where it belongs. The table is never full.
static size_t *slot_of(size_t *slots, size_t slots_count, struct index_entry *const *entries, struct hash128 identity)
{
    size_t at = identity.low & (slots_count - 1);
    while (slots[at] && !hash_equal(entries[slots[at] - 1]->identity, identity))
        at = (at + 1) & (slots_count - 1);
    return &slots[at];
}

const struct index_entry *store_index_find(const struct store_index *index, struct hash128 identity)
{
    size_t *slot = slot_of(index->slots, index->slots_count, index->entries, identity);
    return *slot ? index->entries[*slot - 1] : NULL;
}

const struct index_part *store_index_part(const struct index_entry *entry, int64_t test_length)
{
    const struct index_part *part = entry ? entry->parts : NULL;
    while (part && part->test_length < test_length)
        part = part->next;
    return part && part->test_length == test_length ? part : NULL;
}

static bool grow(struct store_index *index)
{
    if (index->count == index->capacity) {
        size_t capacity = index->capacity ? 2 * index->capacity : 128;
        struct index_entry **entries = reallocarray(index->entries, capacity, sizeof *entries);
        if (!entries)
            return false;
        index->entries = entries;
        index->capacity = capacity;
    }
    if (2 * (index->count + 1) <= index->slots_count)
        return true;
    size_t slots_count = 2 * index->slots_count;
    size_t *slots = calloc(slots_count, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < index->count; i++)
        *slot_of(slots, slots_count, index->entries, index->entries[i]->identity) = i + 1;
    free(index->slots);
    index->slots = slots;
    index->slots_count = slots_count;
    return true;
}

// The entry of the identity, made when there is none; NULL when memory is out.
static struct index_entry *get(struct store_index *index, struct hash128 identity)
{
    size_t *slot = slot_of(index->slots, index->slots_count, index->entries, identity);
    if (*slot)
        return index->entries[*slot - 1];
    struct index_entry *entry = grow(index) ? arena_get(index->arena, 1, sizeof *entry) : NULL;
    if (!entry)
        return NULL;
    entry->identity = identity;
    entry->row = SIZE_MAX;
    index->entries[index->count++] = entry;
    *slot_of(index->slots, index->slots_count, index->entries, identity) = index->count;
    return entry;
}

static bool add_part(struct store_index *index, struct index_entry *entry, int64_t test_length, uint64_t source)
{
    struct index_part **at = &entry->parts;
    while (*at && (*at)->test_length < test_length)
        at = &(*at)->next;
    if (*at && (*at)->test_length == test_length)
        return true;
    struct index_part *part = arena_get(index->arena, 1, sizeof *part);
    if (!part)
        return false;
    *part = (struct index_part){.test_length = test_length, .source = source, .next = *at};
    *at = part;
    return true;
}

static bool is_result(enum record_status status)
{
    return status == RECORD_DONE || status == RECORD_DIVERGED;
}

enum status_code store_index_add(struct store_index *index, const struct index_source *source, struct status *status)
{
    struct index_entry *entry = get(index, source->identity);
    if (!entry)
        return no_memory(status);
    if (source->attempts > entry->attempts)
        entry->attempts = source->attempts;
    if (source->source == INDEX_PUBLISHED)
        entry->row = source->row;
    if (is_result(entry->status) ? !is_result(source->status) : source->status == RECORD_PENDING)
        return STATUS_OK;
    if (!is_result(entry->status)) {
        entry->status = source->status;
        entry->source = source->source;
        entry->twin = source->twin;
        entry->parts = NULL;
    }
    bool added = !source->trained || add_part(index, entry, INDEX_TRAINING, source->source);
    for (size_t i = 0; i < source->lengths_count; i++)
        added = added && add_part(index, entry, source->lengths[i], source->source);
    return added ? STATUS_OK : no_memory(status);
}

// An entry holds the number that has been reached, so that one which the published file counts already adds nothing.
static enum status_code add_attempt(struct store_index *index, const struct store_entry *from, struct status *status)
{
    struct bytes_reader reader = bytes_reader(from->payload, from->size);
    uint32_t attempts = bytes_read_u32(&reader);
    if (reader.failed)
        return status_set(status, STATUS_DAMAGED, "the journal's entry at offset %llu is not an attempt",
                          (unsigned long long)from->offset);
    struct index_entry *entry = get(index, from->identity);
    if (!entry)
        return no_memory(status);
    if (attempts > entry->attempts)
        entry->attempts = attempts;
    return STATUS_OK;
}

enum status_code store_index_entry(struct store_index *index, const struct store_entry *entry, struct status *status)
{
    if (entry->kind == STORE_ATTEMPT)
        return add_attempt(index, entry, status);
    if (entry->kind != STORE_RESULT && entry->kind != STORE_FAILURE)
        return STATUS_OK;
    struct store_payload payload = {0};
    enum status_code code = store_payload_decode(entry, &payload, status);
    if (code != STATUS_OK)
        return code;
    struct index_source source = {
        .identity = entry->identity,
        .status = payload.status,
        .trained = payload.trained,
        .twin = payload.twin,
        .attempts = payload.attempts,
        .source = entry->offset,
        .lengths_count = payload.lengths_count,
        .lengths = payload.lengths,
    };
    code = store_index_add(index, &source, status);
    store_payload_fini(&payload);
    return code;
}
