// SPDX-License-Identifier: MIT
// A sweep file as a tree of nodes that keep their places. Only here and in config_syntax.c is libyaml known.
#pragma once
#include "config_report.h"
#include <stdbool.h>
#include <stddef.h>

enum node_kind {
    NODE_SCALAR,
    NODE_LIST,
    NODE_MAP,
    NODE_REFUSED, // reported already: readers pass over it
};

// In a mapping each child is a value with its key; the keys are scalars and no two are equal.
struct node {
    enum node_kind kind;
    struct source_place place;
    const char *text; // scalar: zero-terminated, but may contain zeros
    size_t length;
    bool quoted;
    const struct node *key;
    size_t count; // children
    struct node *first, *last, *next;
};

// NULL after an error of syntax or size, which is in the report. Whatever else YAML has beyond plain nodes (anchors,
// tags, further documents) is reported, and the tree is there.
struct node *tree_read(struct report *report, const char *text, size_t size);

bool node_is(const struct node *node, const char *text); // a scalar with this text
bool node_is_empty(const struct node *node);             // nothing, or ~

// A node as a message shows it: its text cut and made safe for a terminal, or "a list", "a mapping".
enum { QUOTE_SIZE = 64 };
char *node_quote(const struct node *node, char ret_text[QUOTE_SIZE]);
