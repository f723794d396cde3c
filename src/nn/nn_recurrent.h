// SPDX-License-Identifier: MIT
// rnn and lstm from inside. Samples go through time together, layer by layer. Rows lie time by time: sample s of
// `samples` at time t is row t * samples + s, so that the rows of a time step are neighbours and those of the step
// before lie at a fixed distance.
//
// A gradient takes the batch in groups of whole sequences (nn_group.h), whose activations are kept. Weights' gradients
// are sums over all rows of a group in this order, whatever the chunks in which its samples went through time. A
// prediction takes some steps at a time and keeps the last states alone.
//
// Tokens of a small vocabulary meet the first layer through a table: the sums of its gates, E W_x + b, once for every
// token; gradients are summed by token before they go on to W_x and E. Where embeddings are noisy or, in training,
// dropped, each token goes its own way; the sums have the same bits.
#pragma once
#include "nn_dropout.h"
#include "nn_embedding.h"
#include "nn_group.h"
#include "nn_head.h"
#include "nn_linear.h"

enum {
    RECURRENT_TABLE_TOKENS = 1024, // the largest vocabulary with a table
    RECURRENT_EDGE_ROWS = 128,     // rows that embedding and head take at a time, a whole sequence at least
    RECURRENT_STEP_SAMPLES = 128,  // a prediction's samples together
    RECURRENT_ROWS = 2048,         // and its rows at a time
};

struct recurrent_layer {
    struct nn_linear input, recurrent; // `input` adds both biases
    struct nn_tensor *recurrent_bias;
    const char *site;                     // of the dropout before the layer
    struct nn_rows x;                     // what it reads where that is not the states of the layer below as they are
    struct nn_rows gates;                 // lstm: activations, and on the way back the gradients of their sums
    struct nn_rows cell, state;           // rnn: gates are states
    struct nn_rows last_cell, last_state; // a prediction's, of the steps before
};

struct recurrent {
    struct nn_model common;
    bool lstm;
    long width, padded, gates; // units, padded to groups; columns of gates as stored
    long layers;
    struct recurrent_layer *layer;
    struct nn_embedding embedding;
    struct nn_head head;
    struct nn_group group;
    bool dropping, table_allowed;
    struct nn_rows table, table_gradient; // (vocabulary, gates)
    struct nn_rows slope, other_slope;    // gradient of a layer's output; rnn: two that take turns
    struct nn_rows cell_slope;            // (samples, width)
    struct nn_rows edge, edge_gradient;   // rows sample by sample, for embedding and head
};

// Some samples of a batch at some time steps, and where their rows are: step t of the sample number s of `samples` is
// row (t - begin) * row_samples + row_first + s of the layers' arrays.
struct recurrent_span {
    const struct batch *batch;
    long first, samples;
    long begin, steps;
    long row_first, row_samples;
    int64_t step; // of training; -1: none
};
static inline long recurrent_row(const struct recurrent_span *span, long t)
{
    return (t - span->begin) * span->row_samples + span->row_first;
}

void recurrent_begin(struct recurrent *model, bool gradient); // packs weights, fills the table
bool recurrent_uses_table(const struct recurrent *model, int64_t step);

// What a layer reads, and the same after or behind the dropout before it.
struct nn_rows recurrent_input(const struct recurrent *model, long layer, int64_t step);
void recurrent_drop(const struct recurrent *model, long layer, const struct recurrent_span *span, struct nn_rows rows);

// A span in pieces whose rows sample by sample, in the batch's order, are neighbours: whole sequences or parts of one.
bool recurrent_first_piece(const struct recurrent_span *span, struct recurrent_span *ret_piece); // true
bool recurrent_next_piece(const struct recurrent_span *span, struct recurrent_span *piece);
long recurrent_piece_row(const struct recurrent_span *piece); // its first row in the batch
// Copies between the model's rows and rows sample by sample.
void recurrent_from_edge(const struct recurrent *model, const struct recurrent_span *piece, struct nn_rows edge,
                         struct nn_rows ret_rows);
void recurrent_to_edge(const struct recurrent *model, const struct recurrent_span *piece, struct nn_rows rows,
                       struct nn_rows ret_edge);

// From tokens or vectors to the last layer's states. Steps before `begin` are in the layers' last states.
void recurrent_forward(struct recurrent *model, const struct recurrent_span *span);
// From the gradient of the states of `layer`, in model->slope, to that of the sums of its gates, which is returned.
struct nn_rows recurrent_back(struct recurrent *model, long layer, const struct recurrent_span *span);

void recurrent_gradient(struct nn_model *model, const struct batch *batch, const struct nn_pass *pass, real *ret_logits,
                        double *ret_loss);
void recurrent_predict(struct nn_model *model, const struct batch *batch, const struct nn_outputs *outputs);
double recurrent_gradient_flops(const struct nn_model *model, long samples, long length);
double recurrent_predict_flops(const struct nn_model *model, long samples, long length);
