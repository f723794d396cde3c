// SPDX-License-Identifier: MIT
// All finished trials as columns, for analyses across trials: a view that the store fills and analyse reads, so that
// neither knows the other.
#pragma once
#include "base_arena.h"
#include "base_status.h"
#include "record_fields.h"
#include <stddef.h>
#include <stdint.h>

struct record_table {
    size_t trials, lengths_count;
    const int64_t *lengths;      // (lengths_count) the sorted union of absolute test lengths
    const uint8_t *status;       // (trials) enum record_status
    const size_t *group;         // (trials) trials that differ in their replicate alone share a number
    const ptrdiff_t *twin;       // (trials) the η = 0 trial of the same replicate; itself where η = 0; -1 without one
    const double *noise_rate;    // (trials)
    const int64_t *train_length; // (trials)
    void *self;
    // Scalar fields as double, NaN where absent: (trials), and (trials, lengths_count). NULL for an unknown field.
    const double *(*training)(void *self, enum record_field_id id);
    const double *(*test)(void *self, enum record_field_id id);
};

// A result of an analysis: the same for all replicates of a group, so that the cube has it without that dimension.
struct record_derived {
    const char *name, *long_name, *unit, *help;
    const char *const *flags; // NULL-terminated names: data are indices, stored as uint8; NULL: float32
    const double *data;       // (trials, lengths_count); NaN: absent
};

// Computes derived variables from the table; everything is allocated from `arena`.
typedef enum status_code record_derive(const struct record_table *table, struct arena *arena,
                                       const struct record_derived **ret_derived, size_t *ret_count,
                                       struct status *status);
