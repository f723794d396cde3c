// SPDX-License-Identifier: MIT
// The training loop of one trial, its evaluations and its events.
//
// Events: t_fit is the first step with an error of at most 1 % on the targets whose label was not flipped; t_half and
// t_mem are the first steps from t_fit on at which half of the flips, and all, are fitted. (Before t_fit predictions
// are close to random, and a random model fits half of the flips.)
//
// At step t the gradient passes of its micro-batches come first, at the weights of step t; a loss that is not finite
// ends the run as diverged, and what was to come stays NaN. Then loss and predictions on the training set give the
// events t_fit, t_half and t_mem, and the loss levels, at whose first crossing every test set is evaluated whole:
//   - at every step from the pass itself, where that is over all of a finite set and the model draws nothing in
//     training (dropout, attention noise, random positions);
//   - else at the evaluation steps alone: from predictions on the whole set or, where data are a stream, from the
//     step's passes. A stream has no flips to memorise.
// When the position of train_budget.h comes to those of train_schedule.h, curves are evaluated, and with the last of
// them the final test. At the last step gradients are taken too, but no step is made.
//
// A curriculum by schedule sets the longest training sequence from the position. One by validation looks at the steps
// curriculum_every, 2 curriculum_every, … before their passes: where the model, as it is then, predicts at least
// curriculum_threshold of the targets of the first LOOK_SAMPLES validation sequences of that length, which are a set of
// their own ("validation/LENGTH"), the next length is on.
#pragma once
#include "base_arena.h"
#include "base_status.h"
#include "record.h"
#include "spec_settings.h"
#include "train_state.h"
#include <stdbool.h>

struct train_run;
struct nn_model;

// Everything lives in `arena`, which must outlive the run and be used by nobody else, but for values of `settings` that
// are texts, which are not copied. `lengths` are ascending and distinct.
enum status_code train_create(const struct settings *settings, const int64_t *lengths, size_t lengths_count,
                              struct arena *arena, struct train_run **ret_run, struct status *status) MUST_CHECK;

// To the next evaluation and past it, or for about `seconds` (<= 0: no limit). The state between two calls is that
// before a step. *ret_evaluated: an evaluation was made; *ret_done: the run is over.
enum status_code train_advance(struct train_run *run, double seconds, bool *ret_evaluated, bool *ret_done,
                               struct status *status) MUST_CHECK;
// Steps that advance also ends before, at the weights of that step; not copied, and any order.
void train_set_stops(struct train_run *run, const int64_t *steps, size_t count);
struct nn_model *train_model(struct train_run *run);
bool train_diverged(const struct train_run *run);
bool train_done(const struct train_run *run);
struct train_state *train_state(struct train_run *run);

// The last evaluation made; values are NaN before the first. `test_error` has an entry for each length.
struct train_progress {
    int64_t step;                // steps made so far
    int64_t position, positions; // of train_budget.h: how far the run is
    int64_t evaluation_step;     // of the last evaluation, 0 before the first
    double train_loss, train_error, validation_error;
    const double *test_error;
};
void train_progress(const struct train_run *run, struct train_progress *ret_progress);

// Status, curves, events and final values into an initialised record; of analyse's fields none.
enum status_code train_record(const struct train_run *run, struct record *record, struct status *status) MUST_CHECK;

// Estimates without creating anything: floating-point operations of steps, evaluations and data, and bytes.
double train_cost(const struct settings *settings, const int64_t *lengths, size_t lengths_count);
double train_memory(const struct settings *settings, const int64_t *lengths, size_t lengths_count);
