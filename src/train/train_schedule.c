// SPDX-License-Identifier: MIT
#include "train_schedule.h"
#include "base_math.h"
#include <math.h>

size_t train_evaluations(int64_t points, int64_t steps)
{
    return (size_t)(points < steps + 1 ? points : steps + 1);
}

void train_evaluation_steps(int64_t points, int64_t steps, int64_t *ret_steps)
{
    size_t count = train_evaluations(points, steps), last = count - 1;
    ret_steps[last] = steps;
    if (count == 1)
        return;
    ret_steps[0] = 0;
    for (size_t i = 1; i < last; i++) {
        double share = (double)(i - 1) / (double)(last - 1);
        int64_t step = (int64_t)rint(math_exp(math_log((double)steps) * share));
        ret_steps[i] = step > ret_steps[i - 1] ? step : ret_steps[i - 1] + 1;
    }
    for (size_t i = last; i > 1 && ret_steps[i - 1] >= ret_steps[i]; i--)
        ret_steps[i - 1] = ret_steps[i] - 1;
}
