// SPDX-License-Identifier: MIT
// XXH3 hashes (xxHash): the same on every machine.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash128 {
    uint64_t high, low;
};
enum { HASH_TEXT_SIZE = 33 };

struct hash128 hash_128(const void *data, size_t size);
uint64_t hash_64(const void *data, size_t size);
bool hash_equal(struct hash128 a, struct hash128 b);
int hash_compare(const void *a, const void *b);                     // for qsort and bsearch over struct hash128
void hash_text(struct hash128 hash, char ret_text[HASH_TEXT_SIZE]); // 32 lower-case hexadecimal digits
bool hash_parse(const char *text, size_t length, struct hash128 *ret_hash);
