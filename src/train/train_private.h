// SPDX-License-Identifier: MIT
#pragma once
#include "train_batches.h"
#include "train_budget.h"
#include "train_optimizer.h"
#include "train_run.h"
#include "train_tally.h"

// Columns of the training part along eval, and of a test part; train_record.c has their fields.
enum train_curve {
    CURVE_TRAIN_LOSS,
    CURVE_TRAIN_ERROR,
    CURVE_TRAIN_ERROR_CLEAN,
    CURVE_TRAIN_ERROR_UNFLIPPED,
    CURVE_FLIPS_FITTED,
    CURVE_VALIDATION_LOSS,
    CURVE_VALIDATION_ERROR,
    CURVE_VALIDATION_SEQUENCE_ERROR,
    CURVE_SIGNAL_ATTENTION,
    CURVE_VALUE_NORM_SIGNAL,
    CURVE_VALUE_NORM_NOISE,
    CURVE_GRADIENT_NORM,
    CURVE_WEIGHT_NORM,
    CURVE_TOKENS_SEEN,
    CURVE_FLOPS,
    CURVE_LEARNING_RATE_SUM,
    CURVE_CURRICULUM_LENGTH,
    CURVES
};
enum train_test_curve {
    TEST_CURVE_LOSS,
    TEST_CURVE_ERROR,
    TEST_CURVE_SEQUENCE_ERROR,
    TEST_CURVE_ATTENTION,
    TEST_CURVES
};

// Validation and curve sets stay in memory while their sum is below the first, in this order: validation, then tests by
// length; a training set of minibatches while it is below the second. Constants, so that memory can be told beforehand.
enum { TRAIN_CACHE_BYTES = 64 << 20, TRAIN_SET_BYTES = 512 << 20 };

// A curriculum by validation looks at the first so many validation sequences of the present length.
enum { LOOK_SAMPLES = 200 };

// Items of the state: counters, and what each test length has.
enum { COUNTERS = 17, TEST_ITEMS = 4 + TEST_CURVES };

struct train_test {
    struct train_data data;
    double *curve[TEST_CURVES];                           // (evaluations)
    double final_loss, final_error, final_sequence_error; // over test_samples
    double level_error[RECORD_LOSS_LEVELS];               // over test_samples
};

// What the gradient passes of a step tell at its weights. The gradients' mean over targets is `scale` times what the
// tensors hold.
struct train_pass {
    double loss, scale;
    int64_t tokens;       // rows of its sequences
    double flops;         // where sequences may differ in length
    struct train_fit fit; // empty where nobody asks for it
};

struct train_run {
    struct settings settings;
    struct arena *arena;
    size_t lengths_count;
    int64_t *lengths;
    int64_t steps; // train_steps
    size_t evaluations;
    int64_t *evaluation_step; // (evaluations): positions at which they are due
    struct nn_model *model;
    struct train_optimizer *optimizer;
    struct train_state state;
    const struct task_source *source; // NULL unless the data are read
    struct train_data train, validation;
    struct train_batches batches;
    struct train_test *test; // (lengths)
    const int64_t *stops;    // (stops_count)
    size_t stops_count;
    real *logits;                  // (samples of a micro-batch, positions, outputs)
    int32_t *predicted;            // (samples of a micro-batch, positions)
    double *test_error;            // (lengths), of the last evaluation
    bool exact;                    // a step's pass tells all about the training set
    long flips;                    // in the training set
    double full_flops, rest_flops; // of a pass over a micro-batch, and over the last of an epoch
    struct train_flops flops;      // where sequences may differ in length

    // What changes, all registered with `state`.
    struct train_spent spent;
    int64_t evaluation, done; // evaluations made, whether the run is over
    int64_t longest;          // of training sequences, in the task's units
    int64_t *evaluated_step;  // (evaluations): steps made at those made
    double diverged_step;     // NaN while it has not
    double t_fit, t_half, t_mem;
    double rate_sum; // of the steps made
    double level_step[RECORD_LOSS_LEVELS];
    double *curve[CURVES]; // (evaluations)
    double train_seconds, evaluate_seconds;
};

// The position, and what was spent, after one more step.
void train_spend(struct train_run *run, const struct train_pass *pass);
// Sets how long training sequences are at this step, under a curriculum; looks at validation where that is due.
enum status_code train_set_length(struct train_run *run, struct status *status) MUST_CHECK;
// The set that it looks at; memory and operations of it are bounded by those at the train length.
void train_look_set(const struct settings *settings, int64_t length, struct task_set *ret_set);

// Tokens of the longest sequence of all sets.
long train_longest(const struct settings *settings, const int64_t *lengths, size_t lengths_count);
// Whether the passes that make gradients see the model as it predicts, on all of a finite set.
bool train_exact(const struct settings *settings);
// How many samples of a training set to keep in memory, and how many of `count` samples of another: all when they fit
// into what is left of *budget, or none.
long train_cached_training(const struct task_set *set);
long train_cached(const struct task_set *set, long count, size_t *budget);

// Loss and predictions of the whole training set, where the step's passes do not tell them.
enum status_code train_evaluate_training(struct train_run *run, struct train_pass *pass,
                                         struct status *status) MUST_CHECK;
// Evaluates every test set whole where the loss has reached a level for the first time.
enum status_code train_note_levels(struct train_run *run, double loss, struct status *status) MUST_CHECK;
// The curves' next entry, from the state at step run->step; the final test with the last.
enum status_code train_evaluate(struct train_run *run, const struct train_pass *pass, struct status *status) MUST_CHECK;
