// SPDX-License-Identifier: MIT
// rnn and lstm from inside. Samples go through time together, layer by layer, the longest first, so that those that
// still run are the first ones of a time step's rows: nothing is computed beyond a sequence's end. Rows lie time by
// time, as many at each step as samples still run, so that the rows of a time step are neighbours and so are all rows
// of consecutive steps. See struct recurrent_course.
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

// How samples go through time together: of a gradient's group, or of a prediction's chunk. Ranks count them from the
// longest on, those of one length in the batch's order; numbers count them in the batch's order. The layers' arrays
// hold the rows of some time steps: a gradient's of all, a prediction's of those in work.
struct recurrent_course {
    const struct batch *batch;
    long first, samples, longest;
    long *order, *rank; // (samples): number by rank; rank by number
    long begin, steps;  // in work
    long *start;        // (steps + 1): rows before each of these steps, and of all
};
static inline long recurrent_length(const struct recurrent_course *course, long number)
{
    return batch_length(course->batch, course->first + number);
}

struct recurrent {
    struct nn_model common;
    bool lstm;
    long width, padded, gates; // units, padded to groups; columns of gates as stored
    long layers;
    struct recurrent_layer *layer;
    struct nn_embedding embedding;
    struct nn_head head;
    struct nn_group group;
    struct recurrent_course course;
    bool dropping, table_allowed;
    struct nn_rows table, table_gradient; // (vocabulary, gates)
    struct nn_rows slope, other_slope;    // gradient of a layer's output; rnn: two that take turns
    struct nn_rows cell_slope;            // (samples, width)
    struct nn_rows edge, edge_gradient;   // rows sample by sample, for embedding and head
};

// Some samples of a course, those of ranks from … from + samples - 1, at the time steps in work, or at those of them at
// which any of these samples runs.
struct recurrent_span {
    const struct recurrent_course *course;
    long from, samples;
    long steps;
    int64_t step; // of training; -1: none
};
// The row of the span's first sample at step number k of those in work, and how many of its samples run then: their
// rows are neighbours, in the order of ranks.
static inline long recurrent_row(const struct recurrent_span *span, long k)
{
    return span->course->start[k] + span->from;
}
static inline long recurrent_running(const struct recurrent_span *span, long k)
{
    const long running = span->course->start[k + 1] - recurrent_row(span, k);
    return nn_most(0, nn_least(running, span->samples));
}
// The row in the batch of the sample of that rank at step number k.
static inline int64_t recurrent_origin(const struct recurrent_course *course, long rank, long k)
{
    return batch_row(course->batch, course->first + course->order[rank]) + course->begin + k;
}

// The rows with which a group of a gradient is complete; and the samples of the group that starts at `first`, which
// ends then or where the next sample would make it too large.
long recurrent_group_rows(const struct batch *batch);
long recurrent_group_samples(const struct batch *batch, long first, long rows);
// The course of the batch's samples first … first + samples - 1, with no step in work.
void recurrent_plan(struct recurrent_course *course, const struct batch *batch, long first, long samples);
// Takes steps `begin` and those behind it into work: at least one, at most `steps` and what is within `rows`.
void recurrent_take_steps(struct recurrent_course *course, long begin, long steps, long rows);

void recurrent_begin(struct recurrent *model, bool gradient); // packs weights, fills the table
bool recurrent_uses_table(const struct recurrent *model, int64_t step);

// What a layer reads, and the same after or behind the dropout before it.
struct nn_rows recurrent_input(const struct recurrent *model, long layer, int64_t step);
void recurrent_drop(const struct recurrent *model, long layer, const struct recurrent_span *span, struct nn_rows rows);

// Rows in work that are neighbours sample by sample, in the batch's order: all rows of some sequences, or those of one
// that are in work.
struct recurrent_piece {
    long number, samples; // of the course
    int64_t row;          // the first one's place in the batch
    long rows;
};
// The next piece, or with a piece of zeros the first; false where none is left.
bool recurrent_next_piece(const struct recurrent_course *course, struct recurrent_piece *piece);
// Copies between the model's rows and rows sample by sample.
void recurrent_from_edge(const struct recurrent *model, const struct recurrent_piece *piece, struct nn_rows edge,
                         struct nn_rows ret_rows);
void recurrent_to_edge(const struct recurrent *model, const struct recurrent_piece *piece, struct nn_rows rows,
                       struct nn_rows ret_edge);

// From tokens or vectors to the last layer's states. What was before the steps in work is in the layers' last states.
void recurrent_forward(struct recurrent *model, const struct recurrent_span *span);
// From the gradient of the states of `layer`, in model->slope, to that of the sums of its gates, which is returned.
struct nn_rows recurrent_back(struct recurrent *model, long layer, const struct recurrent_span *span);

void recurrent_gradient(struct nn_model *model, const struct batch *batch, const struct nn_pass *pass, real *ret_logits,
                        double *ret_loss);
void recurrent_predict(struct nn_model *model, const struct batch *batch, const struct nn_outputs *outputs);
double recurrent_gradient_flops(const struct nn_model *model, long samples, long length);
double recurrent_predict_flops(const struct nn_model *model, long samples, long length);
