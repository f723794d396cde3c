// SPDX-License-Identifier: MIT
// The transformer without positions or with learned ones, in straight loops; it knows no dropout.
#pragma once
#include "transformer_cases.h"

enum { REFERENCE_TENSORS = 64 };

struct reference {
    const struct nn_case *c;
    size_t tensors;
    const char *name[REFERENCE_TENSORS];
    double *weight[REFERENCE_TENSORS]; // (rows, columns), without padding
    long length, width;
    double *x, *normed, *query, *key, *value, *mixed, *hidden; // of one sample
    double *score;
    double *mass, *relevant_norm, *other_norm; // (samples): sums over queries or tokens, heads and layers
    long sample;
};

static inline void reference_open(struct reference *r, const struct nn_case *c)
{
    const long length = c->batch.length, width = (long)c->settings.model.width;
    *r = (struct reference){.c = c, .tensors = nn_tensor_count(c->model), .length = length, .width = width};
    assert_true(r->tensors <= REFERENCE_TENSORS);
    for (size_t i = 0; i < r->tensors; i++) {
        const struct nn_tensor *tensor = nn_tensor(c->model, i);
        r->name[i] = tensor->name;
        r->weight[i] = case_take(tensor->rows * tensor->columns, sizeof(double));
        for (long row = 0; row < tensor->rows; row++)
            for (long k = 0; k < tensor->columns; k++)
                r->weight[i][row * tensor->columns + k] = (double)tensor->value[nn_tensor_at(tensor, row, k)];
    }
    double **rows[] = {&r->x, &r->normed, &r->query, &r->key, &r->value, &r->mixed};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *rows[i] = case_take(length * width, sizeof(double));
    r->hidden = case_take(length * width * (long)c->settings.model.ffn_factor, sizeof(double));
    r->score = case_take(length, sizeof(double));
    r->mass = case_take(c->batch.samples, sizeof(double));
    r->relevant_norm = case_take(c->batch.samples, sizeof(double));
    r->other_norm = case_take(c->batch.samples, sizeof(double));
}

static inline void reference_close(struct reference *r)
{
    double *rows[] = {r->x,      r->normed, r->query, r->key,           r->value,     r->mixed,
                      r->hidden, r->score,  r->mass,  r->relevant_norm, r->other_norm};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        free(rows[i]);
    for (size_t i = 0; i < r->tensors; i++)
        free(r->weight[i]);
}

static inline const double *reference_weight(const struct reference *r, const char *format, long layer)
{
    char name[64];
    snprintf(name, sizeof name, format, layer);
    for (size_t i = 0; i < r->tensors; i++)
        if (!strcmp(r->name[i], name))
            return r->weight[i];
    return NULL;
}

// y = x W + b, added to y where `add`; W and b by their names' formats.
static inline void affine(const struct reference *r, const char *weight, const char *bias, long layer, const double *x,
                          long inputs, long outputs, bool add, double *y)
{
    const double *w = reference_weight(r, weight, layer), *b = reference_weight(r, bias, layer);
    assert_true(w && b);
    for (long t = 0; t < r->length; t++)
        for (long o = 0; o < outputs; o++) {
            double sum = b[o] + (add ? y[t * outputs + o] : 0);
            for (long k = 0; k < inputs; k++)
                sum += x[t * inputs + k] * w[k * outputs + o];
            y[t * outputs + o] = sum;
        }
}

static inline void normalise(const struct reference *r, const char *gain, const char *bias, long layer)
{
    const double *g = reference_weight(r, gain, layer), *b = reference_weight(r, bias, layer), n = (double)r->width;
    const bool rms = r->c->settings.model.norm == NORM_RMS;
    assert_true(rms == (b == NULL));
    for (long t = 0; t < r->length; t++) {
        const double *x = r->x + t * r->width;
        double mean = 0, square = 0;
        for (long k = 0; k < r->width && !rms; k++)
            mean += x[k] / n;
        for (long k = 0; k < r->width; k++)
            square += (x[k] - mean) * (x[k] - mean) / n;
        for (long k = 0; k < r->width; k++)
            r->normed[t * r->width + k] = (x[k] - mean) / sqrt(square + 1e-5) * g[k] + (b ? b[k] : 0);
    }
}

static inline bool is_relevant(const struct reference *r, long position)
{
    const struct batch *batch = &r->c->batch;
    for (long k = 0; k < batch->relevant_count; k++)
        if (batch->relevant[r->sample * batch->relevant_count + k] == position)
            return true;
    return false;
}

// Whether query `i` is asked for a key: with relevant_each by the list of its own target.
static inline bool is_relevant_to(const struct reference *r, long i, long position)
{
    const struct batch *batch = &r->c->batch;
    if (!batch->relevant_each)
        return is_relevant(r, position);
    for (long k = 0; k < batch->relevant_count; k++)
        if (batch->relevant[(r->sample * r->length + i) * batch->relevant_count + k] == position)
            return true;
    return false;
}

static inline void measure_values(struct reference *r, long from, long to)
{
    for (long j = 0; j < r->length; j++) {
        double square = 0;
        for (long k = from; k < to; k++)
            square += r->value[j * r->width + k] * r->value[j * r->width + k];
        (is_relevant(r, j) ? r->relevant_norm : r->other_norm)[r->sample] += sqrt(square);
    }
}

static inline void attend(struct reference *r)
{
    const struct model_settings *m = &r->c->settings.model;
    const long size = r->width / (long)m->heads;
    const bool causal = settings_causal(&r->c->settings);
    memset(r->mixed, 0, (size_t)(r->length * r->width) * sizeof(double));
    for (long h = 0; h < (long)m->heads; h++)
        for (long i = 0; i < r->length; i++) {
            const long keys = causal ? i + 1 : r->length;
            double sum = 0;
            for (long j = 0; j < keys; j++) {
                double score = 0;
                for (long k = h * size; k < (h + 1) * size; k++)
                    score += r->query[i * r->width + k] * r->key[j * r->width + k];
                sum += r->score[j] = exp(score / sqrt((double)size));
            }
            for (long j = 0; j < keys; j++)
                r->mass[r->sample] += is_relevant_to(r, i, j) ? r->score[j] / sum : 0;
            for (long j = 0; j < keys; j++)
                for (long k = h * size; k < (h + 1) * size; k++)
                    r->mixed[i * r->width + k] += r->score[j] / sum * r->value[j * r->width + k];
        }
}

static inline double activate(int function, double x)
{
    if (function == FFN_RELU)
        return x > 0 ? x : 0;
    if (function == FFN_GELU)
        return 0.5 * x * (1 + erf(x / sqrt(2)));
    return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}

static inline void embed(struct reference *r, long sample)
{
    const struct batch *batch = &r->c->batch;
    const double *table = reference_weight(r, "embedding", 0), *position = reference_weight(r, "position", 0);
    double *input = case_take(r->length * CASE_DIM, sizeof *input);
    for (long i = 0; batch->vectors && i < r->length * CASE_DIM; i++)
        input[i] = (double)batch->vectors[sample * r->length * CASE_DIM + i];
    if (batch->vectors)
        affine(r, "input.weight", "input.bias", 0, input, CASE_DIM, r->width, false, r->x);
    for (long t = 0; t < r->length; t++)
        for (long k = 0; k < r->width; k++) {
            if (batch->tokens)
                r->x[t * r->width + k] = table[batch->tokens[sample * r->length + t] * r->width + k];
            r->x[t * r->width + k] += position ? position[t * r->width + k] : 0;
        }
    free(input);
}

static inline void layer_forward(struct reference *r, long l)
{
    const struct model_settings *m = &r->c->settings.model;
    const long w = r->width, hidden = w * (long)m->ffn_factor;
    normalise(r, "layers.%ld.norm1.gain", "layers.%ld.norm1.bias", l);
    affine(r, "layers.%ld.attention.query", "layers.%ld.attention.query.bias", l, r->normed, w, w, false, r->query);
    affine(r, "layers.%ld.attention.key", "layers.%ld.attention.key.bias", l, r->normed, w, w, false, r->key);
    affine(r, "layers.%ld.attention.value", "layers.%ld.attention.value.bias", l, r->normed, w, w, false, r->value);
    for (long h = 0; h < (long)m->heads; h++)
        measure_values(r, h * w / (long)m->heads, (h + 1) * w / (long)m->heads);
    attend(r);
    affine(r, "layers.%ld.attention.out", "layers.%ld.attention.out.bias", l, r->mixed, w, w, true, r->x);
    normalise(r, "layers.%ld.norm2.gain", "layers.%ld.norm2.bias", l);
    affine(r, "layers.%ld.ffn.in", "layers.%ld.ffn.in.bias", l, r->normed, w, hidden, false, r->hidden);
    for (long i = 0; i < r->length * hidden; i++)
        r->hidden[i] = activate(m->ffn_activation, r->hidden[i]);
    affine(r, "layers.%ld.ffn.out", "layers.%ld.ffn.out.bias", l, r->hidden, hidden, w, true, r->x);
}

// Logits of target `p` of the sample that the rows hold.
static inline void head_logits(const struct reference *r, long p, double *ret_logits)
{
    const int kind = settings_pooling(&r->c->settings);
    const long outputs = nn_outputs_width(r->c->model);
    const double *w = reference_weight(r, r->c->settings.model.tied ? "embedding" : "head", 0);
    const double *b = reference_weight(r, "head.bias", 0);
    for (long o = 0; o < outputs; o++) {
        ret_logits[o] = b ? b[o] : 0;
        for (long k = 0; k < r->width; k++) {
            double x =
                kind == POOLING_PER_POSITION ? r->normed[p * r->width + k] : r->normed[(r->length - 1) * r->width + k];
            for (long t = 0; kind == POOLING_MEAN && t < r->length; t++)
                x = (t == 0 ? 0 : x) + r->normed[t * r->width + k] / (double)r->length;
            ret_logits[o] += x * (r->c->settings.model.tied ? w[o * r->width + k] : w[k * outputs + o]);
        }
    }
}

static inline double loss_of_logits(const struct nn_case *c, const double *logits, long outputs, int32_t target)
{
    if (c->batch.binary)
        return log1p(exp(target ? -logits[0] : logits[0]));
    double sum = 0;
    for (long o = 0; o < outputs; o++)
        sum += exp(logits[o] - logits[target]);
    return log(sum);
}

// The mean loss; logits too where `ret_logits` is not NULL.
static inline double reference_loss(struct reference *r, double *ret_logits)
{
    const struct batch *batch = &r->c->batch;
    const long outputs = nn_outputs_width(r->c->model);
    double sum = 0, logits[CASE_CLASSES];
    long count = 0;
    for (long s = 0; s < batch->samples; s++) {
        r->sample = s;
        embed(r, s);
        for (long l = 0; l < CASE_LAYERS; l++)
            layer_forward(r, l);
        normalise(r, "norm.gain", "norm.bias", 0);
        for (long p = 0; p < batch->positions; p++) {
            const long target = s * batch->positions + p;
            head_logits(r, p, logits);
            if (ret_logits)
                memcpy(ret_logits + target * outputs, logits, (size_t)outputs * sizeof *logits);
            if (batch->mask && !batch->mask[target])
                continue;
            sum += loss_of_logits(r->c, logits, outputs, batch->targets[target]);
            count++;
        }
    }
    return sum / (double)count;
}
