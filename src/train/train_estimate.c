// SPDX-License-Identifier: MIT
#include "task_source.h"
#include "train_private.h"
#include "train_schedule.h"
#include <math.h>

enum {
    ALIGNMENT = 64,
    LANES = 16, // queries that attention takes at a time
};

// Operations of a product that take as long, measured: the softmax of one pair of tokens, and what else goes with a
// token, a sequence, and a step or an evaluation; what a step does to a weight, plain, with moments, and for its norm;
// a draw.
enum { SOFTMAX = 15, TOKEN = 200, SEQUENCE = 5000, PASS = 40000, BACKWARD = 2 };
enum { WEIGHT = 6, WEIGHT_MOMENTS = 25, WEIGHT_NORM = 6, DRAW = 25 };
enum { LENGTH_SAMPLES = 32, CURRICULUM_PARTS = 8 }; // that stand for all lengths, and for all of a curriculum

// Pairs of tokens whose attention is weighed, of one sequence; it fills its lanes where queries are few.
static double pairs(const struct settings *settings, double length)
{
    const struct model_settings *model = &settings->model;
    const double all = length * ceil(length / LANES) * LANES;
    if (model->kind == MODEL_TWO_LAYER)
        return all;
    if (model->kind != MODEL_TRANSFORMER)
        return 0;
    return all * (settings_causal(settings) ? 0.5 : 1) * (double)(model->layers * model->heads);
}

// Of one pass over `samples` sequences, beside the products.
static double overhead(const struct settings *settings, double samples, double length)
{
    return PASS + samples * (SEQUENCE + length * TOKEN + pairs(settings, length) * SOFTMAX);
}

// What a pass of training draws: dropout on units and attention, noise on scores.
static double draws(const struct settings *settings, double samples, double length)
{
    const struct model_settings *model = &settings->model;
    const double units = length * (double)model->width * (double)(1 + 2 * model->layers);
    const double weighed = pairs(settings, length);
    if (model->kind == MODEL_TWO_LAYER)
        return 0;
    return samples * DRAW * ((model->dropout > 0 ? units + weighed : 0) + (model->attention_noise > 0 ? weighed : 0));
}

// Predictions on `samples` of a set, `times` over; what is cached is made once.
static double evaluation_cost(const struct nn_sketch *model, const struct task_set *set, long samples, double times,
                              bool cached)
{
    double predict = nn_sketch_predict_flops(model, samples, set->tokens) +
                     overhead(set->settings, (double)samples, (double)set->tokens);
    return times * predict + (cached ? 1 : times) * (double)samples * task_sample_flops(set);
}

// Of one training step, or a mean of such: its gradients and what it does to the weights, its tokens and operations.
struct step_cost {
    double cost, tokens, flops;
};

// Where all sequences have `tokens`.
static struct step_cost step_cost(const struct nn_sketch *model, const struct task_set *set, long tokens)
{
    const struct settings *settings = set->settings;
    const struct train_settings *train = &settings->train;
    const double size = (double)settings_batch_size(settings), parts = (double)train->accumulation;
    const double weights = (double)model->trained_bytes / sizeof(real), length = (double)tokens;
    const bool moments = train->optimizer == OPTIMIZER_ADAM || train->optimizer == OPTIMIZER_ADAMW;
    const double update = (moments ? WEIGHT_MOMENTS : WEIGHT) + (isinf(train->clip) ? 0 : WEIGHT_NORM);
    const double flops = nn_sketch_gradient_flops(model, (long)size, tokens);
    const double pass = flops + BACKWARD * overhead(settings, size, length) + draws(settings, size, length);
    return (struct step_cost){
        .cost = parts * pass + update * weights, .tokens = parts * size * length, .flops = parts * flops};
}

// The mean over lengths of the distribution, with those up to `longest`.
static struct step_cost mean_step_cost(const struct nn_sketch *model, const struct task_set *train, int64_t longest)
{
    struct task_set set = *train;
    struct step_cost mean = {0};
    set.longest = (long)longest;
    // Under length_mixing batches samples of one batch share a draw.
    const long stride = (long)settings_batch_size(set.settings);
    for (long i = 0; i < LENGTH_SAMPLES; i++) {
        // Finite sets keep their lengths, and those beyond are left out.
        const int64_t drawn = task_length(&set, i * stride), length = drawn < longest ? drawn : longest;
        const struct step_cost one = step_cost(model, train, (long)settings_tokens(set.settings, false, length));
        mean.cost += one.cost / LENGTH_SAMPLES;
        mean.tokens += one.tokens / LENGTH_SAMPLES;
        mean.flops += one.flops / LENGTH_SAMPLES;
    }
    return mean;
}

// Steps of a run and one past them, their cost and the sequences of full length that their tokens come to.
struct run_cost {
    double steps, cost, sequences;
};

// The longest sequences at a share of the run. Nobody knows when a curriculum by validation gets on: it is taken to
// grow evenly from the start to the end.
static int64_t longest_at(const struct settings *settings, double share)
{
    struct settings evenly = *settings;
    const int64_t steps = train_steps(settings);
    if (settings->train.curriculum == CURRICULUM_NONE)
        return settings->task.train_length;
    if (settings->train.curriculum == CURRICULUM_VALIDATION)
        evenly.train.curriculum_share = 1;
    return train_scheduled_length(&evenly, steps, (int64_t)(share * (double)steps));
}

static struct run_cost run_cost(const struct nn_sketch *model, const struct task_set *set)
{
    const struct settings *settings = set->settings;
    const struct train_settings *train = &settings->train;
    const int parts = train->curriculum == CURRICULUM_NONE ? 1 : CURRICULUM_PARTS;
    const double steps = (double)train_steps(settings);
    struct run_cost sum = {0};
    for (int i = 0; i < parts; i++) {
        const struct step_cost step = set->ragged ? mean_step_cost(model, set, longest_at(settings, (i + 0.5) / parts))
                                                  : step_cost(model, set, set->tokens);
        const double made = train->budget == BUDGET_TOKENS  ? (double)train->budget_tokens / step.tokens
                            : train->budget == BUDGET_FLOPS ? train->budget_flops / step.flops
                                                            : steps;
        const double share = (made + 1) / parts;
        sum.steps += share;
        sum.cost += share * step.cost;
        sum.sequences += share * step.tokens / (double)set->tokens;
    }
    return sum;
}

// Making the training set: once, or whenever its samples are seen.
static double training_data_cost(const struct task_set *set, double seen, double evaluations)
{
    const bool stream = set->settings->train.data == DATA_STREAM, cached = train_cached_training(set) > 0;
    const double made = stream ? seen : cached ? (double)set->samples : seen + (double)set->samples * (1 + evaluations);
    return made * task_sample_flops(set);
}

// Of a curriculum by validation, at the middle between its first length and the last.
static double looks_cost(const struct nn_sketch *model, const struct settings *settings, double steps)
{
    struct task_set set;
    if (settings->train.curriculum != CURRICULUM_VALIDATION)
        return 0;
    train_look_set(settings, longest_at(settings, 0.5), &set);
    return evaluation_cost(model, &set, set.samples, floor(steps / (double)settings->train.curriculum_every), false);
}

double train_cost(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    const struct evaluate_settings *evaluate = &settings->evaluate;
    const int64_t steps = train_steps(settings);
    const double evaluations = (double)train_evaluations(evaluate->points, steps);
    // How many levels are reached is not known.
    const double levels = 0.5 * (double)(steps < RECORD_LOSS_LEVELS ? steps : RECORD_LOSS_LEVELS);
    size_t budget = TRAIN_CACHE_BYTES;
    struct task_set set;
    task_set_init(&set, settings, SPLIT_TRAIN, (long)settings->task.train_length);
    struct nn_sketch model = nn_sketch(settings, &set.shape, train_longest(settings, lengths, lengths_count));
    const struct run_cost run = run_cost(&model, &set);
    double cost =
        run.cost + training_data_cost(&set, run.sequences, evaluations) + looks_cost(&model, settings, run.steps);
    if (!train_exact(settings) && settings->train.data == DATA_FINITE)
        cost += evaluation_cost(&model, &set, set.samples, evaluations, true);
    task_set_init(&set, settings, SPLIT_VALIDATION, set.length);
    cost += evaluation_cost(&model, &set, set.samples, evaluations, train_cached(&set, set.samples, &budget) > 0);
    for (size_t i = 0; i < lengths_count; i++) {
        task_set_init(&set, settings, SPLIT_TEST, (long)lengths[i]);
        long curve = (long)evaluate->curve_samples, rest = set.samples - curve;
        bool cached = train_cached(&set, curve, &budget) > 0;
        cost += evaluation_cost(&model, &set, curve, evaluations + levels, cached);
        cost += evaluation_cost(&model, &set, rest, levels + 1, false);
        cost += task_bayes_flops(settings, (long)lengths[i]);
    }
    nn_sketch_fini(&model);
    return cost;
}

// What an arena takes for `count` objects in one piece.
static double piece(double count, double size)
{
    return count * size + ALIGNMENT;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static double columns_memory(const struct settings *settings, size_t lengths_count, size_t tensors)
{
    const double evaluations = (double)train_evaluations(settings->evaluate.points, train_steps(settings));
    const double lengths = (double)lengths_count;
    const double items =
        COUNTERS + CURVES + TEST_ITEMS * lengths + (double)tensors + (double)train_optimizer_items(settings, tensors);
    return piece(1, sizeof(struct train_run)) + piece(lengths, sizeof(int64_t)) +
           piece(lengths, sizeof(struct train_test)) + piece(items, sizeof(struct train_state_item)) +
           2 * piece(evaluations, sizeof(int64_t)) + piece(lengths, sizeof(double)) +
           (CURVES + TEST_CURVES * lengths) * piece(evaluations, sizeof(double));
}

// The training set or what is in memory of it, a micro-batch and its predictions.
static double training_memory(const struct task_set *set)
{
    const long cached = train_cached_training(set);
    const double targets = (double)settings_batch_size(set->settings) * (double)set->positions;
    const double outputs = set->shape.binary ? 1 : (double)set->shape.classes;
    return (cached > 0 ? (double)task_make_bytes(set, cached) : 0) + (double)train_batches_bytes(set) +
           (double)train_flops_bytes(set) + piece(targets, outputs * sizeof(real)) + piece(targets, sizeof(int32_t));
}

// What is in memory for evaluations, and the most that a step or an evaluation takes for the time.
static double data_memory(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    size_t budget = TRAIN_CACHE_BYTES;
    struct task_set set;
    task_set_init(&set, settings, SPLIT_TRAIN, (long)settings->task.train_length);
    const double training = training_memory(&set);
    double chunk = (double)train_make_bytes(&set, train_cached_training(&set) > 0);
    chunk = most(chunk, (double)train_tally_bytes(&set));
    task_set_init(&set, settings, SPLIT_VALIDATION, set.length);
    train_cached(&set, set.samples, &budget);
    chunk = most(chunk, (double)train_tally_bytes(&set));
    if (settings->train.curriculum == CURRICULUM_VALIDATION)
        chunk = most(chunk, (double)train_tally_most_bytes(&set));
    for (size_t i = 0; i < lengths_count; i++) {
        task_set_init(&set, settings, SPLIT_TEST, (long)lengths[i]);
        train_cached(&set, (long)settings->evaluate.curve_samples, &budget);
        chunk = most(chunk, (double)train_tally_bytes(&set));
    }
    return training + chunk + (double)(TRAIN_CACHE_BYTES - budget);
}

double train_memory(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    struct batch_shape shape;
    task_shape(settings, &shape);
    struct nn_sketch model = nn_sketch(settings, &shape, train_longest(settings, lengths, lengths_count));
    const double bytes = columns_memory(settings, lengths_count, model.tensors) + (double)model.bytes +
                         (double)train_optimizer_bytes(settings, model.trained_bytes, model.tensors) +
                         data_memory(settings, lengths, lengths_count) +
                         task_source_bytes(settings, lengths, lengths_count);
    nn_sketch_fini(&model);
    return bytes;
}
