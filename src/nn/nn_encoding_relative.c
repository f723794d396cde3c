// SPDX-License-Identifier: MIT
// Shaw et al. 2018, on keys alone: score(i, j) += q_i · r(j - i), with distances clipped to ±relative_clip, beyond
// which all share one vector. The heads of a layer share the vectors.
#include "nn_distance.h"

enum { RELATIVE };

static long clip_of(const struct nn_site *site)
{
    return (long)site->model->settings.model.relative_clip;
}

static void layout(struct nn_site *site, struct nn_builder *builder)
{
    nn_site_tensor(site, builder, RELATIVE, ROLE_INPUT,
                   (struct nn_tensor){.name = "relative", .rows = 2 * clip_of(site) + 1, .columns = site->head_dim});
    nn_distance_layout(site, builder, clip_of(site), 1, true);
}

// A distance keeps its draw when the clip changes.
static void fill(struct nn_site *site)
{
    const long clip = clip_of(site);
    for (long distance = -clip; distance <= clip; distance++) {
        const uint64_t draw_row = distance < 0 ? (uint64_t)(-2 * distance - 1) : (uint64_t)(2 * distance);
        nn_draw_normal(site->model, site->tensor[RELATIVE], distance + clip, draw_row, site->init_scale);
    }
}

static long row_of(const struct nn_site *site, long distance)
{
    const long clip = clip_of(site);
    return nn_most(-clip, nn_least(distance, clip)) + clip;
}

static void begin(struct nn_site *site, long length, bool gradient)
{
    const struct nn_tensor *tensor = site->tensor[RELATIVE];
    struct nn_distance_vectors *vectors = &site->vectors;
    long first;
    const long span = nn_distance_span(site, nn_position_limit(site->model, length), &first);
    for (long m = first; m < first + span; m++) {
        const real *row = tensor->value + row_of(site, m) * tensor->stride;
        const long column = vectors->origin + m;
        for (long c = 0; c < site->head_dim; c++) {
            vectors->rows[column * site->head_padded + c] = row[c];
            vectors->transposed[c * vectors->columns + column] = row[c];
        }
    }
    if (gradient && site->gradient)
        nn_distance_clear(site);
}

static void bias(struct nn_site *site, struct nn_attention *block)
{
    nn_distance_scores(site, block, block->query + block->first * block->stride, block->stride);
}

static void bias_gradient(struct nn_site *site, struct nn_attention *block)
{
    const long start = block->first * block->stride;
    nn_distance_scores_gradient(site, block, block->query + start, block->stride, block->query_gradient + start);
}

static void bias_next(struct nn_site *site, struct nn_next *next)
{
    next->start_sample = site->heads * next->start_head;
    for (long head = 0; head < site->heads; head++)
        nn_distance_next(site, next, head, 0, next->samples, next->query + head * site->head_padded,
                         next->query_stride);
}

static void end(struct nn_site *site, long length)
{
    const struct nn_tensor *tensor = site->tensor[RELATIVE];
    const struct nn_distance_vectors *vectors = &site->vectors;
    long first;
    const long span = nn_distance_span(site, nn_position_limit(site->model, length), &first);
    for (long m = first; m < first + span; m++)
        for (long head = 0; head < site->heads; head++)
            site->model->kernels->add_scaled(
                tensor->gradient + row_of(site, m) * tensor->stride,
                vectors->sums + ((vectors->origin + m) * site->heads + head) * site->head_padded, 1, tensor->stride);
}

static double bias_flops(const struct nn_site *site, long length)
{
    long first;
    const long span = nn_least(nn_distance_span(site, length, &first), length);
    return 2 * (double)length * (double)(span * site->heads * site->head_dim);
}

const struct nn_encoding nn_encoding_relative = {.name = "relative",
                                                 .layout = layout,
                                                 .fill = fill,
                                                 .begin = begin,
                                                 .bias = bias,
                                                 .bias_gradient = bias_gradient,
                                                 .bias_next = bias_next,
                                                 .end = end,
                                                 .bias_flops = bias_flops};
