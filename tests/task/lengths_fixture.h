// SPDX-License-Identifier: MIT
// Short sequences of many lengths.
#pragma once
#include "token_cases.h"

#include <math.h>

enum { N = 20, SAMPLES = 6000 };

static inline struct settings settings_of(const char *distribution)
{
    struct settings settings =
        case_settings((const char *[CASE_SETTINGS][2]){{"task", "accumulator"}, {"length_distribution", distribution}});
    settings.task.train_length = N;
    settings.task.noise_rate = 0;
    settings.task.samples = SAMPLES;
    return settings;
}

static inline struct batch make(const struct settings *settings, enum task_split split, long length, long first,
                                long count, struct arena *arena)
{
    struct task_set *set = arena_get(arena, 1, sizeof *set);
    struct batch batch = {0};
    task_set_init(set, settings, split, length);
    assert_int_equal(task_make(set, first, count, arena, &batch, NULL), STATUS_OK);
    assert_int_equal(batch.samples, count);
    return batch;
}

static inline void check(const struct settings *settings)
{
    const struct setting *blamed;
    struct status status = {0};
    if (settings_check(settings, &blamed, &status) != STATUS_OK)
        fail_msg("%s", status.text);
}

static inline struct task_set set_of(const struct settings *settings)
{
    struct task_set set;
    task_set_init(&set, settings, SPLIT_TRAIN, (long)settings->task.train_length);
    return set;
}

// Five standard errors about the stated share.
static inline void assert_share(long count, long samples, double share)
{
    const double error = sqrt(share * (1 - share) / (double)samples);
    if (fabs((double)count / (double)samples - share) > 5 * error + 1e-12)
        fail_msg("%ld of %ld, not a share of %g", count, samples, share);
}
