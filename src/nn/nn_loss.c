// SPDX-License-Identifier: MIT
// Losses of logits. A NaN is stored in one form whatever made it.
#include "base_isa.h"
#include "nn_private.h"
#include <math.h>

static bool counts(const struct batch *batch, long target)
{
    return !batch->mask || batch->mask[target];
}

static long all_targets(const struct batch *batch)
{
    return (long)batch_target(batch, batch->samples);
}

long nn_targets(const struct batch *batch)
{
    const long all = all_targets(batch);
    long count = 0;
    for (long t = 0; t < all; t++)
        count += counts(batch, t);
    return count;
}

static void binary_losses(const struct batch *batch, const real *logits, long first, long count, real *ret_losses)
{
    for (long t = 0; t < count; t++)
        ret_losses[t] = batch->targets[first + t] ? -logits[first + t] : logits[first + t];
    nn_kernels(isa_current())->losses(ret_losses, count, ret_losses);
}

// -log softmax at the target.
static void class_losses(const struct batch *batch, const real *logits, long first, long count, real *ret_losses)
{
    const struct nn_kernels *kernels = nn_kernels(isa_current());
    for (long t = 0; t < count; t++)
        ret_losses[t] =
            kernels->class_loss(logits + (first + t) * batch->classes, batch->classes, batch->targets[first + t]);
}

static void losses(const struct batch *batch, const real *logits, long first, long count, real *ret_losses)
{
    (batch->binary ? binary_losses : class_losses)(batch, logits, first, count, ret_losses);
    for (long t = 0; t < count; t++)
        ret_losses[t] = counts(batch, first + t) ? nn_canonical(ret_losses[t]) : 0;
}

void nn_losses(const struct batch *batch, const real *logits, real *ret_losses)
{
    losses(batch, logits, 0, all_targets(batch), ret_losses);
}

double nn_loss_sum(const struct batch *batch, const real *logits)
{
    const long all = all_targets(batch);
    double sum = 0;
    real some[NN_LANES];
    for (long start = 0; start < all; start += NN_LANES) {
        const long count = nn_least(NN_LANES, all - start);
        losses(batch, logits, start, count, some);
        for (long t = 0; t < count; t++)
            sum += (double)some[t];
    }
    return isnan(sum) ? NAN : sum;
}

static int32_t class_of(const real *logits, int classes)
{
    int32_t best = 0;
    for (int c = 0; c < classes; c++) {
        if (isnan(logits[c]))
            return -1;
        if (logits[c] > logits[best])
            best = c;
    }
    return best;
}

void nn_classes(const struct batch *batch, const real *logits, int32_t *ret_class)
{
    const long all = all_targets(batch);
    for (long t = 0; t < all; t++)
        if (batch->binary)
            ret_class[t] = logits[t] > 0 ? 1 : logits[t] < 0 ? 0 : -1;
        else
            ret_class[t] = class_of(logits + t * batch->classes, batch->classes);
}
