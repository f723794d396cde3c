// SPDX-License-Identifier: MIT
// What a task yields and a model reads: some sequences, of one length or each of its own. Plain data, so that task and
// nn stay apart.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// What a task asks of a model, whatever the length.
struct batch_shape {
    long dim;        // of input vectors; 0 for tokens
    long vocabulary; // of input tokens; 0 for vectors
    int classes;     // of a target
    bool binary;     // one output f, y = +1 for target 1, logistic loss; else an output a class, softmax
    // A target is the next token: classes are symbols, and what a model puts out can be fed back to it.
    bool autoregressive;
};

// Sequences lie one behind the other without padding: sequence s has the rows batch_row(s) … + batch_length(s) - 1.
// Tokens or vectors, one of them NULL. Targets come one a sequence (signal, supervision final) or one a row, with a
// mask of those that count.
struct batch {
    long samples, length, dim; // length: of each sequence, or of the longest
    // (samples + 1): where each sequence begins and the last ends, counted from offsets[0]; NULL: all have `length`
    // rows. Lengths are at least 1.
    const int64_t *offsets;
    const float *vectors;   // (rows, dim)
    const int32_t *tokens;  // (rows), 0 … vocabulary-1
    long positions;         // 1: a target a sequence; `length`: one a row
    const int32_t *targets; // (targets): the given (noisy) labels, 0 … classes-1; binary: 1 is y = +1
    const int32_t *clean;   // (targets): labels before noise
    const uint8_t *mask;    // (targets): 1 where a target counts; NULL: all count
    // The positions that an answer depends on, as rows of the sequence: (samples, relevant_count), ascending; or, where
    // targets have some of their own, (targets, relevant_count), ascending and -1 behind the last: all -1 at targets
    // that do not count or depend on none that is named.
    long relevant_count; // 0 where the task names none
    bool relevant_each;
    const int32_t *relevant;
    int classes; // 2 for binary
    bool binary; // as in batch_shape
    // Which samples of which set these are: what a model draws for them is keyed so (noise on embeddings, positions).
    const char *set;      // "train", "validation", "test/512"; not owned
    const int64_t *index; // (samples): index in the set; NULL: first, first + 1, …
    int64_t first;
};

// First row of sequence `sample`, 0 … samples; of `samples` itself it is the number of rows.
static inline int64_t batch_row(const struct batch *batch, long sample)
{
    return batch->offsets ? batch->offsets[sample] - batch->offsets[0] : (int64_t)sample * batch->length;
}
static inline long batch_length(const struct batch *batch, long sample)
{
    return batch->offsets ? (long)(batch->offsets[sample + 1] - batch->offsets[sample]) : batch->length;
}
// First target of a sequence, and how many it has; of `samples` the first is the number of targets.
static inline int64_t batch_target(const struct batch *batch, long sample)
{
    return batch->positions == 1 ? sample : batch_row(batch, sample);
}
static inline long batch_targets(const struct batch *batch, long sample)
{
    return batch->positions == 1 ? 1 : batch_length(batch, sample);
}

// First list of relevant positions of a sequence; of `samples` it is their number.
static inline int64_t batch_relevant(const struct batch *batch, long sample)
{
    return batch->relevant_each ? batch_target(batch, sample) : sample;
}
// Of a sequence, with relevant_each: how many targets name any.
static inline long batch_naming(const struct batch *batch, long sample)
{
    long count = 0;
    for (int64_t list = batch_relevant(batch, sample), end = list + batch_targets(batch, sample); list < end; list++)
        count += batch->relevant_count > 0 && batch->relevant[list * batch->relevant_count] >= 0;
    return count;
}

static inline int64_t batch_index(const struct batch *batch, long sample)
{
    return batch->index ? batch->index[sample] : batch->first + sample;
}
