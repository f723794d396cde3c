// SPDX-License-Identifier: MIT
// At which steps a trial is evaluated.
#pragma once
#include <stddef.h>
#include <stdint.h>

// min(points, steps + 1), points >= 1, steps >= 0.
size_t train_evaluations(int64_t points, int64_t steps);

// Ascending and distinct, train_evaluations() of them: 0, the last step, and between them the integers nearest to
// log-spaced steps from 1 on, moved by as little as makes them distinct. A single point is the last step.
void train_evaluation_steps(int64_t points, int64_t steps, int64_t *ret_steps);
