// SPDX-License-Identifier: MIT
// Everything in a trial that changes, by name: registered once, walked by save and load.
#pragma once
#include "base_arena.h"
#include "base_bytes.h"
#include "base_status.h"
#include <stddef.h>

enum { TRAIN_STATE_NAME_SIZE = 80 };

// An array of `count` numbers of `width` 4 or 8 bytes. `data` is not owned.
struct train_state_item {
    char name[TRAIN_STATE_NAME_SIZE];
    void *data;
    size_t count, width;
};

struct train_state {
    struct train_state_item *items;
    size_t count, capacity;
};

// Room for `capacity` items. STATUS_MEMORY when the arena is full.
enum status_code train_state_init(struct train_state *state, size_t capacity, struct arena *arena,
                                  struct status *status) MUST_CHECK;
// Names are distinct; more items than there is room for is a programming error.
void train_state_add(struct train_state *state, void *data, size_t count, size_t width, const char *name_format, ...)
    PRINTF_LIKE(5, 6);

// u32 items, each: text name, u32 width, u64 count, the numbers little-endian.
void train_state_save(const struct train_state *state, struct bytes *bytes);
// Takes a state with the same items in the same order; on failure nothing has changed. STATUS_INVALID for other items,
// STATUS_DAMAGED for a text that ends early.
enum status_code train_state_load(struct train_state *state, struct bytes_reader *reader,
                                  struct status *status) MUST_CHECK;
