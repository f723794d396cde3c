// SPDX-License-Identifier: MIT
// An independent two_layer model: straight loops in double, written from the formulas in nn_model.h's documentation.
#pragma once
#include "../../src/nn/nn_encoding.h"
#include "nn_cases.h"
#include "site_reference.h"

// Position rows that are not in the tensor are drawn here.
struct reference {
    struct nn_case *c;
    int64_t step; // as nn_positions takes it
    long n, d, h, v;
    struct reference_tensors tensors;
    struct site_reference site;
    int32_t *positions; // (samples, n)
    double *logits, loss;
    double *x, *q, *k, *score, *mixed, *values, *x_g, *q_g, *k_g, *v_g, *a_g; // of a sample
};

static inline double *reference_value(const struct reference *r, const char *name)
{
    return reference_find(&r->tensors, name)->value;
}

static inline double *reference_gradient(const struct reference *r, const char *name)
{
    return reference_find(&r->tensors, name)->gradient;
}

static inline double position_at(const struct reference *r, long p, long k)
{
    const struct settings *s = &r->c->settings;
    if (s->model.encoding == ENCODING_SINUSOIDAL)
        return s->model.sinusoidal_scale * wave((double)p, k, r->d);
    if (s->model.encoding != ENCODING_ABSOLUTE)
        return 0;
    const struct reference_tensor *position = reference_find(&r->tensors, "position");
    if (p < position->rows)
        return position->value[p * r->d + k];
    float draw[4096];
    random_normals(random_key(s->seed, settings_init_seed(s), "weight/position"), (uint64_t)p, 0, (size_t)r->d, draw);
    return s->model.init_scale * (double)draw[k];
}

// out (n x columns) = x (n x d) w; and w_g += x^T out_g, x_g += out_g w^T.
static inline void project(const double *x, const double *w, long n, long d, long columns, double *out)
{
    for (long i = 0; i < n; i++)
        for (long c = 0; c < columns; c++) {
            out[i * columns + c] = 0;
            for (long k = 0; k < d; k++)
                out[i * columns + c] += x[i * d + k] * w[k * columns + c];
        }
}
static inline void project_back(const struct reference *r, const char *name, const double *out_g, long columns)
{
    const double *w = reference_value(r, name);
    double *w_g = reference_gradient(r, name);
    for (long i = 0; i < r->n; i++)
        for (long c = 0; c < columns; c++)
            for (long k = 0; k < r->d; k++) {
                w_g[k * columns + c] += r->x[i * r->d + k] * out_g[i * columns + c];
                r->x_g[i * r->d + k] += w[k * columns + c] * out_g[i * columns + c];
            }
}

static inline struct pair pair_of(const struct reference *r, long s, long i, long j, double slope)
{
    const int32_t *positions = r->positions + s * r->n;
    return (struct pair){.pi = positions[i],
                         .pj = positions[j],
                         .q = r->q + i * r->h,
                         .k = r->k + j * r->h,
                         .slope = slope,
                         .q_g = r->q_g + i * r->h,
                         .k_g = r->k_g + j * r->h};
}

// Row i of the attention: softmax over keys of the biased scores.
static inline void attention_row(const struct reference *r, long s, long i)
{
    double largest = -INFINITY, sum = 0, *a = r->score + i * r->n;
    for (long j = 0; j < r->n; j++) {
        const struct pair pair = pair_of(r, s, i, j, 0);
        a[j] = pair_bias(&r->site, &pair);
        for (long e = 0; e < r->h; e++)
            a[j] += r->q[i * r->h + e] * r->k[j * r->h + e];
        largest = fmax(largest, a[j]);
    }
    for (long j = 0; j < r->n; j++)
        sum += a[j] = exp(a[j] - largest);
    for (long j = 0; j < r->n; j++)
        a[j] /= sum;
}

static inline void reference_forward(struct reference *r, long s)
{
    const struct model_settings *m = &r->c->settings.model;
    const long n = r->n, d = r->d, h = r->h, v = r->v;
    const int32_t *positions = r->positions + s * n;
    for (long l = 0; l < n; l++)
        for (long e = 0; e < d; e++)
            r->x[l * d + e] = (double)r->c->batch.vectors[(s * n + l) * d + e] + position_at(r, positions[l], e);
    project(r->x, reference_value(r, "query"), n, d, h, r->q);
    project(r->x, reference_value(r, "key"), n, d, h, r->k);
    project(r->x, reference_value(r, "value"), n, d, v, r->values);
    for (long l = 0; l < n; l++) {
        rope_turn(&r->site, r->q + l * h, positions[l], false);
        rope_turn(&r->site, r->k + l * h, positions[l], false);
    }
    r->logits[s] = 0;
    for (long i = 0; i < n; i++) {
        attention_row(r, s, i);
        project(r->score + i * n, r->values, 1, n, v, r->mixed + i * v);
        for (long e = 0; e < v; e++) {
            const double u = r->mixed[i * v + e], active = m->activation == ACTIVATION_RELU && u < 0 ? 0 : u;
            r->logits[s] += m->output_scale / (double)n * active * reference_value(r, "readout")[e];
        }
    }
}

static inline void scores_back(struct reference *r, long s, long i)
{
    const long n = r->n, h = r->h;
    double mean = 0;
    for (long j = 0; j < n; j++)
        mean += r->score[i * n + j] * r->a_g[j];
    for (long j = 0; j < n; j++) {
        const struct pair pair = pair_of(r, s, i, j, r->score[i * n + j] * (r->a_g[j] - mean));
        pair_bias(&r->site, &pair);
        for (long e = 0; e < h; e++) {
            pair.q_g[e] += pair.slope * pair.k[e];
            pair.k_g[e] += pair.slope * pair.q[e];
        }
    }
}

static inline void values_back(struct reference *r, long i, double slope)
{
    const double *readout = reference_value(r, "readout");
    memset(r->a_g, 0, (size_t)r->n * sizeof(double));
    for (long e = 0; e < r->v; e++) {
        const double u = r->mixed[i * r->v + e];
        if (r->c->settings.model.activation == ACTIVATION_RELU && u <= 0)
            continue;
        reference_gradient(r, "readout")[e] += slope * u;
        for (long j = 0; j < r->n; j++) {
            r->a_g[j] += slope * readout[e] * r->values[j * r->v + e];
            r->v_g[j * r->v + e] += slope * readout[e] * r->score[i * r->n + j];
        }
    }
}

static inline void reference_backward(struct reference *r, long s)
{
    const long n = r->n, d = r->d, h = r->h;
    const int32_t *positions = r->positions + s * n;
    const struct reference_tensor *position = reference_find(&r->tensors, "position");
    const double y = r->c->batch.targets[s] ? 1 : -1, scale = r->c->settings.model.output_scale / (double)n;
    const double f_g = -y / (1 + exp(y * r->logits[s])) / (double)r->c->batch.samples;
    memset(r->x_g, 0, (size_t)(n * d) * sizeof(double));
    memset(r->q_g, 0, (size_t)(n * h) * sizeof(double));
    memset(r->k_g, 0, (size_t)(n * h) * sizeof(double));
    memset(r->v_g, 0, (size_t)(n * r->v) * sizeof(double));
    for (long i = 0; i < n; i++) {
        values_back(r, i, f_g * scale);
        scores_back(r, s, i);
    }
    for (long l = 0; l < n; l++) {
        rope_turn(&r->site, r->q_g + l * h, positions[l], true);
        rope_turn(&r->site, r->k_g + l * h, positions[l], true);
    }
    project_back(r, "query", r->q_g, h);
    project_back(r, "key", r->k_g, h);
    project_back(r, "value", r->v_g, r->v);
    for (long l = 0; position && l < n; l++)
        for (long e = 0; e < d; e++)
            position->gradient[positions[l] * d + e] += r->x_g[l * d + e];
}

static inline void reference_open(struct nn_case *c, int64_t step, struct reference *r)
{
    const struct model_settings *m = &c->settings.model;
    const long n = c->batch.length, d = c->batch.dim, h = (long)m->head_dim, v = (long)m->value_dim;
    *r = (struct reference){.c = c, .step = step, .n = n, .d = d, .h = h, .v = v};
    for (size_t i = 0; i < nn_tensor_count(c->model); i++)
        reference_take(&r->tensors, nn_tensor(c->model, i));
    r->site = (struct site_reference){.settings = &c->settings, .tensors = &r->tensors, .heads = 1, .head_dim = h};
    r->site.width = d;
    r->site.query_scale = 1;
    r->site.limit = (double)nn_position_limit(c->model, n);
    r->site.trained = (double)nn_position_limit(c->model, (long)c->settings.task.train_length);
    r->positions = malloc((size_t)(c->batch.samples * n) * sizeof *r->positions);
    assert_non_null(r->positions);
    nn_positions(c->model, &c->batch, 0, c->batch.samples, step, r->positions);
    r->logits = zeros(c->batch.samples);
    const struct {
        double **rows;
        long count;
    } parts[] = {{&r->x, n * d},     {&r->q, n * h},      {&r->k, n * h},   {&r->score, n * n},
                 {&r->mixed, n * v}, {&r->values, n * v}, {&r->x_g, n * d}, {&r->q_g, n * h},
                 {&r->k_g, n * h},   {&r->v_g, n * v},    {&r->a_g, n}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *parts[i].rows = zeros(parts[i].count);
}

static inline void reference_close(struct reference *r)
{
    double *all[] = {r->logits, r->x,   r->q,   r->k,   r->score, r->mixed,
                     r->values, r->x_g, r->q_g, r->k_g, r->v_g,   r->a_g};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(r->positions);
    reference_drop(&r->tensors);
}

// Logits and loss; gradients too where `backward`.
static inline void reference_run(struct nn_case *c, int64_t step, struct reference *r, bool backward)
{
    reference_open(c, step, r);
    for (long s = 0; s < c->batch.samples; s++) {
        reference_forward(r, s);
        r->loss += log1p(exp(c->batch.targets[s] ? -r->logits[s] : r->logits[s])) / (double)c->batch.samples;
        if (backward)
            reference_backward(r, s);
    }
}
