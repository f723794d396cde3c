// SPDX-License-Identifier: MIT
// Positional encodings. One acts on the input (rows are added to it) or on attention (queries and keys are turned, or
// scores are biased). The place where it acts is a site: the input, or the attention of one layer. One file an
// encoding, with its row of hooks; models call the functions below.
#pragma once
#include "nn_private.h"

struct nn_site {
    // Set by the model before nn_site_layout.
    struct nn_model *model;
    const char *prefix;   // of its tensors' names: "", or "layers.3.attention."
    bool input;           // the input, else an attention
    long width;           // input: columns of a row
    long heads, head_dim; // attention: heads, whose columns lie head_padded apart in rows of queries and keys
    long head_padded;
    real query_scale;    // attention: queries come multiplied by it
    bool causal, frozen; // frozen: its tensors are not trained
    double init_scale;   // standard deviation of learned vectors at the start
    // The rest is the encoding's own.
    const struct nn_encoding *encoding;
};

struct nn_encoding {
    const char *name; // as in spec
    bool input;       // acts on the input, else on attention (or nowhere)
    // Hooks that are NULL do nothing. Memory and tensors; tables and initial weights.
    void (*layout)(struct nn_site *site, struct nn_builder *builder);
    void (*fill)(struct nn_site *site);
    // Once a pass over sequences of `length`: what follows from the weights and the length; sums of gradients cleared.
    void (*begin)(struct nn_site *site, long length, bool gradient);
    // Input: adds rows to x; and adds their gradient.
    void (*add)(const struct nn_site *site, real *x, long stride, long count, const int32_t *positions);
    void (*add_gradient)(struct nn_site *site, const real *x_gradient, long stride, long count,
                         const int32_t *positions);
    // Attention: turns `count` rows of all heads' queries, or keys, or `back` their gradients.
    void (*rotate)(const struct nn_site *site, real *rows, long stride, long count, const int32_t *positions,
                   bool back);
    // Attention: writes what the block's scores start from to block->weights; and from block->score_gradient adds to
    // what the site sums and to query_gradient.
    void (*bias)(struct nn_site *site, struct nn_attention *block);
    void (*bias_gradient)(struct nn_site *site, struct nn_attention *block);
    // Once a pass: adds what was summed to the gradients of the tensors.
    void (*end)(struct nn_site *site, long length);
    // Operations of the bias of one sequence in all heads, for the count.
    double (*bias_flops)(const struct nn_site *site, long length);
};
const struct nn_encoding *nn_encoding(int kind);
enum { NN_SITE_TENSORS = 8 }; // most that a site adds

void nn_site_layout(struct nn_site *site, struct nn_builder *builder); // finds the encoding in the model's settings
void nn_site_fill(struct nn_site *site);
void nn_site_begin(struct nn_site *site, long length, bool gradient);
void nn_site_add(const struct nn_site *site, real *x, long stride, long count, const int32_t *positions);
void nn_site_add_gradient(struct nn_site *site, const real *x_gradient, long stride, long count,
                          const int32_t *positions);
void nn_site_rotate(const struct nn_site *site, real *rows, long stride, long count, const int32_t *positions,
                    bool back);
bool nn_site_biases(const struct nn_site *site);
void nn_site_bias(struct nn_site *site, struct nn_attention *block);
void nn_site_bias_gradient(struct nn_site *site, struct nn_attention *block);
void nn_site_end(struct nn_site *site, long length);

// Positions of samples first … first + samples - 1, (samples, length): 0, 1, 2, … or with random_positions a sorted
// random subset of {0 … random_positions - 1} for each sample, keyed by its set and index, in training by the step too
// (`step` < 0: no training). True where they are consecutive.
bool nn_positions(const struct nn_model *model, const struct batch *batch, long first, long samples, int64_t step,
                  int32_t *ret_positions);
// Largest position + 1 that sequences of `length` can meet.
long nn_position_limit(const struct nn_model *model, long length);
