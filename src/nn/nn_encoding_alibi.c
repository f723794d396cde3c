// SPDX-License-Identifier: MIT
// Press et al. 2022, in its symmetric form for bidirectional attention: a score loses slope * |i - j|.
#include "nn_two_layer.h"

static void bias(const struct two_layer *model, struct nn_attention *attention)
{
    model->common.kernels->distance_bias(attention, (real)model->common.settings.model.alibi_slope);
}

const struct nn_encoding nn_encoding_alibi = {.name = "alibi", .bias = bias};
