// SPDX-License-Identifier: MIT
#include "base_arena.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef LGSWEEP_SANITIZE
enum { OBJECTS_APART = 1 };
#else
enum { OBJECTS_APART = 0 };
#endif

enum { ALIGNMENT = 64, BLOCK_LIMIT = 48 };

struct block {
    unsigned char *data; // NULL when objects are apart
    size_t size, used;
};

// Blocks behind `current` are empty. With OBJECTS_APART blocks only keep the accounts, which are thus the same.
struct arena {
    struct block block[BLOCK_LIMIT];
    size_t blocks, current, first_size, limit, total;
    void **object;
    size_t objects, object_capacity;
};

struct arena *arena_create(size_t block, size_t limit)
{
    struct arena *arena = calloc(1, sizeof *arena);
    if (!arena)
        return NULL;
    arena->first_size = block;
    arena->limit = limit;
    return arena;
}

static void free_objects(struct arena *arena, size_t keep)
{
    while (arena->objects > keep)
        free(arena->object[--arena->objects]);
}

void arena_destroy(struct arena *arena)
{
    if (!arena)
        return;
    free_objects(arena, 0);
    free(arena->object);
    for (size_t i = 0; i < arena->blocks; i++)
        free(arena->block[i].data);
    free(arena);
}

static size_t new_block_size(const struct arena *arena, size_t need)
{
    size_t size = arena->blocks ? arena->block[arena->blocks - 1].size : arena->first_size / 2;
    size = size > SIZE_MAX / 4 ? size : 2 * size;
    size = size > need ? size & ~(size_t)(ALIGNMENT - 1) : need;
    size_t left = arena->limit ? arena->limit - arena->total : SIZE_MAX;
    size_t most = left & ~(size_t)(ALIGNMENT - 1);
    if (need > most)
        return 0;
    return size > most ? most : size;
}

static bool add_block(struct arena *arena, size_t need)
{
    if (arena->blocks == BLOCK_LIMIT)
        return false;
    size_t size = new_block_size(arena, need);
    if (!size)
        return false;
    struct block block = {.size = size};
    if (!OBJECTS_APART && !(block.data = aligned_alloc(ALIGNMENT, size)))
        return false;
    arena->block[arena->blocks++] = block;
    arena->total += size;
    return true;
}

// The index of the block that has `need` bytes free, from the current one on; a new one if none has.
static bool find_block(struct arena *arena, size_t need, size_t *ret_index)
{
    for (size_t i = arena->current; i < arena->blocks; i++)
        if (arena->block[i].size - arena->block[i].used >= need)
            return *ret_index = i, true;
    if (!add_block(arena, need))
        return false;
    *ret_index = arena->blocks - 1;
    return true;
}

static void *add_object(struct arena *arena, size_t size)
{
    if (arena->objects == arena->object_capacity) {
        size_t capacity = arena->object_capacity ? 2 * arena->object_capacity : 64;
        void **grown = realloc(arena->object, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        arena->object = grown;
        arena->object_capacity = capacity;
    }
    void *object;
    if (posix_memalign(&object, ALIGNMENT, size ? size : 1))
        return NULL;
    return arena->object[arena->objects++] = object;
}

void *arena_get(struct arena *arena, size_t count, size_t size)
{
    size_t bytes, index;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    size_t need = bytes ? (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1) : ALIGNMENT;
    if (!find_block(arena, need, &index))
        return NULL;
    struct block *block = &arena->block[index];
    void *object = OBJECTS_APART ? add_object(arena, bytes) : block->data + block->used;
    if (!object)
        return NULL;
    block->used += need;
    arena->current = index;
    return memset(object, 0, bytes);
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? arena_get(arena, length + 1, 1) : NULL;
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

struct arena_mark arena_mark(const struct arena *arena)
{
    struct arena_mark mark = {.block = arena->current, .objects = arena->objects};
    if (arena->blocks)
        mark.used = arena->block[arena->current].used;
    return mark;
}

void arena_release(struct arena *arena, struct arena_mark mark)
{
    free_objects(arena, mark.objects);
    for (size_t i = mark.block; i < arena->blocks; i++)
        arena->block[i].used = i == mark.block ? mark.used : 0;
    arena->current = mark.block;
}

void arena_reset(struct arena *arena)
{
    arena_release(arena, (struct arena_mark){0});
}

size_t arena_used(const struct arena *arena)
{
    size_t used = 0;
    for (size_t i = 0; i < arena->blocks; i++)
        used += arena->block[i].used;
    return used;
}

size_t arena_blocks(const struct arena *arena)
{
    return arena->blocks;
}
