// SPDX-License-Identifier: MIT
// Sets of test lengths, each kept once, however many trials have it.
#pragma once
#include "base_arena.h"
#include "grid_table.h"

// Distinct, ascending.
struct length_set {
    size_t count;
    const int64_t *lengths;
};

// Set 0 is the empty one. Lengths live in the arena.
struct length_sets {
    struct arena *arena;
    struct table table;
    struct length_set *set; // (table.count)
    size_t capacity;
    int64_t *scratch;
    size_t scratch_capacity;
};
bool sets_init(struct length_sets *sets, struct arena *arena); // false when memory is out
void sets_fini(struct length_sets *sets);

// Room for `count` lengths, valid until the next call of a function of this file; NULL when memory is out.
int64_t *sets_scratch(struct length_sets *sets, size_t count);

// The set of `count` lengths in any order, repeated ones counted once, which may be in scratch. TABLE_NONE when memory
// is out, also for an argument that is TABLE_NONE.
uint32_t sets_add(struct length_sets *sets, int64_t *lengths, size_t count);
uint32_t sets_union(struct length_sets *sets, uint32_t a, uint32_t b);
