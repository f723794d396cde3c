// SPDX-License-Identifier: MIT
// At which positions of a training a trial is evaluated, how fast it learns at each, and how long its sequences are. A
// position counts from 0 to `steps`, which train_budget.h defines: where a budget is of steps, it is the step.
#pragma once
#include "spec_settings.h"
#include <stddef.h>
#include <stdint.h>

// min(points, steps + 1), points >= 1, steps >= 0.
size_t train_evaluations(int64_t points, int64_t steps);

// Ascending and distinct, train_evaluations() of them: 0, the last step, and between them the integers nearest to
// log-spaced steps from 1 on, moved by as little as makes them distinct. A single point is the last step.
void train_evaluation_steps(int64_t points, int64_t steps, int64_t *ret_steps);

// share * whole as their decimals say: 0.55 of 100 is 55, although the doubles' product is more.
double train_share(double share, double whole);

// The learning rate of a step at position t, with S = `steps` and t from 0 to S - 1. Shares of steps are rounded to
// whole ones, halves to even. With w steps of warm-up, r = learning_rate:
//   t < w          r (t + 1) / w
//   constant       r
//   cosine         r (f + (1 - f) (1 + cos(pi (t - w) / (S - w))) / 2),  f = final_rate: reached at t = S
//   step           r decay_factor^floor((t - w) / decay_every)
//   inverse_sqrt   r sqrt(w / t); without warm-up r / sqrt(t + 1)
double train_learning_rate(const struct settings *settings, int64_t steps, int64_t position);

// Lengths of a curriculum are those of the longest training sequences, and such as the task can make. Of n =
// train_length and s = curriculum_start:
//   first       s, or the next below that the task can make
//   scheduled   s + floor((n - s) t / (curriculum_share S)) at position t, at most n; likewise
//   next        the first from `length` + curriculum_increment on that the task can make, at most n
int64_t train_first_length(const struct settings *settings);
int64_t train_scheduled_length(const struct settings *settings, int64_t steps, int64_t position);
int64_t train_next_length(const struct settings *settings, int64_t length);
