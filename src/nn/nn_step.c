// SPDX-License-Identifier: MIT
#include "base_isa.h"
#include "nn_kernels.h"

static long storage(const struct nn_tensor *tensor)
{
    return tensor->rows * tensor->stride;
}

void nn_step_gd(struct nn_tensor *tensor, double learning_rate)
{
    if (!tensor->frozen)
        nn_kernels(isa_current())->add_scaled(tensor->value, tensor->gradient, (real)-learning_rate, storage(tensor));
}

void nn_step_momentum(struct nn_tensor *tensor, real *velocity, double learning_rate, double momentum)
{
    if (tensor->frozen)
        return;
    const struct nn_kernels *kernels = nn_kernels(isa_current());
    kernels->decay_add(velocity, tensor->gradient, (real)momentum, storage(tensor));
    kernels->add_scaled(tensor->value, velocity, (real)-learning_rate, storage(tensor));
}

double nn_square_norm(const struct nn_tensor *tensor, bool gradient)
{
    const real *x = gradient ? tensor->gradient : tensor->value;
    double sum[NN_LANES] = {0};
    for (long i = 0; i < storage(tensor); i += NN_LANES)
        for (int lane = 0; lane < NN_LANES; lane++)
            sum[lane] += (double)x[i + lane] * (double)x[i + lane];
    for (int half = NN_LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++)
            sum[lane] += sum[lane + half];
    return sum[0];
}
