// SPDX-License-Identifier: MIT
// Attention by blocks of 16 queries, forward and backward. A block's weights are never kept: the way back makes them
// again, with the same bits.
#include "nn_transformer.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct transformer_heads transformer_heads_of(const struct transformer *model, struct nn_rows projected)
{
    return (struct transformer_heads){
        .at = projected.at, .stride = projected.stride, .head = model->head_padded, .part = model->part};
}

// A chunk's sequence: its sample in the batch, its first row in the chunk and how many it has.
struct sequence {
    long sample, row, length;
};

static struct sequence sequence_of(const struct transformer_chunk *chunk, long sample)
{
    return (struct sequence){sample, (long)batch_row(chunk->batch, sample) - chunk->row,
                             batch_length(chunk->batch, sample)};
}

static struct nn_attention *attention_of(struct transformer *model, const struct transformer_heads *heads,
                                         struct sequence sequence, long head)
{
    struct nn_attention *block = &model->attention;
    block->length = sequence.length;
    block->head = head;
    block->positions = model->positions + sequence.row;
    block->consecutive = nn_consecutive(&model->common, sequence.length);
    block->stride = heads->stride;
    block->query = heads->at + sequence.row * heads->stride + head * heads->head;
    block->key = block->query + heads->part;
    block->value = block->key + heads->part;
    return block;
}

static void set_first(const struct transformer *model, struct nn_attention *block, long first)
{
    block->first = first;
    block->keys = model->causal ? nn_least(first + NN_LANES, block->length) : block->length;
}

static long queries_of(const struct nn_attention *block)
{
    return nn_least(NN_LANES, block->length - block->first);
}

// Keyed by layer, head and step; addressed by the sample's index, the query and the key.
static struct random_key noise_key(const struct transformer *model, long layer, long head)
{
    const struct settings *settings = &model->common.settings;
    char stream[96];
    snprintf(stream, sizeof stream, "attention_noise/layers.%ld/%ld/%" PRId64, layer, head, model->step);
    return random_key(settings->seed, settings_init_seed(settings), stream);
}

// Adds noise to what the scores start from.
static void add_noise(struct transformer *model, struct nn_attention *block, long layer, int64_t index, bool biased)
{
    const struct random_key key = noise_key(model, layer, block->head);
    const real scale = (real)model->common.settings.model.attention_noise;
    if (!biased)
        memset(block->weights, 0, (size_t)(block->keys * NN_LANES) * sizeof(real));
    for (long lane = 0; lane < queries_of(block); lane++) {
        random_normals(key, (uint64_t)index, (uint32_t)(block->first + lane), (size_t)block->keys, model->noise_row);
        for (long j = 0; j < block->keys; j++)
            block->weights[j * NN_LANES + lane] += scale * (real)model->noise_row[j];
    }
}

static void draw_kept(struct transformer *model, struct nn_attention *block, long layer, int64_t index)
{
    char site[64];
    block->kept = NULL;
    if (!model->kept || model->step < 0)
        return;
    snprintf(site, sizeof site, "layers.%ld.attention/%ld", layer, block->head);
    const struct nn_dropout dropout = nn_dropout(&model->common, site, model->step);
    block->kept = model->kept;
    for (long lane = 0; lane < queries_of(block); lane++) {
        nn_dropout_factors(&dropout, index, block->first + lane, block->keys, model->kept_row);
        for (long j = 0; j < block->keys; j++)
            model->kept[j * NN_LANES + lane] = model->kept_row[j];
    }
}

// The block's attention, up to its division.
static void attend(struct transformer *model, struct transformer_layer *layer, struct nn_attention *block,
                   int64_t index)
{
    const struct nn_kernels *kernels = model->common.kernels;
    const bool noisy = model->step >= 0 && model->noise_row, biased = nn_site_biases(&layer->site);
    const long number = layer - model->layer;
    kernels->take_queries(block);
    nn_site_bias(&layer->site, block);
    if (noisy)
        add_noise(model, block, number, index, biased);
    kernels->attend(block, biased || noisy);
    draw_kept(model, block, number, index);
}

// Mass of the block's queries on the relevant keys, which are ascending.
static double mass_of(const struct transformer *model, const struct batch *batch, const struct nn_attention *block,
                      long sample)
{
    const int32_t *relevant = batch->relevant + sample * batch->relevant_count;
    long count = 0;
    while (count < batch->relevant_count && relevant[count] < block->keys)
        count++;
    real mass[NN_LANES];
    double sum = 0;
    model->common.kernels->attention_on(block, relevant, count, mass);
    for (int lane = 0; lane < NN_LANES; lane++)
        sum += (double)mass[lane];
    return sum;
}

// The same where each query has relevant keys of its own.
static double mass_of_each(const struct batch *batch, const struct nn_attention *block, long sample)
{
    const long each = batch->relevant_count;
    const int32_t *relevant = batch->relevant + (batch_relevant(batch, sample) + block->first) * each;
    double sum = 0;
    for (long lane = 0; lane < queries_of(block); lane++, relevant += each) {
        real mass = 0;
        for (long r = 0; r < each && relevant[r] >= 0 && relevant[r] < block->keys; r++)
            mass += block->weights[relevant[r] * NN_LANES + lane];
        sum += (double)(mass * block->inverse[lane]);
    }
    return sum;
}

// Rows from … to - 1 of one sequence; `mixed` starts at row `from`.
static void attend_sequence(struct transformer *model, struct transformer_layer *layer,
                            const struct transformer_chunk *chunk, struct sequence sequence, long from, long to,
                            const struct transformer_heads *heads, struct nn_rows mixed)
{
    const struct batch *batch = chunk->batch;
    const int64_t index = batch_index(batch, sequence.sample);
    for (long head = 0; head < model->heads; head++) {
        struct nn_attention *block = attention_of(model, heads, sequence, head);
        for (long first = from; first < to; first += NN_LANES) {
            set_first(model, block, first);
            attend(model, layer, block, index);
            model->common.kernels->mix(block, mixed.at + (first - from) * mixed.stride + head * model->head_padded,
                                       mixed.stride);
            if (chunk->mass)
                chunk->mass[sequence.sample - chunk->first] += batch->relevant_each
                                                                   ? mass_of_each(batch, block, sequence.sample)
                                                                   : mass_of(model, batch, block, sequence.sample);
        }
    }
}

void transformer_attend(struct transformer *model, struct transformer_layer *layer,
                        const struct transformer_chunk *chunk, long row, long count,
                        const struct transformer_heads *heads, struct nn_rows ret_mixed)
{
    long sample = nn_place(chunk->batch, chunk->row + row).sample;
    for (long r = 0, some; r < count; r += some, sample++) {
        const struct sequence sequence = sequence_of(chunk, sample);
        const long from = row + r - sequence.row;
        some = nn_least(count - r, sequence.length - from);
        attend_sequence(model, layer, chunk, sequence, from, from + some, heads, nn_rows_from(ret_mixed, r));
    }
}

static void block_gradient(struct transformer *model, struct transformer_layer *layer, struct nn_attention *block,
                           int64_t index, const real *mixed_gradient, long stride)
{
    attend(model, layer, block, index);
    model->common.kernels->mix_gradient(block, mixed_gradient, stride);
    model->common.kernels->scores_gradient(block);
    nn_site_bias_gradient(&layer->site, block);
}

static void sequence_gradient(struct transformer *model, struct transformer_layer *layer, struct sequence sequence,
                              int64_t index, const struct transformer_heads *heads, long head)
{
    const struct nn_rows mixed = nn_rows_from(model->mixed_gradient, sequence.row);
    struct nn_attention *block = attention_of(model, heads, sequence, head);
    block->query_gradient = model->projected_gradient.at + (block->query - heads->at);
    block->key_gradient = block->query_gradient + model->part;
    block->value_gradient = block->key_gradient + model->part;
    for (long first = 0; first < sequence.length; first += NN_LANES) {
        set_first(model, block, first);
        block_gradient(model, layer, block, index, mixed.at + first * mixed.stride + head * model->head_padded,
                       mixed.stride);
    }
}

void transformer_attention_gradient(struct transformer *model, struct transformer_layer *layer,
                                    const struct transformer_chunk *chunk)
{
    const struct transformer_heads heads = transformer_heads_of(model, layer->kept.projected);
    for (long sample = chunk->first; sample < chunk->first + chunk->samples; sample++)
        for (long head = 0; head < model->heads; head++)
            sequence_gradient(model, layer, sequence_of(chunk, sample), batch_index(chunk->batch, sample), &heads,
                              head);
}
