// SPDX-License-Identifier: MIT
// What a store has, without the results: for each trial its state, and where each of its parts is. Parts are taken from
// the first source that has them; a result replaces a failure.
#pragma once
#include "base_hash.h"
#include "base_status.h"
#include "record.h"
#include "store_journal.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Where a part is: the offset of an entry in the journal (never 0), or the published file.
enum { INDEX_PUBLISHED = 0 };
enum { INDEX_TRAINING = 0 }; // stands for a test length: the training part

struct index_part {
    int64_t test_length;
    uint64_t source;
    struct index_part *next; // ascending
};

struct index_entry {
    struct hash128 identity;
    enum record_status status; // pending: attempts only
    bool twin;
    uint32_t attempts; // entries STORE_ATTEMPT, or what the published file says, whichever is more
    uint64_t source;   // of status, settings, failure and origin
    size_t row;        // in the published file; SIZE_MAX: none
    struct index_part *parts;
};

struct store_index;

enum status_code store_index_create(struct store_index **ret_index, struct status *status) MUST_CHECK;
void store_index_destroy(struct store_index *index); // accepts NULL

size_t store_index_count(const struct store_index *index);
const struct index_entry *store_index_at(const struct store_index *index, size_t at); // in order of arrival
const struct index_entry *store_index_find(const struct store_index *index, struct hash128 identity); // or NULL
const struct index_part *store_index_part(const struct index_entry *entry, int64_t test_length);      // or NULL

// A trial as a source has it, with its test lengths.
struct index_source {
    struct hash128 identity;
    enum record_status status;
    bool trained, twin;
    uint32_t attempts;
    uint64_t source;
    size_t row;
    size_t lengths_count;
    const int64_t *lengths;
};
enum status_code store_index_add(struct store_index *index, const struct index_source *source,
                                 struct status *status) MUST_CHECK;
// A STORE_RESULT, STORE_FAILURE or STORE_ATTEMPT entry of the journal; others are passed over. STATUS_DAMAGED when the
// payload is not what its checksum promises.
enum status_code store_index_entry(struct store_index *index, const struct store_entry *entry,
                                   struct status *status) MUST_CHECK;
