// SPDX-License-Identifier: MIT
#include "nn_recurrent.h"
#include <string.h>

void recurrent_begin(struct recurrent *model, bool gradient)
{
    const struct nn_model *common = &model->common;
    nn_embedding_begin(&model->embedding, common);
    for (long l = 0; l < model->layers; l++) {
        struct recurrent_layer *layer = &model->layer[l];
        nn_linear_pack(common, &layer->input, gradient);
        nn_linear_pack(common, &layer->recurrent, gradient);
        common->kernels->add_scaled(layer->input.bias, layer->recurrent_bias->value, 1, model->gates);
    }
    nn_head_begin(&model->head, common, gradient);
    if (!model->table_allowed)
        return;
    const struct nn_tensor *embedding = model->embedding.table;
    nn_linear_forward(common, &model->layer[0].input, embedding->rows,
                      (struct nn_rows){embedding->value, embedding->stride}, (struct nn_rows){0}, model->table);
}

bool recurrent_uses_table(const struct recurrent *model, int64_t step)
{
    return model->table_allowed && !(model->dropping && step >= 0);
}

static void look_up(struct recurrent *model, const struct recurrent_span *span)
{
    const struct batch *batch = span->batch;
    const struct nn_rows gates = model->layer[0].gates;
    for (long t = span->begin; t < span->begin + span->steps; t++)
        for (long s = 0; s < span->samples; s++) {
            const int32_t token = batch->tokens[(span->first + s) * batch->length + t];
            memcpy(nn_rows_from(gates, recurrent_row(span, t) + s).at, nn_rows_from(model->table, token).at,
                   (size_t)model->gates * sizeof(real));
        }
}

static void embed(struct recurrent *model, const struct recurrent_span *span)
{
    const struct nn_dropout dropout = nn_dropout(&model->common, model->layer[0].site, span->step);
    struct recurrent_span piece;
    for (bool some = recurrent_first_piece(span, &piece); some; some = recurrent_next_piece(span, &piece)) {
        const long row = recurrent_piece_row(&piece), count = piece.samples * piece.steps;
        nn_embedding_forward(&model->embedding, &model->common, span->batch, row, count, model->edge);
        nn_drop_rows(&dropout, span->batch, row, count, model->width, model->edge);
        recurrent_from_edge(model, &piece, model->edge, model->layer[0].x);
    }
}

// The states of the layer below, with dropout.
static void drop(struct recurrent *model, long l, const struct recurrent_span *span)
{
    const struct nn_rows below = model->layer[l - 1].state, x = model->layer[l].x;
    for (long t = span->begin; t < span->begin + span->steps; t++) {
        const long row = recurrent_row(span, t);
        memcpy(nn_rows_from(x, row).at, nn_rows_from(below, row).at, (size_t)(span->samples * x.stride) * sizeof(real));
    }
    recurrent_drop(model, l, span, x);
}

void recurrent_drop(const struct recurrent *model, long l, const struct recurrent_span *span, struct nn_rows rows)
{
    const struct nn_dropout dropout = nn_dropout(&model->common, model->layer[l].site, span->step);
    if (!nn_drops(&dropout))
        return;
    for (long t = span->begin; t < span->begin + span->steps; t++)
        for (long s = 0; s < span->samples; s++)
            nn_drop_rows(&dropout, span->batch, (span->first + s) * span->batch->length + t, 1, model->width,
                         nn_rows_from(rows, recurrent_row(span, t) + s));
}

// x W_x + b of all steps: at once where their rows are neighbours.
static void project(struct recurrent *model, long l, const struct recurrent_span *span, struct nn_rows x)
{
    const struct recurrent_layer *layer = &model->layer[l];
    const bool joined = span->samples == span->row_samples;
    const long calls = joined ? 1 : span->steps, count = joined ? span->steps * span->samples : span->samples;
    for (long call = 0; call < calls; call++) {
        const long row = recurrent_row(span, span->begin + call);
        nn_linear_forward(&model->common, &layer->input, count, nn_rows_from(x, row), (struct nn_rows){0},
                          nn_rows_from(layer->gates, row));
    }
}

static void advance(struct recurrent *model, long l, const struct recurrent_span *span, long t)
{
    const struct recurrent_layer *layer = &model->layer[l];
    const long row = recurrent_row(span, t), before = row - span->row_samples;
    struct nn_rows state = {0}, cell = {0};
    if (t > 0) {
        state = t > span->begin ? nn_rows_from(layer->state, before) : layer->last_state;
        cell = t > span->begin ? nn_rows_from(layer->cell, before) : layer->last_cell;
        const struct nn_rows gates = nn_rows_from(layer->gates, row);
        nn_linear_forward(&model->common, &layer->recurrent, span->samples, state, gates, gates);
    }
    const struct nn_cell step = {.rows = span->samples,
                                 .width = model->padded,
                                 .gates_stride = layer->gates.stride,
                                 .stride = layer->state.stride,
                                 .gates = nn_rows_from(layer->gates, row).at,
                                 .cell_before = cell.at,
                                 .cell = nn_rows_from(layer->cell, row).at,
                                 .state = nn_rows_from(layer->state, row).at};
    (model->lstm ? model->common.kernels->lstm_cell : model->common.kernels->rnn_cell)(&step);
}

struct nn_rows recurrent_input(const struct recurrent *model, long l, int64_t step)
{
    const bool dropped = model->dropping && step >= 0;
    return l > 0 && !dropped ? model->layer[l - 1].state : model->layer[l].x;
}

void recurrent_forward(struct recurrent *model, const struct recurrent_span *span)
{
    for (long l = 0; l < model->layers; l++) {
        if (l == 0 && recurrent_uses_table(model, span->step)) {
            look_up(model, span);
        } else {
            if (l == 0)
                embed(model, span);
            else if (model->dropping && span->step >= 0)
                drop(model, l, span);
            project(model, l, span, recurrent_input(model, l, span->step));
        }
        for (long t = span->begin; t < span->begin + span->steps; t++)
            advance(model, l, span, t);
    }
}

static void retreat(struct recurrent *model, long l, const struct recurrent_span *span, long t, struct nn_rows sums)
{
    const struct recurrent_layer *layer = &model->layer[l];
    const long row = recurrent_row(span, t);
    const struct nn_rows slope = nn_rows_from(model->slope, row);
    if (t + 1 < span->steps)
        nn_linear_back(&model->common, &layer->recurrent, span->samples, nn_rows_from(sums, row + span->row_samples),
                       slope, true);
    const struct nn_cell step = {
        .rows = span->samples,
        .width = model->padded,
        .gates_stride = sums.stride,
        .stride = slope.stride,
        .gates = nn_rows_from(sums, row).at,
        .cell_before = t > 0 ? nn_rows_from(layer->cell, row - span->row_samples).at : NULL,
        .cell = nn_rows_from(layer->cell, row).at,
        .state = nn_rows_from(layer->state, row).at,
        .state_gradient = slope.at,
        .cell_gradient = model->cell_slope.at,
    };
    (model->lstm ? model->common.kernels->lstm_cell_gradient : model->common.kernels->rnn_cell_gradient)(&step);
}

struct nn_rows recurrent_back(struct recurrent *model, long l, const struct recurrent_span *span)
{
    const struct nn_rows sums = model->lstm ? model->layer[l].gates : model->slope;
    if (model->lstm)
        memset(model->cell_slope.at, 0, (size_t)(span->samples * model->cell_slope.stride) * sizeof(real));
    for (long t = span->steps - 1; t >= 0; t--)
        retreat(model, l, span, t, sums);
    return sums;
}
