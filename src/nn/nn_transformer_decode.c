// SPDX-License-Identifier: MIT
// A transformer token by token. Every layer keeps keys and values of all tokens; linear layers and norms take the new
// tokens of all sequences as rows, token by token, so that those of a token are neighbours.
#include "nn_decode_private.h"
#include "nn_transformer.h"
#include <string.h>

struct transformer_decode {
    struct nn_decode common;
    struct transformer_rows rows;
    int32_t *positions; // (samples, length): of all tokens
    int32_t *now;       // (rows): of those of this pass
    bool consecutive;
    real *keys, *values; // (layers, samples, heads, key_unit or value_unit): as struct nn_decoding has them
    long key_unit, value_unit;
    real *weights; // (NN_DECODE_UNITS, weights_unit)
    long weights_unit;
    real *start; // (samples, heads, start_unit): of scores, where the encoding biases them; 16 numbers before key 0
    long start_unit;
};

static struct transformer_rows take_rows(const struct transformer *model, struct nn_builder *builder, long count)
{
    struct transformer_rows rows = {.x = nn_take_rows(builder, count, model->width),
                                    .normed = nn_take_rows(builder, count, model->width),
                                    .projected = nn_take_rows(builder, count, 3 * model->part),
                                    .mixed = nn_take_rows(builder, count, model->part),
                                    .between = nn_take_rows(builder, count, model->width),
                                    .normed_ffn = nn_take_rows(builder, count, model->width),
                                    .hidden = nn_take_rows(builder, count, model->layer[0].ffn_in.outputs),
                                    .statistics = nn_take_reals(builder, count, 2),
                                    .statistics_ffn = nn_take_reals(builder, count, 2)};
    rows.next = rows.x;
    return rows;
}

static void layout(struct nn_decode *common, struct nn_builder *builder)
{
    struct transformer_decode *decode = (struct transformer_decode *)common;
    const struct transformer *model = (const struct transformer *)common->model;
    const long samples = common->most_samples, rows = samples * common->pass_tokens, units = samples * model->heads;
    const long keys = nn_padded(common->capacity);
    decode->rows = take_rows(model, builder, rows);
    decode->now = nn_take(builder, rows, 1, sizeof *decode->now);
    decode->positions = nn_take(builder, samples, common->capacity, sizeof *decode->positions);
    decode->key_unit = keys * model->head_dim;
    decode->value_unit = common->capacity * model->head_padded;
    decode->keys = nn_take_reals(builder, model->layers * units, decode->key_unit);
    decode->values = nn_take_reals(builder, model->layers * units, decode->value_unit);
    decode->weights_unit = keys;
    decode->weights = nn_take_reals(builder, NN_DECODE_UNITS, decode->weights_unit);
    decode->start_unit = keys + NN_LANES;
    if (nn_site_biases(&model->layer[0].site))
        decode->start = nn_take_reals(builder, units, decode->start_unit);
}

static void begin(struct nn_decode *common)
{
    struct transformer_decode *decode = (struct transformer_decode *)common;
    struct transformer *model = (struct transformer *)common->model;
    const struct batch *batch = &common->batch;
    transformer_begin(model, -1);
    transformer_sites_begin(model, batch->length, false);
    decode->consecutive = nn_positions(common->model, batch, 0, batch->samples, -1, decode->positions);
}

static void embed(struct transformer_decode *decode, struct transformer *model, long count)
{
    const struct batch *batch = &decode->common.batch;
    const struct nn_rows x = decode->rows.x;
    for (long i = 0; i < count; i++)
        for (long s = 0; s < batch->samples; s++) {
            const long at = i * batch->samples + s, row = s * batch->length + decode->common.done + i;
            nn_embedding_forward(&model->embedding, &model->common, batch, row, 1, nn_rows_from(x, at));
            decode->now[at] = decode->positions[row];
        }
    nn_site_add(&model->position, x.at, x.stride, count * batch->samples, decode->now);
}

// Keys and values of token `at`, whose rows begin at `projected`, to those of the layer.
static void keep(const struct transformer_decode *decode, const struct transformer *model, long at,
                 struct nn_rows projected, real *keys, real *values)
{
    const long size = model->head_padded, units = decode->common.batch.samples * model->heads;
    for (long unit = 0; unit < units; unit++) {
        const real *key = nn_rows_from(projected, unit / model->heads).at + model->part + unit % model->heads * size;
        real *tile = keys + unit * decode->key_unit + at / NN_LANES * NN_LANES * model->head_dim + at % NN_LANES;
        for (long c = 0; c < model->head_dim; c++)
            tile[c * NN_LANES] = key[c];
        memcpy(values + unit * decode->value_unit + at * size, key + model->part, (size_t)size * sizeof *values);
    }
}

// From the queries of token `at`, whose rows begin at `row`, to `mixed`.
static void attend(const struct transformer_decode *decode, struct transformer *model, struct nn_site *site, long at,
                   long row, const real *keys, const real *values)
{
    const struct batch *batch = &decode->common.batch;
    const struct nn_rows query = nn_rows_from(decode->rows.projected, row);
    const struct nn_rows mixed = nn_rows_from(decode->rows.mixed, row);
    struct nn_next next = {.samples = batch->samples,
                           .at = at,
                           .length = batch->length,
                           .positions = decode->positions,
                           .consecutive = decode->consecutive,
                           .query = query.at,
                           .query_stride = query.stride,
                           .start = decode->start ? decode->start + NN_LANES : NULL,
                           .start_head = decode->start_unit};
    nn_site_bias_next(site, &next);
    const struct nn_decoding decoding = {.samples = batch->samples,
                                         .heads = model->heads,
                                         .keys = at + 1,
                                         .head_dim = model->head_dim,
                                         .query = query.at,
                                         .query_sample = query.stride,
                                         .key = keys,
                                         .value = values,
                                         .key_unit = decode->key_unit,
                                         .value_unit = decode->value_unit,
                                         .start = next.start,
                                         .start_sample = next.start_sample,
                                         .start_head = next.start_head,
                                         .weights = decode->weights,
                                         .weights_unit = decode->weights_unit,
                                         .mixed = mixed.at,
                                         .mixed_sample = mixed.stride};
    model->common.kernels->decode(&decoding);
}

static void layer_forward(struct transformer_decode *decode, struct transformer *model, long number, long count)
{
    struct transformer_layer *layer = &model->layer[number];
    const struct transformer_rows *rows = &decode->rows;
    const struct nn_rows projected = rows->projected;
    const long samples = decode->common.batch.samples, all = count * samples, done = decode->common.done;
    const long units = number * decode->common.most_samples * model->heads;
    real *keys = decode->keys + units * decode->key_unit, *values = decode->values + units * decode->value_unit;
    const struct transformer_chunk chunk = {.batch = &decode->common.batch, .samples = samples, .rows = all};
    transformer_norm_rows(model, &layer->norm, all, rows->x, rows->normed, rows->statistics);
    nn_linear_forward(&model->common, &layer->project, all, rows->normed, (struct nn_rows){0}, projected);
    nn_site_rotate(&layer->site, projected.at, projected.stride, all, decode->now, false);
    nn_site_rotate(&layer->site, projected.at + model->part, projected.stride, all, decode->now, false);
    for (long i = 0; i < count; i++) {
        keep(decode, model, done + i, nn_rows_from(projected, i * samples), keys, values);
        attend(decode, model, &layer->site, done + i, i * samples, keys, values);
    }
    transformer_finish(model, layer, &chunk, 0, all, rows);
}

static void feed(struct nn_decode *common, long count, real *ret_logits)
{
    struct transformer_decode *decode = (struct transformer_decode *)common;
    struct transformer *model = (struct transformer *)common->model;
    const struct transformer_rows *rows = &decode->rows;
    const long samples = common->batch.samples;
    embed(decode, model, count);
    for (long l = 0; l < model->layers; l++)
        layer_forward(decode, model, l, count);
    if (!ret_logits)
        return;
    transformer_norm_rows(model, &model->norm, samples, nn_rows_from(rows->x, (count - 1) * samples), rows->normed,
                          rows->statistics);
    nn_decode_read_out(common, &model->head, rows->normed, ret_logits);
}

const struct nn_decode_kind nn_transformer_decode = {
    .size = sizeof(struct transformer_decode), .layout = layout, .begin = begin, .feed = feed};
