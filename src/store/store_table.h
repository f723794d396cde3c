// SPDX-License-Identifier: MIT
// A struct record_table over an open store: scalar columns are read when they are asked for, and kept.
#pragma once
#include "record_table.h"
#include "store_h5.h"
#include "store_rows.h"
#include "store_schema.h"

struct store_table {
    struct record_table table; // table.self is this struct
    struct arena *arena;
    hid_t file;
    const char *path;
    const struct schema *schema;
    const double **columns; // (record_fields_count), NULL until read
};

struct store_table_source {
    hid_t file;
    const char *path;
    const struct schema *schema;
    size_t rows_count, lengths_count;
    const struct store_row *rows;
    const int64_t *lengths;
};

// Everything is allocated from `arena`; what `source` points at must outlive it.
enum status_code store_table_create(const struct store_table_source *source, const struct row_lookup *lookup,
                                    struct arena *arena, struct store_table **ret_table,
                                    struct status *status) MUST_CHECK;
