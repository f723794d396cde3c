// SPDX-License-Identifier: MIT
#include "grid_sets.h"
#include <stdlib.h>
#include <string.h>

bool sets_init(struct length_sets *sets, struct arena *arena)
{
    *sets = (struct length_sets){.arena = arena};
    int64_t none;
    return sets_add(sets, &none, 0) == 0;
}

void sets_fini(struct length_sets *sets)
{
    table_fini(&sets->table);
    free(sets->set);
    free(sets->scratch);
    *sets = (struct length_sets){0};
}

int64_t *sets_scratch(struct length_sets *sets, size_t count)
{
    if (count <= sets->scratch_capacity && sets->scratch)
        return sets->scratch;
    int64_t *scratch = realloc(sets->scratch, (count + 1) * sizeof *scratch);
    if (!scratch)
        return NULL;
    sets->scratch = scratch;
    sets->scratch_capacity = count;
    return scratch;
}

static int compare_lengths(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static size_t sort_distinct(int64_t *lengths, size_t count)
{
    size_t kept = 0;
    qsort(lengths, count, sizeof *lengths, compare_lengths);
    for (size_t i = 0; i < count; i++)
        if (!kept || lengths[i] != lengths[kept - 1])
            lengths[kept++] = lengths[i];
    return kept;
}

static bool keep(struct length_sets *sets, const int64_t *lengths, size_t count)
{
    if (sets->table.count > sets->capacity) {
        size_t capacity = 2 * sets->table.count;
        struct length_set *set = realloc(sets->set, capacity * sizeof *set);
        if (!set)
            return false;
        sets->set = set;
        sets->capacity = capacity;
    }
    int64_t *copy = arena_get(sets->arena, count, sizeof *copy);
    if (!copy)
        return false;
    memcpy(copy, lengths, count * sizeof *copy);
    sets->set[sets->table.count - 1] = (struct length_set){count, copy};
    return true;
}

uint32_t sets_add(struct length_sets *sets, int64_t *lengths, size_t count)
{
    count = sort_distinct(lengths, count);
    size_t before = sets->table.count;
    uint32_t id = table_add(&sets->table, hash_128(lengths, count * sizeof *lengths));
    if (id != TABLE_NONE && sets->table.count > before && !keep(sets, lengths, count))
        return TABLE_NONE;
    return id;
}

static bool contains(const struct length_set *set, const struct length_set *part)
{
    size_t at = 0;
    for (size_t i = 0; i < part->count; i++) {
        while (at < set->count && set->lengths[at] < part->lengths[i])
            at++;
        if (at == set->count || set->lengths[at] != part->lengths[i])
            return false;
    }
    return true;
}

uint32_t sets_union(struct length_sets *sets, uint32_t a, uint32_t b)
{
    if (a == b || a == TABLE_NONE || b == TABLE_NONE)
        return a == b ? a : TABLE_NONE;
    const struct length_set *first = &sets->set[a], *second = &sets->set[b];
    if (contains(first, second))
        return a;
    int64_t *both = sets_scratch(sets, first->count + second->count);
    if (!both)
        return TABLE_NONE;
    memcpy(both, first->lengths, first->count * sizeof *both);
    memcpy(both + first->count, second->lengths, second->count * sizeof *both);
    return sets_add(sets, both, first->count + second->count);
}
