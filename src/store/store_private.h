// SPDX-License-Identifier: MIT
#pragma once
#include "store.h"
#include "store_index.h"
#include "store_writer.h"

struct store {
    char *path, *journal_path;
    const struct grid *grid;
    struct store_lock *lock;
    struct store_index *index;
    struct store_writer *writer;
    struct bytes payload, entry; // room for one, kept
    uint64_t journal_id, damage;
    uint64_t unused; // end of a journal made by store_open, without results; 0: it was there before
    size_t trials;
    // Publication
    bool publishing;
    double begun, due;
    uint64_t published, covering; // ends of the journal
};
