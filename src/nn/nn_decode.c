// SPDX-License-Identifier: MIT
#include "nn_decode.h"
#include "base_text.h"
#include "nn_decode_private.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct nn_decode_kind *kind_of(const struct nn_model *model)
{
    static const struct nn_decode_kind *const table[] = {
        [MODEL_TWO_LAYER] = NULL,
        [MODEL_TRANSFORMER] = &nn_transformer_decode,
        [MODEL_RNN] = &nn_recurrent_decode,
        [MODEL_LSTM] = &nn_recurrent_decode,
    };
    _Static_assert(sizeof table / sizeof *table == MODEL_KINDS, "a row for each model of spec");
    return table[model->settings.model.kind];
}

// NULL where the model goes token by token.
static const char *obstacle(const struct nn_model *model)
{
    const struct settings *settings = &model->settings;
    if (!kind_of(model))
        return "a two_layer model reads whole sequences; use a transformer, rnn or lstm";
    if (model->shape.vocabulary == 0)
        return "the model reads vectors, and its outputs are none; choose a task of tokens";
    if (settings->model.kind == MODEL_TRANSFORMER && !settings_causal(settings))
        return "tokens see those after them; set attention_mask to causal";
    if (settings_pooling(settings) != POOLING_PER_POSITION)
        return "the model has one target a sequence; set pooling to per_position";
    return NULL;
}

static void lay_out(struct nn_decode *decode, struct nn_builder *builder)
{
    const long samples = decode->most_samples;
    decode->tokens = nn_take(builder, samples, decode->capacity, sizeof *decode->tokens);
    decode->index = nn_take(builder, samples, 1, sizeof *decode->index);
    decode->logits = nn_take_reals(builder, samples, decode->model->outputs);
    decode->classes = nn_take(builder, samples, 1, sizeof *decode->classes);
    decode->next = nn_take(builder, samples, 1, sizeof *decode->next);
    decode->kind->layout(decode, builder);
}

static struct nn_decode blank(struct nn_model *model, long samples, long capacity)
{
    return (struct nn_decode){.kind = kind_of(model),
                              .model = model,
                              .most_samples = samples,
                              .capacity = capacity,
                              .pass_tokens = nn_least(capacity, nn_most(1, NN_DECODE_ROWS / samples))};
}

size_t nn_decode_bytes(const struct nn_model *model, long samples, long capacity)
{
    enum { STRUCT_LIMIT = 2048 };
    union {
        struct nn_decode decode;
        char room[STRUCT_LIMIT];
    } any = {.decode = blank((struct nn_model *)model, samples, capacity)};
    struct nn_builder builder = {0};
    if (!any.decode.kind)
        return 0;
    assert(any.decode.kind->size <= sizeof any);
    nn_take_structs(&builder, 1, any.decode.kind->size);
    lay_out(&any.decode, &builder);
    return builder.bytes;
}

enum status_code nn_decode_create(struct nn_model *model, long samples, long capacity, struct arena *arena,
                                  struct nn_decode **ret_decode, struct status *status)
{
    const char *why = obstacle(model);
    if (why)
        return status_set(status, STATUS_INVALID, "nothing can be decoded token by token: %s", why);
    if (samples < 1 || capacity < 1 || capacity > model->max_length)
        return status_set(
            status, STATUS_INVALID,
            "%ld sequences of %ld tokens cannot be decoded: at least one is needed, of at most %ld tokens, "
            "the model's longest",
            samples, capacity, model->max_length);
    struct nn_builder builder = {.arena = arena, .structures = arena};
    struct nn_decode *decode = nn_take_structs(&builder, 1, kind_of(model)->size);
    if (decode) {
        *decode = blank(model, samples, capacity);
        lay_out(decode, &builder);
    }
    if (builder.failed) {
        char need[TEXT_NUMBER_SIZE];
        return status_set(status, STATUS_MEMORY,
                          "decoding needs %s, more than is left; take fewer or shorter sequences",
                          text_size((double)nn_decode_bytes(model, samples, capacity), need));
    }
    *ret_decode = decode;
    return STATUS_OK;
}

void nn_decode_begin(struct nn_decode *decode, const struct nn_decode_start *start)
{
    const long length = start->length > 0 ? start->length : decode->capacity;
    assert(start->samples >= 1 && start->samples <= decode->most_samples && length <= decode->capacity);
    snprintf(decode->set, sizeof decode->set, "%s", start->set ? start->set : "");
    if (start->index)
        memcpy(decode->index, start->index, (size_t)start->samples * sizeof *start->index);
    memset(decode->tokens, 0, (size_t)(start->samples * length) * sizeof *decode->tokens);
    decode->done = 0;
    decode->batch = (struct batch){.samples = start->samples,
                                   .length = length,
                                   .tokens = decode->tokens,
                                   .positions = length,
                                   .classes = decode->model->shape.classes,
                                   .binary = decode->model->shape.binary,
                                   .set = decode->set,
                                   .index = start->index ? decode->index : NULL,
                                   .first = start->first};
    decode->kind->begin(decode);
}

long nn_decode_length(const struct nn_decode *decode)
{
    return decode->done;
}

// A batch whose every row is a sequence.
static struct batch rows_of(const struct nn_decode *decode)
{
    struct batch batch = decode->batch;
    batch.length = batch.positions = 1;
    return batch;
}

void nn_decode_read_out(const struct nn_decode *decode, struct nn_head *head, struct nn_rows x, real *ret_logits)
{
    const struct batch rows = rows_of(decode);
    nn_head_forward(head, decode->model, &rows, 0, 0, rows.samples, x, ret_logits);
}

void nn_decode_feed_some(struct nn_decode *decode, const int32_t *tokens, long count, real *ret_logits)
{
    const struct batch *batch = &decode->batch;
    assert(count >= 1 && decode->done + count <= batch->length);
    for (long s = 0; s < batch->samples; s++)
        for (long i = 0; i < count; i++) {
            assert(tokens[s * count + i] >= 0 && tokens[s * count + i] < decode->model->shape.vocabulary);
            decode->tokens[s * batch->length + decode->done + i] = tokens[s * count + i];
        }
    for (long some; count > 0; count -= some) {
        some = nn_least(count, decode->pass_tokens);
        decode->kind->feed(decode, some, some == count ? ret_logits : NULL);
        decode->done += some;
    }
}

void nn_decode_feed(struct nn_decode *decode, const int32_t *tokens, real *ret_logits)
{
    nn_decode_feed_some(decode, tokens, 1, ret_logits);
}

// Classes of the logits; where there is none the sequence goes on with some token, and nothing of it is told.
static void choose(struct nn_decode *decode, int32_t *ret_tokens, long step, long steps)
{
    const struct batch rows = rows_of(decode);
    nn_classes(&rows, decode->logits, decode->classes);
    for (long s = 0; s < rows.samples; s++) {
        int32_t *token = ret_tokens + s * steps + step;
        *token = step > 0 && token[-1] < 0 ? -1 : decode->classes[s];
        decode->next[s] = *token < 0 ? 0 : *token;
    }
}

void nn_decode_greedy(struct nn_decode *decode, const int32_t *prompt, long count, long steps, int32_t *ret_tokens)
{
    assert(decode->model->shape.classes <= decode->model->shape.vocabulary);
    nn_decode_feed_some(decode, prompt, count, decode->logits);
    for (long step = 0; step < steps; step++) {
        choose(decode, ret_tokens, step, steps);
        if (step + 1 < steps)
            nn_decode_feed(decode, decode->next, decode->logits);
    }
}
