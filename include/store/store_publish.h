// SPDX-License-Identifier: MIT
// Publication: a complete new STORE.h5 from the published file and the journal, built beside it and renamed over it, so
// that a reader never meets a half-written or open file and is never locked out. Runs in a process of its own, since
// HDF5 on a full disk may take its process along. docs/store.md describes the layout.
#pragma once
#include "base_bytes.h"
#include "base_status.h"
#include "grid.h"
#include "record_table.h"
#include "spec_sweep.h"
#include <stddef.h>

// A name and a text for the attributes of group `run`: the program's version, its libraries, the launcher.
struct store_note {
    const char *name, *text;
};

struct store_publish_options {
    const char *token;     // of the owner, checked before the rename; NULL: nobody is checked
    record_derive *derive; // analyses across trials; NULL: none
    size_t notes_count;
    const struct store_note *notes;
    size_t memory; // bytes of columns held at a time, at least one column: 0 for 128 MiB
};

// Rows come in the grid's order, then those that the grid has no more, by identity: equal stores for equal results,
// whatever the order of commits. Nothing is replaced on failure: STATUS_FULL when the file system lacks the space,
// STATUS_IN_USE when the token is no longer the owner's. Damage in the journal is reported in `ret_warnings` (may be
// NULL). `options` may be NULL.
enum status_code store_publish(const char *path, const struct sweep *sweep, const struct grid *grid,
                               const struct store_publish_options *options, struct bytes *ret_warnings,
                               struct status *status) MUST_CHECK;

// Whether a run of `sweep` could go on with the store at `path`: STATUS_INVALID, with a line for each setting, when its
// fixed settings are others. STATUS_OK when there is no store yet. Takes no lock.
enum status_code store_accepts(const char *path, const struct sweep *sweep, struct status *status) MUST_CHECK;

// The sweep file's text that the store at `path` was last run with, from its journal, else its published file;
// appended, zero-terminated behind the end. STATUS_INVALID when there is neither.
enum status_code store_sweep_text(const char *path, struct bytes *ret_text, struct status *status) MUST_CHECK;
