// SPDX-License-Identifier: MIT
// Whether stores hold the same science: decoded values bit for bit (NaN equals NaN), whatever the order of rows, the
// chunking, the group `run`, attempts and the texts of failures.
#pragma once
#include "base_arena.h"
#include "base_hash.h"
#include "base_status.h"
#include <stddef.h>

enum { STORE_DIFFERENCE_TEXT = 64 };

// One difference between the first store and another.
struct store_difference {
    size_t other;            // index of the other store among `paths`
    struct hash128 identity; // zero: of the store as a whole
    const char *settings;    // of the trial: "snr=4, encoding=rope"
    const char *field;       // variable, setting, or "trial" when only one store has it
    const char *index;       // "test_length=32, eval=5", or empty
    char first[STORE_DIFFERENCE_TEXT], second[STORE_DIFFERENCE_TEXT]; // values; "absent" where there is none
};

struct store_differences {
    size_t total; // all that were found
    size_t count; // listed: at most the limit
    const struct store_difference *list;
    size_t trials; // in the first store, and
    size_t values; // numbers compared
};

// Compares paths[1 …] with paths[0]. Everything is allocated from `arena`.
enum status_code store_diff(const char *const *paths, size_t count, size_t limit, struct arena *arena,
                            struct store_differences *ret_differences, struct status *status) MUST_CHECK;
