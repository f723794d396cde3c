// SPDX-License-Identifier: MIT
// What decoding is to the kinds of models: common state, and a row of functions each.
#pragma once
#include "nn_decode.h"
#include "nn_head.h"

enum { NN_DECODE_ROWS = 128 }; // of a prompt at a time, a token of every sequence at least

// The first member of each kind's own struct.
struct nn_decode {
    const struct nn_decode_kind *kind;
    struct nn_model *model;
    long most_samples, capacity; // of create
    long pass_tokens;            // of each sequence at a time
    long done;                   // tokens so far
    struct batch batch;          // the whole sequences, of which the tokens up to `done` are there
    int32_t *tokens;             // (samples, length)
    int64_t *index;              // (samples)
    char set[96];
    real *logits;            // (samples, outputs)
    int32_t *classes, *next; // (samples)
};

struct nn_decode_kind {
    size_t size; // of its struct
    void (*layout)(struct nn_decode *decode, struct nn_builder *builder);
    void (*begin)(struct nn_decode *decode);
    // Tokens done … done + count - 1 of each sequence, which are in `tokens`; at the last of them the logits, unless
    // NULL.
    void (*feed)(struct nn_decode *decode, long count, real *ret_logits);
};
extern const struct nn_decode_kind nn_transformer_decode, nn_recurrent_decode;

// Logits of a row x of each sequence.
void nn_decode_read_out(const struct nn_decode *decode, struct nn_head *head, struct nn_rows x, real *ret_logits);
