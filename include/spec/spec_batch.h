// SPDX-License-Identifier: MIT
// What a task yields and a model reads: some sequences of one length. Plain data, so that task and nn stay apart.
#pragma once
#include <stdint.h>

// Tokens or vectors, one of them NULL. Targets are per position with a mask, so that tasks with one answer (signal) and
// tasks with an answer at every position share one form; signal uses position 0 of `positions` = 1.
struct batch {
    long samples, length, dim;
    const float *vectors;    // (samples, length, dim)
    const int32_t *tokens;   // (samples, length)
    long positions;          // target positions a sample: 1, or length
    const int32_t *targets;  // (samples, positions): the given (noisy) labels, 0 … classes-1; binary: 1 is y = +1
    const int32_t *clean;    // (samples, positions): labels before noise
    const uint8_t *mask;     // (samples, positions): 1 where a target counts; NULL: all count
    long relevant_count;     // relevant positions a sample
    const int32_t *relevant; // (samples, relevant_count): the positions that the answer depends on, ascending
    int classes;             // 2 for binary
};
