// SPDX-License-Identifier: MIT
// Settings, batches and an independent two_layer model for the tests of nn: straight loops in double, written from the
// formulas in nn_model.h's documentation, without anything of src/nn but the tensors' values.
#pragma once
#include "base_random.h"
#include "nn_model.h"
#include "support.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct shape {
    long samples, length, dim, head_dim, value_dim;
};

struct nn_case {
    struct settings settings;
    struct arena *arena;
    struct nn_model *model;
    struct batch batch;
    float *vectors;
    int32_t *targets, *relevant;
};

static inline struct settings case_settings(struct shape shape, int encoding, int activation, int readout, bool freeze)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.samples = shape.samples;
    settings.task.train_length = shape.length;
    settings.task.dim = shape.dim;
    settings.model.encoding = encoding;
    settings.model.head_dim = shape.head_dim;
    settings.model.value_dim = shape.value_dim;
    settings.model.activation = activation;
    settings.model.readout = readout;
    settings.model.freeze_attention = freeze;
    settings.model.init_scale = 1 / sqrt((double)shape.dim);
    settings.model.output_scale = 1.5;
    settings.model.relative_clip = 5;
    settings.model.alibi_slope = 0.125;
    return settings;
}

// `length` tokens a sample; draws depend on (sample, position) alone.
static inline void case_batch(struct nn_case *c, long samples, long length)
{
    const long dim = c->settings.task.dim;
    struct random_key key = random_key(7, 0, "test/vectors");
    c->vectors = malloc((size_t)(samples * length * dim) * sizeof *c->vectors);
    c->targets = malloc((size_t)samples * sizeof *c->targets);
    c->relevant = malloc((size_t)samples * sizeof *c->relevant);
    assert_true(c->vectors && c->targets && c->relevant);
    for (long s = 0; s < samples; s++) {
        c->targets[s] = (int32_t)random_below(key, (uint64_t)s, 1u << 20, 0, 2);
        c->relevant[s] = (int32_t)random_below(key, (uint64_t)s, 1u << 20, 1, (uint32_t)length);
        for (long l = 0; l < length; l++)
            random_normals(key, (uint64_t)s, (uint32_t)l, (size_t)dim, c->vectors + (s * length + l) * dim);
    }
    c->batch = (struct batch){.samples = samples,
                              .length = length,
                              .dim = dim,
                              .vectors = c->vectors,
                              .positions = 1,
                              .targets = c->targets,
                              .clean = c->targets,
                              .relevant_count = 1,
                              .relevant = c->relevant,
                              .classes = 2,
                              .binary = true,
                              .set = "train"};
}

static inline struct batch_shape case_task(const struct settings *settings)
{
    return (struct batch_shape){.dim = (long)settings->task.dim, .classes = 2, .binary = true};
}

static inline void case_model(struct nn_case *c, const struct settings *settings, long max_length)
{
    struct status status = {0};
    c->settings = *settings;
    c->arena = arena_create(1 << 16, 0);
    assert_non_null(c->arena);
    const struct batch_shape task = case_task(settings);
    if (nn_model_create(settings, &task, max_length, c->arena, &c->model, &status) != STATUS_OK)
        fail_msg("%s", status.text);
}

static inline void case_open(struct nn_case *c, const struct settings *settings)
{
    case_model(c, settings, settings->task.train_length);
    case_batch(c, settings->task.samples, settings->task.train_length);
}

static inline void case_drop_batch(struct nn_case *c)
{
    free(c->vectors);
    free(c->targets);
    free(c->relevant);
}

static inline void case_close(struct nn_case *c)
{
    case_drop_batch(c);
    arena_destroy(c->arena);
}

static inline struct nn_tensor *case_tensor(struct nn_case *c, const char *name)
{
    for (size_t i = 0; i < nn_tensor_count(c->model); i++)
        if (!strcmp(nn_tensor(c->model, i)->name, name))
            return nn_tensor(c->model, i);
    return NULL;
}

// Unpadded copies in double, row by row. Position rows that are not in the tensor are drawn here.
struct reference {
    long n, d, h, v, clip;
    double *query, *key, *value, *readout, *position, *relative;
    double *query_g, *key_g, *value_g, *readout_g, *position_g, *relative_g;
    double *logits, loss;
};

static inline double *zeros(long count)
{
    double *x = calloc((size_t)(count > 0 ? count : 1), sizeof *x);
    assert_non_null(x);
    return x;
}

static inline double *copy_of(const struct nn_tensor *tensor)
{
    if (!tensor)
        return NULL;
    double *x = zeros(tensor->rows * tensor->columns);
    for (long r = 0; r < tensor->rows; r++)
        for (long k = 0; k < tensor->columns; k++)
            x[r * tensor->columns + k] = (double)tensor->value[r * tensor->stride + k];
    return x;
}

static inline double position_at(const struct nn_case *c, const struct reference *r, long p, long k)
{
    const struct model_settings *m = &c->settings.model;
    if (m->encoding == ENCODING_SINUSOIDAL) {
        const double angle = (double)p * pow(10000, -(double)(k - k % 2) / (double)r->d);
        return m->sinusoidal_scale * (k % 2 ? cos(angle) : sin(angle));
    }
    if (m->encoding != ENCODING_ABSOLUTE)
        return 0;
    if (p < c->settings.task.train_length)
        return r->position[p * r->d + k];
    float draw[4096];
    struct random_key key = random_key(c->settings.seed, settings_init_seed(&c->settings), "weight/position");
    random_normals(key, (uint64_t)p, 0, (size_t)r->d, draw);
    return m->init_scale * (double)draw[k];
}

// out (n x columns) = x (n x d) w; and w_g += x^T out_g.
static inline void project(const double *x, const double *w, long n, long d, long columns, double *out)
{
    for (long i = 0; i < n; i++)
        for (long c = 0; c < columns; c++) {
            out[i * columns + c] = 0;
            for (long k = 0; k < d; k++)
                out[i * columns + c] += x[i * d + k] * w[k * columns + c];
        }
}
static inline void project_back(const double *x, const double *w, const double *out_g, long n, long d, long columns,
                                double *x_g, double *w_g)
{
    for (long i = 0; i < n; i++)
        for (long c = 0; c < columns; c++)
            for (long k = 0; k < d; k++) {
                w_g[k * columns + c] += x[i * d + k] * out_g[i * columns + c];
                x_g[i * d + k] += w[k * columns + c] * out_g[i * columns + c];
            }
}

static inline void turn(double *rows, long n, long h, double base, double direction)
{
    for (long p = 0; p < n; p++)
        for (long c = 0; c < h / 2; c++) {
            const double angle = direction * (double)p * pow(base, -2 * (double)c / (double)h);
            double *a = rows + p * h + c, *b = a + h / 2, first = *a;
            *a = first * cos(angle) - *b * sin(angle);
            *b = first * sin(angle) + *b * cos(angle);
        }
}

static inline long shaw(const struct reference *r, long i, long j)
{
    const long distance = j - i < -r->clip ? -r->clip : j - i > r->clip ? r->clip : j - i;
    return distance + r->clip;
}

// Row i of the attention: softmax over keys of the biased scores.
static inline void attention_row(const struct nn_case *c, const struct reference *r, const double *q, const double *k,
                                 long i, double *a)
{
    double largest = -INFINITY, sum = 0;
    for (long j = 0; j < r->n; j++) {
        a[j] = c->settings.model.encoding == ENCODING_ALIBI ? -c->settings.model.alibi_slope * labs(i - j) : 0;
        for (long e = 0; e < r->h; e++)
            a[j] += q[i * r->h + e] * (k[j * r->h + e] + (r->relative ? r->relative[shaw(r, i, j) * r->h + e] : 0));
        largest = fmax(largest, a[j]);
    }
    for (long j = 0; j < r->n; j++)
        sum += a[j] = exp(a[j] - largest);
    for (long j = 0; j < r->n; j++)
        a[j] /= sum;
}

struct scratch {
    double *x, *q, *k, *v, *a, *mixed, *x_g, *q_g, *k_g, *v_g, *a_g;
};

static inline struct scratch scratch_open(const struct reference *r)
{
    const long n = r->n, d = r->d, h = r->h, v = r->v;
    return (struct scratch){.x = zeros(n * d),
                            .q = zeros(n * h),
                            .k = zeros(n * h),
                            .v = zeros(n * v),
                            .a = zeros(n * n),
                            .mixed = zeros(n * v),
                            .x_g = zeros(n * d),
                            .q_g = zeros(n * h),
                            .k_g = zeros(n * h),
                            .v_g = zeros(n * v),
                            .a_g = zeros(n)};
}

static inline void scratch_close(struct scratch *t)
{
    double *all[] = {t->x, t->q, t->k, t->v, t->a, t->mixed, t->x_g, t->q_g, t->k_g, t->v_g, t->a_g};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static inline void reference_forward(const struct nn_case *c, struct reference *r, long s, struct scratch *t)
{
    const struct model_settings *m = &c->settings.model;
    const long n = r->n, d = r->d, h = r->h, v = r->v;
    for (long p = 0; p < n; p++)
        for (long e = 0; e < d; e++)
            t->x[p * d + e] = (double)c->batch.vectors[(s * n + p) * d + e] + position_at(c, r, p, e);
    project(t->x, r->query, n, d, h, t->q);
    project(t->x, r->key, n, d, h, t->k);
    project(t->x, r->value, n, d, v, t->v);
    if (m->encoding == ENCODING_ROPE) {
        turn(t->q, n, h, m->rope_base, 1);
        turn(t->k, n, h, m->rope_base, 1);
    }
    r->logits[s] = 0;
    for (long i = 0; i < n; i++) {
        attention_row(c, r, t->q, t->k, i, t->a + i * n);
        project(t->a + i * n, t->v, 1, n, v, t->mixed + i * v);
        for (long e = 0; e < v; e++) {
            const double u = t->mixed[i * v + e], active = m->activation == ACTIVATION_RELU && u < 0 ? 0 : u;
            r->logits[s] += m->output_scale / (double)n * active * r->readout[e];
        }
    }
}

static inline void scores_back(const struct reference *r, const struct scratch *t, long i)
{
    const long n = r->n, h = r->h;
    double mean = 0;
    for (long j = 0; j < n; j++)
        mean += t->a[i * n + j] * t->a_g[j];
    for (long j = 0; j < n; j++) {
        const double slope = t->a[i * n + j] * (t->a_g[j] - mean);
        for (long e = 0; e < h; e++) {
            t->q_g[i * h + e] += slope * (t->k[j * h + e] + (r->relative ? r->relative[shaw(r, i, j) * h + e] : 0));
            t->k_g[j * h + e] += slope * t->q[i * h + e];
            if (r->relative)
                r->relative_g[shaw(r, i, j) * h + e] += slope * t->q[i * h + e];
        }
    }
}

static inline void reference_backward(const struct nn_case *c, struct reference *r, long s, struct scratch *t)
{
    const struct model_settings *m = &c->settings.model;
    const long n = r->n, d = r->d, h = r->h, v = r->v;
    const double y = c->batch.targets[s] ? 1 : -1;
    const double f_g = -y / (1 + exp(y * r->logits[s])) / (double)c->batch.samples;
    memset(t->x_g, 0, (size_t)(n * d) * sizeof(double));
    memset(t->q_g, 0, (size_t)(n * h) * sizeof(double));
    memset(t->k_g, 0, (size_t)(n * h) * sizeof(double));
    memset(t->v_g, 0, (size_t)(n * v) * sizeof(double));
    for (long i = 0; i < n; i++) {
        memset(t->a_g, 0, (size_t)n * sizeof(double));
        for (long e = 0; e < v; e++) {
            const double u = t->mixed[i * v + e], scale = f_g * m->output_scale / (double)n;
            if (m->activation == ACTIVATION_RELU && u <= 0)
                continue;
            r->readout_g[e] += scale * u;
            for (long j = 0; j < n; j++) {
                t->a_g[j] += scale * r->readout[e] * t->v[j * v + e];
                t->v_g[j * v + e] += scale * r->readout[e] * t->a[i * n + j];
            }
        }
        scores_back(r, t, i);
    }
    if (m->encoding == ENCODING_ROPE) {
        turn(t->q_g, n, h, m->rope_base, -1);
        turn(t->k_g, n, h, m->rope_base, -1);
    }
    project_back(t->x, r->query, t->q_g, n, d, h, t->x_g, r->query_g);
    project_back(t->x, r->key, t->k_g, n, d, h, t->x_g, r->key_g);
    project_back(t->x, r->value, t->v_g, n, d, v, t->x_g, r->value_g);
    for (long i = 0; r->position && i < n * d; i++)
        r->position_g[i] += t->x_g[i];
}

static inline void reference_open(struct nn_case *c, struct reference *r)
{
    const struct nn_tensor *relative = case_tensor(c, "relative"), *position = case_tensor(c, "position");
    *r = (struct reference){.n = c->batch.length, .d = c->batch.dim};
    r->h = c->settings.model.head_dim;
    r->v = c->settings.model.value_dim;
    r->clip = c->settings.model.relative_clip;
    r->query = copy_of(case_tensor(c, "query"));
    r->key = copy_of(case_tensor(c, "key"));
    r->value = copy_of(case_tensor(c, "value"));
    r->readout = copy_of(case_tensor(c, "readout"));
    r->position = copy_of(position);
    r->relative = copy_of(relative);
    r->query_g = zeros(r->d * r->h);
    r->key_g = zeros(r->d * r->h);
    r->value_g = zeros(r->d * r->v);
    r->readout_g = zeros(r->v);
    r->position_g = zeros(position ? position->rows * r->d : 0);
    r->relative_g = zeros(relative ? relative->rows * r->h : 0);
    r->logits = zeros(c->batch.samples);
}

static inline void reference_close(struct reference *r)
{
    double *all[] = {r->query, r->key,     r->value,     r->readout,    r->position,   r->relative, r->query_g,
                     r->key_g, r->value_g, r->readout_g, r->position_g, r->relative_g, r->logits};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

// Logits and loss; gradients too where `backward`.
static inline void reference_run(struct nn_case *c, struct reference *r, bool backward)
{
    reference_open(c, r);
    struct scratch t = scratch_open(r);
    for (long s = 0; s < c->batch.samples; s++) {
        reference_forward(c, r, s, &t);
        r->loss += log1p(exp(c->batch.targets[s] ? -r->logits[s] : r->logits[s])) / (double)c->batch.samples;
        if (backward)
            reference_backward(c, r, s, &t);
    }
    scratch_close(&t);
}

static inline const double *reference_gradient(const struct reference *r, const char *name)
{
    const struct {
        const char *name;
        const double *gradient;
    } rows[] = {{"query", r->query_g},     {"key", r->key_g},           {"value", r->value_g},
                {"readout", r->readout_g}, {"position", r->position_g}, {"relative", r->relative_g}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name))
            return rows[i].gradient;
    return NULL;
}

// ‖gradient - expected‖ / ‖expected‖; the padding must be zero.
static inline double gradient_error(const struct nn_tensor *tensor, const double *expected)
{
    double difference = 0, norm = 0;
    for (long r = 0; r < tensor->rows; r++)
        for (long k = 0; k < tensor->stride; k++) {
            const double got = (double)tensor->gradient[r * tensor->stride + k];
            const double want = k < tensor->columns ? expected[r * tensor->columns + k] : 0;
            if (k >= tensor->columns)
                assert_true(got == 0);
            difference += (got - want) * (got - want);
            norm += want * want;
        }
    return sqrt(difference / fmax(norm, 1e-200));
}
