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

// Where `key` is, or the free slot where it belongs. At most half of the slots are taken, so the walk ends.
static uint32_t *find_slot(const struct table *table, struct hash128 key)
{
    size_t at = key.low & (table->slots - 1);
    while (table->slot[at] != TABLE_NONE && !hash_equal(table->key[table->slot[at]], key))
        at = (at + 1) & (table->slots - 1);
    return &table->slot[at];
}

uint32_t table_find(const struct table *table, struct hash128 key)
{
    return table->count ? *find_slot(table, key) : TABLE_NONE;
}

static bool grow(struct table *table)
{
    size_t capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY, slots = 2 * capacity;
    struct hash128 *key = realloc(table->key, capacity * sizeof *key);
    if (!key)
        return false;
    table->key = key;
    uint32_t *slot = malloc(slots * sizeof *slot);
    if (!slot)
        return false;
    for (size_t i = 0; i < slots; i++)
        slot[i] = TABLE_NONE;
    free(table->slot);
    table->slot = slot;
    table->slots = slots;
    table->capacity = capacity;
    for (size_t i = 0; i < table->count; i++)
        *find_slot(table, table->key[i]) = (uint32_t)i;
    return true;
}

uint32_t table_add(struct table *table, struct hash128 key)
{
    if (table->count == table->capacity && !grow(table))
        return TABLE_NONE;
    uint32_t *slot = find_slot(table, key);
    if (*slot == TABLE_NONE) {
        *slot = (uint32_t)table->count;
        table->key[table->count++] = key;
    }
    return *slot;
}
