// SPDX-License-Identifier: MIT
// Before: nn_model.c, with settings and shape. After: passes, in nn_transformer_gradient.c and
// nn_transformer_predict.c.
#include "nn_scaling.h"
#include "nn_transformer.h"
#include <math.h>

enum { LAYER_TENSORS = 16 + NN_SITE_TENSORS, OTHER_TENSORS = 6 + NN_SITE_TENSORS };

size_t transformer_tensors_limit(const struct settings *settings)
{
    return (size_t)settings->model.layers * LAYER_TENSORS + OTHER_TENSORS;
}

// Tokens of a chunk. Of narrow models so few that what is kept of them stays in the cache; wide ones do not fit, and
// read their weights less often by larger chunks. Measured.
static long chunk_tokens(const struct settings *settings)
{
    return settings->model.width <= 192 ? 128 : 256;
}

static void describe(struct transformer *model)
{
    const struct settings *settings = &model->common.settings;
    model->layers = (long)settings->model.layers;
    model->width = (long)settings->model.width;
    model->heads = (long)settings->model.heads;
    model->head_dim = model->width / model->heads;
    model->head_padded = nn_padded(model->head_dim);
    model->part = model->heads * model->head_padded;
    model->causal = settings_causal(settings);
    model->chunk_tokens = chunk_tokens(settings);
}

static struct transformer_norm add_norm(struct transformer *model, struct nn_builder *builder, const char *gain,
                                        const char *bias, long layer)
{
    struct nn_tensor tensor = {.name = nn_name(builder, gain, layer),
                               .rows = 1,
                               .columns = model->width,
                               .rate = nn_scaling(&model->common.settings, ROLE_INPUT).rate};
    struct transformer_norm norm = {.gain = nn_add_tensor(&model->common, builder, tensor)};
    if (model->common.settings.model.norm == NORM_RMS)
        return norm;
    tensor.name = nn_name(builder, bias, layer);
    norm.bias = nn_add_tensor(&model->common, builder, tensor);
    return norm;
}

// A part of a linear layer: `tensor` with the name's format in place of the name. `scale` is a factor on all that it
// yields, x W + b; the parametrization's is on x W alone. `bias_name` NULL: no bias.
static void add_part(struct transformer *model, struct nn_builder *builder, struct nn_linear *linear,
                     struct nn_tensor tensor, const char *bias_name, long layer, double scale)
{
    const struct settings *settings = &model->common.settings;
    const struct nn_scaling scaling = nn_scaling(settings, ROLE_HIDDEN);
    tensor.name = nn_name(builder, tensor.name, layer);
    tensor.rate = scaling.rate;
    struct nn_tensor *weight = nn_add_weight(&model->common, builder, tensor);
    struct nn_tensor *bias = NULL;
    if (bias_name)
        bias = nn_add_bias(&model->common, builder, nn_name(builder, bias_name, layer), weight);
    if (bias)
        bias->rate = nn_scaling(settings, ROLE_INPUT).rate;
    nn_linear_part(linear, weight, bias, scale * scaling.factor, scale);
}

static void add_attention(struct transformer *model, struct nn_builder *builder, struct transformer_layer *layer,
                          long number)
{
    static const char *const names[][2] = {{"layers.%ld.attention.query", "layers.%ld.attention.query.bias"},
                                           {"layers.%ld.attention.key", "layers.%ld.attention.key.bias"},
                                           {"layers.%ld.attention.value", "layers.%ld.attention.value.bias"}};
    const double scale = nn_score_scale(&model->common.settings);
    const bool biased = model->common.settings.model.attention_bias;
    for (int p = 0; p < 3; p++)
        add_part(model, builder, &layer->project,
                 (struct nn_tensor){.name = names[p][0],
                                    .rows = model->width,
                                    .columns = model->width,
                                    .column_group = model->head_dim,
                                    .column_group_padded = model->head_padded},
                 biased ? names[p][1] : NULL, number, p == 0 ? scale : 1);
    add_part(model, builder, &layer->out,
             (struct nn_tensor){.name = "layers.%ld.attention.out",
                                .rows = model->width,
                                .columns = model->width,
                                .row_group = model->head_dim,
                                .row_group_padded = model->head_padded},
             biased ? "layers.%ld.attention.out.bias" : NULL, number, 1);
    nn_linear_layout(&layer->project, builder);
    nn_linear_layout(&layer->out, builder);
}

static void add_ffn(struct transformer *model, struct nn_builder *builder, struct transformer_layer *layer, long number)
{
    const long hidden = model->width * (long)model->common.settings.model.ffn_factor;
    add_part(model, builder, &layer->ffn_in,
             (struct nn_tensor){.name = "layers.%ld.ffn.in", .rows = model->width, .columns = hidden},
             "layers.%ld.ffn.in.bias", number, 1);
    add_part(model, builder, &layer->ffn_out,
             (struct nn_tensor){.name = "layers.%ld.ffn.out", .rows = hidden, .columns = model->width},
             "layers.%ld.ffn.out.bias", number, 1);
    nn_linear_layout(&layer->ffn_in, builder);
    nn_linear_layout(&layer->ffn_out, builder);
}

static void add_site(struct transformer *model, struct nn_builder *builder, struct nn_site *site, struct nn_site place)
{
    place.model = &model->common;
    place.causal = model->causal;
    place.init_scale = model->common.settings.model.position_scale;
    *site = place;
    nn_site_layout(site, builder);
}

static void add_layer(struct transformer *model, struct nn_builder *builder, long number)
{
    struct transformer_layer *layer = &model->layer[number];
    layer->norm = add_norm(model, builder, "layers.%ld.norm1.gain", "layers.%ld.norm1.bias", number);
    add_attention(model, builder, layer, number);
    add_site(model, builder, &layer->site,
             (struct nn_site){.prefix = nn_name(builder, "layers.%ld.attention.", number),
                              .heads = model->heads,
                              .head_dim = model->head_dim,
                              .head_padded = model->head_padded,
                              .query_scale = (real)nn_score_scale(&model->common.settings)});
    layer->norm_ffn = add_norm(model, builder, "layers.%ld.norm2.gain", "layers.%ld.norm2.bias", number);
    add_ffn(model, builder, layer, number);
}

static struct transformer_rows take_rows(const struct transformer *model, struct nn_builder *builder, long count,
                                         bool training)
{
    const long hidden = model->layer[0].ffn_in.outputs;
    struct transformer_rows rows = {.normed = nn_take_rows(builder, count, model->width),
                                    .mixed = nn_take_rows(builder, count, model->part),
                                    .between = nn_take_rows(builder, count, model->width),
                                    .normed_ffn = nn_take_rows(builder, count, model->width),
                                    .hidden = nn_take_rows(builder, count, hidden),
                                    .statistics = nn_take_reals(builder, count, 2),
                                    .statistics_ffn = nn_take_reals(builder, count, 2)};
    if (training)
        rows.slope = nn_take_rows(builder, count, hidden);
    return rows;
}

// Rows of the longest chunk of sequences of at most `length`.
static long chunk_rows(const struct transformer *model, long length)
{
    return nn_most(model->chunk_tokens, length);
}

// What the first layer keeps of x, queries, keys and values serves prediction too.
static void take_chunk(struct transformer *model, struct nn_builder *builder)
{
    const long all = chunk_rows(model, model->common.max_length);
    const long rows = chunk_rows(model, model->common.max_trained_length);
    model->block = take_rows(model, builder, TRANSFORMER_BLOCK, false);
    model->block.x = nn_take_rows(builder, all, model->width);
    model->block.projected = nn_take_rows(builder, all, 3 * model->part);
    model->staged = nn_take_rows(builder, TRANSFORMER_BLOCK, 3 * model->part);
    for (long l = 0; l < model->layers; l++) {
        struct transformer_rows *kept = &model->layer[l].kept;
        *kept = take_rows(model, builder, rows, true);
        kept->x = l == 0 ? model->block.x : model->layer[l - 1].kept.next;
        kept->projected = l == 0 ? model->block.projected : nn_take_rows(builder, rows, 3 * model->part);
        kept->next = nn_take_rows(builder, rows, model->width);
    }
    model->last_normed = nn_take_rows(builder, rows, model->width);
    model->last_statistics = nn_take_reals(builder, rows, 2);
    model->x_gradient = nn_take_rows(builder, rows, model->width);
    model->normed_gradient = nn_take_rows(builder, rows, model->width);
    model->projected_gradient = nn_take_rows(builder, rows, 3 * model->part);
    model->mixed_gradient = nn_take_rows(builder, rows, model->part);
    model->hidden_gradient = nn_take_rows(builder, rows, model->layer[0].ffn_in.outputs);
    model->positions = nn_take(builder, all, 1, sizeof *model->positions);
    model->value_norms = nn_take_reals(builder, TRANSFORMER_BLOCK, 1);
    model->measured = nn_take(builder, model->chunk_tokens, 3, sizeof *model->measured);
}

static void take_attention(struct transformer *model, struct nn_builder *builder)
{
    struct nn_attention *attention = &model->attention;
    const struct model_settings *set = &model->common.settings.model;
    const long keys = model->common.max_length, trained = model->common.max_trained_length;
    attention->causal = model->causal;
    attention->head_dim = attention->value_dim = model->head_dim;
    attention->columns = nn_take_reals(builder, model->head_padded, NN_LANES);
    attention->weights = nn_take_reals(builder, keys, NN_LANES);
    attention->score_gradient = nn_take_reals(builder, trained, NN_LANES);
    attention->mixed_gradient = nn_take_reals(builder, model->head_padded, NN_LANES);
    attention->mixed_rows = nn_take_reals(builder, model->head_padded, NN_LANES);
    if (set->attention_noise > 0)
        model->noise_row = nn_take(builder, trained, 1, sizeof *model->noise_row);
    if (set->dropout > 0) {
        model->kept_row = nn_take_reals(builder, trained, 1);
        model->kept = nn_take_reals(builder, trained, NN_LANES);
        attention->dropped = nn_take_reals(builder, trained, NN_LANES);
    }
}

void transformer_layout(struct nn_model *common, struct nn_builder *builder)
{
    struct transformer *model = (struct transformer *)common;
    describe(model);
    nn_embedding_layout(&model->embedding, common, builder, model->width);
    for (size_t i = 0; i < common->tensors; i++)
        common->tensor[i].rate = nn_scaling(&common->settings, ROLE_INPUT).rate;
    add_site(model, builder, &model->position, (struct nn_site){.prefix = "", .input = true, .width = model->width});
    model->layer = nn_take_structs(builder, model->layers, sizeof *model->layer);
    if (!model->layer)
        return;
    for (long l = 0; l < model->layers; l++)
        add_layer(model, builder, l);
    model->norm = add_norm(model, builder, "norm.gain", "norm.bias", 0);
    nn_head_layout(&model->head, common, builder, model->width, nn_embedding_tied(&model->embedding, common),
                   model->chunk_tokens);
    nn_group_layout(&model->group, common, builder);
    take_chunk(model, builder);
    take_attention(model, builder);
}

static void fill_linear(const struct transformer *model, const struct nn_linear *linear, long inputs, double gain)
{
    const struct settings *settings = &model->common.settings;
    const double scale = 1 / sqrt((double)inputs);
    const double initial = settings->model.init_gain * nn_scaling(settings, ROLE_HIDDEN).initial;
    for (int p = 0; p < linear->parts; p++) {
        nn_fill_uniform(&model->common, linear->part[p].weight, scale * initial * (p == 2 ? gain : 1));
        if (linear->part[p].bias)
            nn_fill_uniform(&model->common, linear->part[p].bias, scale);
    }
}

static void fill_norm(const struct transformer_norm *norm)
{
    for (long c = 0; c < norm->gain->columns; c++)
        norm->gain->value[c] = 1;
}

void transformer_fill(struct nn_model *common)
{
    struct transformer *model = (struct transformer *)common;
    const double value_gain = common->settings.model.value_gain;
    nn_embedding_fill(&model->embedding, common);
    nn_site_fill(&model->position);
    for (long l = 0; l < model->layers; l++) {
        struct transformer_layer *layer = &model->layer[l];
        fill_norm(&layer->norm);
        fill_norm(&layer->norm_ffn);
        fill_linear(model, &layer->project, model->width, value_gain);
        fill_linear(model, &layer->out, model->width, 1);
        fill_linear(model, &layer->ffn_in, model->width, 1);
        fill_linear(model, &layer->ffn_out, model->width * (long)common->settings.model.ffn_factor, 1);
        nn_site_fill(&layer->site);
    }
    fill_norm(&model->norm);
    nn_head_fill(&model->head, common);
}
