// SPDX-License-Identifier: MIT
// Before this: trial, which owns the arena and asks for progress. After it: nn for every pass, then record.
#include "train_run.h"
#include "base_clock.h"
#include "train_private.h"
#include "train_schedule.h"
#include <math.h>

static void note_events(struct train_run *run, const struct train_fit *fit)
{
    const double step = (double)run->spent.steps;
    if (isnan(run->t_fit) && fit->unflipped > 0 && 100 * fit->wrong_unflipped <= fit->unflipped)
        run->t_fit = step;
    if (isnan(run->t_fit) || run->flips == 0)
        return;
    if (isnan(run->t_half) && 2 * fit->flips_fitted >= fit->flips)
        run->t_half = step;
    if (isnan(run->t_mem) && fit->flips_fitted == fit->flips)
        run->t_mem = step;
}

// The gradients of the step's micro-batches, and their loss; their predictions where `fits`. Of several, sums are
// taken, and divided when their number of targets is known.
static enum status_code make_gradients(struct train_run *run, bool fits, struct train_pass *ret_pass,
                                       struct status *status)
{
    const struct arena_mark mark = arena_mark(run->arena);
    const int64_t parts = run->batches.accumulation, step = run->spent.steps;
    struct train_pass pass = {.scale = 1};
    double targets = 0;
    for (int64_t part = 0; part < parts; part++) {
        struct batch batch;
        double loss;
        enum status_code code = train_batches_get(&run->batches, step, part, run->arena, &batch, status);
        if (code != STATUS_OK)
            return code;
        nn_gradient(run->model, &batch, &(struct nn_pass){.step = step, .add = part > 0, .targets = parts > 1 ? 1 : 0},
                    run->logits, &loss);
        pass.loss += loss;
        pass.tokens += batch_row(&batch, batch.samples);
        pass.flops += run->flops.each ? train_flops_of(&run->flops, &batch) : 0;
        targets += (double)nn_targets(&batch);
        if (fits) {
            nn_classes(&batch, run->logits, run->predicted);
            train_fit(&batch, run->predicted, &pass.fit);
        }
        arena_release(run->arena, mark);
    }
    if (parts > 1) {
        pass.scale = 1 / targets;
        pass.loss /= targets;
    }
    *ret_pass = pass;
    return STATUS_OK;
}

// Events, loss levels and curves of this step, from its pass or, where that does not tell, from whole evaluations.
static enum status_code look(struct train_run *run, struct train_pass *pass, bool due, struct status *status)
{
    enum status_code code = STATUS_OK;
    if (!run->exact && !due)
        return code;
    if (!run->exact && run->batches.kind != BATCHES_STREAM)
        code = train_evaluate_training(run, pass, status);
    if (code != STATUS_OK || !isfinite(pass->loss))
        return code;
    note_events(run, &pass->fit);
    code = train_note_levels(run, pass->loss, status);
    return code == STATUS_OK && due ? train_evaluate(run, pass, status) : code;
}

static void move_weights(struct train_run *run, const struct train_pass *pass)
{
    const double rate = train_learning_rate(&run->settings, run->steps, run->spent.position);
    train_optimizer_step(run->optimizer, rate, pass->scale);
    run->rate_sum += rate;
    train_spend(run, pass);
}

// What comes before the passes of a step, and is no training.
static enum status_code prepare(struct train_run *run, struct status *status)
{
    const double start = clock_now();
    enum status_code code = train_set_length(run, status);
    run->evaluate_seconds += clock_now() - start;
    return code;
}

// Everything that happens at one step; the weights move at its end, so that the gradient need not outlive it.
static enum status_code make_step(struct train_run *run, bool *ret_evaluated, struct status *status)
{
    const bool due = run->spent.position == run->evaluation_step[run->evaluation];
    struct train_pass pass;
    enum status_code code = prepare(run, status);
    const double start = clock_now();
    if (code == STATUS_OK)
        code = make_gradients(run, run->exact || due, &pass, status);
    const double passed = clock_now();
    run->train_seconds += passed - start;
    if (code == STATUS_OK && isfinite(pass.loss))
        code = look(run, &pass, due, status);
    const double looked = clock_now();
    run->evaluate_seconds += looked - passed;
    if (code != STATUS_OK)
        return code;
    const bool finite = isfinite(pass.loss);
    if (!finite)
        run->diverged_step = (double)run->spent.steps;
    *ret_evaluated = finite && due;
    run->done = !finite || run->spent.position == run->steps;
    if (!run->done)
        move_weights(run, &pass);
    run->train_seconds += clock_now() - looked;
    return STATUS_OK;
}

void train_set_stops(struct train_run *run, const int64_t *steps, size_t count)
{
    run->stops = steps;
    run->stops_count = count;
}

struct nn_model *train_model(struct train_run *run)
{
    return run->model;
}

bool train_diverged(const struct train_run *run)
{
    return !isnan(run->diverged_step);
}

static bool at_stop(const struct train_run *run)
{
    for (size_t i = 0; i < run->stops_count; i++)
        if (run->stops[i] == run->spent.steps)
            return true;
    return false;
}

enum status_code train_advance(struct train_run *run, double seconds, bool *ret_evaluated, bool *ret_done,
                               struct status *status)
{
    double start = clock_now();
    bool evaluated = false;
    while (!run->done && !evaluated) {
        enum status_code code = make_step(run, &evaluated, status);
        if (code != STATUS_OK)
            return status_context(status, "step %lld", (long long)run->spent.steps);
        if (at_stop(run) || (seconds > 0 && clock_now() - start >= seconds))
            break;
    }
    *ret_evaluated = evaluated;
    *ret_done = run->done;
    return STATUS_OK;
}

bool train_done(const struct train_run *run)
{
    return run->done;
}

struct train_state *train_state(struct train_run *run)
{
    return &run->state;
}

void train_progress(const struct train_run *run, struct train_progress *ret_progress)
{
    size_t at = (size_t)run->evaluation - 1;
    bool any = run->evaluation > 0;
    *ret_progress = (struct train_progress){
        .step = run->spent.steps,
        .position = run->spent.position,
        .positions = run->steps,
        .evaluation_step = any ? run->evaluated_step[at] : 0,
        .train_loss = any ? run->curve[CURVE_TRAIN_LOSS][at] : NAN,
        .train_error = any ? run->curve[CURVE_TRAIN_ERROR][at] : NAN,
        .validation_error = any ? run->curve[CURVE_VALIDATION_ERROR][at] : NAN,
        .test_error = run->test_error,
    };
}
