// SPDX-License-Identifier: MIT
// A sweep as plain data: what a sweep file says, with ranges written out. Built by config, read by grid and store.
#pragma once
#include "base_arena.h"
#include "base_bytes.h"
#include "spec_settings.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A place in the sweep file, for errors found after parsing; line and column (in characters) count from 1, 0 for none.
struct source_place {
    int line, column;
};

// A test length: absolute tokens, or a multiple of the train length ("4x"), resolved for each train length.
struct test_length {
    double value;
    bool relative;
    struct source_place place;
};

// One column of an axis: a setting and its values along the axis. A plain axis has one; a zip block has several.
struct axis_column {
    const struct setting *setting;
    const union setting_value *values; // (count)
    struct source_place place;
};

// A dimension of the grid other than replicate and test length. No two of its rows are equal.
struct axis {
    const char *name; // the setting's name, or the zip block's
    size_t count;
    size_t columns_count;
    const struct axis_column *columns;
    struct source_place place;
};

// Cells to leave out: every condition must match, and one matches when any of its values does. A condition on
// test_length has setting NULL and lists lengths; it takes single lengths from the cells that the other conditions
// match.
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
    struct settings base; // settings that are not axes
    int64_t replicates;
    bool twins;
    size_t axes_count;
    const struct axis *axes; // in declared order; test_length is not among them
    size_t lengths_count;
    const struct test_length *lengths; // default: 1x
    bool lengths_axis;                 // test_length was declared in the grid
    size_t lengths_position;           // how many axes were declared before it
    size_t exclusions_count;
    const struct exclusion *exclusions;
    const struct source_place *places; // (settings_count) where each setting was given, in a section or as an axis
};

// A test length in tokens for one train length; 0 when it is not a whole number from 1 to TEST_LENGTH_LIMIT.
enum { TEST_LENGTH_LIMIT = 1 << 24 };
int64_t test_length_tokens(struct test_length length, int64_t train_length);
// "4x", "256", as in the file. Returns `ret_text`.
char *test_length_text(struct test_length length, char ret_text[SETTING_TEXT_SIZE]);

// Appends, on a new line where there is text before, "path:line:column: message" and, where the place has a line, that
// line with a caret; long lines are cut around the caret, and bytes that a terminal might obey are shown as '?'. Reads
// only path, text and text_size of the sweep.
//   sweeps/a.yaml:14:3: unknown key 'train_lenght'; did you mean 'train_length'?
//       14 |   train_lenght: 64
//          |   ^
void sweep_describe(const struct sweep *sweep, struct source_place place, const char *message, struct bytes *ret_text);
