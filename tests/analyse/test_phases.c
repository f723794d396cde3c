// SPDX-License-Identifier: MIT
#include "support.h"

#include "analyse.h"
#include <math.h>
#include <string.h>

enum { EVALUATIONS = 8, REACHED_ALL = EVALUATIONS };

static const int64_t steps[EVALUATIONS] = {0, 1, 4, 10, 40, 100, 400, 1000};

static void put_floats(struct record_part *part, enum record_field_id id, const float *values, size_t reached)
{
    float *data = record_add(part, id, (const uint32_t[]){EVALUATIONS});
    assert_non_null(data);
    memcpy(data, values, reached * sizeof *data);
}

// A record as train leaves it, with validation errors in place of all errors and 100 steps less of loss each time.
static struct record make_record(const float *errors, size_t reached, double fit, double flips, float train_error)
{
    struct record record = {0};
    struct settings settings;
    float loss[EVALUATIONS], train[EVALUATIONS], test[EVALUATIONS];
    settings_defaults(&settings);
    record_init(&record, &settings);
    record.status = reached == REACHED_ALL ? RECORD_DONE : RECORD_DIVERGED;
    struct record_part *training = record_part(&record, RECORD_TRAINING, 0, true);
    int64_t *step = record_add(training, FIELD_STEP, (const uint32_t[]){EVALUATIONS});
    memcpy(step, steps, sizeof steps);
    for (int i = 0; i < EVALUATIONS; i++) {
        loss[i] = 0.8F - 0.1F * (float)i;
        train[i] = train_error;
        test[i] = errors[i] / 2;
    }
    put_floats(training, FIELD_VALIDATION_ERROR, errors, reached);
    put_floats(training, FIELD_TRAIN_LOSS, loss, reached);
    put_floats(training, FIELD_TRAIN_ERROR, train, reached);
    assert_int_equal(record_put_real(training, FIELD_EVALUATIONS, (double)reached), STATUS_OK);
    assert_int_equal(record_put_real(training, FIELD_T_FIT, fit), STATUS_OK);
    assert_int_equal(record_put_real(training, FIELD_FLIP_COUNT, flips), STATUS_OK);
    for (int64_t length = 8; length <= 16; length += 8)
        put_floats(record_part(&record, RECORD_TEST, length, true), FIELD_TEST_ERROR, test, reached);
    struct status status;
    assert_int_equal(analyse_phases(&record, &status), STATUS_OK);
    return record;
}

static double training_real(const struct record *record, enum record_field_id id, size_t at)
{
    return record_real(record_find_part(record, RECORD_TRAINING, 0), id, at);
}

static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : fabs(a - b) < 1e-6;
}

static void events_and_phase_bounds(void **state)
{
    const struct {
        const char *claim;
        float errors[EVALUATIONS];
        double fit, best, stable, bounds[4]; // start of phase 1 to end of phase 3
    } rows[] = {
        {"three phases", {.5F, .4F, .1F, .05F, .2F, .03F, .03F, .025F}, 6, 1000, 100, {0, 6, 100, 1000}},
        {"the first of equal minima", {.5F, .4F, .1F, .05F, .01F, .01F, .01F, .01F}, 6, 40, 40, {0, 6, 40, 1000}},
        {"within .01 exactly", {.5F, .4F, .1F, .05F, .2F, .048F, .058F, .05F}, 6, 100, 100, {0, 6, 100, 1000}},
        {"not within .01", {.5F, .4F, .1F, .05F, .2F, .047F, .058F, .05F}, 6, 100, NAN, {0, 6, NAN, NAN}},
        {"stable too late", {.5F, .4F, .1F, .05F, .2F, .2F, .03F, .03F}, 6, 400, NAN, {0, 6, NAN, NAN}},
        {"stable before it fits", {.5F, .5F, .5F, .5F, .5F, .5F, .5F, .5F}, 40, 0, 0, {0, 40, 40, 1000}},
        {"never fits", {.5F, .4F, .1F, .05F, .05F, .05F, .05F, .05F}, NAN, 10, 10, {0, NAN, NAN, NAN}},
        {"neither", {.5F, .4F, .1F, .3F, .2F, .1F, .2F, .1F}, NAN, 4, NAN, {0, NAN, NAN, NAN}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct record record = make_record(rows[r].errors, REACHED_ALL, rows[r].fit, 3, 0);
        const double *bounds = rows[r].bounds;
        bool right = same(training_real(&record, FIELD_T_BEST, 0), rows[r].best) &&
                     same(training_real(&record, FIELD_T_STABLE, 0), rows[r].stable);
        for (size_t p = 0; p < 3; p++)
            right = right && same(training_real(&record, FIELD_PHASE_START, p), bounds[p]) &&
                    same(training_real(&record, FIELD_PHASE_END, p), bounds[p + 1]);
        if (!right)
            fail_msg("%s", rows[r].claim);
        record_fini(&record);
    }
    (void)state;
}

static void phase_columns_hold_the_evaluation_at_or_after_the_end(void **state)
{
    const float errors[] = {.5F, .4F, .1F, .05F, .2F, .03F, .03F, .025F};
    struct record record = make_record(errors, REACHED_ALL, 6, 3, 0);
    const size_t at[] = {3, 5, 7}; // of steps 6, 100, 1000
    for (size_t p = 0; p < 3; p++) {
        assert_true(same(training_real(&record, FIELD_PHASE_VALIDATION_ERROR, p), (double)errors[at[p]]));
        assert_true(same(training_real(&record, FIELD_PHASE_TRAIN_LOSS, p), 0.8 - 0.1 * (double)at[p]));
        for (int64_t length = 8; length <= 16; length += 8) {
            const struct record_part *part = record_find_part(&record, RECORD_TEST, length);
            assert_true(same(record_real(part, FIELD_PHASE_TEST_ERROR, p), (double)errors[at[p]] / 2));
        }
    }
    record_fini(&record);
    (void)state;
}

static void missing_phases_have_no_columns(void **state)
{
    const float errors[] = {.5F, .4F, .1F, .3F, .2F, .1F, .2F, .1F};
    struct record record = make_record(errors, REACHED_ALL, NAN, 3, 0);
    for (size_t p = 0; p < 3; p++) {
        assert_true(isnan(training_real(&record, FIELD_PHASE_VALIDATION_ERROR, p)));
        assert_true(isnan(record_real(record_find_part(&record, RECORD_TEST, 8), FIELD_PHASE_TEST_ERROR, p)));
    }
    record_fini(&record);
    (void)state;
}

static void interpolation_needs_flips_and_no_error(void **state)
{
    const float errors[EVALUATIONS] = {0};
    const struct {
        double flips;
        float train_error;
        double expected;
    } rows[] = {{3, 0, 1}, {0, 0, 0}, {3, 0.01F, 0}, {1, 0, 1}};
    for (size_t r = 0; r < 4; r++) {
        struct record record = make_record(errors, REACHED_ALL, 6, rows[r].flips, rows[r].train_error);
        assert_true(training_real(&record, FIELD_INTERPOLATED, 0) == rows[r].expected);
        assert_true(same(training_real(&record, FIELD_FINAL_TRAIN_ERROR, 0), (double)rows[r].train_error));
        assert_true(same(training_real(&record, FIELD_FINAL_TRAIN_LOSS, 0), 0.1));
        record_fini(&record);
    }
    (void)state;
}

static void a_diverged_trial_has_a_best_step_but_no_end(void **state)
{
    const float errors[EVALUATIONS] = {.5F, .4F, .1F, .1F};
    for (size_t reached = 0; reached < 5; reached += 4) {
        struct record record = make_record(errors, reached, reached ? 6 : NAN, 3, 0);
        assert_true(same(training_real(&record, FIELD_T_BEST, 0), reached ? 4 : NAN));
        assert_true(isnan(training_real(&record, FIELD_T_STABLE, 0)));
        assert_true(isnan(training_real(&record, FIELD_FINAL_TRAIN_LOSS, 0)));
        assert_true(training_real(&record, FIELD_INTERPOLATED, 0) == 0);
        assert_true(same(training_real(&record, FIELD_PHASE_END, 0), reached ? 6 : NAN));
        assert_true(isnan(training_real(&record, FIELD_PHASE_END, 1)));
        assert_true(isnan(training_real(&record, FIELD_PHASE_END, 2)));
        record_fini(&record);
    }
    (void)state;
}

static void a_record_without_curves_is_refused(void **state)
{
    struct record record = {0};
    struct settings settings;
    struct status status;
    settings_defaults(&settings);
    record_init(&record, &settings);
    assert_int_equal(analyse_phases(&record, &status), STATUS_INTERNAL);
    record_part(&record, RECORD_TRAINING, 0, true);
    assert_int_equal(analyse_phases(&record, &status), STATUS_INTERNAL);
    record_fini(&record);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_and_phase_bounds),
        cmocka_unit_test(phase_columns_hold_the_evaluation_at_or_after_the_end),
        cmocka_unit_test(missing_phases_have_no_columns),
        cmocka_unit_test(interpolation_needs_flips_and_no_error),
        cmocka_unit_test(a_diverged_trial_has_a_best_step_but_no_end),
        cmocka_unit_test(a_record_without_curves_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
