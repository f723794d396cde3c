// SPDX-License-Identifier: MIT
// The text of a lock file: who owns the store.
#pragma once
#include "store_lock.h"

enum { OWNER_TEXT_SIZE = 1024 };

// This process, with a new token.
void store_owner_self(struct store_owner *ret_owner);
// The text; its length depends on the owner but not on the beat. Returns the length.
size_t store_owner_format(const struct store_owner *owner, char ret_text[OWNER_TEXT_SIZE]);
// Reads the file; false when there is none or it is not (yet) a whole text. *ret_missing tells the two apart.
bool store_owner_read(const char *lock_path, struct store_owner *ret_owner, bool *ret_missing);

// Whether a process of this number runs here: it exists, and has not ended without anybody noticing so far.
bool store_owner_runs(int64_t process);

enum owner_life { OWNER_DEAD, OWNER_ALIVE, OWNER_ELSEWHERE };
// Whether its process lives, as far as this host can tell.
enum owner_life store_owner_life(const struct store_owner *owner);
// True when this process is a later run of the owner's Slurm job.
bool store_owner_requeued(const struct store_owner *owner);
