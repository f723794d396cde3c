// SPDX-License-Identifier: MIT
#include "train_private.h"
#include <math.h>

static double norm(struct train_run *run, bool gradient)
{
    double sum = 0;
    for (size_t i = 0; i < nn_tensor_count(run->model); i++) {
        const struct nn_tensor *tensor = nn_tensor(run->model, i);
        if (!tensor->frozen)
            sum += nn_square_norm(tensor, gradient);
    }
    return sqrt(sum);
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
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
    run->curve[CURVE_VALIDATION_LOSS][at] = tally.loss / tally.count;
    run->curve[CURVE_VALIDATION_ERROR][at] = tally.wrong / tally.count;
    run->curve[CURVE_SIGNAL_ATTENTION][at] = tally.mass / tally.count;
    run->curve[CURVE_VALUE_NORM_SIGNAL][at] = tally.signal_norm / tally.count;
    run->curve[CURVE_VALUE_NORM_NOISE][at] = tally.noise_norm / tally.count;
    return code;
}

// The curve's samples are the first of the final test's, so that the last evaluation goes through each set once.
static enum status_code evaluate_test(struct train_run *run, size_t length, size_t at, struct status *status)
{
    struct train_test *test = &run->test[length];
    struct train_tally tally = {0};
    long curve_samples = (long)run->settings.evaluate.curve_samples;
    enum status_code code = tally_test(run, test, 0, curve_samples, &tally, status);
    test->curve[TEST_CURVE_LOSS][at] = tally.loss / tally.count;
    test->curve[TEST_CURVE_ERROR][at] = tally.wrong / tally.count;
    test->curve[TEST_CURVE_ATTENTION][at] = tally.mass / tally.count;
    run->test_error[length] = tally.wrong / tally.count;
    if (code != STATUS_OK || at + 1 < run->evaluations)
        return code;
    code = tally_test(run, test, curve_samples, test->data.set.samples, &tally, status);
    test->final_loss = tally.loss / tally.count;
    test->final_error = tally.wrong / tally.count;
    return code;
}

static void evaluate_training(struct train_run *run, size_t at, double loss, const struct train_fit *fit)
{
    const struct settings *settings = &run->settings;
    double steps = (double)run->step, count = (double)fit->count;
    long samples = (long)settings->task.samples, length = (long)settings->task.train_length;
    run->curve[CURVE_TRAIN_LOSS][at] = loss;
    run->curve[CURVE_TRAIN_ERROR][at] = (double)fit->wrong_given / count;
    run->curve[CURVE_TRAIN_ERROR_CLEAN][at] = (double)fit->wrong_clean / count;
    run->curve[CURVE_TRAIN_ERROR_UNFLIPPED][at] = share((double)fit->wrong_unflipped, (double)fit->unflipped);
    run->curve[CURVE_FLIPS_FITTED][at] = share((double)fit->flips_fitted, (double)fit->flips);
    run->curve[CURVE_GRADIENT_NORM][at] = norm(run, true);
    run->curve[CURVE_WEIGHT_NORM][at] = norm(run, false);
    run->curve[CURVE_TOKENS_SEEN][at] = steps * (double)samples * (double)length;
    run->curve[CURVE_FLOPS][at] = steps * nn_gradient_flops(settings, &run->train.set.shape, samples, length);
    run->curve[CURVE_LEARNING_RATE_SUM][at] = steps * settings->train.learning_rate;
}

enum status_code train_evaluate(struct train_run *run, double loss, const struct train_fit *fit, struct status *status)
{
    size_t at = (size_t)run->evaluation;
    evaluate_training(run, at, loss, fit);
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
            run->level_step[level] = (double)run->step;
    }
    enum status_code code = STATUS_OK;
    for (size_t i = 0; any && code == STATUS_OK && i < run->lengths_count; i++) {
        struct train_tally tally = {0};
        code = tally_test(run, &run->test[i], 0, run->test[i].data.set.samples, &tally, status);
        for (int level = 0; level < RECORD_LOSS_LEVELS; level++)
            if (reached[level])
                run->test[i].level_error[level] = tally.wrong / tally.count;
    }
    return code;
}
