// SPDX-License-Identifier: MIT
#include "train_budget.h"
#include "nn_model.h"
#include <inttypes.h>
#include <math.h>

enum { ALIGNMENT = 64 };

// Operations of a step whose sequences all have the train length.
static double flops_of_step(const struct settings *settings)
{
    struct batch_shape shape;
    task_shape(settings, &shape);
    const long length = (long)settings_tokens(settings, false, settings->task.train_length);
    return (double)settings->train.accumulation *
           nn_gradient_flops(settings, &shape, (long)settings_batch_size(settings), length);
}

int64_t train_steps(const struct settings *settings)
{
    if (settings->train.budget != BUDGET_FLOPS)
        return settings_steps(settings);
    const double steps = floor(settings->train.budget_flops / flops_of_step(settings));
    return steps < 1 ? 1 : steps > STEPS_LIMIT ? STEPS_LIMIT : (int64_t)steps;
}

enum status_code train_check_warmup(const struct settings *settings, struct status *status)
{
    const struct train_settings *train = &settings->train;
    if (train->budget != BUDGET_FLOPS || train->warmup < 1 || train->warmup <= (double)train_steps(settings))
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "warmup is %.0f steps, but budget_flops = %g are %" PRId64 " of full length; lower the one or "
                      "raise the other",
                      train->warmup, train->budget_flops, train_steps(settings));
}

__extension__ typedef unsigned __int128 wide;

static int64_t reached(const struct settings *settings, int64_t steps, const struct train_spent *spent)
{
    const struct train_settings *train = &settings->train;
    if (train->budget == BUDGET_STEPS)
        return spent->steps;
    if (train->budget == BUDGET_TOKENS)
        return (int64_t)((wide)steps * (wide)spent->tokens / (wide)train->budget_tokens);
    const double share = floor((double)steps * spent->flops / train->budget_flops);
    return share < (double)steps ? (int64_t)share : steps;
}

int64_t train_position(const struct settings *settings, int64_t steps, const struct train_spent *spent)
{
    // A step that is itself the whole budget, or rounding, may be seen as more than one.
    const int64_t next = spent->position + 1, position = reached(settings, steps, spent);
    const int64_t most = next < steps ? next : steps;
    return position < most ? position : most;
}

enum status_code train_flops_create(const struct task_set *train, struct arena *arena, struct train_flops *ret_flops,
                                    struct status *status)
{
    double *each = arena_get(arena, (size_t)train->tokens + 1, sizeof *each);
    if (!each)
        return status_set(status, STATUS_MEMORY, "out of memory for counts of %ld lengths; lower train_length",
                          train->tokens);
    struct nn_sketch model = nn_sketch(train->settings, &train->shape, train->tokens);
    const double one = nn_sketch_gradient_flops(&model, 1, 1), two = nn_sketch_gradient_flops(&model, 2, 1);
    const double once = 2 * one - two;
    for (long length = 1; length <= train->tokens; length++)
        each[length] = nn_sketch_gradient_flops(&model, 1, length) - once;
    const bool made = model.model != NULL;
    nn_sketch_fini(&model);
    if (!made)
        return status_set(status, STATUS_MEMORY, "out of memory for a look at the model");
    *ret_flops = (struct train_flops){.once = once, .each = each};
    return STATUS_OK;
}

double train_flops_of(const struct train_flops *flops, const struct batch *batch)
{
    double sum = flops->once;
    for (long s = 0; s < batch->samples; s++)
        sum += flops->each[batch_length(batch, s)];
    return sum;
}

size_t train_flops_bytes(const struct task_set *train)
{
    return train->ragged ? ((size_t)train->tokens + 1) * sizeof(double) + ALIGNMENT : 0;
}
