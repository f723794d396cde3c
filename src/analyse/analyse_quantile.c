// SPDX-License-Identifier: MIT
// With t = √ν cot δ the upper tail of Student's t is K(ν, δ) / (2 K(ν, π/2)), K(ν, δ) = ∫₀^δ sin^(ν-1): no gamma
// function and no cancellation in the tail.
#include "analyse.h"
#include "base_math.h"
#include <math.h>

#define HALF_PI 1.57079632679489661923

enum { SMOOTH = 24, PANELS = 48 };

static double sine_power(double angle, double power)
{
    return math_exp(power * math_log(math_sin(angle)));
}

// K for ν >= SMOOTH by Gauss–Legendre with five nodes a panel, over the part of [0, δ] where the integrand is not nil.
static double smooth_integral(double freedom, double delta)
{
    static const double node[] = {-0.90617984593866399280, -0.53846931010568309104, 0, 0.53846931010568309104,
                                  0.90617984593866399280};
    static const double weight[] = {0.23692688505618908751, 0.47862867049936646804, 0.56888888888888888889,
                                    0.47862867049936646804, 0.23692688505618908751};
    // sin^(ν-1) falls off at least as exp(-(ν-1) x²/2) at x from π/2.
    double start = HALF_PI - 12 / sqrt(freedom - 1);
    if (start < 0)
        start = 0;
    // Deep in the tail the mass is at the upper end, within a few times 1 / slope.
    double slope = (freedom - 1) * math_cos(delta) / math_sin(delta);
    if (slope > 0 && delta - 40 / slope > start)
        start = delta - 40 / slope;
    if (start >= delta)
        return 0;
    double half = 0.5 * (delta - start) / PANELS, sum = 0;
    for (int panel = 0; panel < PANELS; panel++)
        for (int i = 0; i < 5; i++)
            sum += weight[i] * sine_power(start + half * (2 * panel + 1 + node[i]), freedom - 1);
    return half * sum;
}

// Small ν are led to large ones by K(ν) = (ν+1)/ν K(ν+2) + sin^ν δ cos δ / ν, from integration by parts.
static double integral(double freedom, double delta)
{
    double factor = 1, sum = 0;
    while (freedom < SMOOTH) {
        sum += factor * sine_power(delta, freedom) * math_cos(delta) / freedom;
        factor *= (freedom + 1) / freedom;
        freedom += 2;
    }
    return factor * smooth_integral(freedom, delta) + sum;
}

double analyse_t_quantile(double p, double freedom)
{
    if (!(freedom >= 1) || !(p >= 0 && p <= 1))
        return NAN;
    if (p < 0.5)
        return -analyse_t_quantile(1 - p, freedom);
    if (p == 1)
        return INFINITY;
    double target = 2 * (1 - p) * integral(freedom, HALF_PI), low = 0, high = HALF_PI;
    for (int i = 0; i < 55; i++) {
        double middle = 0.5 * (low + high);
        if (integral(freedom, middle) < target)
            low = middle;
        else
            high = middle;
    }
    double delta = 0.5 * (low + high);
    for (int i = 0; i < 2; i++) {
        double next = delta - (integral(freedom, delta) - target) / sine_power(delta, freedom - 1);
        if (next > 0 && next < HALF_PI)
            delta = next;
    }
    return p == 0.5 ? 0 : sqrt(freedom) * math_cos(delta) / math_sin(delta);
}
