// SPDX-License-Identifier: MIT
// Raffel et al. 2020: a learned bias for each bucket of distances, head and layer, at first zero. Of a direction's
// buckets the first half hold one distance each, the others ever more, logarithmically up to t5_distance, from which on
// all distances share the last. Bidirectional: the first half of t5_buckets is for keys up to the query, the second for
// those after it; under a causal mask all are for keys up to the query.
#include "base_math.h"
#include "nn_bias.h"

enum { BIAS };

static long direction_buckets(const struct nn_site *site)
{
    const long buckets = (long)site->model->settings.model.t5_buckets;
    return site->causal ? buckets : buckets / 2;
}

// floor(exact + ln(apart / exact) / ln(farthest / exact) * (buckets - exact)); where that is a whole number in exact
// arithmetic, rounding must not lose it.
long nn_t5_bucket(long apart, long buckets, long farthest)
{
    const long exact = buckets / 2;
    if (apart < exact)
        return apart;
    if (apart >= farthest)
        return buckets - 1;
    const double share = math_log((double)apart / (double)exact) / math_log((double)farthest / (double)exact);
    return nn_least(exact + (long)(share * (double)(buckets - exact) + 1e-9), buckets - 1);
}

// own: bucket of each distance to one side.
static void layout(struct nn_site *site, struct nn_builder *builder)
{
    const struct nn_model *model = site->model;
    nn_site_tensor(
        site, builder, BIAS, ROLE_CONSTANT,
        (struct nn_tensor){.name = "t5.bias", .rows = site->heads, .columns = (long)model->settings.model.t5_buckets});
    nn_bias_layout(site, builder, true);
    site->own = nn_take(builder, nn_position_limit(model, model->max_length), 1, sizeof(int16_t));
}

static void fill(struct nn_site *site)
{
    const struct nn_model *model = site->model;
    const long limit = nn_position_limit(model, model->max_length), buckets = direction_buckets(site);
    int16_t *bucket = site->own;
    for (long d = 0; d < limit; d++)
        bucket[d] = (int16_t)nn_t5_bucket(d, buckets, (long)model->settings.model.t5_distance);
}

static void begin(struct nn_site *site, long length, bool gradient)
{
    const long limit = nn_position_limit(site->model, length), half = direction_buckets(site);
    const int16_t *bucket = site->own;
    for (long head = 0; head < site->heads; head++) {
        const real *row = site->tensor[BIAS]->value + head * site->tensor[BIAS]->stride;
        real *values = nn_bias_values(site, head);
        for (long d = 0; d < limit; d++)
            values[d] = row[bucket[d]];
        if (!site->causal)
            for (long d = 1; d < limit; d++)
                values[-d] = row[half + bucket[d]];
    }
    if (gradient && site->gradient)
        nn_bias_clear(site);
}

static void end(struct nn_site *site, long length)
{
    const long limit = nn_position_limit(site->model, length), half = direction_buckets(site);
    const int16_t *bucket = site->own;
    for (long head = 0; head < site->heads; head++) {
        real *row = site->tensor[BIAS]->gradient + head * site->tensor[BIAS]->stride;
        const real *sums = nn_bias_sums(site, head);
        for (long d = 0; d < limit; d++)
            row[bucket[d]] += sums[d];
        if (!site->causal)
            for (long d = 1; d < limit; d++)
                row[half + bucket[d]] += sums[-d];
    }
}

const struct nn_encoding nn_encoding_t5 = {.name = "t5",
                                           .layout = layout,
                                           .fill = fill,
                                           .begin = begin,
                                           .bias = nn_bias_add,
                                           .bias_gradient = nn_bias_add_gradient,
                                           .bias_next = nn_bias_next,
                                           .end = end};
