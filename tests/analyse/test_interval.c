// SPDX-License-Identifier: MIT
#include "support.h"

#include "analyse.h"
#include <math.h>

static void a_mean_has_a_t_interval(void **state)
{
    const double values[] = {1, 2, 4, 5};
    struct analyse_interval mean = analyse_mean(values, 4, 3.182446305284263);
    double half = 3.182446305284263 * sqrt(10.0 / 3 / 4);
    assert_true(fabs(mean.value - 3) < 1e-15);
    assert_true(fabs(mean.low - (3 - half)) < 1e-12 && fabs(mean.high - (3 + half)) < 1e-12);
    (void)state;
}

static void one_value_has_no_interval_and_none_no_mean(void **state)
{
    const double value = 0.25;
    struct analyse_interval one = analyse_mean(&value, 1, NAN), none = analyse_mean(&value, 0, NAN);
    assert_true(one.value == 0.25 && isnan(one.low) && isnan(one.high));
    assert_true(isnan(none.value) && isnan(none.low) && isnan(none.high));
    (void)state;
}

// Wilson's interval solves (p - share)² = z² p (1 - p) / count.
static void a_share_has_a_score_interval(void **state)
{
    const double shares[] = {0, 0.001, 0.05, 0.5, 0.93, 1}, counts[] = {1, 10, 200, 1000}, z = 1.959963984540054;
    for (size_t s = 0; s < 6; s++)
        for (size_t c = 0; c < 4; c++) {
            struct analyse_interval interval = analyse_share(shares[s], counts[c]);
            const double ends[] = {interval.low, interval.high};
            assert_true(interval.value == shares[s]);
            assert_true(interval.low <= shares[s] + 1e-15 && interval.high >= shares[s] - 1e-15);
            assert_true(interval.low >= 0 && interval.high <= 1 && interval.low < interval.high);
            for (int e = 0; e < 2; e++) {
                double apart = ends[e] - shares[s];
                assert_true(fabs(apart * apart - z * z * ends[e] * (1 - ends[e]) / counts[c]) < 1e-12);
            }
        }
    (void)state;
}

// Newcombe (1998), Statistics in Medicine 17:873, example (a), 56/70 against 48/80: method 10 gives 0.0524 to 0.3339.
static void a_difference_of_shares_has_the_published_interval(void **state)
{
    struct analyse_interval difference =
        analyse_share_difference(analyse_share(56.0 / 70, 70), analyse_share(48.0 / 80, 80));
    assert_true(fabs(difference.value - 0.2) < 1e-12);
    assert_true(fabs(difference.low - 0.0524) < 5e-5 && fabs(difference.high - 0.3339) < 5e-5);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mean_has_a_t_interval),
        cmocka_unit_test(one_value_has_no_interval_and_none_no_mean),
        cmocka_unit_test(a_share_has_a_score_interval),
        cmocka_unit_test(a_difference_of_shares_has_the_published_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
