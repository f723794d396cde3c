// SPDX-License-Identifier: MIT
// rnn and lstm token by token: every sequence has its last states, of each layer.
#include "nn_decode_private.h"
#include "nn_recurrent.h"
#include <string.h>

struct recurrent_decode {
    struct nn_decode common;
    struct nn_rows x, gates;    // (samples): of one layer
    struct nn_rows state, cell; // (layers, samples)
};

static void layout(struct nn_decode *common, struct nn_builder *builder)
{
    struct recurrent_decode *decode = (struct recurrent_decode *)common;
    const struct recurrent *model = (const struct recurrent *)common->model;
    const long samples = common->most_samples;
    decode->x = nn_take_rows(builder, samples, model->width);
    decode->gates = nn_take_rows(builder, samples, model->gates);
    decode->state = nn_take_rows(builder, model->layers * samples, model->width);
    if (model->lstm)
        decode->cell = nn_take_rows(builder, model->layers * samples, model->width);
}

static void begin(struct nn_decode *common)
{
    recurrent_begin((struct recurrent *)common->model, false);
}

// Sums of the first layer's gates but for its states' part.
static void read_tokens(const struct recurrent_decode *decode, struct recurrent *model, long t)
{
    const struct batch *batch = &decode->common.batch;
    const bool table = recurrent_uses_table(model, -1);
    for (long s = 0; s < batch->samples; s++) {
        const long row = s * batch->length + t;
        if (table)
            memcpy(nn_rows_from(decode->gates, s).at, nn_rows_from(model->table, batch->tokens[row]).at,
                   (size_t)model->gates * sizeof(real));
        else
            nn_embedding_forward(&model->embedding, &model->common, batch, row, 1, nn_rows_from(decode->x, s));
    }
    if (!table)
        nn_linear_forward(&model->common, &model->layer[0].input, batch->samples, decode->x, (struct nn_rows){0},
                          decode->gates);
}

static void advance(const struct recurrent_decode *decode, const struct recurrent *model, long l, long t)
{
    const struct recurrent_layer *layer = &model->layer[l];
    const struct nn_model *common = &model->common;
    const long samples = decode->common.batch.samples, most = decode->common.most_samples;
    const struct nn_rows state = nn_rows_from(decode->state, l * most), cell = nn_rows_from(decode->cell, l * most);
    if (l > 0)
        nn_linear_forward(common, &layer->input, samples, nn_rows_from(decode->state, (l - 1) * most),
                          (struct nn_rows){0}, decode->gates);
    if (t > 0)
        nn_linear_forward(common, &layer->recurrent, samples, state, decode->gates, decode->gates);
    const struct nn_cell step = {.rows = samples,
                                 .width = model->padded,
                                 .gates_stride = decode->gates.stride,
                                 .stride = state.stride,
                                 .gates = decode->gates.at,
                                 .cell_before = t > 0 ? cell.at : NULL,
                                 .cell = cell.at,
                                 .state = state.at};
    (model->lstm ? common->kernels->lstm_cell : common->kernels->rnn_cell)(&step);
}

static void feed(struct nn_decode *common, long count, real *ret_logits)
{
    const struct recurrent_decode *decode = (const struct recurrent_decode *)common;
    struct recurrent *model = (struct recurrent *)common->model;
    for (long t = common->done; t < common->done + count; t++) {
        read_tokens(decode, model, t);
        for (long l = 0; l < model->layers; l++)
            advance(decode, model, l, t);
    }
    if (ret_logits)
        nn_decode_read_out(common, &model->head,
                           nn_rows_from(decode->state, (model->layers - 1) * common->most_samples), ret_logits);
}

const struct nn_decode_kind nn_recurrent_decode = {
    .size = sizeof(struct recurrent_decode), .layout = layout, .begin = begin, .feed = feed};
