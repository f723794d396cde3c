// SPDX-License-Identifier: MIT
// Press et al. 2022, in its symmetric form for bidirectional attention: a score loses slope * |i - j|.
#include "nn_private.h"

static void bias(const struct nn_model *model, struct nn_attention *attention)
{
    model->kernels->distance_bias(attention, (real)model->settings.model.alibi_slope);
}

const struct nn_encoding nn_encoding_alibi = {.name = "alibi", .bias = bias};
