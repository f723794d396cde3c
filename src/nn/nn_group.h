// SPDX-License-Identifier: MIT
// Gradients are summed over groups of at most 4,096 tokens, so that no chain of sums is long. The first group of a step
// sums into the tensors' gradients, later ones, and those of passes that add, into a second buffer which is then added.
// Inside a group a model works on chunks of whole sequences, which never show in the bits.
#pragma once
#include "nn_private.h"

struct nn_group {
    real **spare; // a second buffer for each tensor; NULL for frozen ones
};

// After the last tensor was added.
void nn_group_layout(struct nn_group *group, struct nn_model *model, struct nn_builder *builder);
long nn_group_samples(long length); // of a group of sequences of `length`: at least 1
// Samples of the group that starts at sample `first` of the batch.
long nn_group_take(const struct batch *batch, long first);
// Between these two tensor->gradient is the group's sum, zero at the start. `number` counts a pass's groups from 0.
void nn_group_begin(struct nn_group *group, struct nn_model *model, const struct nn_pass *pass, long number);
void nn_group_end(struct nn_group *group, struct nn_model *model, const struct nn_pass *pass, long number);
