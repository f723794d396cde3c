// SPDX-License-Identifier: MIT
// A sweep as plain data: what a sweep file says, with ranges written out. Built by config, read by grid and store.
#pragma once
#include "base_arena.h"
#include "base_bytes.h"
#include "base_hash.h"
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

// Weights to start from: those of the trial with the same settings, replicate included, but for the overrides, as the
// sweep of the store `from` saved them at a step. So the text of the sweep alone says which trial that is.
struct sweep_override {
    const struct setting *setting;
    union setting_value value;
};
enum { STEP_LAST = -1 };
struct sweep_init {
    const char *from; // path of the store; NULL: fresh draws
    int64_t step;     // STEP_LAST: the last
    size_t count;
    const struct sweep_override *with;
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
    struct sweep_init init;
    size_t saves_count;
    const int64_t *saves; // steps whose weights are saved, distinct; STEP_LAST: the last
    struct source_place saves_place;
    const struct source_place *places; // (settings_count) where each setting was given, in a section or as an axis
};

// A test length in tokens for one train length; 0 when it is not a whole number from 1 to TEST_LENGTH_LIMIT.
enum { TEST_LENGTH_LIMIT = 1 << 24 };
int64_t test_length_tokens(struct test_length length, int64_t train_length);
// "4x", "256", as in the file. Returns `ret_text`.
char *test_length_text(struct test_length length, char ret_text[SETTING_TEXT_SIZE]);

// Where a trial with these settings starts from. False: fresh draws. `settings` may have an init_source, which is not
// looked at.
bool sweep_source(const struct sweep *sweep, const struct settings *settings, struct hash128 *ret_identity,
                  int64_t *ret_step);
// Sets init_source accordingly; call it whenever another setting has changed.
void sweep_set_source(const struct sweep *sweep, struct settings *settings);
// Appends the lines of settings_canonical but that of init_source, whose number tells people nothing.
void settings_plain(const struct settings *settings, struct bytes *ret_text);
// The last step by which weights are called: STEP_LAST where the budget is not of steps, since their number shows.
int64_t settings_last_step(const struct settings *settings);
// Room for WEIGHTS_PATH_SIZE: "STORE.h5.weights", and in it "IDENTITY-STEP.safetensors", STEP being "last" for
// STEP_LAST. Return false when too long.
enum { WEIGHTS_PATH_SIZE = 4096 };
bool weights_folder(const char *store_path, char ret_path[WEIGHTS_PATH_SIZE]);
bool weights_path(const char *store_path, struct hash128 identity, int64_t step, char ret_path[WEIGHTS_PATH_SIZE]);

// Appends, on a new line where there is text before, "path:line:column: message" and, where the place has a line, that
// line with a caret; long lines are cut around the caret, and bytes that a terminal might obey are shown as '?'. Reads
// only path, text and text_size of the sweep.
//   sweeps/a.yaml:14:3: unknown key 'train_lenght'; did you mean 'train_length'?
//       14 |   train_lenght: 64
//          |   ^
void sweep_describe(const struct sweep *sweep, struct source_place place, const char *message, struct bytes *ret_text);
