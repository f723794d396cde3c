// SPDX-License-Identifier: MIT
// Columns as arrays over all rows, as many at a time as memory allows: from the published file, column by column, and
// from the journal, record by record.
#pragma once
#include "store_plan.h"

struct fill {
    struct plan *plan;
    void **data; // (columns) NULL where the column is not being filled
};

enum status_code store_fill_init(struct plan *plan, struct fill *ret_fill, struct status *status) MUST_CHECK;
void store_fill_fini(struct fill *fill); // accepts a zeroed one

// Adds a column to the next run; filled with the fill value.
enum status_code store_fill_add(struct fill *fill, size_t column, struct status *status) MUST_CHECK;
enum status_code store_fill_run(struct fill *fill, struct status *status) MUST_CHECK;
void store_fill_drop(struct fill *fill); // frees the columns' data

// Elements of one row, all test lengths and padding included; bytes of a whole column.
size_t store_fill_unit(const struct plan *plan, const struct column *column);
size_t store_fill_bytes(const struct plan *plan, const struct column *column);

// The extent of a column's value in a layout; NULL when it is not in it.
const uint32_t *store_fill_extent(const struct schema *schema, uint32_t layout, size_t column);

// The value that every row with this filled training column has, with the column's full extent; NULL when rows differ
// or none has it.
const void *store_fill_shared(const struct fill *fill, size_t column);
