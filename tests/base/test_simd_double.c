// SPDX-License-Identifier: MIT
// The plain form with doubles, in which kernels compile for finite differences.
#define NN_DOUBLE
#define ISA_PLAIN
#define ISA plain
#include "support.h"

#include "base_math.h"
#include "base_simd.h"
#include <math.h>

static const double ends[] = {0, -0.0, 1, -2.5, INFINITY, -INFINITY, NAN, 0x1p-1074, 0x1.fffffffffffffp1023, 1e-9};

static void assert_same(double found, double expected)
{
    if (memcmp(&found, &expected, sizeof found) && !(isnan(found) && isnan(expected)))
        fail_msg("%a is not %a", found, expected);
}

static void a_lane_is_a_double(void **state)
{
    (void)state;
    assert_int_equal(SIMD_WIDTH, 1);
    assert_int_equal(SIMD_PARTS, 16);
    assert_int_equal(sizeof(simd_lane), sizeof(double));
    simd_lane stored;
    simd_store(&stored, simd_load(&(simd_lane){0.1}));
    assert_same(stored, 0.1);
    assert_same(simd_set(0.1), 0.1);
    assert_same(simd_zero(), 0);
}

static void operations_are_those_of_double(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (size_t j = 0; j < sizeof ends / sizeof *ends; j++) {
            double a = ends[i], b = ends[j], c = 0.3;
            assert_same(simd_add(a, b), a + b);
            assert_same(simd_sub(a, b), a - b);
            assert_same(simd_mul(a, b), a * b);
            assert_same(simd_div(a, b), a / b);
            assert_same(simd_fma(a, b, c), fma(a, b, c));
            assert_same(simd_fnma(a, b, c), fma(-a, b, c));
            assert_same(simd_max(a, b), a > b ? a : b);
            assert_same(simd_min(a, b), a < b ? a : b);
            assert_same(simd_select_positive(a, b), a > 0 ? b : 0);
        }
}

static void functions_are_those_of_base_math(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        assert_same(simd_exp(ends[i]), math_exp(ends[i]));
        assert_same(simd_log(ends[i]), math_log(ends[i]));
        assert_same(simd_log1p(ends[i]), math_log1p(ends[i]));
        assert_same(simd_tanh(ends[i]), math_tanh(ends[i]));
        assert_same(simd_erf(ends[i]), math_erf(ends[i]));
        assert_same(simd_sqrt(ends[i]), sqrt(ends[i]));
        assert_same(simd_abs(ends[i]), fabs(ends[i]));
        assert_same(simd_negate(ends[i]), -ends[i]);
    }
}

static void sums_and_transposes(void **state)
{
    (void)state;
    simd v[16];
    double source[16 * 20], dest[256];
    for (int i = 0; i < 16; i++)
        v[i] = 1.0 / (i + 1);
    double eight[8];
    for (int i = 0; i < 8; i++)
        eight[i] = v[i] + v[i + 8];
    double left = (eight[0] + eight[4]) + (eight[2] + eight[6]), right = (eight[1] + eight[5]) + (eight[3] + eight[7]);
    assert_same(simd_sum16(v), left + right);
    for (int i = 0; i < 16 * 20; i++)
        source[i] = i;
    simd_transpose16(source, 20, dest);
    for (int k = 0; k < 16; k++)
        for (int i = 0; i < 16; i++)
            assert_same(dest[k * 16 + i], source[i * 20 + k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_is_a_double),
        cmocka_unit_test(operations_are_those_of_double),
        cmocka_unit_test(functions_are_those_of_base_math),
        cmocka_unit_test(sums_and_transposes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
