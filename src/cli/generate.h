// SPDX-License-Identifier: MIT
// Answers that a model gives when it reads its own outputs, of tasks whose targets are the next tokens
// (batch_shape.autoregressive).
#pragma once
#include "nn_decode.h"

// The rows of a sequence that its model has to make: from the first to the last whose target counts. What comes before
// the first one's target is given; from there on each output is the next token. 0 rows where no target counts.
struct generated_rows {
    long first, count;
};
struct generated_rows generate_rows(const struct batch *batch, long sample);

// Sequences of the same length whose given parts are as long go in step, a few at a time. The class at each of
// generate_rows, numbered like the targets, as nn_decode_greedy has it; other places of ret_classes stay as they are.
// Workspace comes from `arena` and is returned. STATUS_INVALID where the model cannot go token by token, STATUS_MEMORY
// when the arena is full.
enum status_code generate(struct nn_model *model, const struct batch *batch, struct arena *arena, int32_t *ret_classes,
                          struct status *status) MUST_CHECK;
// What that takes of the arena, of a batch of at most `samples` sequences of at most `tokens`.
size_t generate_bytes(const struct nn_model *model, long samples, long tokens);
