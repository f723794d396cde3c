// SPDX-License-Identifier: MIT
// Sweep file → struct sweep. Station after: grid_expand.
#pragma once
#include "base_arena.h"
#include "base_bytes.h"
#include "base_status.h"
#include "spec_sweep.h"

// Reads and checks a sweep file. Everything is allocated from `arena`. On failure the status text has one block an error
// (all errors of the file, up to 20):
//   sweeps/a.yaml:14:3: unknown key 'train_lenght'; did you mean 'train_length'?
//     14 |   train_lenght: 64
//        |   ^
// `ret_warnings` (may be NULL) takes warnings in the same form, appended.
enum status_code config_load(const char *path, struct arena *arena, struct sweep *ret_sweep,
                             struct bytes *ret_warnings, struct status *status) MUST_CHECK;
// The same from memory; `path` is for messages.
enum status_code config_parse(const char *path, const char *text, size_t size, struct arena *arena,
                              struct sweep *ret_sweep, struct bytes *ret_warnings, struct status *status) MUST_CHECK;

// "path:line:column: message" and the line with a caret, for errors found after parsing.
void config_describe(const struct sweep *sweep, struct source_place place, const char *message, struct bytes *ret_text);
