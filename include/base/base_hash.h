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

// hash_128 of data that comes in pieces. Plain memory of the caller, without an end to call.
struct hash_stream {
    _Alignas(64) unsigned char state[576];
};
void hash_begin(struct hash_stream *stream);
void hash_more(struct hash_stream *stream, const void *data, size_t size);
struct hash128 hash_end(const struct hash_stream *stream); // of what came so far

bool hash_equal(struct hash128 a, struct hash128 b);
int hash_compare(const void *a, const void *b);                     // for qsort and bsearch over struct hash128
void hash_text(struct hash128 hash, char ret_text[HASH_TEXT_SIZE]); // 32 lower-case hexadecimal digits
bool hash_parse(const char *text, size_t length, struct hash128 *ret_hash);
