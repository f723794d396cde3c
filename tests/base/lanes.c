// SPDX-License-Identifier: MIT
#include "lanes.h"
#include "base_simd.h"

SIMD_INLINE simd apply(enum lane_operation operation, simd a, simd b, simd c)
{
    switch (operation) {
    case LANE_ADD:
        return simd_add(a, b);
    case LANE_SUB:
        return simd_sub(a, b);
    case LANE_MUL:
        return simd_mul(a, b);
    case LANE_DIV:
        return simd_div(a, b);
    case LANE_SQRT:
        return simd_sqrt(a);
    case LANE_FMA:
        return simd_fma(a, b, c);
    case LANE_FNMA:
        return simd_fnma(a, b, c);
    case LANE_MAX:
        return simd_max(a, b);
    case LANE_MIN:
        return simd_min(a, b);
    case LANE_CLAMP:
        return simd_clamp(a, -2, 3);
    case LANE_NEGATE:
        return simd_negate(a);
    case LANE_ABS:
        return simd_abs(a);
    case LANE_SELECT_POSITIVE:
        return simd_select_positive(a, b);
    case LANE_SCALE:
        return simd_scale(a, simd_fma(simd_set(50), c, simd_set(SIMD_SHIFTER)));
    case LANE_EXP:
        return simd_exp(a);
    case LANE_LOG:
        return simd_log(a);
    case LANE_LOG1P:
        return simd_log1p(a);
    case LANE_TANH:
        return simd_tanh(a);
    default:
        return simd_erf(a);
    }
}

SIMD_INLINE void map(enum lane_operation operation, long count, const float *a, const float *b, const float *c,
                     float *ret)
{
    for (long i = 0; i < count; i += SIMD_WIDTH)
        simd_store(ret + i, apply(operation, simd_load(a + i), simd_load(b + i), simd_load(c + i)));
}

// Each function in a loop of its own, so that the compiler treats it as it would in a kernel.
static void run(enum lane_operation operation, long count, const float *a, const float *b, const float *c, float *ret)
{
    if (operation == LANE_FMA)
        map(LANE_FMA, count, a, b, c, ret);
    else if (operation == LANE_EXP)
        map(LANE_EXP, count, a, b, c, ret);
    else if (operation == LANE_LOG)
        map(LANE_LOG, count, a, b, c, ret);
    else if (operation == LANE_LOG1P)
        map(LANE_LOG1P, count, a, b, c, ret);
    else if (operation == LANE_TANH)
        map(LANE_TANH, count, a, b, c, ret);
    else if (operation == LANE_ERF)
        map(LANE_ERF, count, a, b, c, ret);
    else
        map(operation, count, a, b, c, ret);
}

static simd_int apply_long(enum lane_int_operation operation, simd_int a, simd_int b, simd_int c)
{
    simd_int high, low;
    simd cosine, sine;
    simd_int_multiply(a, b, &high, &low);
    simd_turn(a, &cosine, &sine);
    switch (operation) {
    case LANE_INT_HIGH:
        return high;
    case LANE_INT_LOW:
        return low;
    case LANE_INT_SELECT:
        return simd_int_select(simd_int_right_signed(c, 31), a, b);
    case LANE_INT_OF_INT:
        return simd_bits(simd_of_int(a));
    case LANE_INT_LESS:
        return simd_less(simd_of_bits(a), simd_of_bits(b));
    case LANE_INT_RADIUS:
        return simd_bits(simd_radius(a));
    case LANE_INT_COS:
        return simd_bits(cosine);
    default:
        return simd_bits(sine);
    }
}

static simd_int apply_int(enum lane_int_operation operation, simd_int a, simd_int b, simd_int c)
{
    switch (operation) {
    case LANE_INT_ADD:
        return simd_int_add(a, b);
    case LANE_INT_SUB:
        return simd_int_sub(a, b);
    case LANE_INT_AND:
        return simd_int_and(a, b);
    case LANE_INT_OR:
        return simd_int_or(a, b);
    case LANE_INT_XOR:
        return simd_int_xor(a, b);
    case LANE_INT_LEFT:
        return simd_int_left(a, 5);
    case LANE_INT_RIGHT:
        return simd_int_right(a, 5);
    case LANE_INT_RIGHT_SIGNED:
        return simd_int_right_signed(a, 5);
    default:
        return apply_long(operation, a, b, c);
    }
}

static void run_int(enum lane_int_operation operation, long count, const uint32_t *a, const uint32_t *b,
                    const uint32_t *c, uint32_t *ret)
{
    for (long i = 0; i < count; i += SIMD_WIDTH)
        simd_int_store(ret + i, apply_int(operation, simd_int_load(a + i), simd_int_load(b + i), simd_int_load(c + i)));
}

static float sum16(const float *values)
{
    simd parts[SIMD_PARTS];
    for (int i = 0; i < SIMD_PARTS; i++)
        parts[i] = simd_load(values + i * SIMD_WIDTH);
    return simd_sum16(parts);
}

static void transpose16(const float *source, long stride, float *dest)
{
    simd_transpose16(source, stride, dest);
}

const struct lanes SIMD_NAME(lanes) = {
    .width = SIMD_WIDTH, .run = run, .run_int = run_int, .sum16 = sum16, .transpose16 = transpose16};
