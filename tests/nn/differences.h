// SPDX-License-Identifier: MIT
// Gradients against central differences, in double.
#pragma once
#include "base_random.h"
#include "nn_model.h"
#include "support.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Along a random direction of the whole tensor, keyed by `number`: the gradient's component against the difference of
// loss_of(of), relative to what a direction of its length finds on average.
static inline double differences_error(struct nn_tensor *tensor, size_t number, double (*loss_of)(void *of), void *of)
{
    const struct random_key key = random_key(9, 0, "test/direction");
    const double step = 1e-5;
    const size_t count = (size_t)tensor->storage, size = count * sizeof(real);
    real *direction = calloc(count, sizeof *direction), *kept = calloc(count, sizeof *kept);
    double along = 0, square = 0, losses[2];
    assert_true(direction && kept);
    memcpy(kept, tensor->value, size);
    for (long i = 0; i < tensor->rows * tensor->columns; i++) {
        const long at = nn_tensor_at(tensor, i / tensor->columns, i % tensor->columns);
        direction[at] = (real)(random_uniform(key, number, (uint32_t)i, 0) - 0.5);
        along += (double)(direction[at] * tensor->gradient[at]);
        square += (double)(tensor->gradient[at] * tensor->gradient[at]) / 12;
    }
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < count; i++)
            tensor->value[i] = kept[i] + (real)(side ? -step : step) * direction[i];
        losses[side] = loss_of(of);
    }
    memcpy(tensor->value, kept, size);
    free(direction);
    free(kept);
    return fabs(along - (losses[0] - losses[1]) / (2 * step)) / (sqrt(square) + 1e-3);
}
