// SPDX-License-Identifier: MIT
// What encodings do to queries, keys and scores, pair by pair in double: written from the papers' formulas as
// docs/science.md has them, without anything of src/nn but the tensors' values.
#pragma once
#include "nn_model.h"
#include "support.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reference_tensor {
    const char *name;
    long rows, columns;
    double *value, *gradient; // (rows, columns)
};

enum { REFERENCE_TENSORS = 16 };
struct reference_tensors {
    size_t count;
    struct reference_tensor tensor[REFERENCE_TENSORS];
};

static inline double *zeros(long count)
{
    double *x = calloc((size_t)(count > 0 ? count : 1), sizeof *x);
    assert_non_null(x);
    return x;
}

static inline void reference_take(struct reference_tensors *all, const struct nn_tensor *tensor)
{
    assert_true(all->count < REFERENCE_TENSORS);
    struct reference_tensor *t = &all->tensor[all->count++];
    const long count = tensor->rows * tensor->columns;
    *t = (struct reference_tensor){tensor->name, tensor->rows, tensor->columns, zeros(count), zeros(count)};
    for (long r = 0; r < tensor->rows; r++)
        for (long k = 0; k < tensor->columns; k++)
            t->value[r * tensor->columns + k] = (double)tensor->value[nn_tensor_at(tensor, r, k)];
}

static inline void reference_drop(struct reference_tensors *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free(all->tensor[i].value);
        free(all->tensor[i].gradient);
    }
    all->count = 0;
}

static inline const struct reference_tensor *reference_find(const struct reference_tensors *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (!strcmp(all->tensor[i].name, name))
            return &all->tensor[i];
    return NULL;
}

// ‖gradient - expected‖ over the larger of ‖expected‖ and `floor`; the padding must be zero.
static inline double gradient_error(const struct nn_tensor *tensor, const double *expected, double floor)
{
    double difference = 0, norm = 0, all = 0, seen = 0;
    for (long i = 0; i < tensor->storage; i++)
        all += tensor->gradient[i] != 0;
    for (long r = 0; r < tensor->rows; r++)
        for (long k = 0; k < tensor->columns; k++) {
            const double got = (double)tensor->gradient[nn_tensor_at(tensor, r, k)];
            const double want = expected[r * tensor->columns + k];
            difference += (got - want) * (got - want);
            norm += want * want;
            seen += got != 0;
        }
    assert_true(all == seen);
    return sqrt(difference) / fmax(fmax(sqrt(norm), floor), 1e-200);
}

static inline double reference_norm(const struct reference_tensors *all)
{
    double sum = 0;
    for (size_t i = 0; i < all->count; i++)
        for (long k = 0; k < all->tensor[i].rows * all->tensor[i].columns; k++)
            sum += all->tensor[i].gradient[k] * all->tensor[i].gradient[k];
    return sqrt(sum);
}

// An attention's encoding; tensors are found by `prefix` and name.
struct site_reference {
    const struct settings *settings;
    const struct reference_tensors *tensors;
    long heads, head_dim, width;
    double query_scale;
    bool causal;
    double limit, trained; // positions that sequences of now and of training reach
};

static inline const struct reference_tensor *site_tensor(const struct site_reference *s, const char *name)
{
    const struct reference_tensor *tensor = reference_find(s->tensors, name);
    if (!tensor)
        fail_msg("no tensor %s", name);
    return tensor;
}

static inline double wave(double position, long c, long width)
{
    const double angle = position * pow(10000, -(double)(c - c % 2) / (double)width);
    return c % 2 ? cos(angle) : sin(angle);
}

// One pair of query (row of head_dim, scaled) and key, at positions pi and pj. Its bias; and where `slope` is not zero,
// the gradients from it are added to q_g, k_g and the tensors.
struct pair {
    long head, pi, pj;
    const double *q, *k;
    double slope, *q_g, *k_g;
};

static inline double shaw_bias(const struct site_reference *s, const struct pair *p)
{
    const struct reference_tensor *t = site_tensor(s, "relative");
    const long clip = s->settings->model.relative_clip, m = p->pj - p->pi;
    const long row = ((m < -clip ? -clip : m > clip ? clip : m) + clip) * s->head_dim;
    double sum = 0;
    for (long c = 0; c < s->head_dim; c++) {
        sum += p->q[c] * t->value[row + c];
        p->q_g[c] += p->slope * t->value[row + c];
        t->gradient[row + c] += p->slope * p->q[c];
    }
    return sum;
}

static inline double xl_bias(const struct site_reference *s, const struct pair *p)
{
    const struct reference_tensor *weight = site_tensor(s, "xl.weight"), *u = site_tensor(s, "xl.content_bias"),
                                  *v = site_tensor(s, "xl.position_bias");
    double sum = 0, waves[128];
    assert_true(s->width <= 128);
    for (long w = 0; w < s->width; w++)
        waves[w] = wave((double)(p->pi - p->pj), w, s->width);
    for (long c = 0; c < s->head_dim; c++) {
        const long at = p->head * s->head_dim + c;
        const double content = s->query_scale * u->value[at], query = p->q[c] + s->query_scale * v->value[at];
        double row = 0;
        for (long w = 0; w < s->width; w++) {
            row += waves[w] * weight->value[w * weight->columns + at];
            weight->gradient[w * weight->columns + at] += p->slope * query * waves[w];
        }
        sum += content * p->k[c] + query * row;
        p->k_g[c] += p->slope * content;
        p->q_g[c] += p->slope * row;
        u->gradient[at] += p->slope * s->query_scale * p->k[c];
        v->gradient[at] += p->slope * s->query_scale * row;
    }
    return sum;
}

// The bucket whose first distance, exact * (farthest / exact)^(share of the logarithmic buckets), is the last that is
// not beyond.
static inline long t5_reference_bucket(long apart, long buckets, long farthest)
{
    const long exact = buckets / 2;
    long bucket = apart < exact ? apart : exact;
    while (apart >= exact && bucket + 1 < buckets &&
           (double)apart * (1 + 1e-9) >= (double)exact * pow((double)farthest / (double)exact,
                                                             (double)(bucket + 1 - exact) / (double)(buckets - exact)))
        bucket++;
    return bucket;
}

static inline double t5_bias(const struct site_reference *s, const struct pair *p)
{
    const struct reference_tensor *t = site_tensor(s, "t5.bias");
    const long all = s->settings->model.t5_buckets, side = s->causal ? all : all / 2;
    const long farthest = s->settings->model.t5_distance;
    const long bucket = t5_reference_bucket(labs(p->pi - p->pj), side, farthest) + (p->pj > p->pi ? side : 0);
    t->gradient[p->head * all + bucket] += p->slope;
    return t->value[p->head * all + bucket];
}

static inline double alibi_bias(const struct site_reference *s, const struct pair *p)
{
    const struct model_settings *m = &s->settings->model;
    const double slope =
        m->kind == MODEL_TWO_LAYER ? m->alibi_slope : pow(2, -8 * (double)(p->head + 1) / (double)s->heads);
    return -slope * (double)labs(p->pi - p->pj);
}

static inline double kerple_bias(const struct site_reference *s, const struct pair *p)
{
    const struct reference_tensor *scale = site_tensor(s, "kerple.scale"), *rate = site_tensor(s, "kerple.rate");
    const double a = scale->value[p->head], b = rate->value[p->head], d = (double)labs(p->pi - p->pj);
    scale->gradient[p->head] -= p->slope * log(1 + b * d);
    rate->gradient[p->head] -= p->slope * a * d / (1 + b * d);
    return -a * log(1 + b * d);
}

static inline double fire_bias(const struct site_reference *s, const struct pair *p)
{
    const struct reference_tensor *scale = site_tensor(s, "fire.scale"), *threshold = site_tensor(s, "fire.threshold");
    const struct reference_tensor *in = site_tensor(s, "fire.in"), *in_bias = site_tensor(s, "fire.in.bias");
    const struct reference_tensor *out = site_tensor(s, "fire.out"), *out_bias = site_tensor(s, "fire.out.bias");
    const double first = s->settings->model.fire_threshold, c = fabs(scale->value[0]);
    const double limit = fabs(threshold->value[0] * first), d = (double)labs(p->pi - p->pj);
    const double at = fmax(limit, (double)p->pi), divisor = log(c * at + 1) + 1e-6, x = log(c * d + 1) / divisor;
    double sum = out_bias->value[p->head], x_g = 0;
    out_bias->gradient[p->head] += p->slope;
    for (long w = 0; w < in->columns; w++) {
        const double u = in->value[w] * x + in_bias->value[w], weight = out->value[w * s->heads + p->head];
        if (u <= 0)
            continue;
        sum += u * weight;
        out->gradient[w * s->heads + p->head] += p->slope * u;
        in->gradient[w] += p->slope * weight * x;
        in_bias->gradient[w] += p->slope * weight;
        x_g += p->slope * weight * in->value[w];
    }
    const double divisor_g = -x_g * x / divisor;
    scale->gradient[0] +=
        (x_g * d / (c * d + 1) / divisor + divisor_g * at / (c * at + 1)) * copysign(1, scale->value[0]);
    if (limit > (double)p->pi)
        threshold->gradient[0] += divisor_g * c / (c * at + 1) * first * copysign(1, threshold->value[0]);
    return sum;
}

static inline double pair_bias(const struct site_reference *s, const struct pair *p)
{
    switch (s->settings->model.encoding) {
    case ENCODING_RELATIVE:
        return shaw_bias(s, p);
    case ENCODING_TRANSFORMER_XL:
        return xl_bias(s, p);
    case ENCODING_T5:
        return t5_bias(s, p);
    case ENCODING_ALIBI:
        return alibi_bias(s, p);
    case ENCODING_KERPLE:
        return kerple_bias(s, p);
    case ENCODING_FIRE:
        return fire_bias(s, p);
    default:
        return 0;
    }
}

// Angle of pair c at a position, and what YaRN multiplies queries and keys by.
static inline double rope_angle(const struct site_reference *s, double position, long c, double *ret_size)
{
    const struct model_settings *m = &s->settings->model;
    const double d = (double)s->head_dim, stretch = fmax(1, s->limit / s->trained), pi = acos(-1);
    const double frequency = pow(m->rope_base, -2 * (double)c / d);
    const double ramp = fmin(fmax((s->trained * frequency / (2 * pi) - 1) / 31, 0), 1);
    *ret_size = 1;
    if (m->rope_scaling == ROPE_SCALING_INTERPOLATION)
        return position / stretch * frequency;
    if (m->rope_scaling == ROPE_SCALING_NTK)
        return position * frequency * pow(stretch, c == 0 ? 0 : -2 * (double)c / (d - 2));
    if (m->rope_scaling != ROPE_SCALING_YARN)
        return position * frequency;
    *ret_size = 0.1 * log(stretch) + 1;
    return position * frequency * (ramp + (1 - ramp) / stretch);
}

// Turns a row of head_dim numbers, or where `back` its gradient.
static inline void rope_turn(const struct site_reference *s, double *row, long position, bool back)
{
    const long half = s->head_dim / 2;
    for (long c = 0; c < half && s->settings->model.encoding == ENCODING_ROPE; c++) {
        double size, angle = rope_angle(s, (double)position, c, &size) * (back ? -1 : 1);
        const double first = row[c], second = row[half + c];
        row[c] = size * (first * cos(angle) - second * sin(angle));
        row[half + c] = size * (first * sin(angle) + second * cos(angle));
    }
}
