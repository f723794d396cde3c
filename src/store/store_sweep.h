// SPDX-License-Identifier: MIT
// What a store remembers of its sweep: the file's text for whoever comes later, and the settings outside the axes,
// which must not change. Payload of a STORE_SWEEP entry: name as text, sweep file as blob, u64 planned trials,
// settings, u32 number of settings that are axes, their names as texts.
#pragma once
#include "base_bytes.h"
#include "base_status.h"
#include "spec_sweep.h"
#include <stdbool.h>
#include <stdint.h>

struct store_sweep {
    char *name, *text; // zero-terminated
    size_t text_size;
    uint64_t planned;
    struct settings base;
    struct arena *texts; // of its settings
    bool *is_axis;       // (settings_count)
};

// NULL-safe on a zeroed one.
void store_sweep_fini(struct store_sweep *sweep);
// Zeroed, with room for is_axis and texts.
enum status_code store_sweep_init(struct store_sweep *ret_sweep, struct status *status) MUST_CHECK;

void store_sweep_encode(const struct sweep *sweep, uint64_t planned, struct bytes *bytes);
enum status_code store_sweep_decode(const void *data, size_t size, struct store_sweep *ret_sweep,
                                    struct status *status) MUST_CHECK;

// STATUS_INVALID with a line for each setting outside the axes whose value is not the sweep's. A setting may become an
// axis that has its old value, and an axis may become a setting: neither contradicts a result that is there.
enum status_code store_sweep_check(const struct store_sweep *stored, const struct sweep *sweep, const char *path,
                                   struct status *status) MUST_CHECK;

// The axis column of a setting, NULL when it is none.
const struct axis_column *store_sweep_column(const struct sweep *sweep, const struct setting *setting,
                                             size_t *ret_count);
