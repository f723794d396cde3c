// SPDX-License-Identifier: MIT
#include "train_private.h"
#include "train_schedule.h"
#include <math.h>

enum {
    ALIGNMENT = 64,
    TENSORS = 16, // more than a model has, for bounds
    LANES = 16,   // queries that attention takes at a time
};

// Operations of a product that take as long, measured: the softmax of one pair of tokens, and what else goes with a
// token, a sequence, and a step or an evaluation.
enum { SOFTMAX = 15, TOKEN = 200, SEQUENCE = 5000, PASS = 40000, BACKWARD = 2 };

// Of one pass over `samples` sequences, beside the products. Attention fills its lanes where queries are few.
static double overhead(double samples, double length)
{
    double queries = ceil(length / LANES) * LANES;
    return PASS + samples * (SEQUENCE + length * TOKEN + length * queries * SOFTMAX);
}

static int64_t longest(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    int64_t length = settings->task.train_length;
    for (size_t i = 0; i < lengths_count; i++)
        length = lengths[i] > length ? lengths[i] : length;
    return length;
}

// Predictions on `samples` of a set, `times` over; what is cached is made once.
static double evaluation_cost(const struct task_set *set, long samples, double times, bool cached)
{
    double predict = nn_predict_flops(set->settings, &set->shape, samples, set->length) +
                     overhead((double)samples, (double)set->length);
    return times * predict + (cached ? 1 : times) * (double)samples * task_sample_flops(set);
}

double train_cost(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    const struct evaluate_settings *evaluate = &settings->evaluate;
    double evaluations = (double)train_evaluations(evaluate->points, settings->train.steps);
    long samples = (long)settings->task.samples, length = (long)settings->task.train_length;
    int64_t most = settings->train.steps < RECORD_LOSS_LEVELS ? settings->train.steps : RECORD_LOSS_LEVELS;
    double levels = 0.5 * (double)most; // how many are reached is not known
    size_t budget = TRAIN_CACHE_BYTES;
    struct task_set set;
    task_set_init(&set, settings, SPLIT_TRAIN, length);
    double step =
        nn_gradient_flops(settings, &set.shape, samples, length) + BACKWARD * overhead((double)samples, (double)length);
    double cost = (double)(settings->train.steps + 1) * step + (double)samples * task_sample_flops(&set);
    task_set_init(&set, settings, SPLIT_VALIDATION, length);
    cost += evaluation_cost(&set, set.samples, evaluations, train_cached(&set, set.samples, &budget) > 0);
    for (size_t i = 0; i < lengths_count; i++) {
        task_set_init(&set, settings, SPLIT_TEST, (long)lengths[i]);
        long curve = (long)evaluate->curve_samples, rest = set.samples - curve;
        bool cached = train_cached(&set, curve, &budget) > 0;
        cost += evaluation_cost(&set, curve, evaluations + levels, cached);
        cost += evaluation_cost(&set, rest, levels + 1, false);
        cost += task_bayes_flops(settings, (long)lengths[i]);
    }
    return cost;
}

// What an arena takes for `count` objects in one piece.
static double piece(double count, double size)
{
    return count * size + ALIGNMENT;
}

static double columns_memory(const struct settings *settings, size_t lengths_count)
{
    double evaluations = (double)train_evaluations(settings->evaluate.points, settings->train.steps);
    double lengths = (double)lengths_count, items = COUNTERS + CURVES + 2 * TENSORS + TEST_ITEMS * lengths;
    return piece(1, sizeof(struct train_run)) + piece(lengths, sizeof(int64_t)) +
           piece(lengths, sizeof(struct train_test)) + piece(items, sizeof(struct train_state_item)) +
           piece(evaluations, sizeof(int64_t)) + piece(lengths, sizeof(double)) +
           piece((double)settings->task.samples, sizeof(real)) +
           (CURVES + TEST_CURVES * lengths) * piece(evaluations, sizeof(double));
}

static double data_memory(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    size_t budget = TRAIN_CACHE_BYTES;
    struct task_set set;
    task_set_init(&set, settings, SPLIT_TRAIN, (long)settings->task.train_length);
    double bytes = (double)task_make_bytes(&set, set.samples);
    task_set_init(&set, settings, SPLIT_VALIDATION, (long)settings->task.train_length);
    train_cached(&set, set.samples, &budget);
    double chunk = (double)train_tally_bytes(&set);
    for (size_t i = 0; i < lengths_count; i++) {
        task_set_init(&set, settings, SPLIT_TEST, (long)lengths[i]);
        train_cached(&set, (long)settings->evaluate.curve_samples, &budget);
        if ((double)train_tally_bytes(&set) > chunk)
            chunk = (double)train_tally_bytes(&set);
    }
    return bytes + chunk + (double)(TRAIN_CACHE_BYTES - budget);
}

double train_memory(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    struct batch_shape shape;
    task_shape(settings, &shape);
    size_t model = nn_model_bytes(settings, &shape, (long)longest(settings, lengths, lengths_count));
    double optimizer = (double)train_optimizer_bytes(settings, model) + TENSORS * ALIGNMENT;
    return columns_memory(settings, lengths_count) + (double)model + optimizer +
           data_memory(settings, lengths, lengths_count);
}
