// SPDX-License-Identifier: MIT
// What a store consists of: the published file and the journal, and the index over both.
#pragma once
#include "base_bytes.h"
#include "base_status.h"
#include "store_index.h"
#include "store_journal.h"
#include "store_sweep.h"
#include "store_view.h"

struct store_sources {
    struct store_view *view;       // NULL: nothing published
    struct store_journal *journal; // NULL: none; read to its end
    struct store_index *index;
    struct store_sweep sweep; // the journal's last, else the published file's; sweep.name NULL: none
    bool sweep_in_journal;
};

// Opens the journal first: whatever a publication moves in between is then seen twice and not missed. `numerics` 0
// accepts any. Damage in the journal is reported in `warnings` (may be NULL).
enum status_code store_sources_open(const char *path, uint32_t numerics, struct store_sources *ret_sources,
                                    struct bytes *warnings, struct status *status) MUST_CHECK;
void store_sources_close(struct store_sources *sources); // accepts a zeroed one
