// SPDX-License-Identifier: MIT
// Before this: train, which has put the curves and the events of single steps into the record. After it: the record
// goes to the trainer's pipe.
#include "analyse.h"
#include <math.h>

// Curves are single precision, and an error is a count over some hundreds or thousands: this hides rounding alone.
#define SAME_ERROR (0.01 + 1e-6)

struct curves {
    struct record_part *training;
    size_t evaluations; // those reached
};

static double step_at(const struct curves *curves, size_t at)
{
    return record_real(curves->training, FIELD_STEP, at);
}

static double validation_at(const struct curves *curves, size_t at)
{
    return record_real(curves->training, FIELD_VALIDATION_ERROR, at);
}

static double find_best(const struct curves *curves)
{
    double least = INFINITY, step = NAN;
    for (size_t i = 0; i < curves->evaluations; i++)
        if (validation_at(curves, i) < least) {
            least = validation_at(curves, i);
            step = step_at(curves, i);
        }
    return step;
}

static double find_stable(const struct curves *curves)
{
    size_t first = curves->evaluations;
    double least = INFINITY, most = -INFINITY;
    while (first > 0) {
        double error = validation_at(curves, first - 1);
        least = error < least ? error : least;
        most = error > most ? error : most;
        if (!(most - least <= SAME_ERROR) || isnan(error))
            break;
        first--;
    }
    if (first + 1 >= curves->evaluations)
        return NAN;
    double step = step_at(curves, first), last = step_at(curves, curves->evaluations - 1);
    return step * step * step <= last * last || step <= 1 ? step : NAN; // log step <= 2/3 log last, without rounding
}

// The first evaluation at or after `step`; the number of evaluations where there is none.
static size_t evaluation_at(const struct curves *curves, double step)
{
    size_t at = 0;
    if (isnan(step))
        return curves->evaluations;
    while (at < curves->evaluations && step_at(curves, at) < step)
        at++;
    return at;
}

static enum status_code out_of_memory(struct status *status)
{
    return status_set(status, STATUS_MEMORY, "out of memory for the phases of a trial");
}

// The value of a curve at each phase's end into the single-precision field `id`.
static enum status_code put_at_ends(struct record_part *part, const size_t ends[RECORD_PHASES],
                                    enum record_field_id curve, enum record_field_id id, struct status *status)
{
    float *data = record_add(part, id, (const uint32_t[]){RECORD_PHASES});
    if (!data)
        return out_of_memory(status);
    for (size_t p = 0; p < RECORD_PHASES; p++)
        data[p] = (float)record_real(part, curve, ends[p]);
    return STATUS_OK;
}

static enum status_code put_phases(struct record *record, const struct curves *curves, double fit, double stable,
                                   struct status *status)
{
    const uint32_t extent[] = {RECORD_PHASES};
    size_t ends[RECORD_PHASES];
    double *start = record_add(curves->training, FIELD_PHASE_START, extent);
    double *end = record_add(curves->training, FIELD_PHASE_END, extent);
    if (!start || !end)
        return out_of_memory(status);
    double last = step_at(curves, curves->evaluations - 1), settled = isnan(fit) || stable < fit ? fit : stable;
    const double bounds[RECORD_PHASES][2] = {{0, fit}, {fit, settled}, {settled, isnan(settled) ? NAN : last}};
    for (size_t p = 0; p < RECORD_PHASES; p++) {
        start[p] = bounds[p][0];
        end[p] = bounds[p][1];
        // Past the reached evaluations curves are NaN, and record_real gives NaN past their end.
        ends[p] = isnan(end[p]) ? SIZE_MAX : evaluation_at(curves, end[p]);
    }
    enum status_code code = put_at_ends(curves->training, ends, FIELD_TRAIN_LOSS, FIELD_PHASE_TRAIN_LOSS, status);
    if (code == STATUS_OK)
        code = put_at_ends(curves->training, ends, FIELD_VALIDATION_ERROR, FIELD_PHASE_VALIDATION_ERROR, status);
    for (size_t p = 0; code == STATUS_OK && p < record->parts_count; p++)
        if (record->parts[p].kind == RECORD_TEST)
            code = put_at_ends(&record->parts[p], ends, FIELD_TEST_ERROR, FIELD_PHASE_TEST_ERROR, status);
    return code;
}

static enum status_code put_scalars(const struct record *record, const struct curves *curves, double best,
                                    double stable, struct status *status)
{
    bool done = record->status == RECORD_DONE;
    size_t last = curves->evaluations - 1;
    double loss = done ? record_real(curves->training, FIELD_TRAIN_LOSS, last) : NAN;
    double error = done ? record_real(curves->training, FIELD_TRAIN_ERROR, last) : NAN;
    const struct {
        enum record_field_id id;
        double value;
    } scalars[] = {
        {FIELD_T_BEST, best},
        {FIELD_T_STABLE, stable},
        {FIELD_FINAL_TRAIN_LOSS, loss},
        {FIELD_FINAL_TRAIN_ERROR, error},
        {FIELD_INTERPOLATED, error == 0 && record_real(curves->training, FIELD_FLIP_COUNT, 0) >= 1},
    };
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
        if (record_put_real(curves->training, scalars[i].id, scalars[i].value) != STATUS_OK)
            return out_of_memory(status);
    return STATUS_OK;
}

enum status_code analyse_phases(struct record *record, struct status *status)
{
    struct curves curves = {.training = record_part(record, RECORD_TRAINING, 0, false)};
    double evaluations = record_real(curves.training, FIELD_EVALUATIONS, 0);
    if (!(evaluations >= 0))
        return status_set(status, STATUS_INTERNAL, "a record without curves has no phases");
    curves.evaluations = (size_t)evaluations;
    bool done = record->status == RECORD_DONE;
    double fit = record_real(curves.training, FIELD_T_FIT, 0);
    double best = find_best(&curves), stable = done ? find_stable(&curves) : NAN;
    enum status_code code = put_scalars(record, &curves, best, stable, status);
    return code == STATUS_OK ? put_phases(record, &curves, fit, stable, status) : code;
}
