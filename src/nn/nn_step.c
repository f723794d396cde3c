// SPDX-License-Identifier: MIT
#include "base_isa.h"
#include "nn_kernels.h"

static struct nn_update update_of(const struct nn_tensor *tensor, const struct nn_step *step)
{
    const double rate = step->learning_rate * (tensor->rate > 0 ? tensor->rate : 1);
    return (struct nn_update){.value = tensor->value,
                              .gradient = tensor->gradient,
                              .count = tensor->storage,
                              .rate = (real)rate,
                              .scale = (real)step->scale,
                              .decay = (real)(step->decoupled ? 0 : step->decay),
                              .keep = (real)(step->decoupled ? 1 - rate * step->decay : 1),
                              .momentum = (real)step->momentum,
                              .beta1 = (real)step->beta1,
                              .rest1 = (real)(1 - step->beta1),
                              .beta2 = (real)step->beta2,
                              .rest2 = (real)(1 - step->beta2),
                              .epsilon = (real)step->epsilon,
                              .adam_rate = (real)(rate / step->correction1),
                              .inverse_correction2 = (real)(1 / step->correction2)};
}

void nn_step_gd(struct nn_tensor *tensor, const struct nn_step *step)
{
    const struct nn_update update = update_of(tensor, step);
    if (!tensor->frozen)
        nn_kernels(isa_current())->step_gd(&update);
}

void nn_step_momentum(struct nn_tensor *tensor, real *velocity, const struct nn_step *step)
{
    struct nn_update update = update_of(tensor, step);
    update.mean = velocity;
    if (!tensor->frozen)
        nn_kernels(isa_current())->step_momentum(&update);
}

void nn_step_adam(struct nn_tensor *tensor, real *mean, real *square, const struct nn_step *step)
{
    struct nn_update update = update_of(tensor, step);
    update.mean = mean;
    update.square = square;
    if (!tensor->frozen)
        nn_kernels(isa_current())->step_adam(&update);
}

double nn_square_norm(const struct nn_tensor *tensor, bool gradient)
{
    return nn_kernels(isa_current())->square_norm(gradient ? tensor->gradient : tensor->value, tensor->storage);
}
