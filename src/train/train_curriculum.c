// SPDX-License-Identifier: MIT
#include "train_private.h"
#include "train_schedule.h"
#include <stdio.h>

void train_look_set(const struct settings *settings, int64_t length, struct task_set *ret_set)
{
    task_set_init(ret_set, settings, SPLIT_VALIDATION, (long)length);
    snprintf(ret_set->name, sizeof ret_set->name, "validation/%ld", (long)length);
    ret_set->samples = ret_set->samples < LOOK_SAMPLES ? ret_set->samples : LOOK_SAMPLES;
}

static enum status_code look(struct train_run *run, struct status *status)
{
    struct train_data data = {0};
    struct train_tally tally = {0};
    train_look_set(&run->settings, run->longest, &data.set);
    enum status_code code = train_tally(run->model, &data, 0, data.set.samples, run->arena, &tally, status);
    if (code != STATUS_OK)
        return code;
    const long targets = tally.fit.targets, right = targets - tally.fit.wrong_given;
    if ((double)right >= train_share(run->settings.train.curriculum_threshold, (double)targets))
        run->longest = train_next_length(&run->settings, run->longest);
    return STATUS_OK;
}

enum status_code train_set_length(struct train_run *run, struct status *status)
{
    const struct settings *settings = &run->settings;
    const struct train_settings *train = &settings->train;
    const int64_t step = run->spent.steps;
    enum status_code code = STATUS_OK;
    if (train->curriculum == CURRICULUM_NONE)
        return code;
    if (train->curriculum == CURRICULUM_SCHEDULE)
        run->longest = train_scheduled_length(settings, run->steps, run->spent.position);
    else if (step > 0 && step % train->curriculum_every == 0 && run->longest < settings->task.train_length)
        code = look(run, status);
    train_batches_set_longest(&run->batches, run->longest);
    return code;
}

static double flops_of_equal_lengths(const struct train_run *run)
{
    int64_t full, rest;
    train_batches_count(&run->settings, run->spent.steps * run->settings.train.accumulation, &full, &rest);
    return (double)full * run->full_flops + (double)rest * run->rest_flops;
}

void train_spend(struct train_run *run, const struct train_pass *pass)
{
    struct train_spent *spent = &run->spent;
    spent->steps++;
    spent->tokens += pass->tokens;
    spent->flops = run->flops.each ? spent->flops + pass->flops : flops_of_equal_lengths(run);
    spent->position = train_position(&run->settings, run->steps, spent);
}
