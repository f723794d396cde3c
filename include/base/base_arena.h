// SPDX-License-Identifier: MIT
// Memory with one lifetime: many allocations, one release. Blocks are kept over a reset, so that a loop that resets or
// releases to a mark calls malloc only while it still grows.
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct arena;

// `block` is the size in bytes of the first block (later ones grow); `limit` bounds the sum of all blocks, 0 for none.
// Returns NULL when memory is out.
struct arena *arena_create(size_t block, size_t limit);
void arena_destroy(struct arena *arena); // accepts NULL

// `count` zeroed objects of `size` bytes, aligned to 64 bytes. NULL when the limit or memory is reached or the product
// overflows. Under sanitizers each object is an allocation of its own, so that overruns are seen.
void *arena_get(struct arena *arena, size_t count, size_t size);

// A copy of `length` bytes of `text` and a final zero.
char *arena_text(struct arena *arena, const char *text, size_t length);

// A mark remembers the fill level; releasing to it frees everything allocated since, keeping the blocks.
struct arena_mark {
    size_t block, used, objects;
};
struct arena_mark arena_mark(const struct arena *arena);
void arena_release(struct arena *arena, struct arena_mark mark);
void arena_reset(struct arena *arena);

size_t arena_used(const struct arena *arena);   // bytes handed out and not released
size_t arena_blocks(const struct arena *arena); // blocks so far: a test that a loop allocates nothing
