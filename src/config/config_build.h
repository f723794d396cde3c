// SPDX-License-Identifier: MIT
// A sweep while it is read off its tree. Every reader reports what is wrong and goes on, so that one run shows all
// errors.
#pragma once
#include "config_range.h"
#include "config_report.h"
#include "config_tree.h"
#include "spec_sweep.h"

struct build {
    struct report *report;
    struct sweep *sweep;
    struct axis *axes;              // (settings_count), the first sweep->axes_count in use
    struct source_place *places;    // (settings_count)
    bool *broken;                   // (settings_count) an axis with mistakes, of which nothing more can be said
    struct source_place test_place; // of test_length
    const struct node *exclude;     // read last, since it speaks of axes; NULL without
    const struct node *init;        // likewise, of settings
};

// Notes that `setting` is given at `place`. False, with an error that has both places, when it was given before.
bool build_claim(struct build *build, const struct setting *setting, struct source_place place);

// One value; false with an error at the node.
bool value_read(struct build *build, const struct setting *setting, const struct node *node,
                union setting_value *ret_value);
// The values of a list, a single value or a range.
bool values_read(struct build *build, const struct setting *setting, const struct node *node,
                 union setting_value **ret_values, size_t *ret_count);
bool lengths_read(struct build *build, const struct node *node, struct test_length **ret_lengths, size_t *ret_count);

void grid_read(struct build *build, const struct node *grid);
void zip_read(struct build *build, const struct node *zip);
void test_length_read(struct build *build, const struct node *node, bool axis);
void save_read(struct build *build, const struct node *node);
void init_read(struct build *build, const struct node *node);
void exclude_read(struct build *build, const struct node *exclude);
void sweep_read(struct build *build, const struct node *root);

// The column that holds `setting`, and its axis; NULL when it is no axis.
const struct axis_column *build_column(const struct build *build, const struct setting *setting,
                                       const struct axis **ret_axis);
// Reports test lengths that are no whole number of tokens for some train length.
void lengths_check(struct build *build);
// Whether some train length has this test length among its own; true as well where a mistake hides the answer.
bool length_is_asked(const struct build *build, struct test_length length);

// The nearest setting that may be written in the section or, with `any_section`, anywhere: setting_nearest, which does
// not know test_length. NULL when none is near.
const char *nearest_setting(const char *name, enum setting_section section, bool any_section);

// Whether the key is one of the top level: a section or anything else that is no setting.
bool name_is_top_level(const struct node *name);
// Names that the store gives to its own dimensions and variables: no zip block can have them.
bool name_is_reserved(const struct node *name);
