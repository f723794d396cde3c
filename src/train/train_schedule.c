// SPDX-License-Identifier: MIT
#include "train_schedule.h"
#include "base_math.h"
#include <float.h>
#include <math.h>

size_t train_evaluations(int64_t points, int64_t steps)
{
    return (size_t)(points < steps + 1 ? points : steps + 1);
}

void train_evaluation_steps(int64_t points, int64_t steps, int64_t *ret_steps)
{
    size_t count = train_evaluations(points, steps), last = count - 1;
    ret_steps[last] = steps;
    if (count == 1)
        return;
    ret_steps[0] = 0;
    for (size_t i = 1; i < last; i++) {
        double share = (double)(i - 1) / (double)(last - 1);
        int64_t step = (int64_t)rint(math_exp(math_log((double)steps) * share));
        ret_steps[i] = step > ret_steps[i - 1] ? step : ret_steps[i - 1] + 1;
    }
    for (size_t i = last; i > 1 && ret_steps[i - 1] >= ret_steps[i]; i--)
        ret_steps[i - 1] = ret_steps[i] - 1;
}

// The whole number from which a few roundings alone may have led.
static double without_rounding(double number)
{
    const double whole = rint(number);
    return fabs(number - whole) <= 4 * DBL_EPSILON * fabs(number) ? whole : number;
}

double train_share(double share, double whole)
{
    return without_rounding(share * whole);
}

// Whole steps from a count, or from a share of them, which may fall on a half.
static double whole_steps(double given, double steps)
{
    return rint(given < 1 ? train_share(given, 2 * steps) / 2 : given);
}

static double at_least_one(double count)
{
    return count > 1 ? count : 1;
}

static double cosine(const struct train_settings *train, double share)
{
    const double pi = 3.14159265358979323846;
    return train->final_rate + (1 - train->final_rate) * 0.5 * (1 + math_cos(pi * share));
}

double train_learning_rate(const struct settings *settings, int64_t all_steps, int64_t position)
{
    const struct train_settings *train = &settings->train;
    const double t = (double)position, steps = (double)all_steps;
    const double warmup = whole_steps(train->warmup, steps), after = t - warmup, rate = train->learning_rate;
    if (after < 0)
        return rate * (t + 1) / warmup;
    switch (train->schedule) {
    case SCHEDULE_COSINE:
        return rate * cosine(train, after / at_least_one(steps - warmup));
    case SCHEDULE_STEP:
        return rate *
               math_pow(train->decay_factor, floor(after / at_least_one(whole_steps(train->decay_every, steps))));
    case SCHEDULE_INVERSE_SQRT:
        return rate * (warmup > 0 ? sqrt(warmup / t) : 1 / sqrt(t + 1));
    default:
        return rate;
    }
}

// The longest up to `length` that the task can make.
static int64_t possible_below(const struct settings *settings, int64_t length)
{
    while (length > 1 && !settings_length_possible(settings, length))
        length--;
    return length;
}

int64_t train_first_length(const struct settings *settings)
{
    return possible_below(settings, settings->train.curriculum_start);
}

int64_t train_scheduled_length(const struct settings *settings, int64_t steps, int64_t position)
{
    const int64_t start = settings->train.curriculum_start, last = settings->task.train_length;
    const double ramp = train_share(settings->train.curriculum_share, (double)steps);
    if ((double)position >= ramp)
        return last;
    const double longer = without_rounding((double)(last - start) * (double)position / ramp);
    return possible_below(settings, start + (int64_t)floor(longer));
}

int64_t train_next_length(const struct settings *settings, int64_t length)
{
    const int64_t last = settings->task.train_length;
    length += settings->train.curriculum_increment;
    while (length < last && !settings_length_possible(settings, length))
        length++;
    return length < last ? length : last;
}
