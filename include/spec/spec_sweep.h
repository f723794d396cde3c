// SPDX-License-Identifier: MIT
// A sweep as plain data: what a sweep file says, with ranges written out. Built by config, read by grid and store.
#pragma once
#include "base_arena.h"
#include "spec_settings.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A place in the sweep file, for errors found after parsing; line and column count from 1, 0 for none.
struct source_place {
    int line, column;
};

// A test length: absolute tokens, or a multiple of the train length ("4x"), resolved for each train length.
struct test_length {
    double value;
    bool relative;
};

// One column of an axis: a setting and its values along the axis. A plain axis has one; a zip block has several.
struct axis_column {
    const struct setting *setting;
    const union setting_value *values; // (count)
    struct source_place place;
};

// A dimension of the grid other than replicate and test length.
struct axis {
    const char *name; // the setting's name, or the zip block's
    size_t count;
    size_t columns_count;
    const struct axis_column *columns;
    struct source_place place;
};

// Cells to leave out: every condition must match. A condition on test_length has setting NULL and lists lengths.
struct exclusion_condition {
    const struct setting *setting;
    size_t count;
    const union setting_value *values;
    const struct test_length *lengths;
};
struct exclusion {
    size_t count;
    const struct exclusion_condition *conditions;
    struct source_place place;
};

struct sweep {
    const char *name, *path; // path as the user gave it
    const char *text;        // the file's bytes, zero-terminated
    size_t text_size;
    struct settings base;    // settings that are not axes
    int64_t replicates;
    bool twins;
    size_t axes_count;
    const struct axis *axes; // in declared order; test_length is not among them
    size_t lengths_count;
    const struct test_length *lengths; // default: 1x
    bool lengths_axis;                 // test_length was declared in the grid
    size_t lengths_position;           // its place among the axes as declared
    size_t exclusions_count;
    const struct exclusion *exclusions;
    // Where each setting was given, by setting_index, for errors; and the name of the grid's or section's key.
    const struct source_place *places;
};
