// SPDX-License-Identifier: MIT
// How long a training is, and how far it has come. Learning rates, curricula by schedule and evaluations go by its
// position, which is 0 at first and S = train_steps at the end, and by its steps where the budget is of steps.
#pragma once
#include "base_arena.h"
#include "base_status.h"
#include "spec_batch.h"
#include "spec_settings.h"
#include "task.h"
#include <stdint.h>

// What the steps made so far took.
struct train_spent {
    int64_t steps, position;
    int64_t tokens; // rows of sequences
    double flops;   // by the model's formula
};

// S:
//   steps    of the settings, or what epochs come to
//   tokens   floor(B / b), b the tokens of a step whose sequences all have train_length, B = budget_tokens
//   flops    floor(B / b), b their operations, B = budget_flops
// of the latter two at least 1 and at most STEPS_LIMIT.
int64_t train_steps(const struct settings *settings);
// STATUS_INVALID where S, which settings_check does not know under a budget of operations, is less than the warm-up.
enum status_code train_check_warmup(const struct settings *settings, struct status *status) MUST_CHECK;
// The position after one more step, by its sums up to then: of steps their number; of tokens or flops x
// min(S, floor(S x / B)). No step moves it by more than 1, since none takes more than b.
int64_t train_position(const struct settings *settings, int64_t steps, const struct train_spent *spent);

// Operations of gradients on batches of training sequences. The model's count for sequences of one length is linear in
// their number, `once` + samples * each[tokens]; for others it is `once` and the sum over them of each[their tokens].
struct train_flops {
    double once, *each; // (tokens of the longest + 1)
};
// STATUS_MEMORY when the arena is full.
enum status_code train_flops_create(const struct task_set *train, struct arena *arena, struct train_flops *ret_flops,
                                    struct status *status) MUST_CHECK;
double train_flops_of(const struct train_flops *flops, const struct batch *batch);
size_t train_flops_bytes(const struct task_set *train);
