// SPDX-License-Identifier: MIT
// One owner for each store. STORE.h5.lock holds an open-file-description lock and a text that names the owner; where
// the file system has no such locks, a heartbeat in the text stands in for it.
//
// Each owner writes a token of its own. Whoever finds another token there has lost the store (a resumed or stopped
// process, for one) and must not write: store_lock_fence, before each group of the journal and before the rename of a
// publication.
#pragma once
#include "base_bytes.h"
#include "base_status.h"
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>

struct store_lock;

// Zero-initialised gives the defaults.
struct store_lock_options {
    bool heartbeat;  // do not try open-file-description locks
    double beat;     // seconds between heartbeats: 2
    double patience; // a heartbeat that stands still for so long, as seen by the taker, is dead: 10
    // Stands in for fcntl(fd, F_OFD_SETLK or F_OFD_GETLK, lock) when not NULL: for tests of file systems.
    int (*lock_call)(int fd, int command, struct flock *lock);
};

enum { STORE_OWNER_TEXT = 256, STORE_TOKEN_SIZE = 33, STORE_MACHINE_SIZE = 80 };

// Who owns, or owned, a store, as its lock file says.
struct store_owner {
    char host[STORE_OWNER_TEXT];
    char machine[STORE_MACHINE_SIZE]; // boot id and namespace of process numbers: names of hosts may recur
    int64_t process;
    char since[32];             // local start of the ownership, "2026-11-30 13:06:11"
    char job[STORE_OWNER_TEXT]; // SLURM_JOB_ID, or empty
    int64_t restarts;           // SLURM_RESTART_COUNT
    int64_t started;            // the process's start in clock ticks since boot, against reused process numbers
    bool heartbeat;
    uint64_t beat;
    char token[STORE_TOKEN_SIZE];
};

// STATUS_IN_USE when a living process has it. Taken over: the lock of a dead process, a heartbeat that stands still,
// and that of an earlier run of the same Slurm job (requeued: a higher SLURM_RESTART_COUNT). Refusals of the kernel or
// file system (ENOLCK, ENOSYS, EINVAL, EOPNOTSUPP, 524 …) fall back to the heartbeat, with a line in `ret_warnings`
// (may be NULL). `options` may be NULL.
enum status_code store_lock_acquire(const char *store_path, const struct store_lock_options *options,
                                    struct store_lock **ret_lock, struct bytes *ret_warnings,
                                    struct status *status) MUST_CHECK;
void store_lock_release(struct store_lock *lock); // removes the file if it is still ours; accepts NULL

// STATUS_IN_USE when the lock file is gone or another's. May be called from any one thread at a time.
enum status_code store_lock_fence(struct store_lock *lock, struct status *status) MUST_CHECK;
// Seconds between calls of store_lock_beat; 0 when no heartbeat is needed.
double store_lock_interval(const struct store_lock *lock);
enum status_code store_lock_beat(struct store_lock *lock, struct status *status) MUST_CHECK;
const char *store_lock_token(const struct store_lock *lock);

// The same check for a process that has only the token: a publication, before its rename. Until it closes *ret_fd
// nobody takes the store over, so that no late rename undoes what a later owner has published; -1 where the file system
// has no locks, and then the check is all there is.
enum status_code store_lock_hold(const char *store_path, const char *token, int *ret_fd,
                                 struct status *status) MUST_CHECK;
// Whether this lock was taken from an owner that may live, and may still write once to what it has open.
bool store_lock_displaced(const struct store_lock *lock);

// Whether a process owns the store now, without taking or disturbing the lock; fills `ret_owner` then. A heartbeat on
// another host counts as alive.
bool store_lock_owner(const char *store_path, struct store_owner *ret_owner);
