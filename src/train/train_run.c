// SPDX-License-Identifier: MIT
// Before this: trial, which owns the arena and asks for progress. After it: nn for every pass, then record.
#include "train_run.h"
#include "base_clock.h"
#include "train_private.h"
#include "train_schedule.h"
#include <math.h>
#include <string.h>

long train_cached(const struct task_set *set, long count, size_t *budget)
{
    // In double first: the bytes of a set that is never made may be more than a size_t holds.
    if ((double)count * (double)task_sample_bytes(set) > (double)*budget || task_make_bytes(set, count) > *budget)
        return 0;
    *budget -= task_make_bytes(set, count);
    return count;
}

// `count` numbers that are not there yet.
static double *column(struct train_run *run, size_t count)
{
    double *data = arena_get(run->arena, count, sizeof *data);
    for (size_t i = 0; data && i < count; i++)
        data[i] = NAN;
    return data;
}

static enum status_code out_of_memory(struct status *status)
{
    return status_set(status, STATUS_MEMORY,
                      "out of memory for a trial; lower samples, dim, points, test_length or curve_samples");
}

static enum status_code create_columns(struct train_run *run, struct status *status)
{
    run->evaluations = train_evaluations(run->settings.evaluate.points, run->settings.train.steps);
    run->evaluation_step = arena_get(run->arena, run->evaluations, sizeof *run->evaluation_step);
    run->test_error = column(run, run->lengths_count);
    run->logits = arena_get(run->arena, (size_t)run->settings.task.samples, sizeof *run->logits);
    if (!run->evaluation_step || !run->test_error || !run->logits)
        return out_of_memory(status);
    train_evaluation_steps(run->settings.evaluate.points, run->settings.train.steps, run->evaluation_step);
    for (int c = 0; c < CURVES; c++)
        if (!(run->curve[c] = column(run, run->evaluations)))
            return out_of_memory(status);
    for (size_t i = 0; i < run->lengths_count; i++)
        for (int c = 0; c < TEST_CURVES; c++)
            if (!(run->test[i].curve[c] = column(run, run->evaluations)))
                return out_of_memory(status);
    return STATUS_OK;
}

static enum status_code cache(struct train_run *run, struct train_data *data, long wanted, size_t *budget,
                              struct status *status)
{
    long count = train_cached(&data->set, wanted, budget);
    return count > 0 ? train_data_cache(data, count, run->arena, status) : STATUS_OK;
}

static enum status_code create_data(struct train_run *run, struct status *status)
{
    const struct settings *settings = &run->settings;
    long length = (long)settings->task.train_length;
    size_t budget = TRAIN_CACHE_BYTES;
    task_set_init(&run->train.set, settings, SPLIT_TRAIN, length);
    task_set_init(&run->validation.set, settings, SPLIT_VALIDATION, length);
    enum status_code code = train_data_cache(&run->train, run->train.set.samples, run->arena, status);
    if (code == STATUS_OK)
        code = cache(run, &run->validation, run->validation.set.samples, &budget, status);
    for (size_t i = 0; code == STATUS_OK && i < run->lengths_count; i++) {
        struct train_data *data = &run->test[i].data;
        task_set_init(&data->set, settings, SPLIT_TEST, (long)run->lengths[i]);
        code = cache(run, data, (long)settings->evaluate.curve_samples, &budget, status);
    }
    return code;
}

static void register_counters(struct train_run *run)
{
    struct train_state *state = &run->state;
    train_state_add(state, &run->step, 1, 8, "step");
    train_state_add(state, &run->evaluation, 1, 8, "evaluation");
    train_state_add(state, &run->done, 1, 8, "done");
    train_state_add(state, &run->diverged_step, 1, 8, "diverged_step");
    train_state_add(state, &run->t_fit, 1, 8, "t_fit");
    train_state_add(state, &run->t_half, 1, 8, "t_half");
    train_state_add(state, &run->t_mem, 1, 8, "t_mem");
    train_state_add(state, run->level_step, RECORD_LOSS_LEVELS, 8, "level_step");
    train_state_add(state, &run->train_seconds, 1, 8, "train_seconds");
    train_state_add(state, &run->evaluate_seconds, 1, 8, "evaluate_seconds");
    train_state_add(state, run->test_error, run->lengths_count, 8, "test_error");
    for (int c = 0; c < CURVES; c++)
        train_state_add(state, run->curve[c], run->evaluations, 8, "curve/%d", c);
    for (size_t i = 0; i < run->lengths_count; i++) {
        struct train_test *test = &run->test[i];
        long length = (long)run->lengths[i];
        train_state_add(state, &test->final_loss, 1, 8, "test/%ld/final_loss", length);
        train_state_add(state, &test->final_error, 1, 8, "test/%ld/final_error", length);
        train_state_add(state, test->level_error, RECORD_LOSS_LEVELS, 8, "test/%ld/level_error", length);
        for (int c = 0; c < TEST_CURVES; c++)
            train_state_add(state, test->curve[c], run->evaluations, 8, "test/%ld/curve/%d", length, c);
    }
}

static void register_weights(struct train_run *run)
{
    for (size_t i = 0; i < nn_tensor_count(run->model); i++) {
        struct nn_tensor *tensor = nn_tensor(run->model, i);
        if (!tensor->frozen)
            train_state_add(&run->state, tensor->value, (size_t)tensor->rows * (size_t)tensor->stride, sizeof(real),
                            "weight/%s", tensor->name);
    }
}

static void forget(struct train_run *run)
{
    run->diverged_step = run->t_fit = run->t_half = run->t_mem = NAN;
    for (int level = 0; level < RECORD_LOSS_LEVELS; level++) {
        run->level_step[level] = NAN;
        for (size_t i = 0; i < run->lengths_count; i++)
            run->test[i].level_error[level] = NAN;
    }
    for (size_t i = 0; i < run->lengths_count; i++)
        run->test[i].final_loss = run->test[i].final_error = NAN;
}

static enum status_code create_parts(struct train_run *run, long max_length, struct status *status)
{
    struct arena *arena = run->arena;
    struct batch_shape shape;
    task_shape(&run->settings, &shape);
    enum status_code code = create_columns(run, status);
    if (code == STATUS_OK)
        code = nn_model_create(&run->settings, &shape, max_length, arena, &run->model, status);
    size_t weights = code == STATUS_OK ? nn_tensor_count(run->model) : 0;
    if (code == STATUS_OK)
        code = train_state_init(&run->state, COUNTERS + CURVES + TEST_ITEMS * run->lengths_count + 2 * weights, arena,
                                status);
    if (code == STATUS_OK)
        code = train_optimizer_create(&run->settings, run->model, arena, &run->state, &run->optimizer, status);
    return code == STATUS_OK ? create_data(run, status) : code;
}

enum status_code train_create(const struct settings *settings, const int64_t *lengths, size_t lengths_count,
                              struct arena *arena, struct train_run **ret_run, struct status *status)
{
    struct train_run *run = arena_get(arena, 1, sizeof *run);
    if (!run)
        return out_of_memory(status);
    run->settings = *settings;
    run->arena = arena;
    run->lengths_count = lengths_count;
    run->lengths = arena_get(arena, lengths_count, sizeof *run->lengths);
    run->test = arena_get(arena, lengths_count, sizeof *run->test);
    if (!run->lengths || !run->test)
        return out_of_memory(status);
    memcpy(run->lengths, lengths, lengths_count * sizeof *lengths);
    int64_t longest = settings->task.train_length;
    for (size_t i = 0; i < lengths_count; i++)
        longest = lengths[i] > longest ? lengths[i] : longest;
    enum status_code code = create_parts(run, (long)longest, status);
    if (code != STATUS_OK)
        return code;
    forget(run);
    register_counters(run);
    register_weights(run);
    *ret_run = run;
    return STATUS_OK;
}

static void note_events(struct train_run *run, const struct train_fit *fit)
{
    double step = (double)run->step;
    if (isnan(run->t_fit) && fit->unflipped > 0 && 100 * fit->wrong_unflipped <= fit->unflipped)
        run->t_fit = step;
    if (isnan(run->t_fit) || fit->flips == 0)
        return;
    if (isnan(run->t_half) && 2 * fit->flips_fitted >= fit->flips)
        run->t_half = step;
    if (isnan(run->t_mem) && fit->flips_fitted == fit->flips)
        run->t_mem = step;
}

// Everything that happens at one step; the weights move at its end, so that the gradient need not outlive it.
static enum status_code make_step(struct train_run *run, bool *ret_evaluated, struct status *status)
{
    double start = clock_now(), loss, evaluated_at;
    struct train_fit fit;
    enum status_code code;
    nn_gradient(run->model, &run->train.batch, &(struct nn_pass){0}, run->logits, &loss);
    if (!isfinite(loss)) {
        run->diverged_step = (double)run->step;
        run->done = 1;
        run->train_seconds += clock_now() - start;
        return STATUS_OK;
    }
    train_fit(&run->train.batch, run->logits, &fit);
    note_events(run, &fit);
    run->train_seconds += (evaluated_at = clock_now()) - start;
    code = train_note_levels(run, loss, status);
    if (code == STATUS_OK && run->step == run->evaluation_step[run->evaluation]) {
        code = train_evaluate(run, loss, &fit, status);
        *ret_evaluated = true;
    }
    run->evaluate_seconds += (start = clock_now()) - evaluated_at;
    if (code != STATUS_OK)
        return code;
    if (run->step == run->settings.train.steps) {
        run->done = 1;
        return STATUS_OK;
    }
    train_optimizer_step(run->optimizer);
    run->step++;
    run->train_seconds += clock_now() - start;
    return STATUS_OK;
}

enum status_code train_advance(struct train_run *run, double seconds, bool *ret_evaluated, bool *ret_done,
                               struct status *status)
{
    double start = clock_now();
    bool evaluated = false;
    while (!run->done && !evaluated) {
        enum status_code code = make_step(run, &evaluated, status);
        if (code != STATUS_OK)
            return status_context(status, "step %lld", (long long)run->step);
        if (seconds > 0 && clock_now() - start >= seconds)
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
        .step = run->step,
        .evaluation_step = any ? run->evaluation_step[at] : 0,
        .train_loss = any ? run->curve[CURVE_TRAIN_LOSS][at] : NAN,
        .train_error = any ? run->curve[CURVE_TRAIN_ERROR][at] : NAN,
        .validation_error = any ? run->curve[CURVE_VALIDATION_ERROR][at] : NAN,
        .test_error = run->test_error,
    };
}
