// SPDX-License-Identifier: MIT
// Settings and batches for rnn and lstm, and both of them in straight loops in double: written from the formulas, with
// nothing of src/nn but the values of its tensors.
#pragma once
#include "base_random.h"
#include "nn_model.h"
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 5, VOCABULARY = 7, DIM = 6 };

struct recurrent_row {
    int kind;
    long layers, width, length, samples;
    int head;
    bool tokens, binary, no_bias, tied, masked;
    double dropout;
    bool orthonormal;
};

struct recurrent_case {
    struct recurrent_row row;
    struct settings settings;
    struct batch_shape shape;
    struct arena *arena;
    struct nn_model *model;
    struct batch batch;
    real *logits;
};

static inline void *zeroed(long count, size_t size)
{
    void *memory = calloc((size_t)count, size);
    assert_non_null(memory);
    return memory;
}

static inline struct settings recurrent_settings(const struct recurrent_row *row)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.kind = row->tokens ? TASK_ACCUMULATOR : TASK_SIGNAL;
    settings.task.train_length = row->length;
    settings.task.snr = row->orthonormal ? 4 : INFINITY;
    settings.model.kind = row->kind;
    settings.model.layers = row->layers;
    settings.model.width = row->width;
    settings.model.pooling = row->head;
    settings.model.head_bias = !row->no_bias;
    settings.model.tied = row->tied;
    settings.model.dropout = row->dropout;
    settings.model.init_gain = 1.5;
    settings.model.embeddings = row->orthonormal ? EMBEDDINGS_ORTHONORMAL : EMBEDDINGS_TRAINED;
    return settings;
}

static inline void fill_batch(struct recurrent_case *c)
{
    struct batch *b = &c->batch;
    const struct random_key key = random_key(3, 0, "test/recurrent");
    int32_t *targets = zeroed(b->samples * b->positions, sizeof *targets), *tokens = NULL;
    uint8_t *mask = c->row.masked ? zeroed(b->samples * b->positions, 1) : NULL;
    float *vectors = NULL;
    for (long i = 0; i < b->samples * b->positions; i++) {
        targets[i] = (int32_t)random_below(key, (uint64_t)i, 0, 0, (uint32_t)b->classes);
        if (mask)
            mask[i] = i % 3 != 1;
    }
    if (c->row.tokens)
        tokens = zeroed(b->samples * b->length, sizeof *tokens);
    else
        vectors = zeroed(b->samples * b->length * DIM, sizeof *vectors);
    for (long i = 0; i < b->samples * b->length; i++)
        if (tokens)
            tokens[i] = (int32_t)random_below(key, (uint64_t)i, 1, 0, VOCABULARY);
        else
            random_normals(key, (uint64_t)i, 2, DIM, vectors + i * DIM);
    b->targets = b->clean = targets;
    b->tokens = tokens;
    b->vectors = vectors;
    b->mask = mask;
}

static inline void recurrent_open(struct recurrent_case *c, const struct recurrent_row *row, long length)
{
    struct status status = {0};
    const int classes = row->binary ? 2 : row->tied ? VOCABULARY : CLASSES;
    c->row = *row;
    c->settings = recurrent_settings(row);
    c->shape = (struct batch_shape){.dim = row->tokens ? 0 : DIM,
                                    .vocabulary = row->tokens ? VOCABULARY : 0,
                                    .classes = classes,
                                    .binary = row->binary};
    c->arena = arena_create(1 << 16, 0);
    assert_non_null(c->arena);
    if (nn_model_create(&c->settings, &c->shape, length, c->arena, &c->model, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    c->batch = (struct batch){.samples = row->samples,
                              .length = length,
                              .dim = c->shape.dim,
                              .positions = row->head == POOLING_PER_POSITION ? length : 1,
                              .classes = classes,
                              .binary = row->binary,
                              .set = "train",
                              .first = 100};
    fill_batch(c);
    c->logits = zeroed(row->samples * c->batch.positions * nn_outputs_width(c->model), sizeof *c->logits);
}

static inline void recurrent_close(struct recurrent_case *c)
{
    void *all[] = {(void *)c->batch.targets, (void *)c->batch.tokens, (void *)c->batch.vectors, (void *)c->batch.mask,
                   c->logits};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    arena_destroy(c->arena);
}

static inline struct nn_tensor *recurrent_tensor(const struct recurrent_case *c, const char *format, long number)
{
    char name[64];
    snprintf(name, sizeof name, format, number);
    for (size_t i = 0; i < nn_tensor_count(c->model); i++)
        if (!strcmp(nn_tensor(c->model, i)->name, name))
            return nn_tensor(c->model, i);
    return NULL;
}

// A matrix and its gradient, without padding.
struct matrix {
    const struct nn_tensor *tensor;
    long rows, columns;
    double *value, *gradient;
};

static inline struct matrix matrix_of(const struct nn_tensor *tensor, long rows, long columns)
{
    struct matrix m = {tensor, rows, columns, zeroed(rows * columns, sizeof(double)),
                       zeroed(rows * columns, sizeof(double))};
    if (!tensor)
        return m;
    assert_true(tensor->rows == rows && tensor->columns == columns);
    for (long r = 0; r < rows; r++)
        for (long k = 0; k < columns; k++)
            m.value[r * columns + k] = (double)tensor->value[nn_tensor_at(tensor, r, k)];
    return m;
}

enum { LAYERS_MAX = 3 };
struct recurrent_reference {
    long width, gates, outputs;
    struct matrix embedding, input, input_bias, head, head_bias;
    struct layer_reference {
        struct matrix x, h, x_bias, h_bias;
        // Of one sample, (length, …): what it reads, factors of dropout, activations, cell, state; gradients.
        double *in, *kept, *act, *cell, *state, *in_g, *state_g;
    } layer[LAYERS_MAX];
    double *logits, loss;
};

// y (columns) += x (rows) W
static inline void times(const double *x, const struct matrix *w, double *y)
{
    for (long k = 0; k < w->rows; k++)
        for (long c = 0; c < w->columns; c++)
            y[c] += x[k] * w->value[k * w->columns + c];
}
// The way back: W's gradient, and x's unless NULL.
static inline void times_back(const double *x, struct matrix *w, const double *y_g, double *x_g)
{
    for (long k = 0; k < w->rows; k++)
        for (long c = 0; c < w->columns; c++) {
            w->gradient[k * w->columns + c] += x[k] * y_g[c];
            if (x_g)
                x_g[k] += w->value[k * w->columns + c] * y_g[c];
        }
}
static inline void add_to(const double *x, long count, double *y)
{
    for (long i = 0; i < count; i++)
        y[i] += x[i];
}

static inline void reference_open(const struct recurrent_case *c, struct recurrent_reference *r)
{
    const long w = c->row.width, g = (c->row.kind == MODEL_LSTM ? 4 : 1) * w, n = c->batch.length;
    const long outputs = nn_outputs_width(c->model);
    *r = (struct recurrent_reference){.width = w, .gates = g, .outputs = outputs};
    r->embedding = matrix_of(recurrent_tensor(c, "embedding", 0), VOCABULARY, w);
    r->input = matrix_of(recurrent_tensor(c, "input.weight", 0), DIM, w);
    r->input_bias = matrix_of(recurrent_tensor(c, "input.bias", 0), 1, w);
    r->head = matrix_of(recurrent_tensor(c, "head", 0), w, outputs);
    r->head_bias = matrix_of(recurrent_tensor(c, "head.bias", 0), 1, outputs);
    for (long k = 0; c->row.tied && k < w; k++)
        for (long o = 0; o < outputs; o++)
            r->head.value[k * outputs + o] = r->embedding.value[o * w + k];
    for (long l = 0; l < c->row.layers; l++) {
        struct layer_reference *layer = &r->layer[l];
        layer->x = matrix_of(recurrent_tensor(c, "layers.%ld.input", l), w, g);
        layer->h = matrix_of(recurrent_tensor(c, "layers.%ld.recurrent", l), w, g);
        layer->x_bias = matrix_of(recurrent_tensor(c, "layers.%ld.input.bias", l), 1, g);
        layer->h_bias = matrix_of(recurrent_tensor(c, "layers.%ld.recurrent.bias", l), 1, g);
        double **of_a_sample[] = {&layer->in,    &layer->kept, &layer->act,    &layer->cell,
                                  &layer->state, &layer->in_g, &layer->state_g};
        for (size_t i = 0; i < sizeof of_a_sample / sizeof *of_a_sample; i++)
            *of_a_sample[i] = zeroed((n + 1) * g, sizeof(double));
    }
    r->logits = zeroed(c->batch.samples * c->batch.positions * outputs, sizeof(double));
}

static inline void reference_close(const struct recurrent_case *c, struct recurrent_reference *r)
{
    struct matrix *all[] = {&r->embedding, &r->input, &r->input_bias, &r->head, &r->head_bias};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]->value);
        free(all[i]->gradient);
    }
    for (long l = 0; l < c->row.layers; l++) {
        struct layer_reference *layer = &r->layer[l];
        double *memory[] = {layer->x.value,
                            layer->x.gradient,
                            layer->h.value,
                            layer->h.gradient,
                            layer->x_bias.value,
                            layer->x_bias.gradient,
                            layer->in,
                            layer->kept,
                            layer->h_bias.value,
                            layer->act,
                            layer->cell,
                            layer->state,
                            layer->h_bias.gradient,
                            layer->in_g,
                            layer->state_g};
        for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
            free(memory[i]);
    }
    free(r->logits);
}

// 0 or 1 / (1 - rate): a unit is dropped where its word is below rate * 2^32.
static inline double kept(const struct recurrent_case *c, long l, long sample, long position, long unit, int64_t step)
{
    const double rate = c->settings.model.dropout;
    char stream[64];
    uint32_t word[4];
    if (rate == 0 || step < 0)
        return 1;
    snprintf(stream, sizeof stream, "dropout/layers.%ld.input/%ld", l, (long)step);
    const struct random_key key = random_key(c->settings.seed, settings_init_seed(&c->settings), stream);
    random_block(key, (uint64_t)batch_index(&c->batch, sample), (uint32_t)position, (uint32_t)(unit / 4), word);
    return word[unit % 4] >= rate * 0x1p32 ? 1 / (1 - rate) : 0;
}

// A row of the first layer's input, before dropout.
static inline void embed(const struct recurrent_case *c, const struct recurrent_reference *r, long s, long t,
                         double *ret_x)
{
    const struct batch *b = &c->batch;
    memset(ret_x, 0, (size_t)r->width * sizeof *ret_x);
    if (b->tokens) {
        float draw[64];
        const struct random_key key = random_key(c->settings.seed, settings_data_seed(&c->settings), "train/embedding");
        random_normals(key, (uint64_t)batch_index(b, s), (uint32_t)t, (size_t)r->width, draw);
        for (long k = 0; k < r->width; k++)
            ret_x[k] = r->embedding.value[b->tokens[s * b->length + t] * r->width + k] +
                       (c->row.orthonormal ? (double)draw[k] / sqrt(c->settings.task.snr) : 0);
        return;
    }
    double x[DIM];
    for (int k = 0; k < DIM; k++)
        x[k] = (double)b->vectors[(s * b->length + t) * DIM + k];
    times(x, &r->input, ret_x);
    add_to(r->input_bias.value, r->width, ret_x);
}

static inline double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

// From the sums in `act` to activations, cell and state; `before` are those of the step before, or NULL.
static inline void cell_forward(const struct recurrent_reference *r, double *act, const double *before, double *cell,
                                double *state)
{
    const long w = r->width;
    for (long k = 0; k < w; k++) {
        if (r->gates == w) {
            state[k] = act[k] = tanh(act[k]);
            continue;
        }
        for (int gate = 0; gate < 4; gate++)
            act[gate * w + k] = gate == 2 ? tanh(act[gate * w + k]) : logistic(act[gate * w + k]);
        cell[k] = act[w + k] * (before ? before[k] : 0) + act[k] * act[2 * w + k];
        state[k] = act[3 * w + k] * tanh(cell[k]);
    }
}

static inline void layer_forward(const struct recurrent_case *c, struct recurrent_reference *r, long l, long s,
                                 int64_t step)
{
    struct layer_reference *layer = &r->layer[l];
    const long w = r->width, g = r->gates;
    for (long t = 0; t < c->batch.length; t++) {
        double *in = layer->in + t * w, *act = layer->act + t * g;
        if (l == 0)
            embed(c, r, s, t, in);
        else
            memcpy(in, r->layer[l - 1].state + t * w, (size_t)w * sizeof *in);
        for (long k = 0; k < w; k++)
            in[k] *= layer->kept[t * w + k] = kept(c, l, s, t, k, step);
        memcpy(act, layer->x_bias.value, (size_t)g * sizeof *act);
        add_to(layer->h_bias.value, g, act);
        times(in, &layer->x, act);
        if (t > 0)
            times(layer->state + (t - 1) * w, &layer->h, act);
        cell_forward(r, act, t > 0 ? layer->cell + (t - 1) * w : NULL, layer->cell + t * w, layer->state + t * w);
    }
}
