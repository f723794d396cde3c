// SPDX-License-Identifier: MIT
// From the sums that attention leaves to logits and the slope that starts the way back.
#include "nn_two_layer.h"

static real output_factor(const struct two_layer *model, long length)
{
    return (real)(model->common.settings.model.output_scale / (double)length);
}

real two_layer_logit(const struct two_layer *model, const struct nn_attention *attention)
{
    return nn_canonical(model->common.kernels->total(attention) * output_factor(model, attention->length));
}

real two_layer_upstream(const struct two_layer *model, const struct batch *batch, long sample, real logit,
                        double targets)
{
    const real sign = batch->targets[sample] ? 1 : -1;
    const real slope = model->common.kernels->loss_slope(-sign * logit);
    return -sign * slope * (real)(1 / targets) * output_factor(model, batch->length);
}
