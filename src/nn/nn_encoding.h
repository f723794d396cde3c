// SPDX-License-Identifier: MIT
// Positional encodings. One acts on the input (rows are added to it) or on attention (queries and keys are turned, or
// scores are biased). The place where it acts is a site: the input, or the attention of one layer. One file an
// encoding, with its row of hooks; models call the functions below, at every site: where an encoding does not act, they
// do nothing.
//
// Sums that an encoding keeps over a pass belong to one head each and are added to in the order of samples and blocks,
// so that a model may go through heads, layers and chunks in any order with the same bits.
#pragma once
#include "nn_private.h"
#include "nn_scaling.h"

enum { NN_SITE_TENSORS = 8 }; // most that a site adds

// Biases that depend on the distance alone: value of head h at distance d = query - key is
// values[h * size + before + d]; sums holds the gradients in the same places. See nn_bias.h.
struct nn_bias_table {
    long before, size;
    real *values, *sums;
};

// Vectors that depend on the distance alone and meet the queries; see nn_distance.h.
struct nn_distance_vectors {
    long origin, columns;    // distance m = key - query is column `origin` + m
    long heads;              // sets of vectors: 1 where all heads share one
    long reach;              // distances beyond it are clipped
    real *rows, *transposed; // (columns, heads * head_padded) and its transpose
    real *sums;              // (columns, all heads * head_padded): gradients
    real *scores, *slopes;   // a strip of distances for each query of a block
};

struct nn_site {
    // Set by the model before nn_site_layout.
    struct nn_model *model;
    const char *prefix;   // of its tensors' names: "", or "layers.3.attention."
    bool input;           // the input, else an attention
    long width;           // columns of a row of the input; at an attention 0 stands for heads * head_dim
    long heads, head_dim; // attention: heads, whose columns lie head_padded apart in rows of queries and keys
    long head_padded;
    real query_scale;    // attention: queries come multiplied by it
    bool causal, frozen; // frozen: its tensors are not trained
    double init_scale;   // standard deviation of learned vectors at the start
    // The rest is the encoding's own.
    const struct nn_encoding *encoding;
    struct nn_tensor *tensor[NN_SITE_TENSORS];
    real *table;    // rows for positions: what is added, or angles
    long filled;    // rows that hold their numbers
    double scaling; // what they were made for
    bool gradient;  // of this pass
    struct nn_bias_table bias;
    struct nn_distance_vectors vectors;
    real *work;
    void *own; // what one encoding alone has
};

// The next query of sequences that go in step, the last of its keys 0 … at, in all heads; see nn_decode.h.
struct nn_next {
    long samples, at;
    long length;              // that the sequences may come to
    const int32_t *positions; // (samples, length)
    bool consecutive;
    real *query; // (samples, query_stride): all heads'
    long query_stride;
    // What the scores start from: key j of head h of sample s at start[s * start_sample + h * start_head + j]. There is
    // room for (samples, heads, start_head), 16 numbers before key 0 among them. start_sample 0: all samples share.
    real *start;
    long start_sample, start_head;
};

struct nn_encoding {
    const char *name; // as in spec
    bool input;       // acts on the input, else on attention (or nowhere)
    // Hooks that are NULL do nothing. Memory and tensors; tables and initial weights.
    void (*layout)(struct nn_site *site, struct nn_builder *builder);
    void (*fill)(struct nn_site *site);
    // Once a pass over sequences of up to `length`: what follows from the weights and the length; sums of gradients
    // cleared.
    void (*begin)(struct nn_site *site, long length, bool gradient);
    // Input: adds rows to x; and adds their gradient.
    void (*add)(const struct nn_site *site, real *x, long stride, long count, const int32_t *positions);
    void (*add_gradient)(const struct nn_site *site, const real *x_gradient, long stride, long count,
                         const int32_t *positions);
    // Attention: turns `count` rows of all heads' queries, or keys, or `back` their gradients.
    void (*rotate)(const struct nn_site *site, real *rows, long stride, long count, const int32_t *positions,
                   bool back);
    // Attention: writes what the block's scores start from to block->weights, and may change block->columns; and from
    // block->score_gradient adds to what the site sums, to query_gradient and to key_gradient.
    void (*bias)(struct nn_site *site, struct nn_attention *block);
    void (*bias_gradient)(struct nn_site *site, struct nn_attention *block);
    // The same bits for the last query alone: fills `start`, sets start_sample, and may change the queries.
    void (*bias_next)(struct nn_site *site, struct nn_next *next);
    // Once a pass: adds what was summed to the gradients of the tensors.
    void (*end)(struct nn_site *site, long length);
    // Operations of the bias of one sequence in all heads, for the count.
    double (*bias_flops)(const struct nn_site *site, long length);
};
// One row an encoding: ENCODING_… of spec, and the name of nn_encoding_….
#define NN_ENCODINGS(ROW)                                                                                              \
    ROW(NONE, none)                                                                                                    \
    ROW(SINUSOIDAL, sinusoidal)                                                                                        \
    ROW(ABSOLUTE, absolute)                                                                                            \
    ROW(RELATIVE, relative)                                                                                            \
    ROW(ALIBI, alibi)                                                                                                  \
    ROW(ROPE, rope)                                                                                                    \
    ROW(TRANSFORMER_XL, transformer_xl)                                                                                \
    ROW(T5, t5)                                                                                                        \
    ROW(KERPLE, kerple)                                                                                                \
    ROW(FIRE, fire)
#define NN_ENCODING_DECLARED(kind, name) extern const struct nn_encoding nn_encoding_##name;
NN_ENCODINGS(NN_ENCODING_DECLARED)
const struct nn_encoding *nn_encoding(int kind);

// Finds the encoding in the model's settings; takes memory and adds tensors for up to model->max_length tokens.
void nn_site_layout(struct nn_site *site, struct nn_builder *builder);
void nn_site_fill(struct nn_site *site);
// Begin and end frame a pass, or a part of one whose sums are wanted apart. `gradient`: the _gradient functions will be
// called; then sequences have at most train_length tokens.
void nn_site_begin(struct nn_site *site, long length, bool gradient);
void nn_site_add(const struct nn_site *site, real *x, long stride, long count, const int32_t *positions);
bool nn_site_learns_input(const struct nn_site *site); // whether add_gradient has anything to do
void nn_site_add_gradient(const struct nn_site *site, const real *x_gradient, long stride, long count,
                          const int32_t *positions);
void nn_site_rotate(const struct nn_site *site, real *rows, long stride, long count, const int32_t *positions,
                    bool back);
bool nn_site_biases(const struct nn_site *site);
// Between take_queries and attend(block, nn_site_biases(site)).
void nn_site_bias(struct nn_site *site, struct nn_attention *block);
// After scores_gradient, for every block in the order of queries.
void nn_site_bias_gradient(struct nn_site *site, struct nn_attention *block);
void nn_site_bias_next(struct nn_site *site, struct nn_next *next); // where nn_site_biases
void nn_site_end(struct nn_site *site, long length);
double nn_site_bias_flops(const struct nn_site *site, long length);

// For encodings. Adds a tensor as site->tensor[which], its name after the prefix, frozen where the site is, with the
// learning rate of its role.
void nn_site_tensor(struct nn_site *site, struct nn_builder *builder, int which, enum nn_role role,
                    struct nn_tensor tensor);
// Row `first` + r of `count` rows: sin(p / 10000^(2c/width)) at column 2c and the cosine at 2c + 1, times `scale`,
// where p = first + r may be negative. Column c of row r is ret[r * row_stride + c * column_stride].
void nn_waves(long first, long count, long width, double scale, long row_stride, long column_stride, real *ret);

// Positions of the rows of samples first … first + samples - 1: 0, 1, 2, … or with random_positions a sorted random
// subset of {0 … random_positions - 1} for each sample, every subset with the same chance, keyed by its set and index,
// in training by the step too (`step` < 0: no training). True where those of all the samples are consecutive.
bool nn_positions(const struct nn_model *model, const struct batch *batch, long first, long samples, int64_t step,
                  int32_t *ret_positions);
// Whether positions of sequences of `length` are 0, 1, 2, …: without random_positions, with encoding none, and for
// sequences that are no shorter than random_positions.
bool nn_consecutive(const struct nn_model *model, long length);
// Largest position + 1 that sequences of `length` can meet.
long nn_position_limit(const struct nn_model *model, long length);
