// SPDX-License-Identifier: MIT
#include "analyse.h"
#include <math.h>

#define NORMAL_975 1.95996398454005423552

struct analyse_interval analyse_mean(const double *values, size_t count, double quantile)
{
    struct analyse_interval none = {NAN, NAN, NAN};
    if (count == 0)
        return none;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    double mean = sum / (double)count;
    if (count == 1)
        return (struct analyse_interval){mean, NAN, NAN};
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    double freedom = (double)(count - 1);
    double half = quantile * sqrt(squares / freedom / (double)count);
    return (struct analyse_interval){mean, mean - half, mean + half};
}

struct analyse_interval analyse_share(double share, double count)
{
    double square = NORMAL_975 * NORMAL_975, scale = 1 + square / count;
    double centre = (share + square / (2 * count)) / scale;
    double half = NORMAL_975 * sqrt(share * (1 - share) / count + square / (4 * count * count)) / scale;
    double low = centre - half, high = centre + half;
    return (struct analyse_interval){share, low > 0 ? low : 0, high < 1 ? high : 1};
}

struct analyse_interval analyse_share_difference(struct analyse_interval a, struct analyse_interval b)
{
    double below_a = a.value - a.low, above_a = a.high - a.value;
    double below_b = b.value - b.low, above_b = b.high - b.value;
    double value = a.value - b.value;
    return (struct analyse_interval){value, value - sqrt(below_a * below_a + above_b * above_b),
                                     value + sqrt(above_a * above_a + below_b * below_b)};
}
