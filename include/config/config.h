// SPDX-License-Identifier: MIT
// Sweep file → struct sweep. Station after: grid_expand.
//
// The file is YAML with plain mappings, lists and scalars only: no anchors, aliases, merge keys or tags, and one
// document. Types come from the settings table, never from YAML. Axis values are a list, one value, or a range, which
// has
//   from, to, points           both ends included, evenly spaced; computed in decimal, so that 0.1 steps give 0.1, 0.2,
//   0.3
//                              as written; points whose decimals do not end are rounded to 12 significant digits
//   from, to, step             computed in decimal; goes on while `to` is not passed, and has `to` when it is reached
//   from, to, points, scale: log   ends exactly as written, points between them rounded to 12 significant digits; for
//                              integer settings to the nearest integer, repeated ones dropped
// Integer settings refuse a linear range with a fractional point.
#pragma once
#include "base_arena.h"
#include "base_bytes.h"
#include "base_status.h"
#include "spec_sweep.h"

enum {
    CONFIG_MAX_BYTES = 1 << 20, // of a sweep file
    CONFIG_MAX_VALUES = 10000,  // of one axis, and of any list
    CONFIG_MAX_KEYS = 256,      // of one mapping
    CONFIG_MAX_DEPTH = 16,      // of nested mappings and lists
    CONFIG_MAX_ERRORS = 20,     // described in full; more are counted
    CONFIG_MAX_REPLICATES = 1000000,
};

// Reads and checks a sweep file. Everything is allocated from `arena`; what the sweep points to lives as long. On
// failure the status text has one block an error as in sweep_describe, in the order of the file: all errors of the
// file, up to CONFIG_MAX_ERRORS, as far as the text has room, then the number of those left out. After an error of
// YAML's syntax, which hides what follows, that one alone. STATUS_INVALID for what the file says, STATUS_SYSTEM when it
// cannot be read, STATUS_MEMORY. `ret_warnings` (may be NULL) takes warnings in the same form, appended; also on
// failure.
enum status_code config_load(const char *path, struct arena *arena, struct sweep *ret_sweep, struct bytes *ret_warnings,
                             struct status *status) MUST_CHECK;
// The same from memory; `path` is for messages and the default name. Copies path and text.
enum status_code config_parse(const char *path, const char *text, size_t size, struct arena *arena,
                              struct sweep *ret_sweep, struct bytes *ret_warnings, struct status *status) MUST_CHECK;
