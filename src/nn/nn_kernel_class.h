// SPDX-License-Identifier: MIT
// Softmax over classes, a row of logits at a time. Included by nn_kernel_table.c alone.
#pragma once
#include "nn_kernel_lanes.h"

#define CLASS_ABSENT (-(real)__builtin_inf())

// A group of logits, those from `classes` on replaced by -infinity.
SIMD_INLINE void class_group(const real *logits, long classes, long c, simd group[SIMD_PARTS])
{
    const long count = classes - c;
    real line[NN_LANES];
    if (count < NN_LANES) {
        for (int lane = 0; lane < NN_LANES; lane++)
            line[lane] = lane < count ? logits[c + lane] : CLASS_ABSENT;
    }
    const real *source = count < NN_LANES ? line : logits + c;
    UNROLLED
    for (int i = 0; i < SIMD_PARTS; i++)
        group[i] = simd_load(source + i * SIMD_WIDTH);
}

SIMD_INLINE real largest_class(const real *logits, long classes)
{
    simd most[SIMD_PARTS], group[SIMD_PARTS];
    real line[NN_LANES];
    UNROLLED
    for (int i = 0; i < SIMD_PARTS; i++)
        most[i] = simd_set(CLASS_ABSENT);
    for (long c = 0; c < classes; c += NN_LANES) {
        class_group(logits, classes, c, group);
        UNROLLED
        for (int i = 0; i < SIMD_PARTS; i++)
            most[i] = simd_max(group[i], most[i]);
    }
    UNROLLED
    for (int i = 0; i < SIMD_PARTS; i++)
        simd_store(line + i * SIMD_WIDTH, most[i]);
    real largest = line[0];
    for (int lane = 1; lane < NN_LANES; lane++)
        largest = line[lane] > largest ? line[lane] : largest;
    return largest;
}

// Sum over classes of e = exp(logit - largest), which are kept where `ret_e` is not NULL: whole groups, 0 behind the
// last class.
SIMD_INLINE real class_exponentials(const real *logits, long classes, real largest, real *ret_e)
{
    simd sum[SIMD_PARTS], group[SIMD_PARTS];
    clear_parts(sum);
    for (long c = 0; c < classes; c += NN_LANES) {
        class_group(logits, classes, c, group);
        UNROLLED
        for (int i = 0; i < SIMD_PARTS; i++) {
            const simd e = simd_exp(simd_sub(group[i], simd_set(largest)));
            sum[i] = simd_add(sum[i], e);
            if (ret_e)
                simd_store(ret_e + c + i * SIMD_WIDTH, e);
        }
    }
    return simd_sum16(sum);
}

static real class_loss(const real *logits, long classes, int32_t target)
{
    const real largest = largest_class(logits, classes);
    real log_sum[NN_LANES];
    simd_store(log_sum, simd_log(simd_set(class_exponentials(logits, classes, largest, NULL))));
    return (largest - logits[target]) + log_sum[0];
}

static void class_gradient(real *logits, long classes, int32_t target, real factor)
{
    const real largest = largest_class(logits, classes);
    const simd inverse = simd_set(1 / class_exponentials(logits, classes, largest, logits));
    real *at_target = logits + target;
    for (long c = 0; c < padded(classes); c += SIMD_WIDTH)
        simd_store(logits + c, simd_mul(simd_load(logits + c), inverse));
    *at_target -= 1;
    for (long c = 0; c < padded(classes); c += SIMD_WIDTH)
        simd_store(logits + c, simd_mul(simd_load(logits + c), simd_set(factor)));
}
