// SPDX-License-Identifier: MIT
// At which steps a trial is evaluated, and how fast it learns at each.
#pragma once
#include "spec_settings.h"
#include <stddef.h>
#include <stdint.h>

// min(points, steps + 1), points >= 1, steps >= 0.
size_t train_evaluations(int64_t points, int64_t steps);

// Ascending and distinct, train_evaluations() of them: 0, the last step, and between them the integers nearest to
// log-spaced steps from 1 on, moved by as little as makes them distinct. A single point is the last step.
void train_evaluation_steps(int64_t points, int64_t steps, int64_t *ret_steps);

// The learning rate of the step from t to t + 1, with S = settings_steps() and t from 0 to S - 1. Shares of steps are
// rounded to whole ones. With w steps of warm-up, r = learning_rate:
//   t < w          r (t + 1) / w
//   constant       r
//   cosine         r (f + (1 - f) (1 + cos(pi (t - w) / (S - w))) / 2),  f = final_rate: reached at t = S
//   step           r decay_factor^floor((t - w) / decay_every)
//   inverse_sqrt   r sqrt(w / t); without warm-up r / sqrt(t + 1)
double train_learning_rate(const struct settings *settings, int64_t step);
