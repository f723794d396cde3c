// SPDX-License-Identifier: MIT
// An open view; its file stays what it was when a publication renames another over it.
#pragma once
#include "store_h5.h"
#include "store_rows.h"
#include "store_schema.h"
#include "store_table.h"
#include "store_view.h"

struct store_view {
    struct arena *arena;
    const char *path;
    hid_t file;
    uint32_t numerics;
    const char *name, *sweep_text, *published;
    uint64_t planned, journal_id, journal_end;
    bool has_cube;
    // Settings: one value for all rows, or a column.
    struct settings fixed;
    bool *is_fixed; // (settings_count)
    // Rows
    size_t rows_count, lengths_count;
    struct store_row *rows;
    int64_t *lengths;
    struct row_lookup lookup;
    struct schema schema;
    uint32_t *training_layout; // (rows)
    uint32_t *test_layout;     // (rows, lengths)
    // The cube
    size_t axes_count, replicates, cube_lengths_count;
    struct store_axis *axes;
    int64_t *cube_lengths;
    // On first use
    struct store_table *table;
    size_t derived_count;
    struct store_derived *derived;
};

// Station by station, called by store_view_open in this order.
enum status_code store_view_load_head(struct store_view *view, struct status *status) MUST_CHECK;
enum status_code store_view_load_rows(struct store_view *view, struct status *status) MUST_CHECK;
enum status_code store_view_load_layouts(struct store_view *view, struct status *status) MUST_CHECK;
enum status_code store_view_load_axes(struct store_view *view, struct status *status) MUST_CHECK;
enum status_code store_view_load_derived(struct store_view *view, struct status *status) MUST_CHECK;

// `count` values of a setting from the dataset of its name or, for a choice, of its codes.
enum status_code store_view_read_setting(struct store_view *view, const char *group, const struct setting *setting,
                                         size_t count, union setting_value *ret_values,
                                         struct status *status) MUST_CHECK;
size_t store_view_length_index(const struct store_view *view, int64_t test_length); // SIZE_MAX: none

// "snr=4, encoding=rope": what differs from the defaults; NULL when memory is out.
const char *store_settings_line(const struct settings *settings, struct arena *arena);
