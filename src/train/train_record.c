// SPDX-License-Identifier: MIT
#include "train_private.h"
#include <math.h>

static const enum record_field_id curve_fields[CURVES] = {
    [CURVE_TRAIN_LOSS] = FIELD_TRAIN_LOSS,
    [CURVE_TRAIN_ERROR] = FIELD_TRAIN_ERROR,
    [CURVE_TRAIN_ERROR_CLEAN] = FIELD_TRAIN_ERROR_CLEAN,
    [CURVE_TRAIN_ERROR_UNFLIPPED] = FIELD_TRAIN_ERROR_UNFLIPPED,
    [CURVE_FLIPS_FITTED] = FIELD_FLIPS_FITTED,
    [CURVE_VALIDATION_LOSS] = FIELD_VALIDATION_LOSS,
    [CURVE_VALIDATION_ERROR] = FIELD_VALIDATION_ERROR,
    [CURVE_VALIDATION_SEQUENCE_ERROR] = FIELD_VALIDATION_SEQUENCE_ERROR,
    [CURVE_SIGNAL_ATTENTION] = FIELD_SIGNAL_ATTENTION,
    [CURVE_VALUE_NORM_SIGNAL] = FIELD_VALUE_NORM_SIGNAL,
    [CURVE_VALUE_NORM_NOISE] = FIELD_VALUE_NORM_NOISE,
    [CURVE_GRADIENT_NORM] = FIELD_GRADIENT_NORM,
    [CURVE_WEIGHT_NORM] = FIELD_WEIGHT_NORM,
    [CURVE_TOKENS_SEEN] = FIELD_TOKENS_SEEN,
    [CURVE_FLOPS] = FIELD_FLOPS,
    [CURVE_LEARNING_RATE_SUM] = FIELD_LEARNING_RATE_SUM,
    [CURVE_CURRICULUM_LENGTH] = FIELD_CURRICULUM_LENGTH,
};

static const enum record_field_id test_curve_fields[TEST_CURVES] = {
    [TEST_CURVE_LOSS] = FIELD_TEST_LOSS,
    [TEST_CURVE_ERROR] = FIELD_TEST_ERROR,
    [TEST_CURVE_SEQUENCE_ERROR] = FIELD_TEST_SEQUENCE_ERROR,
    [TEST_CURVE_ATTENTION] = FIELD_TEST_SIGNAL_ATTENTION,
};

// An array of a real type with one dimension.
static bool put_array(struct record_part *part, enum record_field_id id, const double *values, size_t count)
{
    void *data = record_add(part, id, (const uint32_t[]){(uint32_t)count});
    bool single = record_field_by_id(id)->type == RECORD_F32;
    for (size_t i = 0; data && i < count; i++)
        if (single)
            ((float *)data)[i] = (float)values[i];
        else
            ((double *)data)[i] = values[i];
    return data != NULL;
}

struct scalar {
    enum record_field_id id;
    double value;
};

static bool put_scalars(struct record_part *part, const struct scalar *scalars, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (record_put_real(part, scalars[i].id, scalars[i].value) != STATUS_OK)
            return false;
    return true;
}

// Steps of evaluations that a divergence prevented go on from the last as if each moved the position by 1.
static int64_t step_of(const struct train_run *run, size_t at)
{
    const size_t made = (size_t)run->evaluation;
    if (at < made)
        return run->evaluated_step[at];
    return run->evaluation_step[at] + (made > 0 ? run->evaluated_step[made - 1] - run->evaluation_step[made - 1] : 0);
}

static bool is_recorded(const struct train_run *run, int curve)
{
    return curve != CURVE_CURRICULUM_LENGTH || run->settings.train.curriculum != CURRICULUM_NONE;
}

static bool put_curves(const struct train_run *run, struct record_part *part)
{
    double levels[RECORD_LOSS_LEVELS];
    int64_t *step = record_add(part, FIELD_STEP, (const uint32_t[]){(uint32_t)run->evaluations});
    if (!step)
        return false;
    for (size_t i = 0; i < run->evaluations; i++)
        step[i] = step_of(run, i);
    for (int c = 0; c < CURVES; c++)
        if (is_recorded(run, c) && !put_array(part, curve_fields[c], run->curve[c], run->evaluations))
            return false;
    for (int level = 0; level < RECORD_LOSS_LEVELS; level++)
        levels[level] = (double)record_loss_levels[level];
    return put_array(part, FIELD_LOSS_LEVEL, levels, RECORD_LOSS_LEVELS) &&
           put_array(part, FIELD_LOSS_LEVEL_STEP, run->level_step, RECORD_LOSS_LEVELS);
}

// The noise of a token has as many coordinates as its vector or its embedding.
static double snr_norm(const struct settings *settings)
{
    const double coordinates =
        (double)(settings->task.kind == TASK_SIGNAL ? settings->task.dim : settings->model.width);
    return setting_applies(setting_find("snr", 3), settings) ? sqrt(settings->task.snr / coordinates) : NAN;
}

static bool put_training(const struct train_run *run, struct record_part *part)
{
    if (!part)
        return false;
    const struct scalar scalars[] = {
        {FIELD_EVALUATIONS, (double)run->evaluation},
        {FIELD_FLIP_COUNT, (double)run->flips},
        {FIELD_PARAMETERS, (double)nn_parameter_count(run->model)},
        {FIELD_T_FIT, run->t_fit},
        {FIELD_T_HALF, run->t_half},
        {FIELD_T_MEM, run->t_mem},
        {FIELD_DIVERGED_STEP, run->diverged_step},
        {FIELD_SNR_NORM, snr_norm(&run->settings)},
        {FIELD_TRAIN_SECONDS, run->train_seconds},
        {FIELD_EVALUATE_SECONDS, run->evaluate_seconds},
    };
    return put_curves(run, part) && put_scalars(part, scalars, sizeof scalars / sizeof scalars[0]);
}

static bool put_test(const struct train_run *run, const struct train_test *test, struct record_part *part)
{
    long length = test->data.set.length;
    if (!part)
        return false;
    const struct scalar scalars[] = {
        {FIELD_FINAL_TEST_ERROR, test->final_error},
        {FIELD_FINAL_TEST_SEQUENCE_ERROR, test->final_sequence_error},
        {FIELD_FINAL_TEST_LOSS, test->final_loss},
        {FIELD_FINAL_TEST_COUNT, (double)run->settings.evaluate.test_samples},
        {FIELD_CURVE_TEST_COUNT, (double)run->settings.evaluate.curve_samples},
        {FIELD_CHANCE_ERROR, task_set_chance_error(&test->data.set)},
        {FIELD_BAYES_ERROR, task_bayes_error(&run->settings, length)},
    };
    for (int c = 0; c < TEST_CURVES; c++)
        if (!put_array(part, test_curve_fields[c], test->curve[c], run->evaluations))
            return false;
    return put_array(part, FIELD_LOSS_LEVEL_TEST_ERROR, test->level_error, RECORD_LOSS_LEVELS) &&
           put_scalars(part, scalars, sizeof scalars / sizeof scalars[0]);
}

enum status_code train_record(const struct train_run *run, struct record *record, struct status *status)
{
    record->status = isnan(run->diverged_step) ? RECORD_DONE : RECORD_DIVERGED;
    bool whole = put_training(run, record_part(record, RECORD_TRAINING, 0, true));
    for (size_t i = 0; whole && i < run->lengths_count; i++)
        whole = put_test(run, &run->test[i], record_part(record, RECORD_TEST, run->lengths[i], true));
    return whole ? STATUS_OK : status_set(status, STATUS_MEMORY, "out of memory for the record of a trial");
}
