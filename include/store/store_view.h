// SPDX-License-Identifier: MIT
// Reading a published store, and the state of one that is being written, without locking anyone out.
#pragma once
#include "base_arena.h"
#include "base_bytes.h"
#include "base_hash.h"
#include "base_status.h"
#include "record.h"
#include "record_table.h"
#include "spec_settings.h"
#include "store_lock.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store_view;

// One finished, failed or attempted trial.
struct store_row {
    struct hash128 identity;
    struct settings settings;
    uint32_t numerics;
    enum record_status status;
    bool twin;         // run along at noise_rate 0; not in the cube
    uint32_t attempts; // and of a failure:
    const char *reason;
    int32_t exit_status, signal;
    int64_t last_step;
    const char *host, *version; // the origin of its first part
    double finished;
};

// A dimension of the cube other than replicate and test length, with its columns (several for a zip block).
struct store_axis {
    const char *name;
    size_t count, columns_count;
    const struct setting *const *columns;     // (columns_count)
    const union setting_value *const *values; // (columns_count)[count]
};

// Results across trials (analyse's verdicts), by name. `code` is NULL for real variables, `real` for flags.
struct store_derived {
    const char *name, *long_name, *unit;
    size_t flags_count;
    const char *const *flags;
    const float *real;   // (rows, lengths), NaN absent
    const uint8_t *code; // (rows, lengths), STORE_ABSENT absent
};
enum { STORE_ABSENT = 255 };

// STATUS_SYSTEM: no such file; STATUS_INVALID: not HDF5, not a store, of a later schema; STATUS_DAMAGED: unreadable.
// Everything that a view returns is owned by it.
enum status_code store_view_open(const char *path, struct store_view **ret_view, struct status *status) MUST_CHECK;
void store_view_close(struct store_view *view); // accepts NULL

const char *store_view_path(const struct store_view *view);
const char *store_view_name(const struct store_view *view);       // the sweep's
const char *store_view_sweep_text(const struct store_view *view); // the sweep file
const char *store_view_published(const struct store_view *view);  // "2026-11-30T13:06:11Z"
uint32_t store_view_numerics(const struct store_view *view);
bool store_view_has_cube(const struct store_view *view);
uint64_t store_view_journal(const struct store_view *view, uint64_t *ret_end); // id and end of the journal it covers

size_t store_view_rows(const struct store_view *view);
const struct store_row *store_view_row(const struct store_view *view, size_t row);
ptrdiff_t store_view_find(const struct store_view *view, struct hash128 identity); // row, or -1
size_t store_view_axes(const struct store_view *view, const struct store_axis **ret_axes);
size_t store_view_replicates(const struct store_view *view); // of the cube
size_t store_view_cube_lengths(const struct store_view *view, const int64_t **ret_lengths);
// The settings that are not axes have one value, in *ret_settings; `false` for one that varies among rows.
bool store_view_fixed(const struct store_view *view, const struct setting *setting, union setting_value *ret_value);

// Test lengths of `trials`: the sorted union over all rows. A row has some of them.
size_t store_view_lengths(const struct store_view *view, const int64_t **ret_lengths);
bool store_view_has(const struct store_view *view, size_t row, int64_t test_length);
bool store_view_trained(const struct store_view *view, size_t row); // has a training part

// The record exactly as it was appended (parts by test length), unknown fields included.
enum status_code store_view_record(struct store_view *view, size_t row, struct record *ret_record,
                                   struct status *status) MUST_CHECK;

// All rows as columns; `group` and `twin` are set. Columns are read on first use; NULL too when one cannot be read.
const struct record_table *store_view_table(struct store_view *view);

size_t store_view_derived(struct store_view *view, const struct store_derived **ret_derived);

// The state of a store whether or not a run owns it: what is in the published file or the journal, each trial once.
struct store_failure {
    struct hash128 identity;
    uint32_t attempts;
    int32_t exit_status, signal;
    int64_t last_step;
    const char *reason;
    const char *settings; // canonical lines that differ from the defaults, "snr=4, encoding=rope"
};
// A trial that the store knows of.
struct store_trial {
    struct hash128 identity;
    enum record_status status; // pending: attempted alone
    size_t lengths_count;
    const int64_t *lengths; // test lengths with results, ascending
};
struct store_summary {
    const char *name;       // the sweep's
    const char *sweep_text; // the sweep file that the store was last run with; NULL: not known
    size_t sweep_text_size;
    bool owned; // by a living process: `owner`
    struct store_owner owner;
    size_t planned;                           // trials of the grid; 0 when the store does not say
    size_t done, diverged, failed, attempted; // attempted: without a result yet
    size_t parts;                             // test lengths finished
    double changed;                           // last write to the journal or store, seconds since 1970
    uint64_t journal_bytes, damaged_bytes;
    bool published; // there is an HDF5 file
    size_t failures_count;
    const struct store_failure *failures; // by identity
    size_t trials_count;
    const struct store_trial *trials; // in order of arrival, those of earlier sweeps too
};
// Everything is allocated from `arena`. STATUS_SYSTEM when there is neither file.
enum status_code store_journal_summary(const char *path, struct arena *arena, struct store_summary *ret_summary,
                                       struct bytes *ret_warnings, struct status *status) MUST_CHECK;
