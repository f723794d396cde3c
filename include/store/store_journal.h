// SPDX-License-Identifier: MIT
// The append-only journal STORE.h5.journal, little-endian.
//
//   header, 32 bytes:  magic "LGSWJRNL", u32 version, u32 numerics, u64 id, u64 XXH3-64 of the 24 bytes before it
//   entry, 40 bytes:   magic "LGSWENTR", u32 kind, u32 payload size, identity (u64 high, u64 low), u64 checksum;
//                      then the payload. The checksum is XXH3-64 of two u64: XXH3-64 of the 32 bytes before it, and
//                      XXH3-64 of the payload
//
// Payloads: STORE_SWEEP: see store_sweep.h. STORE_RESULT and STORE_FAILURE: u8 status, u8 flags (1: has a training
// part, 2: a twin), u32 count of test lengths and each as u64, host and version as texts, finished as f64, u32
// attempts, then record_encode to the end. STORE_ATTEMPT: u32 attempts so far. Entries of unknown kinds are passed
// over. No process but the store's owner writes here.
#pragma once
#include "base_bytes.h"
#include "base_hash.h"
#include "base_status.h"
#include <stdbool.h>
#include <stdint.h>

enum { STORE_JOURNAL_VERSION = 1, STORE_JOURNAL_HEADER = 32, STORE_JOURNAL_ENTRY = 40 };
enum store_entry_kind { STORE_SWEEP = 1, STORE_RESULT, STORE_FAILURE, STORE_ATTEMPT };

// STORE.h5 → STORE.h5.journal; freed by the caller, NULL when memory is out.
char *store_journal_path(const char *store_path);

// Appends the file header, or one entry, to `bytes`.
void store_journal_put_header(struct bytes *bytes, uint32_t numerics, uint64_t id);
void store_journal_put(struct bytes *bytes, enum store_entry_kind kind, struct hash128 identity, const void *payload,
                       size_t size);

struct store_entry {
    uint32_t kind; // enum store_entry_kind, or one of a later version
    struct hash128 identity;
    uint64_t offset;              // of the entry in the file
    const unsigned char *payload; // valid until the next call
    size_t size;
};

struct store_journal;

// Opens for reading. *ret_journal is NULL when there is no file, or when its header was never completed (torn at
// creation). STATUS_INVALID: not a journal, another version, another numerics than `numerics` (0: any).
enum status_code store_journal_open(const char *store_path, uint32_t numerics, struct store_journal **ret_journal,
                                    struct status *status) MUST_CHECK;
void store_journal_close(struct store_journal *journal); // accepts NULL

// The next sound entry, in file order; *ret_found is false at the end. Damage is passed over to the next entry whose
// checksum holds, with a line in `ret_warnings` (may be NULL) that names offset and length.
enum status_code store_journal_next(struct store_journal *journal, struct store_entry *ret_entry, bool *ret_found,
                                    struct bytes *ret_warnings, struct status *status) MUST_CHECK;
// The entry at an offset that store_journal_next gave. STATUS_DAMAGED when it is not there any more.
enum status_code store_journal_fetch(struct store_journal *journal, uint64_t offset, struct store_entry *ret_entry,
                                     struct status *status) MUST_CHECK;

uint64_t store_journal_id(const struct store_journal *journal);
uint64_t store_journal_size(const struct store_journal *journal); // of the file when it was opened
// Once store_journal_next has reached the end: the end of the last sound entry, and the bytes passed over before it.
uint64_t store_journal_end(const struct store_journal *journal);
uint64_t store_journal_damage(const struct store_journal *journal);
