// SPDX-License-Identifier: MIT
// The two_layer model from inside. Encodings act at two sites: its input and its attention.
//
// A batch of mixed lengths is one pass for each run of neighbours of one length.
//
// A pass takes the batch in chunks of samples. For each chunk: two_layer_project (queries, keys, values of all its
// tokens at once), attention sample by sample in blocks of 16 queries, the last block first, and in a gradient
// two_layer_collect (weights' gradients from those of queries, keys and values). With activation none the model is
// linear in the values, and W_V w_O is folded into one vector: token j acts through its vote z_j = x_j (W_V w_O), in
// training and prediction alike.
#pragma once
#include "nn_encoding.h"

enum { TENSOR_QUERY, TENSOR_KEY, TENSOR_VALUE, TENSOR_READOUT, TENSOR_ENCODING };

enum {
    CHUNK_TOKENS = 128,  // tokens that are worked on at once, if a sample is shorter: the working set fits the cache
    GROUP_TOKENS = 1024, // weights' gradients are summed over so many tokens, then added up: shorter chains
};

struct two_layer {
    struct nn_model common;
    struct nn_site input, site; // site: of the attention
    bool linear;                // activation none
    bool score_gradients;       // something trained acts through the scores
    long dim, head_dim, value_dim, dim_padded, head_padded, value_padded;
    long width;        // columns of a projected row: queries, keys and, unless linear, values
    long trained_from; // first of them whose weights are trained

    real *packed;                    // (groups of width, dim, 16): W_Q | W_K | W_V
    real *folded;                    // (dim_padded): W_V w_O
    real *tokens;                    // (rows, dim_padded): input where the batch's own cannot be used
    real *projected;                 // (rows + 16, width)
    real *projected_gradient;        // (trained rows + 16, width)
    real *votes, *vote_gradients;    // (rows)
    real *weight_gradient;           // (dim, width), over a group
    real *folded_gradient;           // (dim_padded), over a group
    real *folded_total;              // (dim_padded)
    int32_t *positions;              // (rows): of the chunk's tokens
    real *transposed;                // (width, dim_padded): packed, transposed
    real *input_gradient;            // (trained rows, dim_padded), where the input's site learns
    real *position_gradient;         // (trained length, width): projected_gradient, summed over samples
    real *position_votes;            // (trained length): the same of votes
    real *value_packed, *value_rows; // linear: as above, for the norms of values
    real *norms;                     // (rows)
    struct nn_attention attention;   // pointers to its workspace; the rest is set for each sample
};

// A chunk of samples in work.
struct two_layer_chunk {
    const struct batch *batch;
    long first, samples, rows; // rows = samples * length
    const real *tokens;        // (rows), tokens_stride apart, padding zero
    long tokens_stride;
    const int32_t *positions; // (rows)
    bool consecutive;
};

// The samples of a batch from `first` on that have one length, as a batch without offsets.
struct batch two_layer_run(const struct batch *batch, long first);
// Whether a batch of up to `length` tokens a sample is one that the model can take.
bool two_layer_fits(const struct two_layer *model, const struct batch *batch, long length);
long two_layer_chunk_samples(const struct two_layer *model, long length);
// The model's attention, turned to sample `sample` of the chunk with nothing summed yet.
struct nn_attention *two_layer_attention_of(struct two_layer *model, const struct two_layer_chunk *chunk, long sample);
void two_layer_attend_block(struct two_layer *model, struct nn_attention *attention);
long two_layer_last_block(long length); // its first query

real two_layer_logit(const struct two_layer *model, const struct nn_attention *attention);
// Gradient of the loss over `targets` with respect to attention->total.
real two_layer_upstream(const struct two_layer *model, const struct batch *batch, long sample, real logit,
                        double targets);

// Once a pass: the weights as products want them.
void two_layer_pack(struct two_layer *model);
void two_layer_pack_values(struct two_layer *model);
void two_layer_transpose(struct two_layer *model); // of what is packed
// Queries, keys and values (or votes) of samples first … first + samples - 1; `step` as for nn_positions.
void two_layer_project(struct two_layer *model, struct two_layer_chunk *chunk, const struct batch *batch, long first,
                       long samples, int64_t step);
void two_layer_project_values(struct two_layer *model, const real *rows, long stride, long count, real *ret_values);

// Adds a chunk's share to the group's sums, the group's to the gradients, and last what is summed over all samples.
// Gradients of positions are summed over all samples where every sample has the same.
void two_layer_collect(struct two_layer *model, const struct two_layer_chunk *chunk, bool group_start);
void two_layer_group_end(struct two_layer *model);
void two_layer_gradients_end(struct two_layer *model, const struct two_layer_chunk *chunk);

void two_layer_gradient(struct nn_model *model, const struct batch *batch, const struct nn_pass *pass, real *ret_logits,
                        double *ret_loss);
void two_layer_predict(struct nn_model *model, const struct batch *batch, const struct nn_outputs *outputs);
double two_layer_gradient_flops(const struct nn_model *model, long samples, long length);
double two_layer_predict_flops(const struct nn_model *model, long samples, long length);
