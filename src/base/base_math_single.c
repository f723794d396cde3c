// SPDX-License-Identifier: MIT
// The scalar twins are the kernels' functions at one lane.
#define ISA_PLAIN
#include "base_math.h"
#include "base_simd.h"

float math_expf(float x)
{
    return simd_exp(x);
}

float math_normalf(uint32_t word_a, uint32_t word_b, int which)
{
    simd cosine, sine;
    simd_turn(word_b, &cosine, &sine);
    return simd_mul(simd_radius(word_a), which ? sine : cosine);
}
