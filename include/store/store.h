// SPDX-License-Identifier: MIT
// A sweep's results while it runs. Station before: grid_expand; after: store_publish, in a child process.
//
// The truth is the union of a published HDF5 file (STORE.h5) and an append-only journal beside it (STORE.h5.journal).
// A struct store owns the lock, an index of what is done, and a thread that writes and syncs; it holds no results.
// Every function is for the thread that opened the store.
#pragma once
#include "base_bytes.h"
#include "base_hash.h"
#include "base_status.h"
#include "grid.h"
#include "record.h"
#include "spec_sweep.h"
#include "store_lock.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

// Whether a store has a variable, dimension or group of this name of its own: one that is neither a setting, a field of
// records nor derived. An axis must not be called so.
bool store_uses_name(const char *name);

// Takes the lock, reads the index of the published file (if any), replays the journal (if any; a torn tail is cut off)
// and checks both against `sweep`. Missing files begin an empty store; their folder must exist. `options` may be NULL.
// `ret_warnings` (may be NULL) takes lines on what was dropped, skipped or fell back.
//
// STATUS_INVALID: a setting outside the axes differs from the store's (the text names it with both values), another
// `numerics`, a journal of another version, a file that is not HDF5 or not a store: nothing is written then.
// STATUS_IN_USE: another process has it; the text names its host, process and start.
enum status_code store_open(const char *path, const struct sweep *sweep, const struct grid *grid,
                            const struct store_lock_options *options, struct store **ret_store,
                            struct bytes *ret_warnings, struct status *status) MUST_CHECK;

// Writes and syncs what is queued, then releases the lock. Accepts NULL. To learn of errors, store_sync first.
void store_close(struct store *store);

// Where and when a result came about; kept apart from the science, in the store's group `run`.
struct store_origin {
    const char *host;    // NULL: empty
    const char *version; // of the program; NULL: empty
    double finished;     // seconds since 1970; NaN: unknown
};

// What the index knows. Everything here counts an appended result at once, synced or not.
bool store_done(const struct store *store, struct hash128 identity, int64_t test_length);
enum record_status store_status(const struct store *store, struct hash128 identity); // pending when unknown
uint32_t store_attempts(const struct store *store, struct hash128 identity);
size_t store_trials(const struct store *store); // trials with a result or a failure

// Queue an entry for the writer thread and return at once. *ret_ticket (may be NULL) is acknowledged by store_synced
// when the entry is on disk, never before. They fail with the writer's error (STATUS_FULL: no space, with the path),
// and go on failing: what was not acknowledged is then to be taken as lost.
//
// A result joins test lengths to a trial that has its training part already; a result replaces a failure, never the
// other way round; a second copy of a part is ignored.
enum status_code store_append_result(struct store *store, const struct record *record,
                                     const struct store_origin *origin, uint64_t *ret_ticket,
                                     struct status *status) MUST_CHECK;
// `record` has status RECORD_FAILED, reason, signal or exit status, last step and attempts.
enum status_code store_append_failure(struct store *store, const struct record *record,
                                      const struct store_origin *origin, uint64_t *ret_ticket,
                                      struct status *status) MUST_CHECK;
// One more attempt of this trial ended without a result; the count survives restarts.
enum status_code store_append_attempt(struct store *store, struct hash128 identity, uint64_t *ret_ticket,
                                      struct status *status) MUST_CHECK;

// Tickets are acknowledged in order: all up to this one are on disk. Cheap enough for a polling loop.
uint64_t store_synced(const struct store *store);
// The writer's error so far, without waiting.
enum status_code store_health(struct store *store, struct status *status) MUST_CHECK;
// Waits until everything appended is on disk.
enum status_code store_sync(struct store *store, struct status *status) MUST_CHECK;

// Publication is a child process that calls store_publish with store_token. `now` is clock_now().
// Due when something is new, no publication runs, and the last one ended at least 20 times its duration ago.
bool store_publish_due(const struct store *store, double now);
void store_publish_begun(struct store *store, double now);
void store_publish_ended(struct store *store, double now, bool succeeded);
const char *store_token(const struct store *store); // proves to store_publish that its parent still owns the store

// After the last publication: when the published file covers the whole journal, removes the journal (or keeps it as
// STORE.h5.journal.damaged when a part of it could not be read). STATUS_DAMAGED when the file does not cover it. Once
// it has succeeded, nothing but store_close may follow.
enum status_code store_finish(struct store *store, struct status *status) MUST_CHECK;
