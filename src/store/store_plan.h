// SPDX-License-Identifier: MIT
// What a publication writes: the rows in their order, what each consists of, and where its parts come from.
#pragma once
#include "store_h5.h"
#include "store_payload.h"
#include "store_publish.h"
#include "store_rows.h"
#include "store_schema.h"
#include "store_sources.h"

// One decoding of a journal entry: it is the source of `row`, or of some of its parts.
struct plan_piece {
    uint64_t offset;
    size_t row;
};

struct plan {
    struct arena *arena;
    const char *path;
    const struct sweep *sweep;
    const struct grid *grid;
    struct store_sources sources;
    // Rows in order: the grid's trials, then the others by identity.
    size_t rows_count, lengths_count;
    struct store_row *rows;
    const struct index_entry **entries; // (rows)
    ptrdiff_t *row_of_trial;            // (grid's trials), -1: nothing known of it
    int64_t *lengths;                   // ascending: the grid's and those of all rows
    struct row_lookup lookup;
    struct schema schema;
    uint32_t *training_layout; // (rows)
    uint32_t *test_layout;     // (rows, lengths)
    size_t pieces_count;
    struct plan_piece *pieces; // by offset
    // The cube's test lengths: those that some cell wants.
    size_t cube_lengths_count;
    int64_t *cube_lengths;
    bool has_cube;
};

enum status_code store_plan_create(const char *path, const struct sweep *sweep, const struct grid *grid,
                                   struct plan *ret_plan, struct bytes *warnings, struct status *status) MUST_CHECK;
void store_plan_fini(struct plan *plan); // accepts a zeroed one

// Passes over the journal: `take` gets each decoded record with its row. It may look at plan->entries[row]->source and
// the parts' sources to see what the record is for.
typedef enum status_code plan_take(void *self, size_t row, uint64_t offset, const struct store_payload *payload,
                                   struct record *record, struct status *status);
enum status_code store_plan_replay(struct plan *plan, plan_take *take, void *self, struct status *status) MUST_CHECK;

// Finds layouts, settings and failures of all rows.
enum status_code store_plan_survey(struct plan *plan, struct status *status) MUST_CHECK;

size_t store_plan_length_index(const struct plan *plan, int64_t test_length); // SIZE_MAX: none
bool store_plan_name_taken(const char *name); // a name that `trials` or `run` has besides fields
// Whether the setting has a column in `trials`: an axis, the replicate, or different among rows.
bool store_plan_varies(const struct plan *plan, const struct setting *setting);
// Bytes of all values, which the published file needs at most in `trials`.
double store_plan_bytes(const struct plan *plan);
