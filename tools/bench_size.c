// SPDX-License-Identifier: MIT
#include "bench_size.h"
#include "base_random.h"
#include <stdio.h>
#include <string.h>

enum { TWO_LAYER_WIDTH = 64, VOCABULARY = 32 };

static const struct size {
    const char *name;
    int model;
    int64_t layers, width, samples, length;
} sizes[] = {
    {"two_layer", MODEL_TWO_LAYER, 1, TWO_LAYER_WIDTH, 128, 16},
    {"small", MODEL_TRANSFORMER, 2, 64, 64, 32},
    {"medium", MODEL_TRANSFORMER, 2, 128, 64, 64},
    {"large", MODEL_TRANSFORMER, 4, 256, 32, 128},
    {"decode", MODEL_TRANSFORMER, 2, 64, 64, 200},
    {"decode_rnn", MODEL_RNN, 2, 64, 64, 200},
    {"decode_lstm", MODEL_LSTM, 2, 64, 64, 200},
};

static const struct size *find_size(const char *name)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(sizes[i].name, name) == 0)
            return &sizes[i];
    return NULL;
}

static void two_layer_settings(struct bench *bench)
{
    struct settings *settings = &bench->settings;
    settings->task.dim = TWO_LAYER_WIDTH;
    settings->model.head_dim = settings->model.value_dim = TWO_LAYER_WIDTH;
    settings->model.readout = READOUT_TRAINED;
    settings->model.activation = ACTIVATION_RELU;
    settings->model.init_scale = 0.125;
    settings->train.learning_rate = 0.01;
    bench->shape = (struct batch_shape){.dim = TWO_LAYER_WIDTH, .classes = 2, .binary = true};
}

static void transformer_settings(struct bench *bench, const struct size *size)
{
    struct settings *settings = &bench->settings;
    settings->task.kind = TASK_ACCUMULATOR;
    settings->task.modulus = VOCABULARY / 2;
    settings->model.encoding = ENCODING_ABSOLUTE;
    settings->model.layers = size->layers;
    settings->model.width = size->width;
    settings->model.ffn_activation = FFN_GELU_TANH;
    settings->model.head_bias = false;
    settings->train.optimizer = OPTIMIZER_ADAMW;
    settings->train.learning_rate = 1e-3;
    settings->train.weight_decay = 0.01;
    settings->train.clip = 1;
    bench->shape = (struct batch_shape){.vocabulary = VOCABULARY, .classes = VOCABULARY};
}

static void *take(struct bench *bench, long rows, long columns, size_t size)
{
    return arena_get(bench->arena, (size_t)rows, (size_t)columns * size);
}

static enum status_code draw_batch(struct bench *bench, long samples, long length, struct status *status)
{
    const struct random_key key = random_key(1, 0, "bench");
    const struct batch_shape *shape = &bench->shape;
    const long positions = shape->binary ? 1 : length;
    float *vectors = shape->dim ? take(bench, samples, length * shape->dim, sizeof *vectors) : NULL;
    int32_t *tokens = shape->dim ? NULL : take(bench, samples, length, sizeof *tokens);
    int32_t *targets = take(bench, samples, positions, sizeof *targets);
    bench->logits = take(bench, samples, positions * nn_outputs_width(bench->model), sizeof *bench->logits);
    if (!targets || !bench->logits || (!vectors && !tokens))
        return status_set(status, STATUS_MEMORY, "out of memory for a batch of %ld x %ld", samples, length);
    for (long s = 0; s < samples; s++) {
        for (long l = 0; l < positions; l++)
            targets[s * positions + l] =
                (int32_t)random_below(key, (uint64_t)s, (uint32_t)l, 0, (uint32_t)shape->classes);
        for (long l = 0; l < length; l++)
            if (vectors)
                random_normals(key, (uint64_t)s, (uint32_t)l, (size_t)shape->dim,
                               vectors + (s * length + l) * shape->dim);
            else
                tokens[s * length + l] = (int32_t)random_below(key, (uint64_t)s, (uint32_t)l, 1, VOCABULARY);
    }
    bench->batch = (struct batch){.samples = samples,
                                  .length = length,
                                  .dim = shape->dim,
                                  .vectors = vectors,
                                  .tokens = tokens,
                                  .positions = positions,
                                  .targets = targets,
                                  .clean = targets,
                                  .classes = shape->classes,
                                  .binary = shape->binary,
                                  .set = "train"};
    return STATUS_OK;
}

enum status_code bench_create(const char *name, long samples, long length, struct bench *ret_bench,
                              struct status *status)
{
    const struct size *size = find_size(name);
    if (!size)
        return status_set(status, STATUS_INVALID, "no size %s; see bench_size.h", name);
    struct bench bench = {.arena = arena_create(1 << 20, 0)};
    if (!bench.arena)
        return status_set(status, STATUS_MEMORY, "out of memory");
    settings_defaults(&bench.settings);
    bench.settings.model.kind = size->model;
    bench.settings.task.train_length = size->length;
    bench.settings.task.samples = size->samples;
    if (size->model == MODEL_TWO_LAYER)
        two_layer_settings(&bench);
    else
        transformer_settings(&bench, size);
    length = length > 0 ? length : (long)size->length;
    enum status_code code = nn_model_create(&bench.settings, &bench.shape, length, bench.arena, &bench.model, status);
    if (code == STATUS_OK)
        code = draw_batch(&bench, samples > 0 ? samples : (long)size->samples, length, status);
    if (code == STATUS_OK)
        *ret_bench = bench;
    else
        arena_destroy(bench.arena);
    return code;
}

void bench_destroy(struct bench *bench)
{
    arena_destroy(bench->arena);
}

static void write_integers(FILE *file, const char *name, long rows, long columns, const int32_t *numbers)
{
    fprintf(file, "%s %ld %ld\n", name, rows, columns);
    for (long i = 0; i < rows * columns; i++)
        fwrite(&(float){(float)numbers[i]}, sizeof(float), 1, file);
}

static void write_tensor(FILE *file, const struct nn_tensor *tensor)
{
    fprintf(file, "%s %ld %ld\n", tensor->name, tensor->rows, tensor->columns);
    for (long row = 0; row < tensor->rows; row++)
        for (long column = 0; column < tensor->columns; column++)
            fwrite(&(float){(float)tensor->value[nn_tensor_at(tensor, row, column)]}, sizeof(float), 1, file);
}

enum status_code bench_write(struct bench *bench, const char *path, struct status *status)
{
    const struct batch *batch = &bench->batch;
    const long rows = batch->samples * batch->length;
    FILE *file = fopen(path, "wb");
    if (!file)
        return status_set(status, STATUS_SYSTEM, "cannot write %s", path);
    if (batch->vectors) {
        fprintf(file, "vectors %ld %ld\n", rows, batch->dim);
        fwrite(batch->vectors, sizeof(float), (size_t)(rows * batch->dim), file);
    } else {
        write_integers(file, "tokens", batch->samples, batch->length, batch->tokens);
    }
    write_integers(file, "targets", batch->samples, batch->positions, batch->targets);
    for (size_t i = 0; i < nn_tensor_count(bench->model); i++)
        write_tensor(file, nn_tensor(bench->model, i));
    const bool failed = ferror(file);
    if (fclose(file) != 0 || failed)
        return status_set(status, STATUS_SYSTEM, "cannot write %s whole", path);
    return STATUS_OK;
}
