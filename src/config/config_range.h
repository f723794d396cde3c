// SPDX-License-Identifier: MIT
// Axis values as texts: a list, one value, or a range written out. Texts, so that every value takes the one way from
// decimal digits to a setting.
#pragma once
#include "config_tree.h"
#include <stdbool.h>
#include <stddef.h>

struct item {
    const char *text;
    size_t length;
    struct source_place place;
};

struct items {
    size_t count;
    const struct item *item;
};

enum item_type {
    ITEMS_NAMES,    // no ranges
    ITEMS_REALS,    // ranges of reals
    ITEMS_INTEGERS, // ranges of integers
    ITEMS_LENGTHS,  // ranges of integers, or of reals with an x behind both ends and every point
};

// False, with errors in the report, for anything but a non-empty list of scalars, a scalar or a range.
bool items_read(struct report *report, const struct node *node, enum item_type type, struct items *ret_items);

// The same of texts. A value is a scalar; a list of scalars, which stand one space apart; or a list of such lists,
// which stand "; " apart. White space in scalars becomes single spaces, so that equal values are equal texts; a text
// that is not hashed (a path) is one scalar as it stands.
bool texts_read(struct report *report, const struct setting *setting, const struct node *node, struct items *ret_items);
bool text_read(struct report *report, const struct setting *setting, const struct node *node, struct item *ret_item);

// The points of a range; `map` is a mapping.
bool range_read(struct report *report, const struct node *map, enum item_type type, struct items *ret_items);
