// SPDX-License-Identifier: MIT
// What a task yields and a model reads: some sequences of one length. Plain data, so that task and nn stay apart.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// What a task asks of a model, whatever the length.
struct batch_shape {
    long dim;        // of input vectors; 0 for tokens
    long vocabulary; // of input tokens; 0 for vectors
    int classes;     // of a target
    bool binary;     // one output f, y = +1 for target 1, logistic loss; else an output a class, softmax
};

// Tokens or vectors, one of them NULL. Targets are per position with a mask, so that tasks with one answer (signal) and
// tasks with an answer at every position share one form; signal uses position 0 of `positions` = 1.
struct batch {
    long samples, length, dim;
    const float *vectors;    // (samples, length, dim)
    const int32_t *tokens;   // (samples, length), 0 … vocabulary-1
    long positions;          // target positions a sample: 1, or length
    const int32_t *targets;  // (samples, positions): the given (noisy) labels, 0 … classes-1; binary: 1 is y = +1
    const int32_t *clean;    // (samples, positions): labels before noise
    const uint8_t *mask;     // (samples, positions): 1 where a target counts; NULL: all count
    long relevant_count;     // relevant positions a sample; 0 where the task names none
    const int32_t *relevant; // (samples, relevant_count): the positions that the answer depends on, ascending
    int classes;             // 2 for binary
    bool binary;             // as in batch_shape
    // Which samples of which set these are: what a model draws for them is keyed so (noise on embeddings, positions).
    const char *set;      // "train", "validation", "test/512"; not owned
    const int64_t *index; // (samples): index in the set; NULL: first, first + 1, …
    int64_t first;
};

static inline int64_t batch_index(const struct batch *batch, long sample)
{
    return batch->index ? batch->index[sample] : batch->first + sample;
}
