// SPDX-License-Identifier: MIT
// Before: settings from spec. After: nn_gradient and nn_predict on batches that a task has made.
#include "base_isa.h"
#include "base_random.h"
#include "base_text.h"
#include "nn_private.h"
#include <string.h>

_Static_assert(MODEL_KINDS == 1, "a new model needs its own file and a choice here");

void *nn_take(struct nn_builder *builder, long count, long count_each, size_t size)
{
    const size_t numbers = (size_t)count * (size_t)count_each;
    builder->bytes += (numbers * size + 63) / 64 * 64;
    if (!builder->arena || builder->failed)
        return NULL;
    void *memory = arena_get(builder->arena, numbers, size);
    builder->failed = !memory;
    return memory;
}

static real *take_reals(struct nn_builder *builder, long rows, long columns)
{
    return nn_take(builder, rows, columns, sizeof(real));
}

static void describe_tensors(struct nn_model *model)
{
    const struct model_settings *set = &model->settings.model;
    const struct nn_tensor tensors[] = {
        [TENSOR_QUERY] = {"query", model->dim, model->head_dim, model->head_padded, .frozen = set->freeze_attention},
        [TENSOR_KEY] = {"key", model->dim, model->head_dim, model->head_padded, .frozen = set->freeze_attention},
        [TENSOR_VALUE] = {"value", model->dim, model->value_dim, model->value_padded},
        [TENSOR_READOUT] = {"readout", 1, model->value_dim, model->value_padded,
                            .frozen = set->readout == READOUT_FIXED},
    };
    model->tensors = TENSOR_ENCODING;
    for (size_t i = 0; i < model->tensors; i++)
        model->tensor[i] = tensors[i];
}

static void describe(struct nn_model *model, const struct settings *settings, long max_length)
{
    model->settings = *settings;
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
    model->max_trained_length = (long)settings->task.train_length;
    model->max_length = nn_most(max_length, model->max_trained_length);
    describe_tensors(model);
}

static void take_tensors(struct nn_model *model, struct nn_builder *builder)
{
    long longest = 0;
    for (size_t i = 0; i < model->tensors; i++) {
        struct nn_tensor *tensor = &model->tensor[i];
        longest = nn_most(longest, tensor->columns);
        if (i < TENSOR_ENCODING)
            tensor->value = take_reals(builder, tensor->rows, tensor->stride);
        tensor->gradient = take_reals(builder, tensor->rows, tensor->stride);
    }
    model->draw = nn_take(builder, longest, 1, sizeof(float));
}

static void take_projection(struct nn_model *model, struct nn_builder *builder)
{
    const long rows = nn_most(CHUNK_TOKENS, model->max_length);
    const long trained_rows = nn_most(CHUNK_TOKENS, model->max_trained_length);
    model->packed = take_reals(builder, model->dim, model->width);
    model->weight_gradient = take_reals(builder, model->dim, model->width);
    model->projected = take_reals(builder, rows + NN_LANES, model->width);
    model->projected_gradient = take_reals(builder, trained_rows + NN_LANES, model->width);
    if (model->dim != model->dim_padded || sizeof(real) != sizeof(float))
        model->tokens = take_reals(builder, rows, model->dim_padded);
    model->norms = take_reals(builder, rows, 1);
    if (!model->linear)
        return;
    model->folded = take_reals(builder, model->dim_padded, 1);
    model->folded_gradient = take_reals(builder, model->dim_padded, 1);
    model->folded_total = take_reals(builder, model->dim_padded, 1);
    model->votes = take_reals(builder, rows, 1);
    model->vote_gradients = take_reals(builder, trained_rows, 1);
    model->value_packed = take_reals(builder, model->dim, model->value_padded);
    model->value_rows = take_reals(builder, rows, model->value_padded);
}

static void take_base(struct nn_model *model, struct nn_builder *builder)
{
    model->base = take_reals(builder, model->max_length, model->width);
    model->base_gradient = take_reals(builder, model->max_trained_length, model->width);
    model->transposed = take_reals(builder, model->width, model->dim_padded);
    if (!model->linear)
        return;
    model->base_votes = take_reals(builder, model->max_length, 1);
    model->base_vote_gradients = take_reals(builder, model->max_trained_length, 1);
    model->value_base = take_reals(builder, model->max_length, model->value_padded);
}

static void take_attention(struct nn_model *model, struct nn_builder *builder)
{
    struct nn_attention *attention = &model->attention;
    attention->head_dim = model->head_dim;
    attention->value_dim = model->value_dim;
    attention->stride = model->width;
    attention->columns = take_reals(builder, model->head_padded, NN_LANES);
    attention->weights = take_reals(builder, model->max_length, NN_LANES);
    attention->score_gradient = take_reals(builder, model->max_trained_length, NN_LANES);
    attention->mixed = take_reals(builder, model->value_padded, NN_LANES);
    attention->mixed_gradient = take_reals(builder, model->value_padded, NN_LANES);
    attention->mixed_rows = take_reals(builder, model->value_padded, NN_LANES);
    if (!model->tensor[TENSOR_READOUT].frozen)
        attention->readout_sum = take_reals(builder, model->value_padded, 1);
}

static void take_all(struct nn_model *model, struct nn_builder *builder)
{
    if (model->encoding->layout)
        model->encoding->layout(model, builder);
    const bool trained_encoding = model->tensors > TENSOR_ENCODING && !model->tensor[TENSOR_ENCODING].frozen;
    model->score_gradients = !model->settings.model.freeze_attention || trained_encoding;
    take_tensors(model, builder);
    take_projection(model, builder);
    take_attention(model, builder);
    if (model->encoding->adds)
        take_base(model, builder);
}

// Draws are keyed by the tensor's name, row and column, so that they are prefixes of one another.
void nn_draw(const struct nn_model *model, struct nn_tensor *tensor, long row, uint64_t draw_row, double scale)
{
    char stream[32] = "weight/";
    strncat(stream, tensor->name, sizeof stream - sizeof "weight/");
    struct random_key key = random_key(model->settings.seed, settings_init_seed(&model->settings), stream);
    random_normals(key, draw_row, 0, (size_t)tensor->columns, model->draw);
    for (long c = 0; c < tensor->columns; c++)
        tensor->value[row * tensor->stride + c] = (real)(scale * (double)model->draw[c]);
}

static void fill(struct nn_model *model)
{
    for (size_t i = TENSOR_QUERY; i <= TENSOR_VALUE; i++)
        for (long row = 0; row < model->tensor[i].rows; row++)
            nn_draw(model, &model->tensor[i], row, (uint64_t)row, model->settings.model.init_scale);
    for (long c = 0; c < model->value_dim; c++)
        model->tensor[TENSOR_READOUT].value[c] = c % 2 ? -1 : 1;
    if (model->encoding->fill)
        model->encoding->fill(model);
}

enum status_code nn_model_create(const struct settings *settings, long max_length, struct arena *arena,
                                 struct nn_model **ret_model, struct status *status)
{
    struct nn_builder builder = {.arena = arena};
    struct nn_model *model = nn_take(&builder, 1, 1, sizeof *model);
    if (model) {
        describe(model, settings, max_length);
        take_all(model, &builder);
    }
    if (builder.failed) {
        char need[TEXT_NUMBER_SIZE];
        return status_set(
            status, STATUS_MEMORY,
            "the model needs %s, more than is left; shorten sequences or lower dim, head_dim or value_dim",
            text_size((double)nn_model_bytes(settings, max_length), need));
    }
    model->kernels = nn_kernels(isa_current());
    fill(model);
    *ret_model = model;
    return STATUS_OK;
}

size_t nn_describe(struct nn_model *ret_model, const struct settings *settings, long max_length)
{
    struct nn_builder builder = {0};
    *ret_model = (struct nn_model){0};
    nn_take(&builder, 1, 1, sizeof *ret_model);
    describe(ret_model, settings, max_length);
    take_all(ret_model, &builder);
    return builder.bytes;
}

size_t nn_model_bytes(const struct settings *settings, long max_length)
{
    struct nn_model model;
    return nn_describe(&model, settings, max_length);
}

size_t nn_tensor_count(const struct nn_model *model)
{
    return model->tensors;
}

struct nn_tensor *nn_tensor(struct nn_model *model, size_t index)
{
    return &model->tensor[index];
}

size_t nn_parameter_count(const struct nn_model *model)
{
    size_t count = 0;
    for (size_t i = 0; i < model->tensors; i++)
        if (!model->tensor[i].frozen)
            count += (size_t)model->tensor[i].rows * (size_t)model->tensor[i].columns;
    return count;
}

void nn_set_chunk(struct nn_model *model, long samples)
{
    model->chunk_samples = samples;
}
