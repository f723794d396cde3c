// SPDX-License-Identifier: MIT
// `signal`: a label y = ±1, some tokens that carry its signal μ₊ or μ₋, and noise in the others.
#include "base_random.h"
#include "task_kind.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { PLANE = 2 };

long signal_count(const struct task_settings *task, long length)
{
    // The tolerance lets a share such as 0.29 of 100 tokens be the 29 that it says.
    double count = task->signal_tokens < 1 ? floor(task->signal_tokens * (double)length + 1e-6) : task->signal_tokens;
    return count < 1 ? 1 : count > (double)length ? length : (long)count;
}

// What does not change from sample to sample.
struct signal_rule {
    struct random_key label, flip, position, noise;
    double flip_rate;
    float norm; // ‖μ‖, with σ = 1
    bool noise_free, project, signal_noise, antipodal, random_position;
    long length, dim, count;
};

static struct signal_rule signal_rule(const struct task_set *set)
{
    const struct task_settings *task = &set->settings->task;
    bool noise_free = isinf(task->snr);
    return (struct signal_rule){
        .label = task_key(set, "label"),
        .flip = task_key(set, "flip"),
        .position = task_key(set, "position"),
        .noise = task_key(set, "noise"),
        .flip_rate = set->split == SPLIT_TRAIN ? task->noise_rate : 0,
        .norm = (float)sqrt(noise_free ? (double)task->dim : task->snr),
        .noise_free = noise_free,
        .project = task->project_noise,
        .signal_noise = task->signal_noise,
        .antipodal = task->signal_geometry == GEOMETRY_ANTIPODAL,
        .random_position = task->signal_position == POSITION_RANDOM,
        .length = set->length,
        .dim = set->shape.dim,
        .count = set->relevant_count,
    };
}

// Sets ret_mark[t] to 1 at the signal's places and to 0 elsewhere: a partial shuffle, whose first picks do not depend
// on how many follow. `order` is the identity on entry and on return.
static void place_signal(const struct signal_rule *rule, uint64_t sample, int32_t *order, uint8_t *ret_mark)
{
    memset(ret_mark, 0, (size_t)rule->length);
    if (!rule->random_position) {
        memset(ret_mark, 1, (size_t)rule->count);
        return;
    }
    for (long i = 0; i < rule->count; i++) {
        long j = i + random_below(rule->position, sample, 0, (uint32_t)i, (uint32_t)(rule->length - i));
        int32_t picked = order[j];
        order[j] = order[i];
        order[i] = picked;
        ret_mark[picked] = 1;
    }
    // Swaps have touched the first `count` entries and the picked ones alone.
    for (long i = 0; i < rule->count; i++) {
        int32_t picked = order[i];
        order[i] = (int32_t)i;
        if (picked >= rule->count)
            order[picked] = picked;
    }
}

static void make_noise(const struct signal_rule *rule, uint64_t sample, long position, float *ret_vector)
{
    if (rule->noise_free) {
        memset(ret_vector, 0, (size_t)rule->dim * sizeof *ret_vector);
        return;
    }
    random_normals(rule->noise, sample, (uint32_t)position, (size_t)rule->dim, ret_vector);
    if (rule->project)
        memset(ret_vector, 0, PLANE * sizeof *ret_vector);
}

static void make_signal(const struct signal_rule *rule, uint64_t sample, long position, int32_t label,
                        float *ret_vector)
{
    if (rule->signal_noise)
        make_noise(rule, sample, position, ret_vector);
    else
        memset(ret_vector, 0, (size_t)rule->dim * sizeof *ret_vector);
    if (rule->antipodal)
        ret_vector[0] += label ? rule->norm : -rule->norm;
    else
        ret_vector[label ? 0 : 1] += rule->norm;
}

static void make_sequence(const struct signal_rule *rule, uint64_t sample, int32_t label, const uint8_t *mark,
                          float *ret_vectors, int32_t *ret_relevant)
{
    for (long t = 0; t < rule->length; t++) {
        float *vector = ret_vectors + t * rule->dim;
        if (mark[t]) {
            make_signal(rule, sample, t, label, vector);
            *ret_relevant++ = (int32_t)t;
        } else {
            make_noise(rule, sample, t, vector);
        }
    }
}

static void signal_shape(const struct settings *settings, struct batch_shape *ret_shape)
{
    *ret_shape = (struct batch_shape){.dim = (long)settings->task.dim, .classes = 2, .binary = true};
}

static void signal_init(struct task_set *set)
{
    set->positions = 1;
    set->relevant_count = signal_count(&set->settings->task, set->length);
}

static enum status_code out_of_memory(const struct task_set *set, long count, struct status *status)
{
    return status_set(status, STATUS_MEMORY,
                      "out of memory for %ld sequences of %ld tokens (%zu bytes); lower samples, dim or test_length",
                      count, set->length, task_make_bytes(set, count));
}

static enum status_code signal_make(const struct task_set *set, long first, long count, struct arena *arena,
                                    struct batch *ret_batch, struct status *status)
{
    struct signal_rule rule = signal_rule(set);
    const size_t samples = (size_t)count, dim = (size_t)set->shape.dim;
    int64_t *offsets = set->ragged ? arena_get(arena, samples + 1, sizeof *offsets) : NULL;
    if (set->ragged && !offsets)
        return out_of_memory(set, count, status);
    long longest = set->length;
    const bool differ = offsets && task_offsets(set, first, count, offsets, &longest);
    const size_t rows = offsets ? (size_t)offsets[count] : samples * (size_t)set->length;
    float *vectors = arena_get(arena, rows, dim * sizeof *vectors);
    int32_t *targets = arena_get(arena, samples, sizeof *targets);
    int32_t *clean = arena_get(arena, samples, sizeof *clean);
    int32_t *relevant = arena_get(arena, samples, (size_t)rule.count * sizeof *relevant);
    int32_t *order = arena_get(arena, (size_t)set->length, sizeof *order);
    uint8_t *mark = arena_get(arena, (size_t)set->length, sizeof *mark);
    if (!vectors || !targets || !clean || !relevant || !order || !mark)
        return out_of_memory(set, count, status);
    for (long t = 0; t < set->length; t++)
        order[t] = (int32_t)t;
    for (long i = 0; i < count; i++) {
        uint64_t sample = (uint64_t)(first + i);
        clean[i] = random_uniform(rule.label, sample, 0, 0) < 0.5;
        targets[i] = random_uniform(rule.flip, sample, 0, 0) < rule.flip_rate ? 1 - clean[i] : clean[i];
        const size_t row = offsets ? (size_t)offsets[i] : (size_t)i * (size_t)set->length;
        rule.length = offsets ? (long)(offsets[i + 1] - offsets[i]) : set->length;
        place_signal(&rule, sample, order, mark);
        make_sequence(&rule, sample, clean[i], mark, vectors + row * dim, relevant + i * rule.count);
    }
    *ret_batch = (struct batch){.samples = count,
                                .length = longest,
                                .dim = set->shape.dim,
                                .offsets = differ ? offsets : NULL,
                                .vectors = vectors,
                                .positions = 1,
                                .targets = targets,
                                .clean = clean,
                                .relevant_count = rule.count,
                                .relevant = relevant,
                                .classes = set->shape.classes,
                                .binary = true,
                                .set = set->name,
                                .first = first};
    return STATUS_OK;
}

static size_t signal_sample_bytes(const struct task_set *set)
{
    return (size_t)(set->length * set->shape.dim) * sizeof(float) +
           (size_t)(2 + set->relevant_count) * sizeof(int32_t) + (set->ragged ? sizeof(int64_t) : 0);
}

static size_t signal_make_bytes(const struct task_set *set, long count)
{
    return (size_t)count * signal_sample_bytes(set) + (size_t)set->length * (sizeof(int32_t) + 1) + 6 * TASK_ALIGNMENT +
           (set->ragged ? TASK_ALIGNMENT + sizeof(int64_t) : 0);
}

static double signal_sample_flops(const struct task_set *set)
{
    // A normal takes about as long as this many operations of a kernel.
    double normal = 40, noise = isinf(set->settings->task.snr) ? 0.25 : normal;
    return (double)set->length * (double)set->shape.dim * noise;
}

static double signal_chance_error(const struct settings *settings, long length)
{
    (void)settings, (void)length;
    return 0.5;
}

const struct task_kind_row task_signal = {
    .shape = signal_shape,
    .init = signal_init,
    .make = signal_make,
    .sample_bytes = signal_sample_bytes,
    .make_bytes = signal_make_bytes,
    .sample_flops = signal_sample_flops,
    .chance_error = signal_chance_error,
    .bayes_error = signal_bayes_error,
    .bayes_flops = signal_bayes_flops,
};
