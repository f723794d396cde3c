// SPDX-License-Identifier: MIT
// What a trial yields: self-describing values with named dimensions, one part for training and one for each test
// length.
#pragma once
#include "base_bytes.h"
#include "base_hash.h"
#include "base_status.h"
#include "record_fields.h"
#include "spec_settings.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORD_NAME_SIZE = 48, RECORD_DIMENSIONS = 4, RECORD_VERSION = 1 };

enum record_status { RECORD_PENDING, RECORD_DONE, RECORD_DIVERGED, RECORD_FAILED, RECORD_EXCLUDED, RECORD_STATUSES };
extern const char *const record_status_names[RECORD_STATUSES];

// One array. `field` is its row, or NULL for a field that this program does not know (kept as it came).
// `data` holds the product of the extents, in row-major order, native byte order; owned by the record.
struct record_value {
    const struct record_field *field;
    uint16_t id;
    uint8_t type; // enum record_type
    uint8_t dimensions;
    char name[RECORD_NAME_SIZE];
    char dimension[RECORD_DIMENSIONS][RECORD_NAME_SIZE];
    uint32_t extent[RECORD_DIMENSIONS];
    void *data; // never NULL, even without elements
};

struct record_part {
    enum record_part_kind kind;
    int64_t test_length; // of a test part; 0 for training
    size_t count, capacity;
    struct record_value *values;
};

// Zero-initialised is an empty record; record_fini frees all of it.
struct record {
    struct hash128 identity;
    uint32_t numerics;
    enum record_status status;
    struct settings settings; // values that are texts are the giver's, but `texts` of a decoded record
    struct arena *texts;
    size_t parts_count, parts_capacity;
    struct record_part *parts;
    // Failure only (status RECORD_FAILED):
    char reason[256]; // empty otherwise
    int32_t exit_status, signal;
    int64_t last_step;
    uint32_t attempts;
};

void record_init(struct record *record, const struct settings *settings); // identity, numerics; status pending
void record_fini(struct record *record);                                  // accepts a zeroed one

// The part of that kind (and test length), added at the end when `create`; NULL when absent or memory is out.
struct record_part *record_part(struct record *record, enum record_part_kind kind, int64_t test_length, bool create);
const struct record_part *record_find_part(const struct record *record, enum record_part_kind kind,
                                           int64_t test_length);

// Adds the field with the given extents (one for each of its dimensions, in the table's order; NULL for a scalar),
// filled with the fill value (NaN, or 0 for integers); or returns the data it already has when the extents agree. NULL
// when memory is out, or when the part has this id already in another shape. The field must belong to this kind of
// part. The pointer holds until record_fini.
void *record_add(struct record_part *part, enum record_field_id id, const uint32_t *extents);
// The value, or NULL; `part` may be NULL. A value that the table describes otherwise is unknown, hence not found.
const struct record_value *record_find(const struct record_part *part, enum record_field_id id);
size_t record_size(const struct record_value *value); // number of elements
// Element `at` of the flattened array as double; NaN when the field is absent or ends before. `part` may be NULL.
double record_real(const struct record_part *part, enum record_field_id id, size_t at);
// The same of a value, known or not; NULL gives NaN.
double record_element(const struct record_value *value, size_t at);
// Adds or overwrites a scalar, converted to the field's type. STATUS_MEMORY, or STATUS_INTERNAL for a number that an
// integer field cannot hold.
enum status_code record_put_real(struct record_part *part, enum record_field_id id, double value) MUST_CHECK;

// Byte encoding, little-endian; texts and blobs as in base_bytes.h:
//   u32 version, u64 identity high, u64 low, u32 numerics, u32 status, settings (spec_settings.h),
//   text reason, u32 exit status, u32 signal, u64 last step, u32 attempts,
//   u32 parts, each: u32 kind, u64 test length, u32 values,
//     each: u16 id, u8 type, u8 dimensions, text name, (text name, u32 extent) a dimension, blob elements
// NaNs of known fields are written as the one canonical NaN, so that equal records are equal bytes. Fields and
// dimensions unknown to this program survive decode → encode unchanged. Memory that runs out shows as bytes->failed.
void record_encode(const struct record *record, struct bytes *bytes);
// Any bytes give a record or an error: STATUS_DAMAGED for what no version writes, STATUS_INVALID for a newer version or
// a setting of one, STATUS_MEMORY. Allocates no more than a small multiple of `size`. *ret_record is overwritten, not
// freed.
enum status_code record_decode(const void *data, size_t size, struct record *ret_record,
                               struct status *status) MUST_CHECK;

// Moves into `target` the parts that it lacks from `source`: the training part of the first wins, so that lengths added
// later join the trial. What both have stays in `source`, which the caller frees as before. A target that is pending or
// failed takes over the status of a source that is done or diverged, and its failure is forgotten. STATUS_INVALID for
// two identities or two numerics, STATUS_MEMORY; both records are then unchanged.
enum status_code record_merge(struct record *target, struct record *source, struct status *status) MUST_CHECK;
