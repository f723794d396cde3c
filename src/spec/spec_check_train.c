// SPDX-License-Identifier: MIT
#include "spec_private.h"
#include <inttypes.h>

static enum status_code check_epochs(const struct settings *settings, struct status *status)
{
    const struct train_settings *train = &settings->train;
    if (train->epochs == 0 || train->data == DATA_FINITE)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "epochs is %" PRId64
                      ", but under data: stream no sample comes twice; write epochs: 0 and say how "
                      "many steps",
                      train->epochs);
}

static enum status_code check_epochs_alone(const struct settings *settings, struct status *status)
{
    const struct train_settings *train = &settings->train;
    if (train->epochs == 0 || train->data != DATA_FINITE || train->budget == BUDGET_STEPS)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "epochs is %" PRId64 ", but budget: %s ends training; write epochs: 0, or budget: steps",
                      train->epochs, train->budget == BUDGET_TOKENS ? "tokens" : "flops");
}

static enum status_code check_steps(const struct settings *settings, struct status *status)
{
    const int64_t steps = settings_steps(settings);
    if (steps <= STEPS_LIMIT || settings->train.budget != BUDGET_STEPS)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "epochs = %" PRId64 " are %" PRId64 " steps of %" PRId64
                      " samples, more than %d; lower epochs or raise batch_size",
                      settings->train.epochs, steps, settings_batch_size(settings), STEPS_LIMIT);
}

static enum status_code check_budget(const struct settings *settings, struct status *status)
{
    const int64_t steps = settings_steps(settings);
    if (steps <= STEPS_LIMIT || settings->train.budget != BUDGET_TOKENS)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "budget_tokens = %" PRId64 " are %" PRId64 " steps, more than %d; lower it or raise batch_size",
                      settings->train.budget_tokens, steps, STEPS_LIMIT);
}

static enum status_code check_accumulation(const struct settings *settings, struct status *status)
{
    const int64_t samples = settings->task.samples, size = settings_batch_size(settings),
                  accumulation = settings->train.accumulation, batches = (samples + size - 1) / size;
    if (settings->train.data != DATA_FINITE || settings->train.curriculum != CURRICULUM_NONE || accumulation <= batches)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "accumulation is %" PRId64 ", but samples = %" PRId64 " are %" PRId64 " micro-batch%s of %" PRId64
                      ", so that a step would see samples twice; lower accumulation or "
                      "batch_size",
                      accumulation, samples, batches, batches == 1 ? "" : "es", size);
}

static enum status_code check_warmup(const struct settings *settings, struct status *status)
{
    const double warmup = settings->train.warmup;
    const int64_t steps = settings_steps(settings);
    if (check_count_or_share("warmup", warmup, status) != STATUS_OK)
        return STATUS_INVALID;
    if (warmup < 1 || warmup <= (double)steps || settings->train.budget == BUDGET_FLOPS)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "warmup is %.0f steps, but training has %" PRId64 "; lower the one or raise the other", warmup,
                      steps);
}

static enum status_code check_decay(const struct settings *settings, struct status *status)
{
    if (settings->train.schedule != SCHEDULE_STEP)
        return STATUS_OK;
    return check_count_or_share("decay_every", settings->train.decay_every, status);
}

const struct settings_check_row checks_of_train[] = {
    {{"epochs", "data"}, check_epochs},
    {{"epochs", "budget"}, check_epochs_alone},
    {{"epochs", "batch_size"}, check_steps},
    {{"budget_tokens", "batch_size"}, check_budget},
    {{"accumulation", "batch_size", "samples"}, check_accumulation},
    {{"warmup", "steps", "epochs"}, check_warmup},
    {{"decay_every"}, check_decay},
    {{NULL}, NULL},
};
