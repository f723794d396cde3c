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
    const struct recurrent_course *course = span->course;
    const struct nn_rows gates = model->layer[0].gates;
    for (long k = 0; k < span->steps; k++) {
        const long row = recurrent_row(span, k), running = recurrent_running(span, k);
        for (long s = 0; s < running; s++) {
            const int32_t token = course->batch->tokens[recurrent_origin(course, span->from + s, k)];
            memcpy(nn_rows_from(gates, row + s).at, nn_rows_from(model->table, token).at,
                   (size_t)model->gates * sizeof(real));
        }
    }
}

static void embed(struct recurrent *model, const struct recurrent_span *span)
{
    const struct batch *batch = span->course->batch;
    const struct nn_dropout dropout = nn_dropout(&model->common, model->layer[0].site, span->step);
    struct recurrent_piece piece = {0};
    while (recurrent_next_piece(span->course, &piece)) {
        nn_embedding_forward(&model->embedding, &model->common, batch, piece.row, piece.rows, model->edge);
        nn_drop_rows(&dropout, batch, piece.row, piece.rows, model->width, model->edge);
        recurrent_from_edge(model, &piece, model->edge, model->layer[0].x);
    }
}

// The states of the layer below, with dropout.
static void drop(struct recurrent *model, long l, const struct recurrent_span *span)
{
    const struct nn_rows below = model->layer[l - 1].state, x = model->layer[l].x;
    for (long k = 0; k < span->steps; k++) {
        const long row = recurrent_row(span, k), running = recurrent_running(span, k);
        memcpy(nn_rows_from(x, row).at, nn_rows_from(below, row).at, (size_t)(running * x.stride) * sizeof(real));
    }
    recurrent_drop(model, l, span, x);
}

void recurrent_drop(const struct recurrent *model, long l, const struct recurrent_span *span, struct nn_rows rows)
{
    const struct recurrent_course *course = span->course;
    const struct nn_dropout dropout = nn_dropout(&model->common, model->layer[l].site, span->step);
    if (!nn_drops(&dropout))
        return;
    for (long k = 0; k < span->steps; k++) {
        const long row = recurrent_row(span, k), running = recurrent_running(span, k);
        for (long s = 0; s < running; s++)
            nn_drop_rows(&dropout, course->batch, recurrent_origin(course, span->from + s, k), 1, model->width,
                         nn_rows_from(rows, row + s));
    }
}

// x W_x + b of all steps: at once where their rows are neighbours.
static void project(struct recurrent *model, long l, const struct recurrent_span *span, struct nn_rows x)
{
    const struct recurrent_layer *layer = &model->layer[l];
    const bool joined = span->samples == span->course->samples;
    for (long k = 0; k < span->steps; k = joined ? span->steps : k + 1) {
        const long row = recurrent_row(span, k);
        const long count = joined ? span->course->start[span->steps] : recurrent_running(span, k);
        nn_linear_forward(&model->common, &layer->input, count, nn_rows_from(x, row), (struct nn_rows){0},
                          nn_rows_from(layer->gates, row));
    }
}

static void advance(struct recurrent *model, long l, const struct recurrent_span *span, long k)
{
    const struct recurrent_layer *layer = &model->layer[l];
    const long row = recurrent_row(span, k), running = recurrent_running(span, k);
    struct nn_rows state = {0}, cell = {0};
    if (span->course->begin + k > 0) {
        const long before = k > 0 ? recurrent_row(span, k - 1) : 0;
        state = k > 0 ? nn_rows_from(layer->state, before) : layer->last_state;
        cell = k > 0 ? nn_rows_from(layer->cell, before) : layer->last_cell;
        const struct nn_rows gates = nn_rows_from(layer->gates, row);
        nn_linear_forward(&model->common, &layer->recurrent, running, state, gates, gates);
    }
    const struct nn_cell step = {.rows = running,
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
        for (long k = 0; k < span->steps; k++)
            advance(model, l, span, k);
    }
}

static void retreat(struct recurrent *model, long l, const struct recurrent_span *span, long k, struct nn_rows sums)
{
    const struct recurrent_layer *layer = &model->layer[l];
    const long row = recurrent_row(span, k);
    const struct nn_rows slope = nn_rows_from(model->slope, row);
    if (k + 1 < span->steps)
        nn_linear_back(&model->common, &layer->recurrent, recurrent_running(span, k + 1),
                       nn_rows_from(sums, recurrent_row(span, k + 1)), slope, true);
    const struct nn_cell step = {
        .rows = recurrent_running(span, k),
        .width = model->padded,
        .gates_stride = sums.stride,
        .stride = slope.stride,
        .gates = nn_rows_from(sums, row).at,
        .cell_before = k > 0 ? nn_rows_from(layer->cell, recurrent_row(span, k - 1)).at : NULL,
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
    for (long k = span->steps - 1; k >= 0; k--)
        retreat(model, l, span, k, sums);
    return sums;
}
