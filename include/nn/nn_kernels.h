// SPDX-License-Identifier: MIT
// The inner loops of nn, compiled once for each instruction set. Every table gives the same bits:
//   - an element of a product is one chain of fused multiply-adds, its terms in ascending order, from zero or from C;
//   - sums along the keys are 4 partial sums (key mod 4), then (0 + 1) + (2 + 3);
//   - sums along 16 columns or 16 queries are simd_sum16 of base_simd.h.
// So neither tiles nor chunks of samples nor the width of a register show in a result.
//
// Matrices are row-major with a stride in numbers. "A group" is 16 columns. Attention works on blocks of 16 queries: a
// row of a block holds one number for each of its queries, in lanes; lanes beyond the sequence hold anything, and no
// result contains them.
#pragma once
#include "nn_model.h"
#include <stdint.h>

enum { NN_LANES = 16 };

// C (rows x columns) = start + A B. The chains start from C where `from_c`, from `residual`, or from zero; plus `bias`,
// rounded once. Element (i, k) of A is a[i * a_row + k * a_depth] with one of the two strides 1 (A as stored, or
// transposed). Row k of group g of B is at b + k * b_stride + g * b_group. `columns` is a multiple of 16, `rows` and
// `depth` are any. C overlaps neither A nor B; `residual` is C itself or elsewhere.
struct nn_product {
    long rows, columns, depth;
    const real *a;
    long a_row, a_depth;
    const real *b;
    long b_stride, b_group;
    real *c;
    long c_stride;
    bool from_c;
    const real *bias;     // (columns), or NULL
    const real *residual; // (rows, columns), or NULL; not together with from_c
    long residual_stride;
};

// One sample's attention in one head, at the block of queries `first` … `first` + 15. Rows of tokens lie `stride` apart
// in all six matrices; 16 rows behind the last query may be read. Queries come scaled: a score is query · key (+ bias).
// The block attends to keys 0 … keys - 1: all of `length`, or under a causal mask those up to its last query, and of
// these a query sees those up to itself. Without values (a linear model) a token acts through its vote
// z_j = x_j W_V w_O alone.
struct nn_attention {
    long length, first, stride;
    long keys; // keys in play; everything (keys, 16) below has so many rows
    bool causal;
    long head;                // which head this is, for its encoding
    const int32_t *positions; // (length): of the tokens, ascending
    bool consecutive;         // positions are 0, 1, 2, …
    long head_dim, value_dim; // columns of queries and keys; of values
    const real *query, *key, *value;
    const real *votes; // (length)
    real *query_gradient, *key_gradient, *value_gradient, *vote_gradients;
    const real *readout; // (value_dim, padded with zeros to groups)
    real *readout_sum;   // (value_dim, padded): sum over queries of the activations

    // The block's workspace.
    real *columns;          // (head_dim padded, 16): its queries, transposed
    real *weights;          // (keys, 16): scores; then e = exp(score - largest), the attention before division; e = 0
                            // for keys that the mask hides
    real *score_gradient;   // (keys, 16)
    const real *kept;       // (keys, 16), or NULL: dropout's factors on the attention, 0 or 1 / (1 - rate)
    real *dropped;          // (keys, 16), with `kept`: weights times kept
    real *mixed;            // (value_dim padded, 16): activations; rows of padding stay zero
    real *mixed_gradient;   // (value_dim, 16)
    real *mixed_rows;       // (groups of value_dim, 16 queries, 16 columns): gradient of what the values are mixed to
    real inverse[NN_LANES]; // 1 / sum of e
    real output[NN_LANES];  // what each query adds to f before scaling
    real total[NN_LANES];   // sum of outputs over the sample's queries so far, lane by lane
};

// Attention of the last token of sequences that have `keys` of them, in each head: unit u is head u % heads of sequence
// u / heads. Keys lie in tiles of 16: number c of key j of a tile at c * 16 + j, tiles head_dim * 16 apart; what is
// beyond `keys` holds anything. Values are rows of head_dim numbers, padded with zeros. Heads of queries and of what is
// mixed lie head_dim (padded) apart.
enum { NN_DECODE_UNITS = 4 };
struct nn_decoding {
    long samples, heads, keys, head_dim;
    const real *query;
    long query_sample; // from a sequence to the next
    const real *key, *value;
    long key_unit, value_unit; // from a unit to the next
    const real *start;         // (keys, padded): what the scores of each unit start from; NULL: zero
    long start_sample, start_head;
    real *weights; // workspace: NN_DECODE_UNITS rows of `keys`, padded to tiles, weights_unit apart
    long weights_unit;
    real *mixed;
    long mixed_sample;
};

// What a step does to a flat array; see nn_step in nn_model.h.
struct nn_update {
    real *value;
    const real *gradient;
    real *mean, *square; // velocity or mean; mean of squares
    long count;          // a multiple of 16
    real rate, scale, decay, keep, momentum;
    real beta1, rest1, beta2, rest2, epsilon, adam_rate, inverse_correction2;
};

// A layer norm over rows of `width` columns (padding to groups of 16 is zero and stays so, in y and x_gradient): y =
// (x - mean) / sd * gain + bias with sd = sqrt(variance + 1e-5); rms: no mean is taken and there is no bias, y = x /
// sqrt(mean square + 1e-5) * gain. Sums over columns are 16 partial sums and their tree; over rows, chains with r
// ascending.
struct nn_norm_rows {
    bool rms;
    long rows, width;
    const real *x;
    long x_stride;
    const real *gain, *bias; // (width padded); bias NULL for rms
    real *y;
    long y_stride;
    real *statistics; // (rows, 2): mean, 0 for rms, and 1 / sd
    // Backward: from y_gradient (y_stride) to x_gradient, added to what it holds where `add`; gains' and biases' are
    // added to. Reads x, gain and statistics. x_gradient may be y_gradient.
    const real *y_gradient;
    real *x_gradient;
    long x_gradient_stride;
    bool add;
    real *gain_gradient, *bias_gradient;
};

// A time step of a recurrent layer for `rows` samples; `width` is padded to groups, and units of padding stay 0. Gates
// of a row: i, f, g, o of lstm, `width` apart; one sum of rnn. lstm: i, f, o = sigmoid, g = tanh of their sums, cell =
// f cell_before + i g, state = o tanh(cell). rnn: state = tanh(sum).
struct nn_cell {
    long rows, width;
    long gates_stride, stride;  // of rows of `gates`; of all other rows
    real *gates;                // sums; lstm leaves activations in their place
    const real *cell_before;    // lstm: may be `cell`; NULL: zero
    real *cell, *state;         // rnn has no cell, and `state` may be `gates`
    const real *state_gradient; // backward; rnn: may be `gates`
    real *cell_gradient;        // lstm, backward: of the cell; becomes that of the cell before
};

// Pairs of a block's queries and keys, each with the vector of its distance m = key - query, by positions; m is clipped
// to least … most. Row m is at rows + m * row_stride.
struct nn_pairs {
    const real *query;
    long query_stride, queries;
    long columns; // a multiple of 16
    const real *rows;
    long row_stride, least, most;
    real *query_gradient; // (queries, query_stride)
    real *sums;           // gradients of rows, sums_stride apart; NULL: not wanted
    long sums_stride;
};

// FIRE's network at one head for a block of queries and all its keys; see src/nn/nn_fire.h. ψ and its derivative for
// key j and 16 queries are at psi + j * step.
enum { FIRE_LANE_ACTIVE, FIRE_LANE_PSI, FIRE_LANE_SLOPE, FIRE_LANE_SUMS };
struct nn_fire_block {
    long units;
    const real *in, *in_bias, *out; // (units)
    real out_bias;
    real inverse[NN_LANES]; // what ψ is multiplied by at each query
    const real *psi, *psi_slope;
    long step;
    // (units, FIRE_LANE_SUMS, 16): over the keys where the unit is active, the score gradients, times ψ, times the
    // derivative; then (16): over all keys.
    real *lane_sums;
};

struct nn_kernels {
    void (*multiply)(const struct nn_product *product);
    // B for `multiply`, in groups without gaps (b_stride 16, b_group 16 * depth), of factor * the matrix `value` of
    // depth rows and `columns` columns (padded to groups as stored); or of its transpose, then `depth` is its columns
    // and `columns` its rows, both multiples of 16 as stored.
    void (*pack)(const real *value, long stride, long depth, long columns, real factor, real *ret_groups);
    void (*pack_transposed)(const real *value, long stride, long depth, long columns, real factor, real *ret_groups);

    void (*norm)(const struct nn_norm_rows *norm);
    void (*norm_gradient)(const struct nn_norm_rows *norm);
    // x (count, a multiple of 16) becomes act(x), slope its derivative there (enum ffn_kind); slope may be NULL. act(0)
    // is 0, so padding stays.
    void (*activate)(int function, real *x, real *slope, long count);
    void (*times)(real *y, const real *x, long count); // y *= x
    // sum (width, a multiple of 16) += rows, r ascending.
    void (*sum_rows)(const real *rows, long stride, long count, long width, real *sum);

    // -log softmax(logits)[target] over `classes`; and its gradient times `factor`, in the place of the logits, whose
    // row is padded to groups of 16: the padding becomes 0. A sum over classes is 16 partial sums (class mod 16) and
    // their tree. NaN among the logits makes all NaN.
    real (*class_loss)(const real *logits, long classes, int32_t target);
    void (*class_gradient)(real *logits, long classes, int32_t target, real factor);

    // Forward; backward, where `gates` (lstm: activations; rnn: anything) becomes the gradient of the sums.
    void (*lstm_cell)(const struct nn_cell *cell);
    void (*lstm_cell_gradient)(const struct nn_cell *cell);
    void (*rnn_cell)(const struct nn_cell *cell);
    void (*rnn_cell_gradient)(const struct nn_cell *cell);

    void (*step_gd)(const struct nn_update *update);
    void (*step_momentum)(const struct nn_update *update);
    void (*step_adam)(const struct nn_update *update);

    // After `attend`: rows (queries that exist, value_dim padded, `stride` apart) = values mixed by attention, which
    // dropout has thinned where there is `kept`. Columns of padding in `value` are zero.
    void (*mix)(struct nn_attention *attention, real *ret_rows, long stride);
    // After `attend` too: from the gradient of these rows adds to value_gradient, and fills score_gradient.
    // scores_gradient is next. A key's gradients start with the first block that attends to it: blocks come in order.
    void (*mix_gradient)(struct nn_attention *attention, const real *rows, long stride);

    // Fills `columns` from the block's queries.
    void (*take_queries)(struct nn_attention *attention);
    // Scores of all keys, onto what `weights` holds where `biased`; then e and `inverse`.
    void (*attend)(struct nn_attention *attention, bool biased);
    // Outputs of the block, added to `total`: from votes, or from values through ReLU and read-out.
    void (*read_votes)(struct nn_attention *attention);
    void (*read_values)(struct nn_attention *attention);
    // Given the gradient of `total`, the same in each lane: gradients of the votes or values (added to those of earlier
    // blocks) and `score_gradient`, of values where `scores`. `readout_sum` is added to where it is not NULL.
    void (*votes_gradient)(struct nn_attention *attention, real upstream);
    void (*values_gradient)(struct nn_attention *attention, real upstream, bool scores);
    // From `score_gradient`: the block's queries; the keys, added to those of earlier blocks.
    void (*scores_gradient)(struct nn_attention *attention);
    // The sum of the lanes of attention->total.
    real (*total)(const struct nn_attention *attention);
    // The attention that the block's queries pay to the given keys, added up in `ret_mass` lane by lane; 0 in lanes
    // beyond the sequence.
    void (*attention_on)(const struct nn_attention *attention, const int32_t *keys, long count,
                         real ret_mass[NN_LANES]);

    // `mixed` of every unit: the bits of `attend` and `mix` at a block whose last query it is.
    void (*decode)(const struct nn_decoding *decoding);

    // Turns the halves of `columns` numbers of each row by the angles of its position: pair (c, c + columns / 2) by
    // (cosine, sine) at angles[position * columns + c], [… + columns / 2 + c], backwards where `back`.
    void (*rotate)(real *rows, long stride, long count, long columns, const int32_t *positions, const real *angles,
                   bool back);
    // weights[j, lane] = values[first + lane - j], and sums of the same places += score_gradient. Up to 15 places more
    // on either side are read, and added zero to.
    void (*bias_slices)(struct nn_attention *attention, const real *values);
    void (*bias_slices_gradient)(const struct nn_attention *attention, real *sums);
    // weights[j * 16 + lane] = rows[lane * stride + j] for `keys` <= 16 keys j; and back, zeros beyond them. All 16 x
    // 16 places of `rows` are read or written.
    void (*shift)(const real *rows, long stride, long keys, real *weights);
    void (*unshift)(const real *gradient, long keys, real *rows, long stride);
    // weights[j, lane] = query[lane] · rows[m], as dots sums; the gradients are added, lane by lane, keys ascending.
    void (*pair_scores)(struct nn_attention *attention, const struct nn_pairs *pairs);
    void (*pair_scores_gradient)(const struct nn_attention *attention, const struct nn_pairs *pairs);
    // ret[j] = the sum of score_gradient over the block's queries.
    void (*key_slopes)(const struct nn_attention *attention, real *ret_sums);

    // weights = the network's outputs (psi may be weights itself); and from score_gradient, lane_sums.
    void (*fire_scores)(struct nn_attention *attention, const struct nn_fire_block *fire);
    void (*fire_scores_gradient)(const struct nn_attention *attention, const struct nn_fire_block *fire);

    // ret[r] = rows[r] · vector, `width` a multiple of 16, by 16 partial sums; norms: the root of rows[r] · rows[r].
    void (*dots)(const real *rows, long stride, long count, long width, const real *vector, real *ret);
    void (*norms)(const real *rows, long stride, long count, long width, real *ret);
    // Sum of squares in double, `count` a multiple of 16: 16 partial sums and their tree.
    double (*square_norm)(const real *x, long count);
    // sum (width) += coefficient[r] * rows[r], r ascending.
    void (*combine)(const real *rows, long stride, long count, long width, const real *coefficient, real *sum);

    // Element by element, `count` a multiple of 16: y += scale * x; y = decay * y + x; y *= scale.
    void (*add_scaled)(real *y, const real *x, real scale, long count);
    void (*decay_add)(real *y, const real *x, real decay, long count);
    void (*scale)(real *y, real scale, long count);

    // Of x = -(sign of the target) * logit: the losses log(1 + exp(x)), any `count`, in place if wanted; and the
    // derivative of one.
    void (*losses)(const real *x, long count, real *ret_loss);
    real (*loss_slope)(real x);
};

// The table of an instruction set (enum isa) that isa_supported() affirms.
const struct nn_kernels *nn_kernels(int isa);
