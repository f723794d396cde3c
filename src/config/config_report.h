// SPDX-License-Identifier: MIT
// The errors of one sweep file, gathered while reading goes on, and its warnings.
#pragma once
#include "base_arena.h"
#include "base_bytes.h"
#include "base_status.h"
#include "config.h"
#include "spec_sweep.h"
#include <stdbool.h>
#include <stddef.h>

struct finding {
    struct source_place place;
    const char *message;
};

// `source` has path and text; messages live in `arena`. `no_memory` is set once, for good, by whoever gets NULL from
// it.
struct report {
    struct arena *arena;
    const struct sweep *source;
    struct bytes *warnings; // may be NULL
    struct finding finding[CONFIG_MAX_ERRORS];
    size_t count; // errors found, also those beyond CONFIG_MAX_ERRORS
    bool no_memory;
};

void report_error(struct report *report, struct source_place place, const char *format, ...) PRINTF_LIKE(3, 4);
void report_warning(struct report *report, struct source_place place, const char *format, ...) PRINTF_LIKE(3, 4);

// `count` zeroed objects of `size` bytes; sets no_memory with NULL.
void *report_get(struct report *report, size_t count, size_t size);

bool report_failed(const struct report *report);
// STATUS_OK without errors; else every block that fits, in the file's order, and how many more there are.
enum status_code report_status(const struct report *report, struct status *status) MUST_CHECK;
