// SPDX-License-Identifier: MIT
#include "task_tokens.h"
#include <math.h>
#include <string.h>

bool token_every_step(const struct settings *settings)
{
    return settings->task.supervision == SUPERVISION_STEPS;
}

void token_shape(const struct settings *settings, struct batch_shape *ret_shape)
{
    *ret_shape = (struct batch_shape){.vocabulary = (long)settings_vocabulary(settings),
                                      .classes = (int)settings_classes(settings)};
}

void token_init(struct task_set *set)
{
    set->positions = token_every_step(set->settings) ? set->length : 1;
}

struct token_noise {
    struct random_key flip, other;
    double rate;
    uint32_t classes;
    long positions;
};

static struct token_noise token_noise(const struct task_set *set)
{
    return (struct token_noise){
        .flip = task_key(set, "flip"),
        .other = task_key(set, "flip/class"),
        .rate = set->split == SPLIT_TRAIN ? set->settings->task.noise_rate : 0,
        .classes = (uint32_t)set->shape.classes,
        .positions = set->positions,
    };
}

static void add_noise(const struct token_noise *noise, uint64_t sample, const int32_t *clean, int32_t *ret_targets)
{
    memcpy(ret_targets, clean, (size_t)noise->positions * sizeof *clean);
    for (long t = 0; noise->rate > 0 && t < noise->positions; t++) {
        if (random_uniform(noise->flip, sample, (uint32_t)t, 0) >= noise->rate)
            continue;
        const uint32_t step = 1 + random_below(noise->other, sample, (uint32_t)t, 0, noise->classes - 1);
        ret_targets[t] = (int32_t)(((uint32_t)clean[t] + step) % noise->classes);
    }
}

enum status_code token_make(const struct task_set *set, long first, long count, struct token_rule rule,
                            struct arena *arena, struct batch *ret_batch, struct status *status)
{
    const struct token_noise noise = token_noise(set);
    const size_t samples = (size_t)count, length = (size_t)set->length, positions = (size_t)set->positions,
                 relevant_count = (size_t)set->relevant_count;
    int32_t *tokens = arena_get(arena, samples, length * sizeof *tokens);
    int32_t *targets = arena_get(arena, samples, positions * sizeof *targets);
    int32_t *clean = arena_get(arena, samples, positions * sizeof *clean);
    int32_t *relevant = relevant_count ? arena_get(arena, samples, relevant_count * sizeof *relevant) : NULL;
    if (!tokens || !targets || !clean || (relevant_count && !relevant))
        return status_set(status, STATUS_MEMORY,
                          "out of memory for %ld sequences of %ld tokens (%zu bytes); lower samples or test_length",
                          count, set->length, task_make_bytes(set, count));
    for (size_t i = 0; i < samples; i++) {
        const uint64_t sample = (uint64_t)first + i;
        struct token_sequence sequence = {.length = set->length,
                                          .stride = token_every_step(set->settings),
                                          .tokens = tokens + i * length,
                                          .targets = clean + i * positions,
                                          .relevant = relevant ? relevant + i * relevant_count : NULL};
        rule.write(rule.rule, sample, &sequence);
        add_noise(&noise, sample, clean + i * positions, targets + i * positions);
    }
    *ret_batch = (struct batch){.samples = count,
                                .length = set->length,
                                .tokens = tokens,
                                .positions = set->positions,
                                .targets = targets,
                                .clean = clean,
                                .relevant_count = set->relevant_count,
                                .relevant = relevant,
                                .classes = set->shape.classes,
                                .set = set->name,
                                .first = first};
    return STATUS_OK;
}

size_t token_sample_bytes(const struct task_set *set)
{
    return (size_t)(set->length + 2 * set->positions + set->relevant_count) * sizeof(int32_t);
}

size_t token_make_bytes(const struct task_set *set, long count)
{
    return (size_t)count * token_sample_bytes(set) + 4 * TASK_ALIGNMENT;
}

double token_sample_flops(const struct task_set *set)
{
    const double draw = 200; // what a draw takes, as operations of a kernel
    const bool noisy = set->split == SPLIT_TRAIN && set->settings->task.noise_rate > 0;
    return draw * (double)(set->length + (noisy ? set->positions : 0));
}

bool token_chance_equal(const double *a, const double *b, long count)
{
    const double unit = 0x1p-52;
    for (long i = 0; i < count; i++)
        if (fabs(a[i] - b[i]) > unit)
            return false;
    return true;
}

double token_chance_error(const struct settings *settings, long length, bool (*next)(void *chain, double *ret_most),
                          void *chain)
{
    double most[2] = {0}, sum = 0;
    long t = 0;
    bool settled = false;
    while (t < length && !settled) {
        t++;
        settled = next(chain, &most[t % 2]);
        sum += most[t % 2];
    }
    if (!token_every_step(settings))
        return 1 - most[length % 2];
    const long rest = length - t, odd = (rest + 1) / 2; // of the positions left, those of the parity of t + 1
    return 1 - (sum + (double)odd * most[(t + 1) % 2] + (double)(rest - odd) * most[t % 2]) / (double)length;
}

double token_bayes_error(const struct settings *settings, long length)
{
    (void)settings, (void)length;
    return 0;
}

double token_bayes_flops(const struct settings *settings, long length)
{
    (void)settings, (void)length;
    return 0;
}
