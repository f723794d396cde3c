// SPDX-License-Identifier: MIT
// The two_layer model from inside: its memory, and what an encoding can act on.
//
// A pass takes the batch in chunks of samples. For each chunk: nn_project (queries, keys, values of all its tokens at
// once), attention sample by sample in blocks of 16 queries, and in a gradient nn_collect (weights' gradients from
// those of queries, keys and values). With activation none the model is linear in the values, and W_V w_O is folded
// into one vector: token j acts through its vote z_j = x_j (W_V w_O), in training and prediction alike.
#pragma once
#include "nn_private.h"

enum { TENSOR_QUERY, TENSOR_KEY, TENSOR_VALUE, TENSOR_READOUT, TENSOR_ENCODING, TENSOR_LIMIT };

enum {
    CHUNK_TOKENS = 128,  // tokens that are worked on at once, if a sample is shorter: the working set fits the cache
    GROUP_TOKENS = 1024, // weights' gradients are summed over so many tokens, then added up: shorter chains
};

struct two_layer;

// How positions act. Hooks that are NULL do nothing.
struct nn_encoding {
    const char *name; // as in spec
    bool adds;        // positions.added is added to the input
    // Takes memory, and describes the tensor TENSOR_ENCODING with its values if there is one.
    void (*layout)(struct two_layer *model, struct nn_builder *builder);
    // Writes tables and initial weights.
    void (*fill)(struct two_layer *model);
    // Turns queries and keys, `count` rows of `stride`, whose columns start at `rows`; or their gradients, `back`.
    void (*rotate)(const struct two_layer *model, real *rows, long stride, long count, long length, bool back);
    // Writes what the scores of a block start from to attention->weights.
    void (*bias)(const struct two_layer *model, struct nn_attention *attention);
    // Adds the bias's share to the gradients of queries and the tensor. A sample of more than one block is followed by
    // sample_end, with a factor that its share of the tensor's gradient still lacks.
    void (*bias_gradient)(struct two_layer *model, struct nn_attention *attention);
    void (*sample_end)(struct two_layer *model, long length, real factor);
    // Distances whose scores are computed for each query, for the count of operations.
    long (*distances)(const struct two_layer *model, long length);
};
extern const struct nn_encoding nn_encoding_none, nn_encoding_sinusoidal, nn_encoding_absolute, nn_encoding_relative,
    nn_encoding_alibi, nn_encoding_rope;
const struct nn_encoding *nn_encoding(int kind);

struct nn_positions {
    real *added;             // (max_length, dim_padded): rows added to the input
    real *angles;            // (max_length, head_dim): cosines, then sines
    real *distance_scores;   // (distances, 16): score of each distance for each query of a block
    real *distance_gradient; // (distances, 16)
    real *distance_sum;      // (distances, head_padded): a sample's share of the tensor's gradient
};

struct two_layer {
    struct nn_model common;
    const struct nn_encoding *encoding;
    bool linear;          // activation none
    bool score_gradients; // something trained acts through the scores
    long dim, head_dim, value_dim, dim_padded, head_padded, value_padded;
    long width;        // columns of a projected row: queries, keys and, unless linear, values
    long trained_from; // first of them whose weights are trained
    struct nn_positions positions;

    real *packed;                                 // (groups of width, dim, 16): W_Q | W_K | W_V
    real *folded;                                 // (dim_padded): W_V w_O
    real *tokens;                                 // (rows, dim_padded): input where the batch's own cannot be used
    real *projected;                              // (rows + 16, width)
    real *projected_gradient;                     // (trained rows + 16, width)
    real *votes, *vote_gradients;                 // (rows)
    real *base;                                   // (max_length, width): projections of `added`
    real *base_votes;                             // (max_length)
    real *base_gradient;                          // (max_trained_length, width): sum over samples
    real *base_vote_gradients;                    // (max_trained_length)
    real *weight_gradient;                        // (dim, width), over a group
    real *folded_gradient;                        // (dim_padded), over a group
    real *folded_total;                           // (dim_padded)
    real *transposed;                             // (width, dim_padded): packed, transposed
    real *value_packed, *value_rows, *value_base; // linear: as above, for the norms of values
    real *norms;                                  // (rows)
    struct nn_attention attention;                // pointers to its workspace; the rest is set for each sample
};

// A chunk of samples in work.
struct nn_chunk {
    const struct batch *batch;
    long first, samples, rows; // rows = samples * length
    const real *tokens;        // (rows), tokens_stride apart, padding zero
    long tokens_stride;
};

// Whether a batch of up to `length` tokens is one that the model can take.
bool nn_fits(const struct two_layer *model, const struct batch *batch, long length);
long nn_chunk_samples(const struct two_layer *model, long length);
// The model's attention, turned to sample `sample` of the chunk with nothing summed yet.
struct nn_attention *nn_attention_of(struct two_layer *model, long length, long sample);
void nn_attend_block(const struct two_layer *model, struct nn_attention *attention);

real nn_logit(const struct two_layer *model, const struct nn_attention *attention);
// Gradient of the loss over `targets` with respect to attention->total.
real nn_upstream(const struct two_layer *model, const struct batch *batch, long sample, real logit, double targets);

// Once a pass: the weights as products want them.
void nn_pack(struct two_layer *model, long length);
void nn_pack_values(struct two_layer *model, long length);
// Queries, keys and values (or votes) of samples first … first + samples - 1.
void nn_project(struct two_layer *model, struct nn_chunk *chunk, const struct batch *batch, long first, long samples);
void nn_project_values(struct two_layer *model, const real *rows, long stride, long count, real *ret_values);

// Adds a chunk's share to the group's sums, the group's to the gradients, and last what is summed over all samples.
void nn_collect(struct two_layer *model, const struct nn_chunk *chunk, bool group_start);
void nn_group_end(struct two_layer *model);
void nn_gradients_end(struct two_layer *model, long length);

void two_layer_gradient(struct nn_model *model, const struct batch *batch, const struct nn_pass *pass, real *ret_logits,
                        double *ret_loss);
void two_layer_predict(struct nn_model *model, const struct batch *batch, const struct nn_outputs *outputs);
double two_layer_gradient_flops(const struct nn_model *model, long samples, long length);
double two_layer_predict_flops(const struct nn_model *model, long samples, long length);
