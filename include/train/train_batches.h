// SPDX-License-Identifier: MIT
// Which samples each training step sees. A step has `accumulation` micro-batches; micro-batch number
// m = step * accumulation + part decides alone what is in it, beside the longest sequence that a curriculum allows, so
// that a run goes on from any step.
//   whole      a finite set in one micro-batch a step: all samples in their order
//   shuffled   a finite set otherwise: epoch m / B of B = ceil(samples / batch_size) micro-batches has the samples in
//              the order of a shuffle keyed by (seed, data seed, "train/shuffle", epoch); its last one has what is left
//   drawn      a finite set under a curriculum: batch_size samples with replacement, each uniformly from those that are
//              no longer than `longest` or, with probability curriculum_keep, no longer than curriculum_start; where
//              there is none as short, from the shortest. Keyed by (seed, data seed, "train/curriculum", m, place)
//   stream     samples m * batch_size, … of a set without end, each of them at most `longest`
// Sequences of different lengths lie packed, as spec_batch.h says.
#pragma once
#include "base_arena.h"
#include "base_status.h"
#include "train_tally.h"
#include <stdbool.h>

enum { TRAIN_BATCH_COLUMNS = 6 };
enum train_batches_kind { BATCHES_WHOLE, BATCHES_SHUFFLED, BATCHES_DRAWN, BATCHES_STREAM };

struct train_batches {
    enum train_batches_kind kind;
    const struct train_data *train; // not owned
    struct task_set set;            // the same set, of a stream as long as a curriculum has it
    int64_t samples, size, accumulation;
    int64_t *order, epoch;       // (samples): the shuffle of `epoch`, -1 before the first; drawn: by length
    int64_t fitting, short_ones; // drawn: how many of these are short enough, and at most curriculum_start
    int64_t *index;              // (size): the samples in `batch`
    int64_t *offsets;            // (size + 1): of `batch`, where the set is ragged
    struct batch batch; // of `size` samples, gathered into `store`: an array for each of its members that is there
    char *store[TRAIN_BATCH_COLUMNS];
};

enum train_batches_kind train_batches_kind(const struct settings *settings);
// Of `train`, a training set that is cached whole where the kind is whole. Storage is from `arena`; STATUS_MEMORY when
// it is full.
enum status_code train_batches_create(const struct train_data *train, struct arena *arena,
                                      struct train_batches *ret_batches, struct status *status) MUST_CHECK;
// From now on no sequence is longer, in the task's units; the train length at first. Of streams and drawn ones.
void train_batches_set_longest(struct train_batches *batches, int64_t longest);
// One micro-batch. It lasts until the next; what it takes from `arena` beside, at most train_make_bytes, is the
// caller's to release.
enum status_code train_batches_get(struct train_batches *batches, int64_t step, int64_t part, struct arena *arena,
                                   struct batch *ret_batch, struct status *status) MUST_CHECK;
// How many of the first micro-batches of a run are full, and how many have what an epoch leaves.
void train_batches_count(const struct settings *settings, int64_t count, int64_t *ret_full, int64_t *ret_rest);
int64_t train_batches_rest(const struct settings *settings); // samples of an epoch's last micro-batch

// What create takes and keeps, and what a get takes beside it, in bytes; `cached`: whether the set is in memory.
size_t train_batches_bytes(const struct task_set *train);
size_t train_make_bytes(const struct task_set *train, bool cached);
