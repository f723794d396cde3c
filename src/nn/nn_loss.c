// SPDX-License-Identifier: MIT
// From the sums that attention leaves to logits, losses and the slope that starts the way back. A NaN is stored in one
// form whatever made it.
#include "base_isa.h"
#include "nn_private.h"
#include <math.h>

static real canonical(real x)
{
    return isnan(x) ? (real)NAN : x;
}

static real output_factor(const struct nn_model *model, long length)
{
    return (real)(model->settings.model.output_scale / (double)length);
}

real nn_logit(const struct nn_model *model, const struct nn_attention *attention)
{
    return canonical(model->kernels->total(attention) * output_factor(model, attention->length));
}

static real sign_of(const struct batch *batch, long sample)
{
    return batch->targets[sample] ? 1 : -1;
}

real nn_upstream(const struct nn_model *model, const struct batch *batch, long sample, real logit)
{
    const real sign = sign_of(batch, sample), slope = model->kernels->loss_slope(-sign * logit);
    return -sign * slope * (real)(1 / (double)batch->samples) * output_factor(model, batch->length);
}

double nn_mean_loss(const struct nn_model *model, const struct batch *batch, const real *logits)
{
    double sum = 0;
    real x[NN_LANES], loss[NN_LANES];
    for (long start = 0; start < batch->samples; start += NN_LANES) {
        const long count = nn_least(NN_LANES, batch->samples - start);
        for (long s = 0; s < count; s++)
            x[s] = -sign_of(batch, start + s) * logits[start + s];
        model->kernels->losses(x, count, loss);
        for (long s = 0; s < count; s++)
            sum += (double)loss[s];
    }
    return isnan(sum) ? NAN : sum / (double)batch->samples;
}

void nn_losses(const struct batch *batch, const real *logits, real *ret_losses)
{
    const struct nn_kernels *kernels = nn_kernels(isa_current());
    for (long s = 0; s < batch->samples; s++)
        ret_losses[s] = -sign_of(batch, s) * logits[s];
    kernels->losses(ret_losses, batch->samples, ret_losses);
    for (long s = 0; s < batch->samples; s++)
        ret_losses[s] = canonical(ret_losses[s]);
}
