// SPDX-License-Identifier: MIT
// Before: settings from spec and the task's shape. After: nn_gradient and nn_predict on batches that a task has made.
#include "base_isa.h"
#include "base_random.h"
#include "base_text.h"
#include "nn_private.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct nn_model_kind *kind_of(const struct settings *settings)
{
    static const struct nn_model_kind *const table[] = {
        [MODEL_TWO_LAYER] = &nn_two_layer,
        [MODEL_TRANSFORMER] = &nn_transformer,
        [MODEL_RNN] = &nn_rnn,
        [MODEL_LSTM] = &nn_lstm,
    };
    _Static_assert(sizeof table / sizeof table[0] == MODEL_KINDS, "a row for each model of spec");
    return table[settings->model.kind];
}

static void *take_from(struct nn_builder *builder, struct arena *arena, size_t count, size_t size)
{
    builder->bytes += (count * size + 63) / 64 * 64;
    if (!arena || builder->failed)
        return NULL;
    void *memory = arena_get(arena, count, size);
    builder->failed = !memory;
    return memory;
}

void *nn_take(struct nn_builder *builder, long count, long count_each, size_t size)
{
    return take_from(builder, builder->arena, (size_t)count * (size_t)count_each, size);
}

void *nn_take_structs(struct nn_builder *builder, long count, size_t size)
{
    return take_from(builder, builder->structures, (size_t)count, size);
}

const char *nn_name(struct nn_builder *builder, const char *format, long number)
{
    enum { NAME_SIZE = 64 };
    char *name = nn_take_structs(builder, NAME_SIZE, 1);
    if (name)
        snprintf(name, NAME_SIZE, format, number);
    return name ? name : "";
}

// Rows, or columns, as stored.
static long stored(long count, long group, long group_padded)
{
    return group > 0 ? (count + group - 1) / group * group_padded : count;
}

struct nn_tensor *nn_add_tensor(struct nn_model *model, struct nn_builder *builder, struct nn_tensor tensor)
{
    if (builder->failed)
        return NULL;
    assert(model->tensors < model->tensors_limit);
    const long rows = stored(tensor.rows, tensor.row_group, tensor.row_group_padded);
    tensor.stride = nn_padded(stored(tensor.columns, tensor.column_group, tensor.column_group_padded));
    tensor.storage = rows * tensor.stride;
    if (!tensor.value)
        tensor.value = nn_take_reals(builder, rows, tensor.stride);
    tensor.gradient = nn_take_reals(builder, rows, tensor.stride);
    model->draw_columns = nn_most(model->draw_columns, tensor.columns);
    model->tensor[model->tensors] = tensor;
    return &model->tensor[model->tensors++];
}

// The whole model, as far as there is memory for it.
static struct nn_model *lay_out(const struct settings *settings, const struct batch_shape *shape, long max_length,
                                struct nn_builder *builder)
{
    const struct nn_model_kind *kind = kind_of(settings);
    const size_t limit = kind->tensors_limit(settings);
    struct nn_model *model = nn_take_structs(builder, 1, kind->size);
    struct nn_tensor *tensor = nn_take_structs(builder, (long)limit, sizeof *tensor);
    if (!tensor)
        return NULL;
    const long trained = (long)settings_tokens(settings, false, settings->task.train_length);
    *model = (struct nn_model){.kind = kind,
                               .kernels = nn_kernels(isa_current()),
                               .settings = *settings,
                               .shape = *shape,
                               .outputs = shape->binary ? 1 : shape->classes,
                               .max_length = nn_most(max_length, trained),
                               .max_trained_length = trained,
                               .tensors_limit = limit,
                               .tensor = tensor};
    kind->layout(model, builder);
    model->draw = nn_take(builder, model->draw_columns, 1, sizeof *model->draw);
    return builder->failed ? NULL : model;
}

enum status_code nn_model_create(const struct settings *settings, const struct batch_shape *shape, long max_length,
                                 struct arena *arena, struct nn_model **ret_model, struct status *status)
{
    struct nn_builder builder = {.arena = arena, .structures = arena};
    struct nn_model *model = lay_out(settings, shape, max_length, &builder);
    if (!model) {
        char need[TEXT_NUMBER_SIZE];
        return status_set(status, STATUS_MEMORY,
                          "the model needs %s, more than is left; shorten sequences or make it smaller",
                          text_size((double)nn_model_bytes(settings, shape, max_length), need));
    }
    model->kind->fill(model);
    *ret_model = model;
    return STATUS_OK;
}

struct nn_sketch nn_sketch(const struct settings *settings, const struct batch_shape *shape, long max_length)
{
    enum { SKETCH_BYTES = 1 << 16 };
    struct nn_builder builder = {.structures = arena_create(SKETCH_BYTES, 0)};
    const struct nn_model *model = builder.structures ? lay_out(settings, shape, max_length, &builder) : NULL;
    struct nn_sketch sketch = {.arena = builder.structures, .model = model, .bytes = model ? builder.bytes : SIZE_MAX};
    for (size_t i = 0; model && i < model->tensors; i++)
        if (!model->tensor[i].frozen)
            sketch.trained_bytes += (size_t)model->tensor[i].storage * sizeof(real);
    sketch.tensors = model ? model->tensors : 0;
    return sketch;
}

void nn_sketch_fini(struct nn_sketch *sketch)
{
    arena_destroy(sketch->arena);
    *sketch = (struct nn_sketch){0};
}

double nn_sketch_gradient_flops(const struct nn_sketch *sketch, long samples, long length)
{
    return sketch->model ? sketch->model->kind->gradient_flops(sketch->model, samples, length) : INFINITY;
}

double nn_sketch_predict_flops(const struct nn_sketch *sketch, long samples, long length)
{
    return sketch->model ? sketch->model->kind->predict_flops(sketch->model, samples, length) : INFINITY;
}

size_t nn_model_bytes(const struct settings *settings, const struct batch_shape *shape, long max_length)
{
    struct nn_sketch sketch = nn_sketch(settings, shape, max_length);
    const size_t bytes = sketch.bytes;
    nn_sketch_fini(&sketch);
    return bytes;
}

double nn_gradient_flops(const struct settings *settings, const struct batch_shape *shape, long samples, long length)
{
    struct nn_sketch sketch = nn_sketch(settings, shape, length);
    const double flops = nn_sketch_gradient_flops(&sketch, samples, length);
    nn_sketch_fini(&sketch);
    return flops;
}

double nn_predict_flops(const struct settings *settings, const struct batch_shape *shape, long samples, long length)
{
    struct nn_sketch sketch = nn_sketch(settings, shape, length);
    const double flops = nn_sketch_predict_flops(&sketch, samples, length);
    nn_sketch_fini(&sketch);
    return flops;
}

void nn_gradient(struct nn_model *model, const struct batch *batch, const struct nn_pass *pass, real *ret_logits,
                 double *ret_loss)
{
    model->kind->gradient(model, batch, pass, ret_logits, ret_loss);
}

void nn_predict(struct nn_model *model, const struct batch *batch, const struct nn_outputs *outputs)
{
    model->kind->predict(model, batch, outputs);
}

// Draws are keyed by the tensor's name, row and column, so that they are prefixes of one another.
static struct random_key draw_key(const struct nn_model *model, const struct nn_tensor *tensor)
{
    char stream[96] = "weight/";
    strncat(stream, tensor->name, sizeof stream - sizeof "weight/");
    return random_key(model->settings.seed, settings_init_seed(&model->settings), stream);
}

void nn_draw_normal(const struct nn_model *model, struct nn_tensor *tensor, long row, uint64_t draw_row, double scale)
{
    random_normals(draw_key(model, tensor), draw_row, 0, (size_t)tensor->columns, model->draw);
    for (long c = 0; c < tensor->columns; c++)
        tensor->value[nn_tensor_at(tensor, row, c)] = (real)(scale * (double)model->draw[c]);
}

void nn_draw_uniform(const struct nn_model *model, struct nn_tensor *tensor, long row, uint64_t draw_row, double scale)
{
    const struct random_key key = draw_key(model, tensor);
    for (long c = 0; c < tensor->columns; c++) {
        const double draw = random_uniform(key, draw_row, 0, (uint32_t)c);
        tensor->value[nn_tensor_at(tensor, row, c)] = (real)(float)(scale * (2 * draw - 1));
    }
}

void nn_clear_gradients(struct nn_model *model)
{
    for (size_t i = 0; i < model->tensors; i++)
        memset(model->tensor[i].gradient, 0, (size_t)model->tensor[i].storage * sizeof(real));
}

size_t nn_tensor_count(const struct nn_model *model)
{
    return model->tensors;
}

struct nn_tensor *nn_tensor(struct nn_model *model, size_t index)
{
    return &model->tensor[index];
}

const struct nn_tensor *nn_tensor_of(const struct nn_model *model, size_t index)
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

long nn_outputs_width(const struct nn_model *model)
{
    return model->outputs;
}

void nn_set_chunk(struct nn_model *model, long samples)
{
    model->chunk_samples = samples;
}
