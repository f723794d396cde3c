// SPDX-License-Identifier: MIT
// Lengths of training sequences.
#include "base_math.h"
#include "task_kind.h"
#include <math.h>

enum { ATTEMPTS = 64 }; // until a length that the task can make

static uint64_t draw_of(const struct settings *settings, long sample)
{
    const bool batches = settings->train.data == DATA_STREAM && settings->task.length_mixing == MIXING_BATCHES &&
                         settings->task.length_distribution != LENGTHS_FIXED;
    return (uint64_t)(batches ? sample / settings_batch_size(settings) : sample);
}

static long most_of(const struct task_set *set, uint64_t draw)
{
    const struct train_settings *train = &set->settings->train;
    if (train->data != DATA_STREAM)
        return set->length;
    if (train->curriculum == CURRICULUM_NONE || train->curriculum_start >= set->longest)
        return set->longest;
    const bool kept = random_uniform(task_key(set, "length/keep"), draw, 0, 0) < train->curriculum_keep;
    return kept ? (long)train->curriculum_start : set->longest;
}

// Inverse of the distribution function of P(least + i) proportional to e^(-3i/n), i < count.
static long exponential(double u, long count, double n)
{
    const double rate = 3 / n, all = 1 - math_exp(-rate * (double)count);
    const double i = floor(-math_log(1 - u * all) / rate);
    return i < (double)count ? (long)i : count - 1;
}

static long from_list(const struct settings *settings, long most, double u)
{
    int64_t length[LENGTHS_LIMIT];
    const size_t count = settings_lengths(settings, length, LENGTHS_LIMIT);
    size_t fit = 0;
    for (size_t i = 0; i < count; i++)
        if (length[i] <= most)
            length[fit++] = length[i];
    return fit ? (long)length[(size_t)(u * (double)fit)] : most;
}

static long candidate(const struct settings *settings, long most, double u)
{
    const struct task_settings *task = &settings->task;
    const long least = task->min_length < most ? (long)task->min_length : most, count = most - least + 1;
    switch (task->length_distribution) {
    case LENGTHS_UNIFORM:
        return least + (long)(u * (double)count);
    case LENGTHS_EXPONENTIAL:
        return least + exponential(u, count, (double)task->train_length);
    case LENGTHS_LIST:
        return from_list(settings, most, u);
    default:
        return most;
    }
}

long task_length(const struct task_set *set, long sample)
{
    const struct settings *settings = set->settings;
    if (set->source)
        return file_length(set->source, sample);
    if (!set->ragged)
        return set->length;
    const uint64_t draw = draw_of(settings, sample);
    const struct random_key key = task_key(set, "length");
    const long most = most_of(set, draw);
    for (uint32_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        const long length = candidate(settings, most, random_uniform(key, draw, attempt, 0));
        if (settings_length_possible(settings, length))
            return length;
    }
    long length = most;
    while (length > 1 && !settings_length_possible(settings, length))
        length--;
    return length;
}

long task_tokens(const struct task_set *set, long sample)
{
    return (long)settings_tokens(set->settings, set->split == SPLIT_TEST, task_length(set, sample));
}

bool task_offsets(const struct task_set *set, long first, long count, int64_t *ret_offsets, long *ret_longest)
{
    bool differ = false;
    *ret_longest = 0;
    ret_offsets[0] = 0;
    for (long i = 0; i < count; i++) {
        const long tokens = task_tokens(set, first + i);
        differ |= i > 0 && tokens != *ret_longest;
        *ret_longest = tokens > *ret_longest ? tokens : *ret_longest;
        ret_offsets[i + 1] = ret_offsets[i] + tokens;
    }
    return differ;
}
