// SPDX-License-Identifier: MIT
#include "nn_recurrent.h"
#include <math.h>

static size_t tensors_limit(const struct settings *settings)
{
    enum { OF_A_LAYER = 4, OF_EMBEDDING_AND_HEAD = 4 };
    return (size_t)settings->model.layers * OF_A_LAYER + OF_EMBEDDING_AND_HEAD;
}

static void describe(struct recurrent *model)
{
    const struct settings *settings = &model->common.settings;
    model->lstm = settings->model.kind == MODEL_LSTM;
    model->layers = (long)settings->model.layers;
    model->width = (long)settings->model.width;
    model->padded = nn_padded(model->width);
    model->gates = model->lstm ? 4 * model->padded : model->padded;
    model->dropping = settings->model.dropout > 0;
}

// Gates lie side by side, each padded to whole groups.
static struct nn_tensor *add_weight(struct recurrent *model, struct nn_builder *builder, const char *format, long l)
{
    const long gates = model->lstm ? 4 : 1;
    return nn_add_weight(&model->common, builder,
                         (struct nn_tensor){.name = nn_name(builder, format, l),
                                            .rows = model->width,
                                            .columns = gates * model->width,
                                            .column_group = model->width,
                                            .column_group_padded = model->padded});
}

static void layout_weights(struct recurrent *model, struct nn_builder *builder, long l)
{
    struct recurrent_layer *layer = &model->layer[l];
    struct nn_model *common = &model->common;
    struct nn_tensor *input = add_weight(model, builder, "layers.%ld.input", l);
    struct nn_tensor *recurrent = add_weight(model, builder, "layers.%ld.recurrent", l);
    struct nn_tensor *bias = nn_add_bias(common, builder, nn_name(builder, "layers.%ld.input.bias", l), input);
    layer->recurrent_bias = nn_add_bias(common, builder, nn_name(builder, "layers.%ld.recurrent.bias", l), recurrent);
    nn_linear_part(&layer->input, input, bias, 1, 1);
    nn_linear_part(&layer->recurrent, recurrent, NULL, 1, 1);
    nn_linear_layout(&layer->input, builder);
    nn_linear_layout(&layer->recurrent, builder);
    layer->site = nn_name(builder, "layers.%ld.input", l);
}

static void layout_rows(struct recurrent *model, struct nn_builder *builder, long l, long rows)
{
    struct recurrent_layer *layer = &model->layer[l];
    const bool as_they_are = l > 0 ? !model->dropping : model->table_allowed && !model->dropping;
    layer->state = nn_take_rows(builder, rows, model->width);
    layer->last_state = nn_take_rows(builder, RECURRENT_STEP_SAMPLES, model->width);
    if (!as_they_are)
        layer->x = nn_take_rows(builder, rows, model->width);
    layer->gates = model->lstm ? nn_take_rows(builder, rows, model->gates) : layer->state;
    if (!model->lstm)
        return;
    layer->cell = nn_take_rows(builder, rows, model->width);
    layer->last_cell = nn_take_rows(builder, RECURRENT_STEP_SAMPLES, model->width);
}

static void layout_shared(struct recurrent *model, struct nn_builder *builder, long rows)
{
    const long edge = nn_most(RECURRENT_EDGE_ROWS, model->common.max_trained_length);
    model->slope = nn_take_rows(builder, rows, model->width);
    model->other_slope = model->lstm ? model->slope : nn_take_rows(builder, rows, model->width);
    if (model->lstm)
        model->cell_slope = nn_take_rows(builder, nn_group_samples(1), model->width);
    model->edge = nn_take_rows(builder, edge, model->width);
    model->edge_gradient = nn_take_rows(builder, edge, model->width);
    if (!model->table_allowed)
        return;
    model->table = nn_take_rows(builder, model->common.shape.vocabulary, model->gates);
    model->table_gradient = nn_take_rows(builder, model->common.shape.vocabulary, model->gates);
}

static void layout_course(struct recurrent_course *course, const struct nn_model *model, struct nn_builder *builder)
{
    const long samples = nn_most(RECURRENT_STEP_SAMPLES, nn_group_samples(1));
    const long steps = nn_most(RECURRENT_EDGE_ROWS, model->max_trained_length);
    course->order = nn_take(builder, samples, 1, sizeof *course->order);
    course->rank = nn_take(builder, samples, 1, sizeof *course->rank);
    course->start = nn_take(builder, steps + 1, 1, sizeof *course->start);
}

static void layout(struct nn_model *common, struct nn_builder *builder)
{
    struct recurrent *model = (struct recurrent *)common;
    const long rows = nn_most(nn_group_samples(1), common->max_trained_length);
    const long vocabulary = common->shape.vocabulary;
    describe(model);
    model->layer = nn_take_structs(builder, model->layers, sizeof *model->layer);
    if (!model->layer) {
        builder->failed = true;
        return;
    }
    nn_embedding_layout(&model->embedding, common, builder, model->width);
    model->table_allowed = vocabulary > 0 && vocabulary <= RECURRENT_TABLE_TOKENS && !(model->embedding.noise > 0);
    for (long l = 0; l < model->layers && !builder->failed; l++) {
        layout_weights(model, builder, l);
        layout_rows(model, builder, l, rows);
    }
    if (builder->failed)
        return;
    nn_head_layout(&model->head, common, builder, model->width, nn_embedding_tied(&model->embedding, common),
                   RECURRENT_STEP_SAMPLES);
    nn_group_layout(&model->group, common, builder);
    layout_shared(model, builder, rows);
    layout_course(&model->course, common, builder);
}

static void fill(struct nn_model *common)
{
    struct recurrent *model = (struct recurrent *)common;
    const double scale = 1 / sqrt((double)model->width), gain = common->settings.model.init_gain;
    nn_embedding_fill(&model->embedding, common);
    for (long l = 0; l < model->layers; l++) {
        const struct recurrent_layer *layer = &model->layer[l];
        nn_fill_uniform(common, layer->input.part[0].weight, scale * gain);
        nn_fill_uniform(common, layer->recurrent.part[0].weight, scale * gain);
        nn_fill_uniform(common, layer->input.part[0].bias, scale);
        nn_fill_uniform(common, layer->recurrent_bias, scale);
    }
    nn_head_fill(&model->head, common);
}

#define KIND(kind)                                                                                                     \
    {                                                                                                                  \
        .name = kind, .size = sizeof(struct recurrent), .tensors_limit = tensors_limit, .layout = layout,              \
        .fill = fill, .gradient = recurrent_gradient, .predict = recurrent_predict,                                    \
        .gradient_flops = recurrent_gradient_flops, .predict_flops = recurrent_predict_flops                           \
    }
const struct nn_model_kind nn_rnn = KIND("rnn"), nn_lstm = KIND("lstm");
