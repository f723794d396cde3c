// SPDX-License-Identifier: MIT
// What a trial yields: self-describing values with named dimensions, one part for training and one for each test length.
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
    void *data;
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
    struct settings settings;
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

// Adds the field with the given extents (one for each of its dimensions, in the table's order), filled with the fill
// value (NaN, or 0 for integers); or returns the data it already has when the extents agree. NULL when memory is out.
void *record_add(struct record_part *part, enum record_field_id id, const uint32_t *extents);
// The value, or NULL.
const struct record_value *record_find(const struct record_part *part, enum record_field_id id);
size_t record_size(const struct record_value *value); // number of elements
// A scalar field's number as double, NaN when absent. `at` indexes a flattened array.
double record_real(const struct record_part *part, enum record_field_id id, size_t at);
enum status_code record_put_real(struct record_part *part, enum record_field_id id, double value);

// Byte encoding: version, identity, status, settings, parts, values with id, type, name, dimensions and extents.
// Unknown fields and unknown dimensions survive decode → encode unchanged.
void record_encode(const struct record *record, struct bytes *bytes);
enum status_code record_decode(const void *data, size_t size, struct record *ret_record,
                               struct status *status) MUST_CHECK;

// Moves into `target` the parts that it lacks from `source` (the same identity): the training part of the first wins,
// so that lengths added later join the trial.
enum status_code record_merge(struct record *target, struct record *source, struct status *status) MUST_CHECK;
