// SPDX-License-Identifier: MIT
// Press et al. 2022, in its symmetric form for bidirectional attention: a score loses slope * |i - j|, with slope
// 2^(-8 (h + 1) / heads) in head h of a transformer, alibi_slope in two_layer.
#include "base_math.h"
#include "nn_bias.h"

static void layout(struct nn_site *site, struct nn_builder *builder)
{
    nn_bias_layout(site, builder, false);
}

static double slope_of(const struct nn_site *site, long head)
{
    const struct model_settings *set = &site->model->settings.model;
    return set->kind == MODEL_TWO_LAYER ? set->alibi_slope : math_pow(2, -8 * (double)(head + 1) / (double)site->heads);
}

static void begin(struct nn_site *site, long length, bool gradient)
{
    (void)gradient;
    const long limit = nn_position_limit(site->model, length);
    for (long head = 0; head < site->heads; head++) {
        real *values = nn_bias_values(site, head);
        const real slope = (real)slope_of(site, head);
        for (long d = site->filled; d < limit; d++) {
            values[d] = -slope * (real)d;
            if (!site->causal)
                values[-d] = values[d];
        }
    }
    site->filled = nn_most(site->filled, limit);
}

const struct nn_encoding nn_encoding_alibi = {
    .name = "alibi", .layout = layout, .begin = begin, .bias = nn_bias_add, .bias_next = nn_bias_next};
