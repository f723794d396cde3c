// SPDX-License-Identifier: MIT
// The one thread that writes the journal: what is queued between two syncs goes out as one group. It also keeps the
// lock's heartbeat, and asks the lock before each group whether the store is still ours.
#pragma once
#include "base_bytes.h"
#include "base_status.h"
#include "store_lock.h"
#include <stdint.h>

struct store_writer;

// Cuts the journal at `end` and appends from there. `lock` must outlive the writer.
enum status_code store_writer_open(const char *journal_path, uint64_t end, struct store_lock *lock,
                                   struct store_writer **ret_writer, struct status *status) MUST_CHECK;
// Writes what is queued and joins the thread. Accepts NULL.
void store_writer_close(struct store_writer *writer);

// Queues bytes. *ret_end is the offset behind them in the file; they are on disk once store_writer_synced reaches it.
enum status_code store_writer_append(struct store_writer *writer, const struct bytes *entry, uint64_t *ret_end,
                                     struct status *status) MUST_CHECK;
uint64_t store_writer_synced(const struct store_writer *writer);
enum status_code store_writer_health(struct store_writer *writer, struct status *status) MUST_CHECK;
enum status_code store_writer_wait(struct store_writer *writer, struct status *status) MUST_CHECK;
