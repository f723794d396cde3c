// SPDX-License-Identifier: MIT
// Hashes numbered in the order in which they came, with a way back from hash to number.
#pragma once
#include "base_hash.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_NONE UINT32_MAX

// Zero-initialised is empty. Fewer than 2^31 keys.
struct table {
    struct hash128 *key; // (count)
    size_t count, capacity;
    uint32_t *slot; // (slots), a power of two: numbers, TABLE_NONE where free
    size_t slots;
};
void table_fini(struct table *table);
uint32_t table_find(const struct table *table, struct hash128 key);

// The number of `key`, a new one when it was not there; TABLE_NONE when memory is out.
uint32_t table_add(struct table *table, struct hash128 key);
