// SPDX-License-Identifier: MIT
// Sweeps out of short texts, without a file.
#pragma once
#include "grid.h"

enum { FIXTURE_PARTS = 8 };

struct fixture {
    struct arena *arena;
    struct sweep sweep;
    struct axis axes[FIXTURE_PARTS];
    struct axis_column columns[FIXTURE_PARTS][FIXTURE_PARTS];
    struct exclusion exclusions[FIXTURE_PARTS];
    struct source_place *places; // (settings_count)
};

// The default settings, one replicate, test length 1x, twins.
void fixture_init(struct fixture *fixture);
void fixture_fini(struct fixture *fixture);
void fixture_set(struct fixture *fixture, const char *name, const char *value);
// fixture_axis(f, "snr", "1 2 4"); fixture_column adds a column to the last axis and renames it "zip".
void fixture_axis(struct fixture *fixture, const char *name, const char *values);
void fixture_column(struct fixture *fixture, const char *name, const char *values);
void fixture_lengths(struct fixture *fixture, const char *lengths); // "1x 4x 256"
// fixture_exclude(f, "snr=1,2 test_length=4x")
void fixture_exclude(struct fixture *fixture, const char *conditions);

// Expands, or fails the test with the reason.
struct grid *fixture_expand(const struct fixture *fixture);

// A trial's lengths as "8 16"; valid until the next call.
const char *trial_lengths(const struct grid *grid, size_t index);
