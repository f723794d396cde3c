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
    struct table_slot {
        uint32_t number; // TABLE_NONE where free
        uint32_t tag;    // bits of the key, so that strangers are told without fetching it
    } * slot;            // (slots), a power of two
    size_t slots;
};
void table_fini(struct table *table);
bool table_reserve(struct table *table, size_t count); // room for `count` keys at least; false when memory is out
uint32_t table_find(const struct table *table, struct hash128 key);

// The number of `key`, a new one when it was not there; TABLE_NONE when memory is out.
uint32_t table_add(struct table *table, struct hash128 key);
