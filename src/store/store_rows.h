// SPDX-License-Identifier: MIT
// Rows of `trials` by identity, and how they belong together.
#pragma once
#include "base_arena.h"
#include "base_status.h"
#include "store_view.h"
#include <stddef.h>

struct row_slot {
    struct hash128 identity;
    size_t row;
};

// Sorted by identity; the first of `count` slots is NULL for none.
struct row_lookup {
    size_t count;
    struct row_slot *slots;
};

enum status_code store_rows_sort(const struct store_row *rows, size_t count, struct arena *arena,
                                 struct row_lookup *ret_lookup, struct status *status) MUST_CHECK;
ptrdiff_t store_rows_find(const struct row_lookup *lookup, struct hash128 identity); // row, or -1

// group: rows that differ in their replicate alone share a number, counted from 0 in the order of the rows.
// twin: the row at noise rate 0 with the same settings and replicate; itself where the rate is 0; -1 when there is
// none.
enum status_code store_rows_relate(const struct store_row *rows, size_t count, const struct row_lookup *lookup,
                                   struct arena *arena, size_t **ret_group, ptrdiff_t **ret_twin,
                                   struct status *status) MUST_CHECK;
