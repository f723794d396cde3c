// SPDX-License-Identifier: MIT
// Shaw et al. 2018, on keys alone: score(i, j) += q_i · r(j - i), with distances clipped to ±relative_clip, beyond
// which all share one vector.
#include "nn_two_layer.h"
#include <string.h>

static long clip_of(const struct two_layer *model)
{
    return (model->common.tensor[TENSOR_ENCODING].rows - 1) / 2;
}

// The row of distance -reach, where reach is the largest distance within `length` tokens, clipped.
static long reach_of(const struct two_layer *model, long length, long *ret_row)
{
    const long clip = clip_of(model), reach = nn_least(clip, length - 1);
    *ret_row = clip - reach;
    return reach;
}

static void layout(struct two_layer *model, struct nn_builder *builder)
{
    const long clip = (long)model->common.settings.model.relative_clip;
    const long distances = 2 * nn_least(clip, model->common.max_length - 1) + 1;
    nn_add_tensor(&model->common, builder,
                  (struct nn_tensor){.name = "relative",
                                     .rows = 2 * clip + 1,
                                     .columns = model->head_dim,
                                     .frozen = model->common.settings.model.freeze_attention});
    model->positions.distance_scores = nn_take(builder, distances, NN_LANES, sizeof(real));
    model->positions.distance_gradient = nn_take(builder, distances, NN_LANES, sizeof(real));
    model->positions.distance_sum = nn_take(builder, distances, model->head_padded, sizeof(real));
}

// A distance keeps its draw when the clip changes.
static void fill(struct two_layer *model)
{
    const long clip = clip_of(model);
    for (long distance = -clip; distance <= clip; distance++) {
        const uint64_t draw_row = distance < 0 ? (uint64_t)(-2 * distance - 1) : (uint64_t)(2 * distance);
        nn_draw_normal(&model->common, &model->common.tensor[TENSOR_ENCODING], distance + clip, draw_row,
                       model->common.settings.model.init_scale);
    }
}

// Row of distance_scores for a distance.
static inline long place(long distance, long reach)
{
    return (distance < -reach ? -reach : distance > reach ? reach : distance) + reach;
}

// Keys before `ret_near` are clipped for all queries of the block, and so are those from the result on.
static long near_keys(const struct nn_attention *attention, long reach, long *ret_near)
{
    const long first = attention->first, length = attention->length;
    *ret_near = nn_least(nn_most(first - reach + 1, 0), length);
    return nn_most(nn_least(first + NN_LANES - 1 + reach, length), *ret_near);
}

static void fill_rows(real *rows, long from, long to, const real *row)
{
    real copy[NN_LANES];
    memcpy(copy, row, sizeof copy);
    for (long j = from; j < to; j++)
        memcpy(rows + j * NN_LANES, copy, sizeof copy);
}

static void bias(const struct two_layer *model, struct nn_attention *attention)
{
    const struct nn_tensor *tensor = &model->common.tensor[TENSOR_ENCODING];
    const long queries = nn_least(NN_LANES, attention->length - attention->first);
    real *scores = model->positions.distance_scores;
    long row, near, reach = reach_of(model, attention->length, &row);
    const long far = near_keys(attention, reach, &near);
    const struct nn_product product = {.rows = 2 * reach + 1,
                                       .columns = NN_LANES,
                                       .depth = model->head_dim,
                                       .a = tensor->value + row * tensor->stride,
                                       .a_row = tensor->stride,
                                       .a_depth = 1,
                                       .b = attention->columns,
                                       .b_stride = NN_LANES,
                                       .c = scores,
                                       .c_stride = NN_LANES};
    model->common.kernels->multiply(&product);
    fill_rows(attention->weights, 0, near, scores);
    for (long j = near; j < far; j++)
        for (long lane = 0; lane < queries; lane++)
            attention->weights[j * NN_LANES + lane] =
                scores[place(j - attention->first - lane, reach) * NN_LANES + lane];
    fill_rows(attention->weights, far, attention->length, scores + 2 * reach * NN_LANES);
}

static void add_rows(const real *rows, long from, long to, real *sum)
{
    for (long j = from; j < to; j++)
        for (long lane = 0; lane < NN_LANES; lane++)
            sum[lane] += rows[j * NN_LANES + lane];
}

// Sums score_gradient over the keys at each distance, keys ascending.
static void sum_distances(const struct nn_attention *attention, long queries, long reach, real *sum)
{
    const real *slope = attention->score_gradient;
    long near, far = near_keys(attention, reach, &near);
    memset(sum, 0, (size_t)(2 * reach + 1) * NN_LANES * sizeof *sum);
    add_rows(slope, 0, near, sum);
    for (long j = near; j < far; j++)
        for (long lane = 0; lane < queries; lane++)
            sum[place(j - attention->first - lane, reach) * NN_LANES + lane] += slope[j * NN_LANES + lane];
    add_rows(slope, far, attention->length, sum + 2 * reach * NN_LANES);
}

static void bias_gradient(struct two_layer *model, struct nn_attention *attention)
{
    const struct nn_tensor *tensor = &model->common.tensor[TENSOR_ENCODING];
    const long queries = nn_least(NN_LANES, attention->length - attention->first);
    const long start = attention->first * attention->stride;
    real *sum = model->positions.distance_gradient;
    long row, reach = reach_of(model, attention->length, &row);
    sum_distances(attention, queries, reach, sum);
    const struct nn_product of_queries = {.rows = queries,
                                          .columns = model->head_padded,
                                          .depth = 2 * reach + 1,
                                          .a = sum,
                                          .a_row = 1,
                                          .a_depth = NN_LANES,
                                          .b = tensor->value + row * tensor->stride,
                                          .b_stride = tensor->stride,
                                          .b_group = NN_LANES,
                                          .c = attention->query_gradient + start,
                                          .c_stride = attention->stride,
                                          .from_c = true};
    model->common.kernels->multiply(&of_queries);
    const bool whole = attention->length <= NN_LANES;
    const struct nn_product of_tensor = {.rows = 2 * reach + 1,
                                         .columns = model->head_padded,
                                         .depth = queries,
                                         .a = sum,
                                         .a_row = NN_LANES,
                                         .a_depth = 1,
                                         .b = attention->query + start,
                                         .b_stride = attention->stride,
                                         .b_group = NN_LANES,
                                         .c = whole ? tensor->gradient + row * tensor->stride
                                                    : model->positions.distance_sum,
                                         .c_stride = tensor->stride,
                                         .from_c = whole || attention->first > 0};
    model->common.kernels->multiply(&of_tensor);
}

static void sample_end(struct two_layer *model, long length, real factor)
{
    const struct nn_tensor *tensor = &model->common.tensor[TENSOR_ENCODING];
    long row, reach = reach_of(model, length, &row);
    model->common.kernels->add_scaled(tensor->gradient + row * tensor->stride, model->positions.distance_sum, factor,
                                      (2 * reach + 1) * tensor->stride);
}

static long distances(const struct two_layer *model, long length)
{
    long row;
    return 2 * reach_of(model, length, &row) + 1;
}

const struct nn_encoding nn_encoding_relative = {.name = "relative",
                                                 .layout = layout,
                                                 .fill = fill,
                                                 .bias = bias,
                                                 .bias_gradient = bias_gradient,
                                                 .sample_end = sample_end,
                                                 .distances = distances};
