// SPDX-License-Identifier: MIT
// Sequences made token by token: what a step needs of the tokens before it is kept (keys and values of a transformer,
// the last states of rnn and lstm), so that a token costs what it adds and no sequence is read again.
//
// The logits at each token have the bits of nn_predict on whole sequences of the `length` that was announced at the
// start, of which the tokens so far are the beginning; tokens after it do not matter. They are also those of nn_predict
// on the tokens so far alone, whatever the length, but for three settings, whose predictions themselves depend on how
// long the sequences are:
//   rope_scaling       beyond train_length angles follow from the length
//   random_positions   positions are drawn for the length, where it is smaller
//   encoding fire      a block of 16 queries has its biases in double where its last query is within the threshold, in
//                      single precision otherwise: where the threshold falls into a block, the length decides which
//
// All sequences of a decode go in step. A model serves one decode at a time: from nn_decode_begin to the last token
// neither its weights may change nor may it predict or train; afterwards it may, and so may another decode begin.
#pragma once
#include "nn_model.h"

struct nn_decode;

// Memory for `samples` sequences of up to `capacity` tokens, from `arena`; lives as long as it does, and as the model.
// STATUS_INVALID where a model cannot go token by token (two_layer, vectors as input, a bidirectional mask, one target
// a sequence) or its max_length is less than `capacity`; STATUS_MEMORY when the arena is full.
enum status_code nn_decode_create(struct nn_model *model, long samples, long capacity, struct arena *arena,
                                  struct nn_decode **ret_decode, struct status *status) MUST_CHECK;
// What create takes; 0 for a kind that it refuses.
size_t nn_decode_bytes(const struct nn_model *model, long samples, long capacity);

// Which sequences these are, as in struct batch: what a model draws for them is keyed so.
struct nn_decode_start {
    long samples; // at most those of create
    long length;  // tokens that they may come to, at most the capacity; 0: the capacity
    const char *set;
    const int64_t *index; // (samples), read here alone; NULL: first, first + 1, …
    int64_t first;
};
// Begins new sequences without tokens, at the model's current weights. Neither this nor what follows calls malloc.
void nn_decode_begin(struct nn_decode *decode, const struct nn_decode_start *start);
long nn_decode_length(const struct nn_decode *decode); // tokens that every sequence has so far

// Adds a token to every sequence; and `count` of them, row by row (samples, count). The sum of all must not exceed the
// length.
//   ret_logits (samples, outputs): at the last of them; NULL: not wanted
void nn_decode_feed(struct nn_decode *decode, const int32_t *tokens, real *ret_logits);
void nn_decode_feed_some(struct nn_decode *decode, const int32_t *tokens, long count, real *ret_logits);

// Feeds a prompt (samples, count), count >= 1, and then `steps` times takes the class with the largest logit, as
// nn_classes does, as the next token, which is fed unless it is the last. Classes must be tokens: no more of them than
// the vocabulary.
//   ret_tokens (samples, steps); -1 from where on a logit was NaN, or a binary one 0: such a sequence has no next token
void nn_decode_greedy(struct nn_decode *decode, const int32_t *prompt, long count, long steps, int32_t *ret_tokens);
