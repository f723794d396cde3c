// SPDX-License-Identifier: MIT
// A trial's life: create, advance to the end with saves at any evaluation, record. No MPI, no HDF5.
#pragma once
#include "base_bytes.h"
#include "base_status.h"
#include "record.h"
#include "spec_settings.h"
#include <stdbool.h>
#include <stdint.h>

struct trial;

// `settings` and `lengths`, the test lengths to evaluate, distinct and ascending, are copied. STATUS_INVALID where they
// are not, or where settings_check or trial_check refuses the settings; STATUS_MEMORY with what to lower.
enum status_code trial_create(const struct settings *settings, const int64_t *lengths, size_t lengths_count,
                              struct trial **ret_trial, struct status *status) MUST_CHECK;
void trial_destroy(struct trial *trial); // accepts NULL

// Runs to the next evaluation and does it, or at most about `seconds` (<= 0: no limit) of training steps. *ret_done is
// true when the trial is over: all steps made, or diverged. The clock never changes a result. After a failure the trial
// can only be destroyed.
enum status_code trial_advance(struct trial *trial, double seconds, bool *ret_done, struct status *status) MUST_CHECK;

// Steps that advance also ends before, at the weights of that step; not copied, and any order.
void trial_set_stops(struct trial *trial, const int64_t *steps, size_t count);
// The model at the weights of the steps made so far. Only before the first advance may others change them.
struct nn_model;
struct nn_model *trial_model(struct trial *trial);
int64_t trial_step(const struct trial *trial); // steps made so far
bool trial_diverged(const struct trial *trial);

struct trial_progress {
    int64_t step, steps; // steps: in all; by what was spent so far, where the budget is not of steps
    bool evaluated;      // the last advance ended at an evaluation: the numbers below are of it
    double train_loss, train_error, validation_error;
    size_t lengths_count;
    const int64_t *lengths;
    const double *test_error; // (lengths)
};
// `step` is that of the evaluation when the last advance ended at one, else the steps made so far. Numbers are NaN
// before the first evaluation; pointers hold until the next advance.
void trial_progress(const struct trial *trial, struct trial_progress *ret_progress);

// Everything mutable, by name: weights, optimiser state, counters, curves so far. Loading into a trial created from the
// same settings and lengths continues with the same bits. save replaces what *ret_state holds; load refuses a state of
// other settings, lengths or numerics (STATUS_INVALID) and a damaged one (STATUS_DAMAGED), and leaves the trial as it
// was.
enum status_code trial_save(const struct trial *trial, struct bytes *ret_state, struct status *status) MUST_CHECK;
enum status_code trial_load(struct trial *trial, const void *state, size_t size, struct status *status) MUST_CHECK;

// The result, with events and phases. Only after *ret_done. The caller owns the record.
enum status_code trial_record(const struct trial *trial, struct record *ret_record, struct status *status) MUST_CHECK;

// STATUS_INVALID for what only the model's operations tell of settings that settings_check accepts: a warm-up longer
// than the training that a budget of operations comes to.
enum status_code trial_check(const struct settings *settings, struct status *status) MUST_CHECK;
// Steps of a training, or of one whose sequences all have train_length where its budget is of tokens or operations; it
// then takes at least so many.
int64_t trial_steps(const struct settings *settings);
// Estimates without creating anything. Cost: floating-point operations of training steps, evaluations, data and the
// Bayes error, or what takes as long as so many: within about a factor of three of each other's real times. Memory: an
// upper bound of what the trial allocates, in bytes.
double trial_cost(const struct settings *settings, const int64_t *lengths, size_t lengths_count);
double trial_memory(const struct settings *settings, const int64_t *lengths, size_t lengths_count);
