// SPDX-License-Identifier: MIT
#include "task_tokens.h"
#include <math.h>
#include <string.h>

void token_shape(const struct settings *settings, struct batch_shape *ret_shape)
{
    *ret_shape = (struct batch_shape){.vocabulary = (long)settings_vocabulary(settings),
                                      .classes = (int)settings_classes(settings)};
}

void token_init(struct task_set *set)
{
    set->positions = settings_every_step(set->settings) ? set->tokens : 1;
}

struct token_noise token_noise(const struct task_set *set)
{
    return (struct token_noise){
        .flip = task_key(set, "flip"),
        .other = task_key(set, "flip/class"),
        .rate = set->split == SPLIT_TRAIN ? set->settings->task.noise_rate : 0,
        .place = set->settings->task.noise_on,
        .classes = (uint32_t)set->shape.classes,
    };
}

int32_t token_corrupted(const struct token_noise *noise, uint64_t sample, long t, int32_t state, int32_t states)
{
    if (random_uniform(noise->flip, sample, (uint32_t)t, 0) >= noise->rate)
        return state;
    const uint32_t others = (uint32_t)states - 1;
    const uint32_t step = 1 + random_below(noise->other, sample, (uint32_t)t, 0, others);
    return (int32_t)(((uint32_t)state + step) % (uint32_t)states);
}

// The targets that noise may replace: from *ret_from on to the last.
static void noisy_range(const struct token_noise *noise, const uint8_t *mask, long count, long *ret_from, long *ret_to)
{
    *ret_from = 0;
    *ret_to = noise->rate > 0 ? count : 0;
    if (noise->place != NOISE_FINAL)
        return;
    while (*ret_to > 0 && mask && !mask[*ret_to - 1])
        --*ret_to;
    *ret_from = *ret_to > 0 ? *ret_to - 1 : 0;
}

void token_add_noise(const struct token_noise *noise, uint64_t sample, const int32_t *clean, const uint8_t *mask,
                     long count, int32_t *ret_targets)
{
    long from, to;
    memcpy(ret_targets, clean, (size_t)count * sizeof *ret_targets);
    noisy_range(noise, mask, count, &from, &to);
    for (long t = from; t < to; t++)
        if (!mask || mask[t])
            ret_targets[t] = token_corrupted(noise, sample, t, ret_targets[t], (int32_t)noise->classes);
}

// A batch in the making, and how to write it.
struct token_batch {
    const struct task_set *set;
    struct token_noise noise;
    long begin, query;     // symbols before a sequence and behind it
    int32_t first_special; // their numbers follow those of the task's own
    int64_t *offsets;      // (count + 1), NULL where sets are not ragged
    int32_t *tokens, *targets, *clean, *relevant;
    uint8_t *mask;
};

static void frame(const struct token_batch *batch, int32_t *tokens, long length)
{
    if (batch->begin)
        tokens[0] = batch->first_special;
    if (batch->query)
        tokens[length - 1] = batch->first_special + (int32_t)batch->begin;
}

// Number of the lists of relevant positions of a set's samples with so many targets.
static size_t lists_of(const struct task_set *set, size_t samples, size_t targets)
{
    return set->relevant_each ? targets : samples;
}

// Room for `count` lists, and those that a rule writes from the `skipped`th on.
static void begin_relevant(const struct token_batch *batch, long first, long count, long skipped,
                           struct token_sequence *sequence)
{
    const long each = batch->set->relevant_count;
    if (!batch->relevant)
        return;
    sequence->relevant = batch->relevant + (first + skipped) * each;
    sequence->relevant_stride = batch->set->relevant_each ? each : 0;
    for (long r = 0; r < count * each; r++)
        batch->relevant[first * each + r] = -1;
}

static void end_relevant(const struct token_batch *batch, long first, long count)
{
    const long each = batch->set->relevant_count;
    int32_t *relevant = batch->relevant + first * each;
    for (long r = 0; batch->begin && batch->relevant && r < count * each; r++)
        relevant[r] += relevant[r] >= 0 ? (int32_t)batch->begin : 0;
}

static void write_sample(const struct token_batch *batch, const struct token_rule *rule, long first, long i)
{
    const struct task_set *set = batch->set;
    const bool each = settings_every_step(set->settings);
    const long tokens = batch->offsets ? (long)(batch->offsets[i + 1] - batch->offsets[i]) : set->tokens;
    const int64_t row = batch->offsets ? batch->offsets[i] : (int64_t)i * set->tokens, target = each ? row : i;
    const long begin = batch->begin, skipped = each ? begin : 0;
    struct token_sequence sequence = {
        .length = batch->offsets ? task_length(set, first + i) : set->length,
        .stride = each,
        .tokens = batch->tokens + row + begin,
        .targets = batch->clean + target + skipped,
        .mask = batch->mask ? batch->mask + target + skipped : NULL,
    };
    const long count = each ? tokens - skipped : 1;
    const bool own = set->relevant_each;
    const long list = own ? (long)target : i, lists = own ? count + skipped : 1;
    int32_t *given = batch->targets + target + skipped;
    if (batch->noise.place == NOISE_CHAIN && batch->noise.rate > 0) {
        sequence.chain = &batch->noise;
        sequence.given = given;
    }
    if (sequence.mask)
        memset(sequence.mask, 1, (size_t)count);
    begin_relevant(batch, list, lists, own ? skipped : 0, &sequence);
    rule->write(rule->rule, (uint64_t)(first + i), &sequence);
    if (!sequence.chain)
        token_add_noise(&batch->noise, (uint64_t)(first + i), sequence.targets, sequence.mask, count, given);
    frame(batch, batch->tokens + row, tokens);
    for (long t = 0; t < skipped; t++)
        batch->clean[target + t] = batch->targets[target + t] = batch->mask[target + t] = 0;
    end_relevant(batch, list, lists);
}

static enum status_code out_of_memory(const struct task_set *set, long count, struct status *status)
{
    return status_set(status, STATUS_MEMORY,
                      "out of memory for %ld sequences of %ld tokens (%zu bytes); lower samples or test_length", count,
                      set->tokens, task_make_bytes(set, count));
}

static struct token_batch token_batch(const struct task_set *set)
{
    const struct settings *settings = set->settings;
    const long begin = (long)settings_begin_tokens(settings), query = (long)settings_query_tokens(settings);
    return (struct token_batch){.set = set,
                                .noise = token_noise(set),
                                .begin = begin,
                                .query = query,
                                .first_special = (int32_t)(set->shape.vocabulary - begin - query)};
}

enum status_code token_make(const struct task_set *set, long first, long count, struct token_rule rule,
                            struct arena *arena, struct batch *ret_batch, struct status *status)
{
    const size_t samples = (size_t)count, relevant_count = (size_t)set->relevant_count;
    struct token_batch made = token_batch(set);
    long longest = set->tokens;
    bool differ = false;
    if (set->ragged && !(made.offsets = arena_get(arena, samples + 1, sizeof *made.offsets)))
        return out_of_memory(set, count, status);
    if (set->ragged)
        differ = task_offsets(set, first, count, made.offsets, &longest);
    const size_t rows = set->ragged ? (size_t)made.offsets[count] : samples * (size_t)set->tokens;
    const size_t targets = settings_every_step(set->settings) ? rows : samples;
    made.tokens = arena_get(arena, rows, sizeof *made.tokens);
    made.targets = arena_get(arena, targets, sizeof *made.targets);
    made.clean = arena_get(arena, targets, sizeof *made.clean);
    made.mask = set->masked ? arena_get(arena, targets, 1) : NULL;
    if (relevant_count)
        made.relevant = arena_get(arena, lists_of(set, samples, targets), relevant_count * sizeof *made.relevant);
    if (!made.tokens || !made.targets || !made.clean || (set->masked && !made.mask) ||
        (relevant_count && !made.relevant))
        return out_of_memory(set, count, status);
    for (long i = 0; i < count; i++)
        write_sample(&made, &rule, first, i);
    *ret_batch = (struct batch){.samples = count,
                                .length = longest,
                                .offsets = differ ? made.offsets : NULL,
                                .tokens = made.tokens,
                                .positions = settings_every_step(set->settings) ? longest : 1,
                                .targets = made.targets,
                                .clean = made.clean,
                                .mask = made.mask,
                                .relevant_count = set->relevant_count,
                                .relevant_each = set->relevant_each,
                                .relevant = made.relevant,
                                .classes = set->shape.classes,
                                .set = set->name,
                                .first = first};
    return STATUS_OK;
}

size_t token_sample_bytes(const struct task_set *set)
{
    const size_t relevant = lists_of(set, 1, (size_t)set->positions) * (size_t)set->relevant_count;
    return ((size_t)(set->tokens + 2 * set->positions) + relevant) * sizeof(int32_t) +
           (set->masked ? (size_t)set->positions : 0) + (set->ragged ? sizeof(int64_t) : 0);
}

size_t token_make_bytes(const struct task_set *set, long count)
{
    return (size_t)count * token_sample_bytes(set) + 4 * TASK_ALIGNMENT + (set->masked ? TASK_ALIGNMENT : 0) +
           (set->ragged ? TASK_ALIGNMENT + sizeof(int64_t) : 0);
}

double token_sample_flops(const struct task_set *set)
{
    const double draw = 200; // what a draw takes, as operations of a kernel
    const bool noisy = set->split == SPLIT_TRAIN && set->settings->task.noise_rate > 0;
    return draw * (double)(set->tokens + (noisy ? set->positions : 0));
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
    if (!settings_every_step(settings))
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
