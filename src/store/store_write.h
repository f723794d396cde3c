// SPDX-License-Identifier: MIT
// The new file, station by station. Identifiers are closed with the file, which is opened for strong closing.
#pragma once
#include "store_fill.h"
#include "store_h5.h"
#include "store_plan.h"
#include "store_publish.h"

// A dimension of fields: eval, phase, …
struct dimension {
    const char *name;
    char dataset[RECORD_NAME_SIZE + 8]; // its own, unless a setting or an axis is called so
    uint32_t extent;
    bool in_trials, in_run;
    hid_t root, trials, run; // scales
    // Values that all trials share (loss_level), instead of an index; copied from the column.
    ptrdiff_t column; // -1: none
    void *values;
};

struct writing {
    struct h5 h5;
    struct plan *plan;
    const struct store_publish_options *options;
    struct fill fill;
    hid_t file, trials, run;
    hid_t trials_trial, trials_length, run_trial, run_length; // scales
    hid_t axis[H5_RANK], replicate, length;                   // scales of the root
    size_t dimensions_count;
    struct dimension *dimensions;
    bool has_step;                 // the root has `step` along eval, the same for all trials
    const char *trial_coordinates; // names for the attribute `coordinates` in trials
    size_t cell_axes;              // axes and replicate
    hsize_t cell_size[H5_RANK];    // extents of these
};

// What a variable says of itself. NULL leaves an attribute out.
struct about {
    const char *long_name, *unit, *help, *coordinates;
};
enum status_code store_write_about(const struct h5 *h5, hid_t object, const struct about *about) MUST_CHECK;

// A setting's values along a dimension: a scale of its own when `scale` is 0. A choice is text, with its code beside
// it.
enum status_code store_write_setting(const struct h5 *h5, hid_t parent, const struct setting *setting, hid_t scale,
                                     size_t count, const union setting_value *values, hid_t *ret_dataset) MUST_CHECK;

// In this order: root attributes and groups; the columns that become coordinates; dimensions; what is known of each
// trial; all other columns, with the cube; results across trials; group run.
enum status_code store_write_root(struct writing *writing) MUST_CHECK;
enum status_code store_write_leading(struct writing *writing) MUST_CHECK;
enum status_code store_write_trials(struct writing *writing) MUST_CHECK;
enum status_code store_write_columns(struct writing *writing) MUST_CHECK;
enum status_code store_write_derived(struct writing *writing) MUST_CHECK;
enum status_code store_write_run(struct writing *writing) MUST_CHECK;

// Pieces of these.
enum status_code store_write_scales(struct writing *writing) MUST_CHECK;
enum status_code store_write_column(struct writing *writing, size_t column) MUST_CHECK;
enum status_code store_write_cube(struct writing *writing, size_t column) MUST_CHECK;
// _FillValue and what the field's row says.
enum status_code store_write_field(const struct writing *writing, hid_t dataset, const struct column *column,
                                   const char *coordinates) MUST_CHECK;
enum status_code store_write_cube_status(struct writing *writing) MUST_CHECK;
struct dimension *store_write_dimension(const struct writing *writing, const char *name); // NULL: none
// Names of the coordinates of a variable of the cube: of axes, and of test length and eval where it has them. In the
// plan's arena; NULL when memory is out.
const char *store_write_cube_coordinates(const struct writing *writing, bool has_length, bool has_eval);
