// SPDX-License-Identifier: MIT
// Lengths of training sequences.
#include "base_math.h"
#include "task_kind.h"
#include <math.h>

enum { ATTEMPTS = 64 }; // until a length that the task can make; then the draw is among those

static void find_listed(struct task_lengths *lengths, const struct settings *settings)
{
    int64_t length[LENGTHS_LIMIT];
    lengths->count = (long)settings_lengths(settings, length, LENGTHS_LIMIT);
    for (long i = 0; i < lengths->count; i++)
        lengths->listed[i] = (int32_t)length[i];
}

void task_find_lengths(struct task_set *set)
{
    const struct settings *settings = set->settings;
    struct task_lengths *lengths = &set->lengths;
    lengths->shortest = set->length;
    if (settings->task.kind == TASK_FILE) // its source knows
        return;
    lengths->shortest = (long)settings_shortest_length(settings);
    if (settings->task.length_distribution == LENGTHS_LIST) {
        find_listed(lengths, settings);
        return;
    }
    settings_lengths_possible(settings, set->length, lengths->possible);
    for (long l = lengths->shortest; l <= set->length; l++)
        lengths->gaps |= !length_is_in(lengths->possible, l);
}

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

static long from_list(const struct task_lengths *lengths, long most, double u)
{
    long fit = 0, place;
    for (long i = 0; i < lengths->count; i++)
        fit += lengths->listed[i] <= most;
    place = (long)(u * (double)fit);
    for (long i = 0; i < lengths->count; i++)
        if (lengths->listed[i] <= most && place-- == 0)
            return lengths->listed[i];
    return most;
}

// Of all lengths from the shortest to `most`.
static long candidate(const struct task_set *set, long most, double u)
{
    const struct task_settings *task = &set->settings->task;
    const long least = set->lengths.shortest, count = most - least + 1;
    if (task->length_distribution == LENGTHS_UNIFORM)
        return least + (long)(u * (double)count);
    return least + exponential(u, count, (double)task->train_length);
}

// Of those that the task can make: the first at which the sum of weights is more than `below`; the sum of all where
// none is.
static double pass_weights(const struct task_set *set, long most, double below, long *ret_length)
{
    const struct task_settings *task = &set->settings->task;
    const double each = task->length_distribution == LENGTHS_UNIFORM ? 1 : math_exp(-3 / (double)task->train_length);
    double weight = 1, sum = 0;
    for (long l = set->lengths.shortest; l <= most && sum <= below; l++, weight *= each)
        if (length_is_in(set->lengths.possible, l)) {
            sum += weight;
            *ret_length = l;
        }
    return sum;
}

static long among_possible(const struct task_set *set, long most, double u)
{
    long length = most;
    const double all = pass_weights(set, most, INFINITY, &length);
    pass_weights(set, most, u * all, &length);
    return length;
}

static long draw_length(const struct task_set *set, uint64_t draw, long most)
{
    const struct random_key key = task_key(set, "length");
    if (set->lengths.count)
        return from_list(&set->lengths, most, random_uniform(key, draw, 0, 0));
    for (uint32_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        const long length = candidate(set, most, random_uniform(key, draw, attempt, 0));
        if (!set->lengths.gaps || length_is_in(set->lengths.possible, length))
            return length;
    }
    return among_possible(set, most, random_uniform(key, draw, ATTEMPTS, 0));
}

// The longest up to `length` that the task can make.
static long possible_below(const struct task_lengths *lengths, long length)
{
    while (length > lengths->shortest && !length_is_in(lengths->possible, length))
        length--;
    return length;
}

long task_length(const struct task_set *set, long sample)
{
    const struct settings *settings = set->settings;
    if (set->source)
        return file_length(set->source, sample);
    if (!set->ragged)
        return set->length;
    const uint64_t draw = draw_of(settings, sample);
    const long most = most_of(set, draw);
    if (most <= set->lengths.shortest)
        return most;
    if (settings->task.length_distribution == LENGTHS_FIXED)
        return possible_below(&set->lengths, most);
    return draw_length(set, draw, most);
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
