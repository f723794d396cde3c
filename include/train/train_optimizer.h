// SPDX-License-Identifier: MIT
// gd, momentum, adam and adamw over all trained tensors of a model; the formulas are in nn_model.h.
#pragma once
#include "base_arena.h"
#include "base_status.h"
#include "nn_model.h"
#include "train_state.h"

struct train_optimizer;

// Buffers for every trained tensor of `model` from `arena`; they join `state`, and so does adam's count of steps.
// STATUS_MEMORY when the arena is full. `settings` must outlive the optimiser.
enum status_code train_optimizer_create(const struct settings *settings, struct nn_model *model, struct arena *arena,
                                        struct train_state *state, struct train_optimizer **ret_optimizer,
                                        struct status *status) MUST_CHECK;
// One step along `scale` times the gradients that the model holds, cut to the norm `clip` where they are longer: by the
// factor min(1, clip / (norm + 1e-6)), one for all tensors.
void train_optimizer_step(struct train_optimizer *optimizer, double learning_rate, double scale);
// Euclidean norm of all trained tensors, or of their gradients.
double train_norm(struct nn_model *model, bool gradient);

// Upper bounds for a model with `tensors` trained tensors whose values take `bytes`: what it takes from the arena, and
// the items that it adds to the state.
size_t train_optimizer_bytes(const struct settings *settings, size_t bytes, size_t tensors);
size_t train_optimizer_items(const struct settings *settings, size_t tensors);
