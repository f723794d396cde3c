// SPDX-License-Identifier: MIT
#include "train_private.h"
#include <math.h>

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double error(const struct train_fit *fit)
{
    return (double)fit->wrong_given / (double)fit->targets;
}

static double sequence_error(const struct train_fit *fit)
{
    return (double)fit->wrong_sequences / (double)fit->sequences;
}

static double mean_loss(const struct train_tally *tally)
{
    return tally->loss / (double)tally->fit.targets;
}

enum status_code train_evaluate_training(struct train_run *run, struct train_pass *pass, struct status *status)
{
    struct train_tally tally = {0};
    enum status_code code = train_tally(run->model, &run->train, 0, run->train.set.samples, run->arena, &tally, status);
    pass->loss = mean_loss(&tally);
    pass->fit = tally.fit;
    return code;
}

static enum status_code tally_test(struct train_run *run, struct train_test *test, long first, long end,
                                   struct train_tally *tally, struct status *status)
{
    return train_tally(run->model, &test->data, first, end - first, run->arena, tally, status);
}

static enum status_code evaluate_validation(struct train_run *run, size_t at, struct status *status)
{
    struct train_tally tally = {0};
    enum status_code code =
        train_tally(run->model, &run->validation, 0, run->validation.set.samples, run->arena, &tally, status);
    const double sequences = (double)tally.fit.sequences;
    run->curve[CURVE_VALIDATION_LOSS][at] = mean_loss(&tally);
    run->curve[CURVE_VALIDATION_ERROR][at] = error(&tally.fit);
    run->curve[CURVE_VALIDATION_SEQUENCE_ERROR][at] = sequence_error(&tally.fit);
    run->curve[CURVE_SIGNAL_ATTENTION][at] = tally.mass / (double)tally.naming;
    run->curve[CURVE_VALUE_NORM_SIGNAL][at] = tally.signal_norm / sequences;
    run->curve[CURVE_VALUE_NORM_NOISE][at] = tally.noise_norm / sequences;
    return code;
}

// The curve's samples are the first of the final test's, so that the last evaluation goes through each set once.
static enum status_code evaluate_test(struct train_run *run, size_t length, size_t at, struct status *status)
{
    struct train_test *test = &run->test[length];
    struct train_tally tally = {0};
    long curve_samples = (long)run->settings.evaluate.curve_samples;
    enum status_code code = tally_test(run, test, 0, curve_samples, &tally, status);
    test->curve[TEST_CURVE_LOSS][at] = mean_loss(&tally);
    test->curve[TEST_CURVE_ERROR][at] = run->test_error[length] = error(&tally.fit);
    test->curve[TEST_CURVE_SEQUENCE_ERROR][at] = sequence_error(&tally.fit);
    test->curve[TEST_CURVE_ATTENTION][at] = tally.mass / (double)tally.naming;
    if (code != STATUS_OK || at + 1 < run->evaluations)
        return code;
    code = tally_test(run, test, curve_samples, test->data.set.samples, &tally, status);
    test->final_loss = mean_loss(&tally);
    test->final_error = error(&tally.fit);
    test->final_sequence_error = sequence_error(&tally.fit);
    return code;
}

static void evaluate_training(struct train_run *run, size_t at, const struct train_pass *pass)
{
    const struct train_fit *fit = &pass->fit;
    run->curve[CURVE_TRAIN_LOSS][at] = pass->loss;
    run->curve[CURVE_TRAIN_ERROR][at] = error(fit);
    run->curve[CURVE_TRAIN_ERROR_CLEAN][at] = (double)fit->wrong_clean / (double)fit->targets;
    run->curve[CURVE_TRAIN_ERROR_UNFLIPPED][at] = share((double)fit->wrong_unflipped, (double)fit->unflipped);
    run->curve[CURVE_FLIPS_FITTED][at] = share((double)fit->flips_fitted, (double)fit->flips);
    run->curve[CURVE_GRADIENT_NORM][at] = pass->scale * train_norm(run->model, true);
    run->curve[CURVE_WEIGHT_NORM][at] = train_norm(run->model, false);
    run->curve[CURVE_TOKENS_SEEN][at] = (double)run->spent.tokens;
    run->curve[CURVE_FLOPS][at] = run->spent.flops;
    run->curve[CURVE_LEARNING_RATE_SUM][at] = run->rate_sum;
    run->curve[CURVE_CURRICULUM_LENGTH][at] = (double)run->longest;
    run->evaluated_step[at] = run->spent.steps;
}

enum status_code train_evaluate(struct train_run *run, const struct train_pass *pass, struct status *status)
{
    size_t at = (size_t)run->evaluation;
    evaluate_training(run, at, pass);
    enum status_code code = evaluate_validation(run, at, status);
    for (size_t i = 0; code == STATUS_OK && i < run->lengths_count; i++)
        code = evaluate_test(run, i, at, status);
    run->evaluation++;
    return code;
}

enum status_code train_note_levels(struct train_run *run, double loss, struct status *status)
{
    bool reached[RECORD_LOSS_LEVELS], any = false;
    for (int level = 0; level < RECORD_LOSS_LEVELS; level++) {
        reached[level] = isnan(run->level_step[level]) && loss <= (double)record_loss_levels[level];
        any |= reached[level];
        if (reached[level])
            run->level_step[level] = (double)run->spent.steps;
    }
    enum status_code code = STATUS_OK;
    for (size_t i = 0; any && code == STATUS_OK && i < run->lengths_count; i++) {
        struct train_tally tally = {0};
        code = tally_test(run, &run->test[i], 0, run->test[i].data.set.samples, &tally, status);
        for (int level = 0; level < RECORD_LOSS_LEVELS; level++)
            if (reached[level])
                run->test[i].level_error[level] = error(&tally.fit);
    }
    return code;
}
