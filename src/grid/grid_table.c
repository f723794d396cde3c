// SPDX-License-Identifier: MIT
#include "grid_table.h"
#include <stdlib.h>

enum { FIRST_CAPACITY = 64 };

void table_fini(struct table *table)
{
    free(table->key);
    free(table->slot);
    *table = (struct table){0};
}

static uint32_t tag_of(struct hash128 key)
{
    return (uint32_t)key.high;
}

// Where `key` is, or the free slot where it belongs. At most half of the slots are taken, so the walk ends.
static struct table_slot *find_slot(const struct table *table, struct hash128 key)
{
    for (size_t at = key.low & (table->slots - 1);; at = (at + 1) & (table->slots - 1)) {
        struct table_slot *slot = &table->slot[at];
        if (slot->number == TABLE_NONE)
            return slot;
        if (slot->tag == tag_of(key) && hash_equal(table->key[slot->number], key))
            return slot;
    }
}

uint32_t table_find(const struct table *table, struct hash128 key)
{
    return table->count ? find_slot(table, key)->number : TABLE_NONE;
}

bool table_reserve(struct table *table, size_t count)
{
    size_t capacity = FIRST_CAPACITY;
    while (capacity < count)
        capacity *= 2;
    if (capacity <= table->capacity)
        return true;
    struct hash128 *key = realloc(table->key, capacity * sizeof *key);
    if (!key)
        return false;
    table->key = key;
    struct table_slot *slot = malloc(2 * capacity * sizeof *slot);
    if (!slot)
        return false;
    for (size_t i = 0; i < 2 * capacity; i++)
        slot[i] = (struct table_slot){TABLE_NONE, 0};
    free(table->slot);
    table->slot = slot;
    table->slots = 2 * capacity;
    table->capacity = capacity;
    for (size_t i = 0; i < table->count; i++)
        *find_slot(table, table->key[i]) = (struct table_slot){(uint32_t)i, tag_of(table->key[i])};
    return true;
}

uint32_t table_add(struct table *table, struct hash128 key)
{
    if (table->count == table->capacity && !table_reserve(table, table->count + 1))
        return TABLE_NONE;
    struct table_slot *slot = find_slot(table, key);
    if (slot->number == TABLE_NONE) {
        *slot = (struct table_slot){(uint32_t)table->count, tag_of(key)};
        table->key[table->count++] = key;
    }
    return slot->number;
}
