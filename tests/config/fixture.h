// SPDX-License-Identifier: MIT
// A sweep file in a string, read; and what came of it.
#pragma once
#include "config.h"
#include <stdbool.h>

struct parsed {
    struct arena *arena;
    enum status_code code;
    struct sweep sweep;
    struct bytes warnings;
    struct status status;
};

// As the file s.yaml. The caller calls parsed_fini, which fails a test when the status has a text cut off.
void parse_text(const char *text, struct parsed *ret_parsed);
void parse_bytes(const char *text, size_t size, struct parsed *ret_parsed);
void parsed_fini(struct parsed *parsed);

// Reads without errors and warnings, or fails the test with what they are.
void parse_good(const char *text, struct parsed *ret_parsed);

// The values of a column as "1 2 4"; the test lengths of the sweep. Owned by the arena.
const char *column_text(struct parsed *parsed, const struct axis *axis, size_t column);
const char *lengths_text(struct parsed *parsed);

// A setting of the sweep's base as canonical text. Owned by the arena.
const char *base_text(struct parsed *parsed, const char *name);

// Fails the test unless the file is refused and the text has `fragment`.
void assert_refused(const char *text, const char *fragment);
