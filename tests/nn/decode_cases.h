// SPDX-License-Identifier: MIT
// Models of all kinds that go token by token, and their sequences' logits in both ways.
#pragma once
#include "../../src/nn/nn_private.h"
#include "nn_decode.h"
#include "transformer_cases.h"

// What is not given is the first of its choices.
struct decode_row {
    int kind, encoding, rope_scaling, norm, activation, parametrization;
    long trained, length, samples;
    int64_t random_positions;
    double fire_threshold;  // 0: beyond all positions
    bool noisy, tied, bare; // bare: no biases in attention and head
    long heads, head_dim;   // 2 and 6 where they are 0
};

static inline struct settings decode_settings(const struct decode_row *row)
{
    const struct shape shape = {.samples = row->samples,
                                .length = row->trained,
                                .heads = row->heads ? row->heads : 2,
                                .head_dim = row->head_dim ? row->head_dim : 6,
                                .norm = row->norm,
                                .activation = row->activation,
                                .head = POOLING_PER_POSITION,
                                .encoding = row->encoding,
                                .parametrization = row->parametrization,
                                .tied = row->tied,
                                .head_bias = !row->bare,
                                .orthonormal = row->noisy};
    struct settings settings = case_settings(&shape);
    settings.model.kind = row->kind;
    settings.model.attention_bias = !row->bare;
    settings.model.random_positions = row->random_positions;
    settings.model.rope_scaling = row->rope_scaling;
    settings.model.fire_threshold = row->fire_threshold > 0 ? row->fire_threshold : 1000;
    return settings;
}

static inline void decode_open(struct nn_case *c, const struct decode_row *row)
{
    const struct settings settings = decode_settings(row);
    const struct random_key key = random_key(9, 0, "test/decode");
    case_model(c, &settings, row->length);
    case_batch(c, row->samples, row->length, false);
    c->batch.set = "test/decode";
    c->batch.first = 40;
    case_stir(c);
    for (size_t i = 0; i < nn_tensor_count(c->model); i++) { // at first zero
        struct nn_tensor *tensor = nn_tensor(c->model, i);
        for (long r = 0; strstr(tensor->name, "t5.bias") && r < tensor->rows; r++)
            for (long k = 0; k < tensor->columns; k++)
                tensor->value[r * tensor->stride + k] =
                    (real)random_uniform(key, (uint64_t)r, (uint32_t)i, (uint32_t)k);
    }
}

static inline struct nn_decode *decode_create(struct nn_case *c, long samples, long capacity)
{
    struct nn_decode *decode = NULL;
    struct status status = {0};
    if (nn_decode_create(c->model, samples, capacity, c->arena, &decode, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    return decode;
}

static inline void decode_begin(struct nn_decode *decode, const struct batch *batch)
{
    nn_decode_begin(decode, &(struct nn_decode_start){.samples = batch->samples,
                                                      .length = batch->length,
                                                      .set = batch->set,
                                                      .index = batch->index,
                                                      .first = batch->first});
}

// Tokens from … from + count - 1 of every sequence of the batch.
static inline void decode_tokens(const struct batch *batch, long from, long count, int32_t *ret_tokens)
{
    for (long s = 0; s < batch->samples; s++)
        memcpy(ret_tokens + s * count, batch->tokens + s * batch->length + from, (size_t)count * sizeof *ret_tokens);
}

// Feeds the batch, `some` tokens at a time, into ret_logits (samples, length, outputs) at the last of them each.
static inline void decode_batch(struct nn_decode *decode, const struct batch *batch, long some, long outputs,
                                real *ret_logits)
{
    int32_t *tokens = case_take(batch->samples * some, sizeof *tokens);
    real *logits = case_take(batch->samples * outputs, sizeof *logits);
    decode_begin(decode, batch);
    for (long at = 0; at + some <= batch->length; at += some) {
        decode_tokens(batch, at, some, tokens);
        nn_decode_feed_some(decode, tokens, some, logits);
        for (long s = 0; s < batch->samples; s++)
            memcpy(ret_logits + (s * batch->length + at + some - 1) * outputs, logits + s * outputs,
                   (size_t)outputs * sizeof *logits);
    }
    free(tokens);
    free(logits);
}
