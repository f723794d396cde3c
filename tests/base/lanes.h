// SPDX-License-Identifier: MIT
// base_simd.h by the operation, compiled once for each instruction set as kernels are.
#pragma once
#include <stdint.h>

enum lane_operation {
    LANE_ADD,
    LANE_SUB,
    LANE_MUL,
    LANE_DIV,
    LANE_SQRT,
    LANE_FMA,
    LANE_FNMA,
    LANE_MAX,
    LANE_MIN,
    LANE_CLAMP, // to -2 … 3
    LANE_NEGATE,
    LANE_ABS,
    LANE_SELECT_POSITIVE,
    LANE_SCALE, // a * 2^n, n the integer nearest to 50 * c for |c| < 1
    LANE_EXP,
    LANE_LOG,
    LANE_LOG1P,
    LANE_TANH,
    LANE_ERF,
    LANE_OPERATIONS
};

enum lane_int_operation {
    LANE_INT_ADD,
    LANE_INT_SUB,
    LANE_INT_AND,
    LANE_INT_OR,
    LANE_INT_XOR,
    LANE_INT_LEFT,         // by 5
    LANE_INT_RIGHT,        // by 5
    LANE_INT_RIGHT_SIGNED, // by 5
    LANE_INT_HIGH,
    LANE_INT_LOW,
    LANE_INT_SELECT, // by the sign of c
    LANE_INT_OF_INT, // the bits of the float
    LANE_INT_LESS,   // of the floats with the bits a and b
    LANE_INT_RADIUS, // bits of floats, of word a
    LANE_INT_COS,
    LANE_INT_SIN,
    LANE_INT_OPERATIONS
};

struct lanes {
    int width;
    // `count` is a multiple of 16.
    void (*run)(enum lane_operation operation, long count, const float *a, const float *b, const float *c, float *ret);
    void (*run_int)(enum lane_int_operation operation, long count, const uint32_t *a, const uint32_t *b,
                    const uint32_t *c, uint32_t *ret);
    float (*sum16)(const float *values);
    void (*transpose16)(const float *source, long stride, float *dest);
};
extern const struct lanes lanes_plain, lanes_avx2, lanes_avx512;
