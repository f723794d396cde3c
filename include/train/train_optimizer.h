// SPDX-License-Identifier: MIT
#pragma once
#include "base_arena.h"
#include "base_status.h"
#include "nn_model.h"
#include "train_state.h"

struct train_optimizer;

// Buffers for every trained tensor of `model` from `arena`; they join `state`. STATUS_MEMORY when the arena is full.
enum status_code train_optimizer_create(const struct settings *settings, struct nn_model *model, struct arena *arena,
                                        struct train_state *state, struct train_optimizer **ret_optimizer,
                                        struct status *status) MUST_CHECK;
// One step along the gradients that the model holds.
void train_optimizer_step(struct train_optimizer *optimizer);
// Bytes of the buffers, for a model of `model_bytes`.
size_t train_optimizer_bytes(const struct settings *settings, size_t model_bytes);
