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
    model->encoding = nn_encoding(settings->model.encoding);
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
    if (model->dim != model->dim_padded || sizeof(real) != sizeof(float))
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

static void take_base(struct two_layer *model, struct nn_builder *builder)
{
    model->base = nn_take_reals(builder, model->common.max_length, model->width);
    model->base_gradient = nn_take_reals(builder, model->common.max_trained_length, model->width);
    model->transposed = nn_take_reals(builder, model->width, model->dim_padded);
    if (!model->linear)
        return;
    model->base_votes = nn_take_reals(builder, model->common.max_length, 1);
    model->base_vote_gradients = nn_take_reals(builder, model->common.max_trained_length, 1);
    model->value_base = nn_take_reals(builder, model->common.max_length, model->value_padded);
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
    return TENSOR_LIMIT;
}

static void layout(struct nn_model *common, struct nn_builder *builder)
{
    struct two_layer *model = (struct two_layer *)common;
    describe(model);
    add_tensors(model, builder);
    if (model->encoding->layout)
        model->encoding->layout(model, builder);
    const bool trained_encoding = common->tensors > TENSOR_ENCODING && !common->tensor[TENSOR_ENCODING].frozen;
    model->score_gradients = !common->settings.model.freeze_attention || trained_encoding;
    take_projection(model, builder);
    take_attention(model, builder);
    if (model->encoding->adds)
        take_base(model, builder);
}

static void fill(struct nn_model *common)
{
    struct two_layer *model = (struct two_layer *)common;
    for (size_t i = TENSOR_QUERY; i <= TENSOR_VALUE; i++)
        for (long row = 0; row < model->common.tensor[i].rows; row++)
            nn_draw_normal(common, &common->tensor[i], row, (uint64_t)row, model->common.settings.model.init_scale);
    for (long c = 0; c < model->value_dim; c++)
        model->common.tensor[TENSOR_READOUT].value[c] = c % 2 ? -1 : 1;
    if (model->encoding->fill)
        model->encoding->fill(model);
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
