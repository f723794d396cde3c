// SPDX-License-Identifier: MIT
#include "task_source.h"
#include "train_private.h"
#include "train_schedule.h"
#include <math.h>
#include <string.h>

static bool in_effect(const struct settings *settings, const char *name)
{
    const struct setting *setting = setting_find(name, strlen(name));
    return setting_applies(setting, settings) && setting_real(setting, setting_get(setting, settings)) > 0;
}

bool train_exact(const struct settings *settings)
{
    return train_batches_kind(settings) == BATCHES_WHOLE && !in_effect(settings, "dropout") &&
           !in_effect(settings, "attention_noise") && !in_effect(settings, "random_positions");
}

// In double first: the bytes of a set that is never made may be more than a size_t holds.
static bool fits(const struct task_set *set, long count, size_t bytes)
{
    return (double)count * (double)task_sample_bytes(set) <= (double)bytes && task_make_bytes(set, count) <= bytes;
}

long train_cached_training(const struct task_set *set)
{
    switch (train_batches_kind(set->settings)) {
    case BATCHES_WHOLE:
        return set->samples;
    case BATCHES_SHUFFLED:
    case BATCHES_DRAWN:
        return fits(set, set->samples, TRAIN_SET_BYTES) ? set->samples : 0;
    case BATCHES_STREAM:
        break;
    }
    return 0;
}

long train_cached(const struct task_set *set, long count, size_t *budget)
{
    if (!fits(set, count, *budget))
        return 0;
    *budget -= task_make_bytes(set, count);
    return count;
}

long train_longest(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    int64_t longest = settings_tokens(settings, false, settings->task.train_length);
    for (size_t i = 0; i < lengths_count; i++) {
        const int64_t tokens = settings_tokens(settings, true, lengths[i]);
        longest = tokens > longest ? tokens : longest;
    }
    return (long)longest;
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
                      "out of memory for a trial; lower samples, batch_size, dim, points, test_length or "
                      "curve_samples");
}

static enum status_code create_columns(struct train_run *run, struct status *status)
{
    const int64_t points = run->settings.evaluate.points;
    run->steps = train_steps(&run->settings);
    run->evaluations = train_evaluations(points, run->steps);
    run->evaluation_step = arena_get(run->arena, run->evaluations, sizeof *run->evaluation_step);
    run->evaluated_step = arena_get(run->arena, run->evaluations, sizeof *run->evaluated_step);
    run->test_error = column(run, run->lengths_count);
    if (!run->evaluation_step || !run->evaluated_step || !run->test_error)
        return out_of_memory(status);
    train_evaluation_steps(points, run->steps, run->evaluation_step);
    for (int c = 0; c < CURVES; c++)
        if (!(run->curve[c] = column(run, run->evaluations)))
            return out_of_memory(status);
    for (size_t i = 0; i < run->lengths_count; i++)
        for (int c = 0; c < TEST_CURVES; c++)
            if (!(run->test[i].curve[c] = column(run, run->evaluations)))
                return out_of_memory(status);
    return STATUS_OK;
}

static enum status_code create_training(struct train_run *run, struct status *status)
{
    const struct settings *settings = &run->settings;
    const size_t size = (size_t)settings_batch_size(settings);
    struct task_set *set = &run->train.set;
    task_set_init(set, settings, SPLIT_TRAIN, (long)settings->task.train_length);
    task_set_from(set, run->source);
    run->exact = train_exact(settings);
    run->logits =
        arena_get(run->arena, size * (size_t)set->positions, (size_t)nn_outputs_width(run->model) * sizeof(real));
    run->predicted = arena_get(run->arena, size * (size_t)set->positions, sizeof *run->predicted);
    if (!run->logits || !run->predicted)
        return out_of_memory(status);
    run->full_flops = nn_gradient_flops(settings, &set->shape, (long)size, set->tokens);
    run->rest_flops = nn_gradient_flops(settings, &set->shape, (long)train_batches_rest(settings), set->tokens);
    const long cached = train_cached_training(set);
    enum status_code code = set->ragged ? train_flops_create(set, run->arena, &run->flops, status) : STATUS_OK;
    if (code == STATUS_OK && cached > 0)
        code = train_data_cache(&run->train, cached, run->arena, status);
    if (code == STATUS_OK)
        code = train_batches_create(&run->train, run->arena, &run->batches, status);
    if (code == STATUS_OK && run->batches.kind != BATCHES_STREAM)
        code = train_count_flips(&run->train, run->arena, &run->flips, status);
    return code;
}

static enum status_code cache(struct train_run *run, struct train_data *data, long wanted, size_t *budget,
                              struct status *status)
{
    long count = train_cached(&data->set, wanted, budget);
    return count > 0 ? train_data_cache(data, count, run->arena, status) : STATUS_OK;
}

static enum status_code create_evaluation(struct train_run *run, struct status *status)
{
    const struct settings *settings = &run->settings;
    size_t budget = TRAIN_CACHE_BYTES;
    task_set_init(&run->validation.set, settings, SPLIT_VALIDATION, (long)settings->task.train_length);
    task_set_from(&run->validation.set, run->source);
    enum status_code code = cache(run, &run->validation, run->validation.set.samples, &budget, status);
    for (size_t i = 0; code == STATUS_OK && i < run->lengths_count; i++) {
        struct train_data *data = &run->test[i].data;
        task_set_init(&data->set, settings, SPLIT_TEST, (long)run->lengths[i]);
        task_set_from(&data->set, run->source);
        code = cache(run, data, (long)settings->evaluate.curve_samples, &budget, status);
    }
    return code;
}

static void register_counters(struct train_run *run)
{
    struct train_state *state = &run->state;
    train_state_add(state, &run->spent.steps, 1, 8, "step");
    train_state_add(state, &run->spent.position, 1, 8, "position");
    train_state_add(state, &run->spent.tokens, 1, 8, "tokens");
    train_state_add(state, &run->spent.flops, 1, 8, "flops");
    train_state_add(state, &run->longest, 1, 8, "longest");
    train_state_add(state, run->evaluated_step, run->evaluations, 8, "evaluated_step");
    train_state_add(state, &run->evaluation, 1, 8, "evaluation");
    train_state_add(state, &run->done, 1, 8, "done");
    train_state_add(state, &run->diverged_step, 1, 8, "diverged_step");
    train_state_add(state, &run->t_fit, 1, 8, "t_fit");
    train_state_add(state, &run->t_half, 1, 8, "t_half");
    train_state_add(state, &run->t_mem, 1, 8, "t_mem");
    train_state_add(state, &run->rate_sum, 1, 8, "rate_sum");
    train_state_add(state, run->level_step, RECORD_LOSS_LEVELS, 8, "level_step");
    train_state_add(state, &run->train_seconds, 1, 8, "train_seconds");
    train_state_add(state, &run->evaluate_seconds, 1, 8, "evaluate_seconds");
    train_state_add(state, run->test_error, run->lengths_count, 8, "test_error");
}

static void register_results(struct train_run *run)
{
    struct train_state *state = &run->state;
    for (int c = 0; c < CURVES; c++)
        train_state_add(state, run->curve[c], run->evaluations, 8, "curve/%d", c);
    for (size_t i = 0; i < run->lengths_count; i++) {
        struct train_test *test = &run->test[i];
        const long length = (long)run->lengths[i];
        train_state_add(state, &test->final_loss, 1, 8, "test/%ld/final_loss", length);
        train_state_add(state, &test->final_error, 1, 8, "test/%ld/final_error", length);
        train_state_add(state, &test->final_sequence_error, 1, 8, "test/%ld/final_sequence_error", length);
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
            train_state_add(&run->state, tensor->value, (size_t)tensor->storage, sizeof(real), "weight/%s",
                            tensor->name);
    }
}

static void forget(struct train_run *run)
{
    const struct settings *settings = &run->settings;
    const bool grows = settings->train.curriculum != CURRICULUM_NONE;
    run->longest = grows ? train_first_length(settings) : settings->task.train_length;
    run->diverged_step = run->t_fit = run->t_half = run->t_mem = NAN;
    for (int level = 0; level < RECORD_LOSS_LEVELS; level++) {
        run->level_step[level] = NAN;
        for (size_t i = 0; i < run->lengths_count; i++)
            run->test[i].level_error[level] = NAN;
    }
    for (size_t i = 0; i < run->lengths_count; i++)
        run->test[i].final_loss = run->test[i].final_error = run->test[i].final_sequence_error = NAN;
}

static enum status_code create_parts(struct train_run *run, long max_length, struct status *status)
{
    const struct settings *settings = &run->settings;
    struct arena *arena = run->arena;
    struct batch_shape shape;
    task_shape(settings, &shape);
    enum status_code code = create_columns(run, status);
    if (code == STATUS_OK)
        code = nn_model_create(settings, &shape, max_length, arena, &run->model, status);
    if (code != STATUS_OK)
        return code;
    const size_t weights = nn_tensor_count(run->model);
    const size_t items = COUNTERS + CURVES + TEST_ITEMS * run->lengths_count + weights;
    code = train_state_init(&run->state, items + train_optimizer_items(settings, weights), arena, status);
    if (code == STATUS_OK)
        code = train_optimizer_create(settings, run->model, arena, &run->state, &run->optimizer, status);
    if (code == STATUS_OK)
        code = task_source_open(settings, run->lengths, run->lengths_count, arena, &run->source, status);
    if (code == STATUS_OK)
        code = create_training(run, status);
    return code == STATUS_OK ? create_evaluation(run, status) : code;
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
    enum status_code code = create_parts(run, train_longest(settings, lengths, lengths_count), status);
    if (code != STATUS_OK)
        return code;
    forget(run);
    register_counters(run);
    register_results(run);
    register_weights(run);
    *ret_run = run;
    return STATUS_OK;
}
