// SPDX-License-Identifier: MIT
#include "nn_two_layer.h"

static void add_tensors(struct two_layer *model, struct nn_builder *builder)
{
    const struct model_settings *set = &model->common.settings.model;
    const struct nn_tensor tensors[] = {
        [TENSOR_QUERY] = {"query", model->dim, model->head_dim, .matrix = true, .frozen = set->freeze_attention},
        [TENSOR_KEY] = {"key", model->dim, model->head_dim, .matrix = true, .frozen = set->freeze_attention},
        [TENSOR_VALUE] = {"value", model->dim, model->value_dim, .matrix = true},
        [TENSOR_READOUT] = {"readout", 1, model->value_dim, .matrix = true, .frozen = set->readout == READOUT_FIXED},
    };
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        nn_add_tensor(&model->common, builder, tensors[i]);
}

static void describe(struct two_layer *model)
{
    const struct settings *settings = &model->common.settings;
    model->linear = settings->model.activation == ACTIVATION_NONE;
    model->dim = (long)settings->task.dim;
    model->head_dim = (long)settings->model.head_dim;
    model->value_dim = (long)settings->model.value_dim;
    model->dim_padded = nn_padded(model->dim);
    model->head_padded = nn_padded(model->head_dim);
    model->value_padded = nn_padded(model->value_dim);
    model->width = 2 * model->head_padded + (model->linear ? 0 : model->value_padded);
    model->trained_from = settings->model.freeze_attention ? 2 * model->head_padded : 0;
}

static void take_projection(struct two_layer *model, struct nn_builder *builder)
{
    const long rows = nn_most(CHUNK_TOKENS, model->common.max_length);
    const long trained_rows = nn_most(CHUNK_TOKENS, model->common.max_trained_length);
    model->packed = nn_take_reals(builder, model->dim, model->width);
    model->weight_gradient = nn_take_reals(builder, model->dim, model->width);
    model->projected = nn_take_reals(builder, rows + NN_LANES, model->width);
    model->projected_gradient = nn_take_reals(builder, trained_rows + NN_LANES, model->width);
    model->positions = nn_take(builder, rows, 1, sizeof *model->positions);
    if (model->input.encoding->add || model->dim != model->dim_padded || sizeof(real) != sizeof(float))
        model->tokens = nn_take_reals(builder, rows, model->dim_padded);
    model->norms = nn_take_reals(builder, rows, 1);
    if (!model->linear)
        return;
    model->folded = nn_take_reals(builder, model->dim_padded, 1);
    model->folded_gradient = nn_take_reals(builder, model->dim_padded, 1);
    model->folded_total = nn_take_reals(builder, model->dim_padded, 1);
    model->votes = nn_take_reals(builder, rows, 1);
    model->vote_gradients = nn_take_reals(builder, trained_rows, 1);
    model->value_packed = nn_take_reals(builder, model->dim, model->value_padded);
    model->value_rows = nn_take_reals(builder, rows, model->value_padded);
}

static void take_input_gradient(struct two_layer *model, struct nn_builder *builder)
{
    const long trained = model->common.max_trained_length;
    model->input_gradient = nn_take_reals(builder, nn_most(CHUNK_TOKENS, trained), model->dim_padded);
    model->position_gradient = nn_take_reals(builder, trained, model->width);
    model->transposed = nn_take_reals(builder, model->width, model->dim_padded);
    if (model->linear)
        model->position_votes = nn_take_reals(builder, trained, 1);
}

static void take_attention(struct two_layer *model, struct nn_builder *builder)
{
    struct nn_attention *attention = &model->attention;
    attention->head_dim = model->head_dim;
    attention->value_dim = model->value_dim;
    attention->stride = model->width;
    attention->columns = nn_take_reals(builder, model->head_padded, NN_LANES);
    attention->weights = nn_take_reals(builder, model->common.max_length, NN_LANES);
    attention->score_gradient = nn_take_reals(builder, model->common.max_trained_length, NN_LANES);
    attention->mixed = nn_take_reals(builder, model->value_padded, NN_LANES);
    attention->mixed_gradient = nn_take_reals(builder, model->value_padded, NN_LANES);
    attention->mixed_rows = nn_take_reals(builder, model->value_padded, NN_LANES);
    if (!model->common.tensor[TENSOR_READOUT].frozen)
        attention->readout_sum = nn_take_reals(builder, model->value_padded, 1);
}

static size_t tensors_limit(const struct settings *settings)
{
    (void)settings;
    return TENSOR_ENCODING + NN_SITE_TENSORS;
}

static void lay_out_sites(struct two_layer *model, struct nn_builder *builder)
{
    const struct model_settings *set = &model->common.settings.model;
    model->input = (struct nn_site){
        .model = &model->common, .prefix = "", .input = true, .width = model->dim, .init_scale = set->init_scale};
    model->site = (struct nn_site){.model = &model->common,
                                   .prefix = "",
                                   .width = model->dim,
                                   .heads = 1,
                                   .head_dim = model->head_dim,
                                   .head_padded = model->head_padded,
                                   .query_scale = 1,
                                   .frozen = set->freeze_attention,
                                   .init_scale = set->init_scale};
    nn_site_layout(&model->input, builder);
    nn_site_layout(&model->site, builder);
}

static void layout(struct nn_model *common, struct nn_builder *builder)
{
    struct two_layer *model = (struct two_layer *)common;
    describe(model);
    add_tensors(model, builder);
    lay_out_sites(model, builder);
    const bool learns_input = nn_site_learns_input(&model->input);
    model->score_gradients = !common->settings.model.freeze_attention || learns_input;
    take_projection(model, builder);
    take_attention(model, builder);
    if (learns_input)
        take_input_gradient(model, builder);
}

static void fill(struct nn_model *common)
{
    struct two_layer *model = (struct two_layer *)common;
    for (size_t i = TENSOR_QUERY; i <= TENSOR_VALUE; i++)
        for (long row = 0; row < model->common.tensor[i].rows; row++)
            nn_draw_normal(common, &common->tensor[i], row, (uint64_t)row, model->common.settings.model.init_scale);
    for (long c = 0; c < model->value_dim; c++)
        model->common.tensor[TENSOR_READOUT].value[c] = c % 2 ? -1 : 1;
    nn_site_fill(&model->input);
    nn_site_fill(&model->site);
}

const struct nn_model_kind nn_two_layer = {
    .name = "two_layer",
    .size = sizeof(struct two_layer),
    .tensors_limit = tensors_limit,
    .layout = layout,
    .fill = fill,
    .gradient = two_layer_gradient,
    .predict = two_layer_predict,
    .gradient_flops = two_layer_gradient_flops,
    .predict_flops = two_layer_predict_flops,
};
