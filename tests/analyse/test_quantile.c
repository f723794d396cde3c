// SPDX-License-Identifier: MIT
#include "support.h"

#include "analyse.h"
#include <math.h>

static void agrees_with_values_of_high_precision(void **state)
{
    const struct {
        double p, freedom, quantile;
    } rows[] = {
        {0.75, 1, 1},
        {0.975, 1, 12.70620473617471},
        {0.9999, 1, 3183.098757118151},
        {0.975, 2, 4.302652729911275},
        {0.975, 3, 3.182446305284263},
        {0.95, 4, 2.131846786326649},
        {0.975, 9, 2.262157162798205},
        {0.995, 10, 3.169272672616842},
        {0.975, 19, 2.093024054408263},
        {0.975, 30, 2.042272456301238},
        {0.975, 100, 1.983971518523553},
        {0.975, 1e9, 1.959963986911993},
        {0.975, 2.5, 3.574654842003683},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_true(fabs(analyse_t_quantile(rows[i].p, rows[i].freedom) - rows[i].quantile) < 1e-8);
    (void)state;
}

// Closed forms of the distribution function for one and two degrees of freedom.
static void inverts_the_closed_forms(void **state)
{
    for (double p = 0.5; p < 0.99995; p += 0.0099) {
        double one = tan(acos(-1) * (p - 0.5)), a = 2 * p - 1, two = a * sqrt(2 / (1 - a * a));
        assert_true(fabs(analyse_t_quantile(p, 1) - one) < 1e-8);
        assert_true(fabs(analyse_t_quantile(p, 2) - two) < 1e-8);
    }
    (void)state;
}

// Distribution function by Simpson's rule over the density, normalised by lgamma.
static double integrated(double t, double freedom)
{
    enum { PANELS = 20000 };
    double width = t / PANELS, sum = 0;
    double scale = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * acos(-1));
    for (int i = 0; i <= PANELS; i++) {
        double x = width * i, density = exp(-(freedom + 1) / 2 * log1p(x * x / freedom));
        sum += density * (i == 0 || i == PANELS ? 1 : i % 2 ? 4 : 2);
    }
    return 0.5 + scale * sum * width / 3;
}

static void inverts_the_integrated_density(void **state)
{
    const double freedoms[] = {1, 1.5, 2, 3, 4.5, 7, 12, 23, 23.5, 24, 25, 60, 499, 1e4};
    const double levels[] = {0.501, 0.6, 0.75, 0.9, 0.975, 0.99, 0.999};
    for (size_t f = 0; f < sizeof freedoms / sizeof freedoms[0]; f++)
        for (size_t p = 0; p < sizeof levels / sizeof levels[0]; p++) {
            double t = analyse_t_quantile(levels[p], freedoms[f]);
            assert_true(fabs(integrated(t, freedoms[f]) - levels[p]) < 1e-10 * (1 + t * t));
        }
    (void)state;
}

static void is_symmetric_and_monotone(void **state)
{
    for (double freedom = 1; freedom < 40; freedom += 3.5) {
        double before = -INFINITY;
        for (double p = 0.001; p < 1; p += 0.037) {
            double t = analyse_t_quantile(p, freedom);
            assert_true(t > before);
            assert_true(fabs(t + analyse_t_quantile(1 - p, freedom)) < 1e-9 * (1 + fabs(t)));
            before = t;
        }
    }
    (void)state;
}

static void special_values(void **state)
{
    assert_true(analyse_t_quantile(0.5, 3) == 0);
    assert_true(analyse_t_quantile(1, 3) == INFINITY);
    assert_true(analyse_t_quantile(0, 3) == -INFINITY);
    const double bad[][2] = {{0.9, 0}, {0.9, 0.5}, {0.9, NAN}, {NAN, 3}, {-0.1, 3}, {1.1, 3}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_true(isnan(analyse_t_quantile(bad[i][0], bad[i][1])));
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_values_of_high_precision),
        cmocka_unit_test(inverts_the_closed_forms),
        cmocka_unit_test(inverts_the_integrated_density),
        cmocka_unit_test(is_symmetric_and_monotone),
        cmocka_unit_test(special_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
