// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_math.h"
#include "golden.h"
#include "ulp.h"
#include <stdlib.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void assert_same(double found, double expected)
{
    if (bits_of_double(found) != bits_of_double(expected) && !(isnan(found) && isnan(expected)))
        fail_msg("%a is not %a", found, expected);
}

typedef double unary(double x);

static void special_values_follow_annex_f(void **state)
{
    (void)state;
    static const struct {
        unary *function;
        double x, value;
    } rows[] = {
        {math_exp, 0, 1},
        {math_exp, -0.0, 1},
        {math_exp, INFINITY, INFINITY},
        {math_exp, -INFINITY, 0},
        {math_exp, NAN, NAN},
        {math_exp, 710, INFINITY},
        {math_exp, 0x1.62e42fefa39efp9, 0x1.fffffffffff2ap1023}, // the largest finite one
        {math_exp, 0x1.62e42fefa39fp9, INFINITY},
        {math_exp, -746, 0},
        {math_exp, -1e300, 0},
        {math_exp, 1e300, INFINITY},
        {math_exp, -0x1.74910d52d3051p9, 0x1p-1074},
        {math_exp, -0x1.74910d52d3053p9, 0},
        {math_exp, 0x1p-1074, 1},
        {math_log, 1, 0},
        {math_log, 0, -INFINITY},
        {math_log, -0.0, -INFINITY},
        {math_log, INFINITY, INFINITY},
        {math_log, -1, NAN},
        {math_log, -INFINITY, NAN},
        {math_log, -0x1p-1074, NAN},
        {math_log, NAN, NAN},
        {math_log1p, 0, 0},
        {math_log1p, -0.0, -0.0},
        {math_log1p, -1, -INFINITY},
        {math_log1p, -1.5, NAN},
        {math_log1p, -INFINITY, NAN},
        {math_log1p, INFINITY, INFINITY},
        {math_log1p, NAN, NAN},
        {math_log1p, 0x1p-1074, 0x1p-1074},
        {math_sin, 0, 0},
        {math_sin, -0.0, -0.0},
        {math_sin, INFINITY, NAN},
        {math_sin, NAN, NAN},
        {math_sin, 0x1p-1074, 0x1p-1074},
        {math_sin, 0x1.0000000000001p20, NAN},
        {math_sin, -0x1.0000000000001p20, NAN},
        {math_cos, 0, 1},
        {math_cos, -0.0, 1},
        {math_cos, -INFINITY, NAN},
        {math_cos, NAN, NAN},
        {math_cos, 0x1.0000000000001p20, NAN},
        {math_tanh, 0, 0},
        {math_tanh, -0.0, -0.0},
        {math_tanh, INFINITY, 1},
        {math_tanh, -INFINITY, -1},
        {math_tanh, NAN, NAN},
        {math_tanh, 40, 1},
        {math_tanh, -1e300, -1},
        {math_erf, 0, 0},
        {math_erf, -0.0, -0.0},
        {math_erf, INFINITY, 1},
        {math_erf, -INFINITY, -1},
        {math_erf, NAN, NAN},
        {math_erf, 40, 1},
        {math_erf, -1e300, -1},
        {math_tanh, 0x1p-1074, 0x1p-1074},
        {math_erf, 0x1p-1022, 0x1.20dd750429b6dp-1022},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        assert_same(rows[i].function(rows[i].x), rows[i].value);
}

static void pow_follows_annex_f(void **state)
{
    (void)state;
    static const struct {
        double x, y, value;
    } rows[] = {
        {0, -3, INFINITY},
        {-0.0, -3, -INFINITY},
        {-0.0, -2, INFINITY},
        {-0.0, -2.5, INFINITY},
        {0, -INFINITY, INFINITY},
        {-0.0, 3, -0.0},
        {-0.0, 4, 0},
        {-0.0, 0.5, 0},
        {0, 0.5, 0},
        {-1, INFINITY, 1},
        {-1, -INFINITY, 1},
        {1, NAN, 1},
        {1, INFINITY, 1},
        {NAN, 0, 1},
        {NAN, -0.0, 1},
        {INFINITY, 0, 1},
        {0, 0, 1},
        {NAN, 1, NAN},
        {2, NAN, NAN},
        {-8, 1.0 / 3, NAN},
        {-0.5, 0.5, NAN},
        {0.5, -INFINITY, INFINITY},
        {2, -INFINITY, 0},
        {-0.5, INFINITY, 0},
        {-2, INFINITY, INFINITY},
        {-INFINITY, -3, -0.0},
        {-INFINITY, -2, 0},
        {-INFINITY, -0.5, 0},
        {-INFINITY, 3, -INFINITY},
        {-INFINITY, 2, INFINITY},
        {-INFINITY, 0.5, INFINITY},
        {INFINITY, -0.5, 0},
        {INFINITY, 0.5, INFINITY},
        {10, 400, INFINITY},
        {-10, 401, -INFINITY},
        {10, -400, 0},
        {-10, -401, -0.0},
        {2, 1e300, INFINITY},
        {0x1.fffffffffffffp-1, 1e300, 0},
        {0x1.fffffffffffffp-1, -1e300, INFINITY},
        {0x1.0000000000001p0, 0x1p-1074, 1},
        {-1, 9007199254740991.0, -1},
        {-1, 9007199254740992.0, 1},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        assert_same(math_pow(rows[i].x, rows[i].y), rows[i].value);
}

static void pow_is_exact_where_the_result_is_a_double(void **state)
{
    (void)state;
    for (int n = -1074; n < 1024; n++)
        assert_same(math_pow(2, n), ldexp(1, n));
    for (int n = 0; n <= 22; n++)
        assert_same(math_pow(10, n), strtod((char[]){'1', 'e', (char)('0' + n / 10), (char)('0' + n % 10), 0}, NULL));
    for (int n = 1; n < 4000; n += 7) {
        double x = n * 0.5;
        assert_same(math_pow(x, 1), x);
        assert_same(math_pow(-x, 2), x * x);
        assert_same(math_pow(-x, 3), -x * x * x);
        assert_same(math_pow(x * x, 0.5), x);
        assert_same(math_pow(x * x * x * x, 0.25), x);
    }
}

static void exp_of_log_returns(void **state)
{
    (void)state;
    for (double x = 0.01; x < 100; x *= 1.07) {
        assert_true(fabs(math_exp(math_log(x)) - x) <= 4e-15 * x);
        assert_true(fabs(math_log1p(x) - math_log(1 + x)) <= 2e-15);
        double sum = math_sin(x) * math_sin(x) + math_cos(x) * math_cos(x);
        assert_true(fabs(sum - 1) <= 4e-16);
    }
}

enum { POINTS = 4096 };

// Of both signs and all magnitudes from 2^-40 to the upper end.
static double golden_argument(uint64_t *words, double to)
{
    double x = next_between(words, 0x1p-40, to);
    return next_word(words) & 1 ? x : -x;
}

static void golden_bits_of_one_argument(void **state)
{
    (void)state;
    static const struct {
        unary *function;
        double to;
        const char *hash;
    } rows[] = {
        {math_exp, 800, "c22c91aa4b1e553030f9caa6726e155f"},    {math_log, 1e300, "51cbce8f3f342e588bf9c527268ab147"},
        {math_log1p, 100, "8e85edc48aa0dbaaa3d6b5b79994fdff"},  {math_sin, 0x1p20, "c272a38850fe3c8608bb1450e8e74ae7"},
        {math_cos, 0x1p20, "3132bd574211cdac46cfec5a5315de2f"}, {math_tanh, 30, "27a728c457a4b822b50e9a63061a7101"},
        {math_erf, 7, "7a42d08325e45bb06b9f66f8ed5e0ac2"},
    };
    static double values[POINTS];
    for (size_t i = 0; i < LENGTH(rows); i++) {
        uint64_t words = 7;
        for (int j = 0; j < POINTS; j++)
            values[j] = rows[i].function(golden_argument(&words, rows[i].to));
        assert_golden_doubles(values, POINTS, rows[i].hash);
    }
}

static void golden_bits_of_pow_and_fma(void **state)
{
    (void)state;
    static double powers[POINTS], sums[POINTS];
    uint64_t words = 8;
    for (int j = 0; j < POINTS; j++) {
        double x = golden_argument(&words, 1e3), y = golden_argument(&words, 50), z = golden_argument(&words, 1e5);
        powers[j] = math_pow(fabs(x), y);
        sums[j] = math_fma(x, y, z);
    }
    assert_golden_doubles(powers, POINTS, "e692354c2db33cd03e510efb89b33406");
    assert_golden_doubles(sums, POINTS, "76131660dd20e9c7b7a72411dc3874a2");
}

static void golden_bits_in_single_precision(void **state)
{
    (void)state;
    static float exps[POINTS], normals[POINTS], sums[POINTS];
    uint64_t words = 9;
    for (int j = 0; j < POINTS; j++) {
        float x = (float)golden_argument(&words, 110), y = (float)golden_argument(&words, 10);
        exps[j] = math_expf(x);
        sums[j] = math_fmaf(x, y, exps[j]);
        uint64_t word = next_word(&words);
        normals[j] = math_normalf((uint32_t)word, (uint32_t)(word >> 32), j % 2);
    }
    assert_golden_floats(exps, POINTS, "2b6e42ff77727abc6b6ba5848ba55b3c");
    assert_golden_floats(sums, POINTS, "c0891b3b4541e4e6687187a40f5b861f");
    assert_golden_floats(normals, POINTS, "307068559767aad5c96db9459078ff80");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_values_follow_annex_f),
        cmocka_unit_test(pow_follows_annex_f),
        cmocka_unit_test(pow_is_exact_where_the_result_is_a_double),
        cmocka_unit_test(exp_of_log_returns),
        cmocka_unit_test(golden_bits_of_one_argument),
        cmocka_unit_test(golden_bits_of_pow_and_fma),
        cmocka_unit_test(golden_bits_in_single_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
