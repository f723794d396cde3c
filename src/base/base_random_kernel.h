// SPDX-License-Identifier: MIT
// The part of base_random that is compiled once for each instruction set.
#pragma once
#include "base_random.h"

struct random_kernel {
    void (*normals)(struct random_key key, uint64_t sample, uint32_t position, size_t count, float *ret_normal);
};
extern const struct random_kernel random_kernel_plain, random_kernel_avx2, random_kernel_avx512, random_kernel_neon;
