// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_math.h"
#include "ulp.h"

enum { SAMPLES = 20000, PRECISION = 200 };

typedef double unary(double x);
typedef int exact_unary(mpfr_t ret, const mpfr_t x, mpfr_rnd_t mode);

static double unary_error(unary *function, exact_unary *exact_function, double x)
{
    mpfr_t exact;
    mpfr_init2(exact, PRECISION);
    mpfr_set_d(exact, x, MPFR_RNDN);
    exact_function(exact, exact, MPFR_RNDN);
    double error = ulp_error(function(x), exact, 53, -1074);
    mpfr_clear(exact);
    return error;
}

static void keep_worst(double error, double x, double *worst, double *worst_x)
{
    if (error > *worst) {
        *worst = error;
        *worst_x = x;
    }
}

// Ranges of arguments by magnitude, and the bound that the header states or a closer one.
static const struct row {
    const char *name;
    unary *function;
    exact_unary *exact;
    double from, to, bound;
} rows[] = {
    {"exp", math_exp, mpfr_exp, 1e-20, 709.7, 0.7},
    {"exp", math_exp, mpfr_exp, -1e-20, -708, 0.7},
    {"exp overflows", math_exp, mpfr_exp, 709.7, 709.8, 0.7},
    {"exp underflows gradually", math_exp, mpfr_exp, -708, -746, 0.9},
    {"exp", math_exp, mpfr_exp, 0.1, 20, 0.7},
    {"exp", math_exp, mpfr_exp, -0.1, -20, 0.7},
    {"log", math_log, mpfr_log, 0x1p-1074, 0x1.fffffffffffffp1023, 0.51},
    {"log of subnormals", math_log, mpfr_log, 0x1p-1074, 0x1p-1022, 0.51},
    {"log below 1", math_log, mpfr_log, 0.5, 0x1.fffffffffffffp-1, 0.51},
    {"log above 1", math_log, mpfr_log, 0x1.0000000000001p0, 2, 0.51},
    {"log near 1", math_log, mpfr_log, 0x1.ffffffep-1, 0x1.fffffffffffffp-1, 0.51},
    {"log near 1", math_log, mpfr_log, 0x1.0000000000001p0, 0x1.0000001p0, 0.51},
    {"log1p", math_log1p, mpfr_log1p, 0x1p-1074, 0x1.fffffffffffffp1023, 0.51},
    {"log1p", math_log1p, mpfr_log1p, 1e-9, 10, 0.51},
    {"log1p below 0", math_log1p, mpfr_log1p, -1e-20, -0x1.fffffffffffffp-1, 0.51},
    {"log1p near -1", math_log1p, mpfr_log1p, -0.9, -0x1.fffffffffffffp-1, 0.51},
    {"sin", math_sin, mpfr_sin, 0x1p-1074, 0x1p20, 0.8},
    {"sin", math_sin, mpfr_sin, 0.1, 10, 0.8},
    {"sin", math_sin, mpfr_sin, -1000, -0x1p20, 0.8},
    {"cos", math_cos, mpfr_cos, 0x1p-1074, 0x1p20, 0.8},
    {"cos", math_cos, mpfr_cos, 0.1, 10, 0.8},
    {"cos", math_cos, mpfr_cos, -1000, -0x1p20, 0.8},
    {"tanh", math_tanh, mpfr_tanh, 0x1p-1074, 0x1.fffffffffffffp1023, 0.9},
    {"tanh", math_tanh, mpfr_tanh, -1e-9, -25, 0.9},
    {"tanh", math_tanh, mpfr_tanh, 0.1, 2, 0.9},
    {"erf", math_erf, mpfr_erf, 0x1p-1074, 0x1.fffffffffffffp1023, 1.3},
    {"erf", math_erf, mpfr_erf, -1e-9, -7, 1.3},
    {"erf", math_erf, mpfr_erf, 0.5, 1, 1.3},
    {"erf", math_erf, mpfr_erf, 1, 2, 1.3},
};

static void stays_within_the_stated_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        uint64_t words = i;
        double worst = 0, worst_x = 0;
        keep_worst(unary_error(row->function, row->exact, row->from), row->from, &worst, &worst_x);
        keep_worst(unary_error(row->function, row->exact, row->to), row->to, &worst, &worst_x);
        for (int j = 0; j < SAMPLES; j++) {
            double x = next_between(&words, row->from, row->to);
            keep_worst(unary_error(row->function, row->exact, x), x, &worst, &worst_x);
        }
        print_message("%-25s %10.3g … %10.3g: %.3f ulp at %a\n", row->name, row->from, row->to, worst, worst_x);
        assert_true(worst <= row->bound);
    }
}

// Arguments next to multiples of pi / 2, where the value is tiny and all of the argument's digits cancel.
static void sin_and_cos_are_accurate_beside_their_zeros(void **state)
{
    (void)state;
    double worst = 0, worst_x = 0;
    for (int i = 1; i < 667544; i += i < 2000 ? 1 : 337) {
        double x = (double)i * 0x1.921fb54442d18p0;
        for (int beside = -1; beside <= 1; beside++) {
            double argument = double_of_bits(bits_of_double(x) + (uint64_t)(int64_t)beside);
            keep_worst(unary_error(math_sin, mpfr_sin, argument), argument, &worst, &worst_x);
            keep_worst(unary_error(math_cos, mpfr_cos, -argument), argument, &worst, &worst_x);
        }
    }
    print_message("sin and cos beside zeros: %.3f ulp at %a\n", worst, worst_x);
    assert_true(worst <= 0.8);
}

static double pow_error(double x, double y)
{
    mpfr_t exact, exponent;
    mpfr_init2(exact, PRECISION);
    mpfr_init2(exponent, 53);
    mpfr_set_d(exact, x, MPFR_RNDN);
    mpfr_set_d(exponent, y, MPFR_RNDN);
    mpfr_pow(exact, exact, exponent, MPFR_RNDN);
    double error = ulp_error(math_pow(x, y), exact, 53, -1074);
    mpfr_clear(exact);
    mpfr_clear(exponent);
    return error;
}

// x in the given range; y such that the result covers the doubles evenly, subnormal ones included.
static void pow_stays_within_the_stated_error(void **state)
{
    (void)state;
    static const double ranges[][2] = {
        {0x1p-1074, 0x1.fffffffffffffp1023}, {0.1, 10}, {0.999, 1.001}, {1, 1.0000001}, {0x1p-1074, 0x1p-1022}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        uint64_t words = i;
        double worst = 0, worst_x = 0;
        for (int j = 0; j < SAMPLES; j++) {
            double x = next_between(&words, ranges[i][0], ranges[i][1]);
            double target = (double)(next_word(&words) >> 11) * 0x1p-53 * 1455 - 745;
            double y = j % 8 ? target / log(x) : (double)((int)(next_word(&words) % 41) - 20);
            if (isfinite(y))
                keep_worst(pow_error(x, y), x, &worst, &worst_x);
        }
        print_message("pow of %g … %g: %.3f ulp at %a\n", ranges[i][0], ranges[i][1], worst, worst_x);
        assert_true(worst <= 0.9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_within_the_stated_error),
        cmocka_unit_test(sin_and_cos_are_accurate_beside_their_zeros),
        cmocka_unit_test(pow_stays_within_the_stated_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
