// SPDX-License-Identifier: MIT
// Elementary functions whose bits are the same on every machine and compiler, unlike libm's. Double precision, scalar;
// vector single-precision forms for kernels are in base_simd.h. Errors are in units in the last place (ulp), measured
// against MPFR over the tested range; special values follow C Annex F.
#pragma once
#include <stdint.h>

double math_exp(double x); // error < 1 ulp; gradual underflow and infinities as in Annex F
double math_log(double x); // error < 1 ulp
double math_log1p(double x);
double math_sin(double x); // |x| <= 2^20, else NaN; error < 1 ulp
double math_cos(double x);
double math_pow(double x, double y);                             // x > 0 (or y integral); error < 1 ulp
float math_expf(float x);                                        // the scalar twin of simd_exp: the same bits
float math_normalf(uint32_t word_a, uint32_t word_b, int which); // scalar twin of the Box–Muller used by random_normals

// An exact fused multiply-add in software, for instruction sets without one; the same result as fma of IEEE 754.
float math_fmaf(float a, float b, float c);
double math_fma(double a, double b, double c);
