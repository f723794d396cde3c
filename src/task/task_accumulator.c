// SPDX-License-Identifier: MIT
// `accumulator`: symbols gate * m + value with a gate of 0 or 1 and a value below m, each uniform; the state starts at
// 0 and becomes state + gate * value mod m. The target at a position is the state after it; under supervision final the
// last alone.
#include "task_kind.h"
#include <string.h>

static bool every_step(const struct task_set *set)
{
    return set->settings->task.supervision == SUPERVISION_STEPS;
}

static void accumulator_shape(const struct settings *settings, struct batch_shape *ret_shape)
{
    const long modulus = (long)settings->task.modulus;
    *ret_shape = (struct batch_shape){.vocabulary = 2 * modulus, .classes = (int)modulus};
}

static void accumulator_init(struct task_set *set)
{
    set->positions = every_step(set) ? set->length : 1;
}

// What does not change from sample to sample.
struct accumulator_rule {
    struct random_key symbol, flip, other;
    double noise_rate;
    uint32_t modulus;
    long length, positions;
    bool every_step;
};

static struct accumulator_rule accumulator_rule(const struct task_set *set)
{
    const struct task_settings *task = &set->settings->task;
    return (struct accumulator_rule){
        .symbol = task_key(set, "symbol"),
        .flip = task_key(set, "flip"),
        .other = task_key(set, "flip/class"),
        .noise_rate = set->split == SPLIT_TRAIN ? task->noise_rate : 0,
        .modulus = (uint32_t)task->modulus,
        .length = set->length,
        .positions = set->positions,
        .every_step = every_step(set),
    };
}

static void make_sequence(const struct accumulator_rule *rule, uint64_t sample, int32_t *ret_tokens,
                          int32_t *ret_states)
{
    const uint32_t modulus = rule->modulus;
    uint32_t state = 0;
    for (long t = 0; t < rule->length; t++) {
        const uint32_t token = random_below(rule->symbol, sample, (uint32_t)t, 0, 2 * modulus);
        state += token >= modulus ? token - modulus : 0;
        state -= state >= modulus ? modulus : 0;
        ret_tokens[t] = (int32_t)token;
        if (rule->every_step)
            ret_states[t] = (int32_t)state;
    }
    if (!rule->every_step)
        ret_states[0] = (int32_t)state;
}

// One of the other classes with the rate's probability, uniformly. The noisy targets at one rate are among those at a
// higher one, and become the same.
static void add_noise(const struct accumulator_rule *rule, uint64_t sample, const int32_t *clean, int32_t *ret_targets)
{
    memcpy(ret_targets, clean, (size_t)rule->positions * sizeof *clean);
    for (long t = 0; rule->noise_rate > 0 && t < rule->positions; t++) {
        if (random_uniform(rule->flip, sample, (uint32_t)t, 0) >= rule->noise_rate)
            continue;
        const uint32_t step = 1 + random_below(rule->other, sample, (uint32_t)t, 0, rule->modulus - 1);
        ret_targets[t] = (int32_t)(((uint32_t)clean[t] + step) % rule->modulus);
    }
}

static enum status_code accumulator_make(const struct task_set *set, long first, long count, struct arena *arena,
                                         struct batch *ret_batch, struct status *status)
{
    const struct accumulator_rule rule = accumulator_rule(set);
    const size_t samples = (size_t)count, length = (size_t)set->length, positions = (size_t)set->positions;
    int32_t *tokens = arena_get(arena, samples, length * sizeof *tokens);
    int32_t *targets = arena_get(arena, samples, positions * sizeof *targets);
    int32_t *clean = arena_get(arena, samples, positions * sizeof *clean);
    if (!tokens || !targets || !clean)
        return status_set(status, STATUS_MEMORY,
                          "out of memory for %ld sequences of %ld tokens (%zu bytes); lower samples or test_length",
                          count, set->length, task_make_bytes(set, count));
    for (size_t i = 0; i < samples; i++) {
        const uint64_t sample = (uint64_t)first + i;
        make_sequence(&rule, sample, tokens + i * length, clean + i * positions);
        add_noise(&rule, sample, clean + i * positions, targets + i * positions);
    }
    *ret_batch = (struct batch){.samples = count,
                                .length = set->length,
                                .tokens = tokens,
                                .positions = set->positions,
                                .targets = targets,
                                .clean = clean,
                                .classes = set->shape.classes,
                                .set = set->name,
                                .first = first};
    return STATUS_OK;
}

static size_t accumulator_sample_bytes(const struct task_set *set)
{
    return (size_t)(set->length + 2 * set->positions) * sizeof(int32_t);
}

static size_t accumulator_make_bytes(const struct task_set *set, long count)
{
    return (size_t)count * accumulator_sample_bytes(set) + 3 * TASK_ALIGNMENT;
}

static double accumulator_sample_flops(const struct task_set *set)
{
    const double draw = 200; // what a draw takes, as operations of a kernel
    const bool noisy = set->split == SPLIT_TRAIN && set->settings->task.noise_rate > 0;
    return draw * (double)(set->length + (noisy ? set->positions : 0));
}

// The state after a step is uniform but for the share of sequences without an addition yet, and 0 is the likeliest.
static double accumulator_chance_error(const struct settings *settings, long length)
{
    const double modulus = (double)settings->task.modulus;
    const long first = settings->task.supervision == SUPERVISION_STEPS ? 1 : length;
    double idle = 1, zero = 0;
    for (long t = 1; t <= length; t++) {
        idle *= 0.5;
        if (t >= first)
            zero += idle + (1 - idle) / modulus;
    }
    return 1 - zero / (double)(length - first + 1);
}

static double accumulator_bayes_error(const struct settings *settings, long length)
{
    (void)settings, (void)length;
    return 0;
}

static double accumulator_bayes_flops(const struct settings *settings, long length)
{
    (void)settings, (void)length;
    return 0;
}

const struct task_kind_row task_accumulator = {
    .shape = accumulator_shape,
    .init = accumulator_init,
    .make = accumulator_make,
    .sample_bytes = accumulator_sample_bytes,
    .make_bytes = accumulator_make_bytes,
    .sample_flops = accumulator_sample_flops,
    .chance_error = accumulator_chance_error,
    .bayes_error = accumulator_bayes_error,
    .bayes_flops = accumulator_bayes_flops,
};
