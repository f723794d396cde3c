// SPDX-License-Identifier: MIT
// The kind `transformer`; see nn_model.h for its formulas. Forward and backward go through all layers with a chunk of
// whole sequences, few enough that what is kept of them stays in the cache. Prediction goes layer by layer too, but
// keeps x, queries, keys and values of the chunk alone; the rest is made for a block of rows at a time. Both call the
// same functions on ranges of rows.
#pragma once
#include "nn_dropout.h"
#include "nn_embedding.h"
#include "nn_encoding.h"
#include "nn_group.h"
#include "nn_head.h"

enum { TRANSFORMER_BLOCK = 128 }; // rows at a time in prediction, a multiple of 16

// Where a layer reads and writes; all of the chunk, or `x`, `projected` and `next` from some row on and the others of a
// block.
struct transformer_rows {
    struct nn_rows x;                  // (width): the layer's input
    struct nn_rows normed;             // (width)
    struct nn_rows projected;          // (3 x heads x head_padded): queries, keys, values
    struct nn_rows mixed;              // (heads x head_padded): values mixed by attention
    struct nn_rows between;            // (width): x after attention
    struct nn_rows normed_ffn;         // (width)
    struct nn_rows hidden;             // (ffn_factor x width): after the activation
    struct nn_rows slope;              // its derivative; NULL in prediction
    struct nn_rows next;               // (width): the layer's output
    real *statistics, *statistics_ffn; // of the two norms
};

// Where a chunk's queries, keys and values lie: row r of head h at h * head + r * stride; keys `part` numbers behind
// queries, values as much behind keys.
struct transformer_heads {
    real *at;
    long stride, head, part;
};

struct transformer_norm {
    struct nn_tensor *gain, *bias; // bias NULL for rms
};

struct transformer_layer {
    struct transformer_norm norm, norm_ffn;
    struct nn_linear project; // queries, keys, values
    struct nn_linear out, ffn_in, ffn_out;
    struct nn_site site;
    struct transformer_rows kept;         // of a chunk, in training
    struct nn_dropout drop_out, drop_ffn; // of this pass
};

struct transformer {
    struct nn_model common;
    long layers, width, heads, head_dim, head_padded;
    long part; // heads x head_padded: columns of all queries
    long chunk_tokens;
    bool causal;
    struct nn_embedding embedding;
    struct nn_site position; // the input
    struct transformer_layer *layer;
    struct transformer_norm norm; // the last
    struct nn_head head;
    struct nn_group group;
    int64_t step; // of this pass, -1 in prediction: keys what is drawn in training
    struct nn_dropout drop_input;

    struct nn_attention attention; // its workspace
    real *kept;                    // (max_trained_length, 16): dropout's factors on a block's attention
    real *kept_row;                // (max_trained_length): those of one query
    float *noise_row;              // (max_trained_length)
    int32_t *positions;            // (rows of a chunk)
    struct nn_rows last_normed;    // (rows of a training chunk)
    real *last_statistics;
    struct transformer_rows block; // of prediction; its x and projected are the whole chunk's
    struct nn_rows staged;         // of prediction: `projected` of a block, before its heads are taken apart
    real *value_norms;             // (TRANSFORMER_BLOCK)
    double *measured;              // (samples of a chunk, 3)
    // Gradients of a training chunk.
    struct nn_rows x_gradient, normed_gradient, projected_gradient, mixed_gradient, hidden_gradient;
};

// Some samples on their way through the layers.
struct transformer_chunk {
    const struct batch *batch;
    long first, samples;
    long row, rows; // its first row in the batch, and how many there are
    // Sums that nn_predict wants, for each sample; NULL: not wanted. Of attention on relevant keys over queries, heads
    // and layers; of norms of values over tokens, heads and layers.
    double *mass, *relevant_norms, *other_norms;
};

bool transformer_fits(const struct transformer *model, const struct batch *batch, long length);
// The chunk that starts at sample `first`, of samples before `end`.
struct transformer_chunk transformer_chunk(const struct transformer *model, const struct batch *batch, long first,
                                           long end);
// Rows of the block that starts at the chunk's row `row`: whole sequences, or a part of one from a multiple of 16 on.
long transformer_block_rows(const struct transformer_chunk *chunk, long row);
// From row `row` of the chunk on.
struct transformer_rows transformer_block_at(const struct transformer *model, long row);

// Once a pass and once a group; step < 0: prediction.
void transformer_begin(struct transformer *model, int64_t step);
void transformer_sites_begin(struct transformer *model, long length, bool gradient);

// The pieces of the way forward; `row` is the chunk's row that `rows` starts at.
// Also finds the chunk's positions.
void transformer_embed(struct transformer *model, const struct transformer_chunk *chunk, struct nn_rows ret_x);
void transformer_norm_rows(const struct transformer *model, const struct transformer_norm *norm, long count,
                           struct nn_rows x, struct nn_rows ret_y, real *ret_statistics);
// From `x` to `projected`.
void transformer_project(struct transformer *model, const struct transformer_layer *layer, long row, long count,
                         const struct transformer_rows *rows);
struct transformer_heads transformer_heads_of(const struct transformer *model, struct nn_rows projected);
// From all of the chunk's queries, keys and values to the `mixed` of some rows, which start at a multiple of 16 within
// their sequence.
void transformer_attend(struct transformer *model, struct transformer_layer *layer,
                        const struct transformer_chunk *chunk, long row, long count,
                        const struct transformer_heads *heads, struct nn_rows ret_mixed);
// From `mixed` to `next`.
void transformer_finish(struct transformer *model, const struct transformer_layer *layer,
                        const struct transformer_chunk *chunk, long row, long count,
                        const struct transformer_rows *rows);

// From mixed_gradient to projected_gradient, of a chunk that is kept.
void transformer_attention_gradient(struct transformer *model, struct transformer_layer *layer,
                                    const struct transformer_chunk *chunk);

void transformer_layout(struct nn_model *model, struct nn_builder *builder);
void transformer_fill(struct nn_model *model);
size_t transformer_tensors_limit(const struct settings *settings);
void transformer_gradient(struct nn_model *model, const struct batch *batch, const struct nn_pass *pass,
                          real *ret_logits, double *ret_loss);
void transformer_predict(struct nn_model *model, const struct batch *batch, const struct nn_outputs *outputs);
double transformer_gradient_flops(const struct nn_model *model, long samples, long length);
double transformer_predict_flops(const struct nn_model *model, long samples, long length);
