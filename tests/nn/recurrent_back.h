// SPDX-License-Identifier: MIT
// The way back of the straight loops in recurrent_cases.h, and the comparison of gradients.
#pragma once
#include "recurrent_cases.h"

// What the head reads for target number `p`: the state at a position, at the last, or the mean of all.
static inline double share(const struct recurrent_case *c, long p, long t)
{
    if (c->row.head == POOLING_MEAN)
        return 1 / (double)c->batch.length;
    return t == (c->row.head == POOLING_LAST ? c->batch.length - 1 : p);
}

// The loss of a target, and its gradient with respect to the logits.
static inline double target_loss(const struct batch *b, const double *logits, long outputs, long target,
                                 double *ret_slope)
{
    const int32_t wanted = b->targets[target];
    memset(ret_slope, 0, (size_t)outputs * sizeof *ret_slope);
    if (b->mask && !b->mask[target])
        return 0;
    if (b->binary) {
        const double y = wanted ? 1 : -1;
        ret_slope[0] = -y * logistic(-y * logits[0]);
        return log1p(exp(-y * logits[0]));
    }
    double sum = 0;
    for (long o = 0; o < outputs; o++)
        sum += exp(logits[o]);
    for (long o = 0; o < outputs; o++)
        ret_slope[o] = exp(logits[o]) / sum - (o == wanted);
    return log(sum) - logits[wanted];
}

static inline void head_both_ways(const struct recurrent_case *c, struct recurrent_reference *r, long s)
{
    const struct batch *b = &c->batch;
    struct layer_reference *top = &r->layer[c->row.layers - 1];
    const long w = r->width, outputs = r->outputs;
    const double targets = (double)nn_targets(b);
    memset(top->state_g, 0, (size_t)(b->length * w) * sizeof(double));
    for (long p = 0; p < b->positions; p++) {
        double read[64] = {0}, read_g[64] = {0}, slope[16], *logits = r->logits + (s * b->positions + p) * outputs;
        for (long t = 0; t < b->length; t++)
            for (long k = 0; k < w; k++)
                read[k] += share(c, p, t) * top->state[t * w + k];
        times(read, &r->head, logits);
        add_to(r->head_bias.value, outputs, logits);
        r->loss += target_loss(b, logits, outputs, s * b->positions + p, slope) / targets;
        for (long o = 0; o < outputs; o++)
            slope[o] /= targets;
        times_back(read, &r->head, slope, read_g);
        add_to(slope, outputs, r->head_bias.gradient);
        for (long t = 0; t < b->length; t++)
            for (long k = 0; k < w; k++)
                top->state_g[t * w + k] += share(c, p, t) * read_g[k];
    }
}

static inline void cell_backward(const struct recurrent_reference *r, const double *act, const double *before,
                                 const double *cell, const double *state_g, double *cell_g, double *ret_sums)
{
    const long w = r->width;
    for (long k = 0; k < w; k++) {
        if (r->gates == w) {
            ret_sums[k] = state_g[k] * (1 - act[k] * act[k]);
            continue;
        }
        const double i = act[k], f = act[w + k], g = act[2 * w + k], o = act[3 * w + k], out = tanh(cell[k]);
        const double all = cell_g[k] + state_g[k] * o * (1 - out * out);
        ret_sums[k] = all * g * i * (1 - i);
        ret_sums[w + k] = all * (before ? before[k] : 0) * f * (1 - f);
        ret_sums[2 * w + k] = all * i * (1 - g * g);
        ret_sums[3 * w + k] = state_g[k] * out * o * (1 - o);
        cell_g[k] = all * f;
    }
}

static inline void embedding_back(const struct recurrent_case *c, struct recurrent_reference *r, long s, long t,
                                  const double *x_g)
{
    const struct batch *b = &c->batch;
    if (b->tokens) {
        add_to(x_g, r->width, r->embedding.gradient + b->tokens[s * b->length + t] * r->width);
        return;
    }
    double x[DIM];
    for (int k = 0; k < DIM; k++)
        x[k] = (double)b->vectors[(s * b->length + t) * DIM + k];
    times_back(x, &r->input, x_g, NULL);
    add_to(x_g, r->width, r->input_bias.gradient);
}

static inline void layer_backward(const struct recurrent_case *c, struct recurrent_reference *r, long l, long s)
{
    struct layer_reference *layer = &r->layer[l];
    const long w = r->width, g = r->gates;
    double cell_g[64] = {0}, sums[256];
    memset(layer->in_g, 0, (size_t)(c->batch.length * w) * sizeof(double));
    for (long t = c->batch.length - 1; t >= 0; t--) {
        const long before = (t - 1) * w;
        double *in_g = layer->in_g + t * w;
        cell_backward(r, layer->act + t * g, t > 0 ? layer->cell + before : NULL, layer->cell + t * w,
                      layer->state_g + t * w, cell_g, sums);
        times_back(layer->in + t * w, &layer->x, sums, in_g);
        if (t > 0)
            times_back(layer->state + before, &layer->h, sums, layer->state_g + before);
        add_to(sums, g, layer->x_bias.gradient);
        add_to(sums, g, layer->h_bias.gradient);
        for (long k = 0; k < w; k++)
            in_g[k] *= layer->kept[t * w + k];
        if (l == 0)
            embedding_back(c, r, s, t, in_g);
    }
    if (l > 0)
        memcpy(r->layer[l - 1].state_g, layer->in_g, (size_t)(c->batch.length * w) * sizeof(double));
}

static inline void reference_run(const struct recurrent_case *c, struct recurrent_reference *r, int64_t step)
{
    const long w = r->width, outputs = r->outputs;
    for (long s = 0; s < c->batch.samples; s++) {
        for (long l = 0; l < c->row.layers; l++)
            layer_forward(c, r, l, s, step);
        head_both_ways(c, r, s);
        for (long l = c->row.layers - 1; l >= 0; l--)
            layer_backward(c, r, l, s);
    }
    for (long k = 0; c->row.tied && k < w; k++)
        for (long o = 0; o < outputs; o++)
            r->embedding.gradient[o * w + k] += r->head.gradient[k * outputs + o];
}

// ‖gradient - expected‖ / ‖expected‖, zero for frozen tensors and those that the model has not.
static inline double matrix_error(const struct matrix *m)
{
    double difference = 0, norm = 0, all = 0;
    if (!m->tensor)
        return 0;
    for (long i = 0; i < m->tensor->storage; i++)
        all += (double)m->tensor->gradient[i] * (double)m->tensor->gradient[i];
    for (long row = 0; row < m->rows; row++)
        for (long k = 0; k < m->columns; k++) {
            const double got = (double)m->tensor->gradient[nn_tensor_at(m->tensor, row, k)];
            const double want = m->tensor->frozen ? 0 : m->gradient[row * m->columns + k];
            difference += (got - want) * (got - want);
            norm += want * want;
            all -= got * got;
        }
    assert_true(fabs(all) <= 1e-12 * norm); // padding is zero
    return sqrt(difference / fmax(norm, 1e-12));
}

// The largest error of logits, loss and gradients, after nn_gradient.
static inline double reference_error(const struct recurrent_case *c, const struct recurrent_reference *r, double loss)
{
    double worst = fabs(loss - r->loss) / r->loss;
    for (long i = 0; i < c->batch.samples * c->batch.positions * r->outputs; i++)
        worst = fmax(worst, fabs((double)c->logits[i] - r->logits[i]));
    const struct matrix *all[] = {&r->embedding, &r->input, &r->input_bias, &r->head, &r->head_bias};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        worst = fmax(worst, matrix_error(all[i]));
    for (long l = 0; l < c->row.layers; l++) {
        const struct layer_reference *layer = &r->layer[l];
        worst = fmax(worst, fmax(matrix_error(&layer->x), matrix_error(&layer->h)));
        worst = fmax(worst, fmax(matrix_error(&layer->x_bias), matrix_error(&layer->h_bias)));
    }
    return worst;
}

// Every combination of what can be combined, by number.
enum { RECURRENT_ROWS = 2 * 2 * 3 * 2 * 3 * 4 * 2 };
static inline struct recurrent_row recurrent_row(int number)
{
    static const long widths[] = {5, 16, 19}, lengths[] = {1, 2, 9, 33};
    static const int heads[] = {POOLING_PER_POSITION, POOLING_LAST, POOLING_MEAN};
    struct recurrent_row row = {.samples = 3 + number % 3};
    row.kind = number % 2 ? MODEL_LSTM : MODEL_RNN;
    row.layers = 1 + (number /= 2) % 2;
    row.head = heads[(number /= 2) % 3];
    row.tokens = (number /= 3) % 2;
    row.width = widths[(number /= 2) % 3];
    row.length = lengths[(number /= 3) % 4];
    row.dropout = (number /= 4) % 2 ? 0.3 : 0;
    row.binary = !row.tokens && row.head != POOLING_PER_POSITION;
    row.tied = row.tokens && row.width == 19;
    row.no_bias = row.width == 16;
    row.orthonormal = row.tokens && row.width == 16;
    row.masked = row.head == POOLING_PER_POSITION && row.width == 5;
    return row;
}
