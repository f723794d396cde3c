// SPDX-License-Identifier: MIT
// A folder of its own with a small sweep, its grid and made-up results, shared by the tests of the layer.
#pragma once
#include "grid.h"
#include "record.h"
#include "store.h"
#include "store_publish.h"
#include "store_view.h"
#include <hdf5.h>
#include <stdbool.h>

enum { FIXTURE_EVALS = 6, FIXTURE_PATH = 512 };

struct fixture;

// What a sweep shall be like; zero-initialised is snr (1, 4, inf) by encoding (none, rope), 2 replicates, lengths 1x,
// 4x.
struct fixture_plan {
    int64_t replicates;   // 0: 2
    size_t snr_count;     // 0: 3
    size_t lengths_count; // 0: 2, of 1x, 4x, 20, 100
    double noise_rate;    // 0: 0.25; below 0: none
    int64_t steps;        // 0: 100
    bool twins, reversed; // reversed: the values of snr
    bool lengths_axis;    // train_length (4, 8) is the first axis
    bool zip;             // (layers stand-in) head_dim and learning_rate move together, as `size`
    bool exclude;         // snr 1 with rope, and length 4x of snr 4 with none
    struct axis (*last_axis)(struct fixture *fixture); // from its arena; may change the sweep's base as well
    bool no_axes;
    const char *text, *name;
};

struct fixture {
    char folder[FIXTURE_PATH / 2], path[FIXTURE_PATH];
    struct arena *arena;
    struct sweep sweep;
    struct grid *grid;
};

// In a new folder, removed by fixture_fini; and another sweep for the same folder, without one of its own.
void fixture_init(struct fixture *fixture, const struct fixture_plan *plan);
void fixture_replan(struct fixture *fixture, const struct fixture_plan *plan);
void fixture_fini(struct fixture *fixture);
char *fixture_file(const struct fixture *fixture, const char *suffix,
                   char ret_path[FIXTURE_PATH]); // of the store's path

// The result that a trial would give: values that depend on its identity alone.
void fixture_record(const struct grid_trial *trial, uint32_t evals, struct record *ret_record);
void fixture_failure(const struct grid_trial *trial, struct record *ret_record);
// A field that no table has, with two dimensions that none has, in every part.
void fixture_add_novel(struct record *record, uint32_t rows, uint32_t columns);
// Fails the test unless both have the same bytes, parts in the order of their test lengths.
void fixture_assert_same(const struct record *a, const struct record *b);

// Fails the test with the status's text.
void fixture_ok(enum status_code code, const struct status *status);
struct store *fixture_open(const struct fixture *fixture);
// Appends the results of trials first … last-1 and waits for the disk.
void fixture_append(const struct fixture *fixture, struct store *store, size_t first, size_t last);
// A whole run: opens, appends what is not done, publishes, empties the journal.
void fixture_run(const struct fixture *fixture);
void fixture_publish(const struct fixture *fixture);
struct store_view *fixture_view(const struct fixture *fixture);

// As another program would open it; within one process HDF5 wants the same access properties each time.
hid_t fixture_hdf5(const struct fixture *fixture);

unsigned char *fixture_read(const char *path, size_t *ret_size); // freed by the caller
void fixture_write(const char *path, const void *data, size_t size);
bool fixture_exists(const char *path);
size_t fixture_count(const struct fixture *fixture, const char *prefix); // files of the folder whose name begins so
