// SPDX-License-Identifier: MIT
// Elementary functions whose bits are the same on every machine and compiler, unlike libm's. Double precision, scalar;
// vector single-precision forms for kernels are in base_simd.h. Errors are in units in the last place (ulp), measured
// against MPFR over the tested range, subnormal results included; special values follow C Annex F. No flags are raised
// on purpose, errno is left alone, the rounding mode is to nearest.
#pragma once
#include <stdint.h>

double math_exp(double x);   // error < 0.8 ulp
double math_log(double x);   // error < 0.51 ulp, also where the result is near 0
double math_log1p(double x); // log(1 + x), error < 0.51 ulp

// |x| <= 2^20, else NaN; error < 0.8 ulp, also beside multiples of pi / 2.
double math_sin(double x);
double math_cos(double x);

double math_tanh(double x); // error < 0.9 ulp
double math_erf(double x);  // error < 1.3 ulp

// Error < 0.8 ulp, and none where the result is a double: pow(2, n), pow(10, 22), pow(x, 1), pow(4, 0.5).
double math_pow(double x, double y);

float math_expf(float x); // the scalar twin of simd_exp: the same bits

// The scalar twin of what random_normals does with a pair of words: cosine for `which` 0, sine for 1.
float math_normalf(uint32_t word_a, uint32_t word_b, int which);

// An exact fused multiply-add in software, for instruction sets without one; the same result as fma of IEEE 754.
// Inline forms are in base_fma.h.
float math_fmaf(float a, float b, float c);
double math_fma(double a, double b, double c);
