// SPDX-License-Identifier: MIT
// Dai et al. 2019, section 3.3: score(i, j) = (q_i + u) · k_j + (q_i + v) · (R_{i-j} W), where R_m is the sinusoid of
// the signed distance, u and v are learned for each head and W for each layer. Queries come scaled, so u and v are
// scaled too.
//
// The block's transposed queries gain u, so that its scores do; the distances' part is what the scores start from. W
// starts as a linear layer without bias, u and v as N(0, init_scale²).
#include "nn_distance.h"
#include <math.h>
#include <string.h>

enum { WEIGHT, CONTENT, POSITION };

// Rows of site->work.
struct workspace {
    real *query, *query_gradient;    // (16, head_padded): q + v
    real *content;                   // (head_padded): u, scaled
    real *content_sums, *query_sums; // (heads, head_padded): gradients of u and v
    real *key_slopes;                // (trained length)
};

static long all_heads(const struct nn_site *site)
{
    return site->heads * site->head_padded;
}

static struct workspace workspace_of(const struct nn_site *site)
{
    struct workspace w = {.query = site->work};
    w.query_gradient = w.query + NN_LANES * site->head_padded;
    w.content = w.query_gradient + NN_LANES * site->head_padded;
    w.content_sums = w.content + site->head_padded;
    w.query_sums = w.content_sums + all_heads(site);
    w.key_slopes = w.query_sums + all_heads(site);
    return w;
}

static void layout(struct nn_site *site, struct nn_builder *builder)
{
    const struct nn_model *model = site->model;
    nn_site_tensor(site, builder, WEIGHT, ROLE_HIDDEN,
                   (struct nn_tensor){.name = "xl.weight",
                                      .rows = site->width,
                                      .columns = site->heads * site->head_dim,
                                      .column_group = site->head_dim,
                                      .column_group_padded = site->head_padded,
                                      .matrix = true});
    nn_site_tensor(site, builder, CONTENT, ROLE_INPUT,
                   (struct nn_tensor){.name = "xl.content_bias", .rows = site->heads, .columns = site->head_dim});
    nn_site_tensor(site, builder, POSITION, ROLE_INPUT,
                   (struct nn_tensor){.name = "xl.position_bias", .rows = site->heads, .columns = site->head_dim});
    const long longest = nn_position_limit(model, model->max_length);
    nn_distance_layout(site, builder, longest, site->heads, true);
    site->table = nn_take_reals(builder, site->width, site->vectors.columns);
    site->work = nn_take_reals(builder, 1,
                               (2 * NN_LANES + 1) * site->head_padded + 2 * all_heads(site) +
                                   nn_padded(model->max_trained_length));
}

static struct nn_scaling scaling_of(const struct nn_site *site)
{
    return nn_scaling(&site->model->settings, ROLE_HIDDEN);
}

static void fill(struct nn_site *site)
{
    const double bound = scaling_of(site).initial / sqrt((double)site->width);
    for (long row = 0; row < site->width; row++)
        nn_draw_uniform(site->model, site->tensor[WEIGHT], row, (uint64_t)row, bound);
    for (int which = CONTENT; which <= POSITION; which++)
        for (long head = 0; head < site->heads; head++)
            nn_draw_normal(site->model, site->tensor[which], head, (uint64_t)head, site->init_scale);
}

// The sinusoids, times W's factor, of distances first … first + span - 1, transposed; a column is m = key - query, R
// takes -m.
static void fill_waves(struct nn_site *site, long first, long span)
{
    const struct nn_distance_vectors *vectors = &site->vectors;
    real *last = site->table + vectors->origin + first + span - 1;
    nn_waves(-(first + span - 1), span, site->width, scaling_of(site).factor, -1, vectors->columns, last);
    site->filled = span;
}

// R W transposed, which scores need, and as rows, which gradients and random positions need.
static void project(struct nn_site *site, long first, long span, bool as_rows)
{
    const struct nn_distance_vectors *vectors = &site->vectors;
    const struct nn_tensor *weight = site->tensor[WEIGHT];
    const long start = vectors->origin + first;
    const struct nn_product transposed = {.rows = all_heads(site),
                                          .columns = span,
                                          .depth = site->width,
                                          .a = weight->value,
                                          .a_row = 1,
                                          .a_depth = weight->stride,
                                          .b = site->table + start,
                                          .b_stride = vectors->columns,
                                          .b_group = NN_LANES,
                                          .c = vectors->transposed + start,
                                          .c_stride = vectors->columns};
    site->model->kernels->multiply(&transposed);
    if (!as_rows)
        return;
    const struct nn_product rows = {.rows = span,
                                    .columns = all_heads(site),
                                    .depth = site->width,
                                    .a = site->table + start,
                                    .a_row = 1,
                                    .a_depth = vectors->columns,
                                    .b = weight->value,
                                    .b_stride = weight->stride,
                                    .b_group = NN_LANES,
                                    .c = vectors->rows + start * all_heads(site),
                                    .c_stride = all_heads(site)};
    site->model->kernels->multiply(&rows);
}

static void begin(struct nn_site *site, long length, bool gradient)
{
    const struct workspace w = workspace_of(site);
    const long limit = nn_position_limit(site->model, length);
    long first;
    const long span = nn_distance_span(site, limit, &first);
    if (span > site->filled)
        fill_waves(site, first, span);
    project(site, first, span, gradient || !nn_consecutive(site->model, 1));
    if (!gradient || !site->gradient)
        return;
    nn_distance_clear(site);
    memset(w.content_sums, 0, (size_t)(2 * all_heads(site)) * sizeof(real));
}

// q + v of `count` queries.
static void add_position_bias(const struct nn_site *site, long head, const real *query, long stride, long count,
                              real *ret_query)
{
    const struct nn_tensor *bias = site->tensor[POSITION];
    for (long q = 0; q < count; q++) {
        real *row = ret_query + q * site->head_padded;
        memcpy(row, query + q * stride, (size_t)site->head_padded * sizeof *row);
        site->model->kernels->add_scaled(row, bias->value + head * bias->stride, site->query_scale, site->head_padded);
    }
}

// Of a block; returns how many queries it has.
static long take_block(const struct nn_site *site, const struct nn_attention *block, real *ret_query)
{
    const long queries = nn_least(NN_LANES, block->length - block->first);
    add_position_bias(site, block->head, block->query + block->first * block->stride, block->stride, queries,
                      ret_query);
    return queries;
}

static void bias(struct nn_site *site, struct nn_attention *block)
{
    const struct workspace w = workspace_of(site);
    const real *content = site->tensor[CONTENT]->value + block->head * site->tensor[CONTENT]->stride;
    for (long c = 0; c < site->head_dim; c++)
        for (long lane = 0; lane < NN_LANES; lane++)
            block->columns[c * NN_LANES + lane] += site->query_scale * content[c];
    take_block(site, block, w.query);
    nn_distance_scores(site, block, w.query, site->head_padded);
}

// 16 samples at a time, of which each query gains u when its distances are done with it.
static void bias_next(struct nn_site *site, struct nn_next *next)
{
    const struct workspace w = workspace_of(site);
    const struct nn_tensor *content = site->tensor[CONTENT];
    next->start_sample = site->heads * next->start_head;
    for (long head = 0; head < site->heads; head++)
        for (long first = 0; first < next->samples; first += NN_LANES) {
            const long some = nn_least(NN_LANES, next->samples - first), stride = next->query_stride;
            real *query = next->query + first * stride + head * site->head_padded;
            add_position_bias(site, head, query, stride, some, w.query);
            nn_distance_next(site, next, head, first, some, w.query, site->head_padded);
            for (long s = 0; s < some; s++)
                for (long c = 0; c < site->head_dim; c++)
                    query[s * stride + c] += site->query_scale * content->value[head * content->stride + c];
        }
}

// Every key's gradient gains u times the slopes that all queries of the block give it.
static void content_gradient(struct nn_site *site, struct nn_attention *block)
{
    const struct workspace w = workspace_of(site);
    const struct nn_kernels *kernels = site->model->kernels;
    const struct nn_tensor *content = site->tensor[CONTENT];
    kernels->key_slopes(block, w.key_slopes);
    kernels->combine(block->key, block->stride, block->keys, site->head_padded, w.key_slopes,
                     w.content_sums + block->head * site->head_padded);
    memcpy(w.content, content->value + block->head * content->stride, (size_t)site->head_padded * sizeof(real));
    kernels->scale(w.content, site->query_scale, site->head_padded);
    const struct nn_product of_keys = {.rows = block->keys,
                                       .columns = site->head_padded,
                                       .depth = 1,
                                       .a = w.key_slopes,
                                       .a_row = 1,
                                       .a_depth = 1,
                                       .b = w.content,
                                       .b_stride = NN_LANES,
                                       .b_group = NN_LANES,
                                       .c = block->key_gradient,
                                       .c_stride = block->stride,
                                       .from_c = true};
    kernels->multiply(&of_keys);
}

static void bias_gradient(struct nn_site *site, struct nn_attention *block)
{
    const struct workspace w = workspace_of(site);
    const long queries = take_block(site, block, w.query), padded = site->head_padded;
    content_gradient(site, block);
    memset(w.query_gradient, 0, (size_t)(NN_LANES * padded) * sizeof(real));
    nn_distance_scores_gradient(site, block, w.query, padded, w.query_gradient);
    for (long lane = 0; lane < queries; lane++)
        site->model->kernels->add_scaled(block->query_gradient + (block->first + lane) * block->stride,
                                         w.query_gradient + lane * padded, 1, padded);
    site->model->kernels->sum_rows(w.query_gradient, padded, queries, padded, w.query_sums + block->head * padded);
}

static void end(struct nn_site *site, long length)
{
    const struct workspace w = workspace_of(site);
    const struct nn_distance_vectors *vectors = &site->vectors;
    const struct nn_tensor *weight = site->tensor[WEIGHT];
    long first;
    const long span = nn_distance_span(site, nn_position_limit(site->model, length), &first);
    const long start = vectors->origin + first;
    const struct nn_product of_weight = {.rows = site->width,
                                         .columns = all_heads(site),
                                         .depth = span,
                                         .a = site->table + start,
                                         .a_row = vectors->columns,
                                         .a_depth = 1,
                                         .b = vectors->sums + start * all_heads(site),
                                         .b_stride = all_heads(site),
                                         .b_group = NN_LANES,
                                         .c = weight->gradient,
                                         .c_stride = weight->stride,
                                         .from_c = true};
    site->model->kernels->multiply(&of_weight);
    site->model->kernels->add_scaled(site->tensor[CONTENT]->gradient, w.content_sums, site->query_scale,
                                     all_heads(site));
    site->model->kernels->add_scaled(site->tensor[POSITION]->gradient, w.query_sums, site->query_scale,
                                     all_heads(site));
}

static double bias_flops(const struct nn_site *site, long length)
{
    return 2 * (double)length * (double)length * (double)(site->heads * site->head_dim);
}

const struct nn_encoding nn_encoding_transformer_xl = {.name = "transformer_xl",
                                                       .layout = layout,
                                                       .fill = fill,
                                                       .begin = begin,
                                                       .bias = bias,
                                                       .bias_gradient = bias_gradient,
                                                       .bias_next = bias_next,
                                                       .end = end,
                                                       .bias_flops = bias_flops};
