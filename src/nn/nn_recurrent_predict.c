// SPDX-License-Identifier: MIT
#include "nn_recurrent.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static void fill_nan(real *values, long count)
{
    for (long i = 0; values && i < count; i++)
        values[i] = (real)NAN;
}

// The states of the last step become those of the steps before.
static void keep_last(struct recurrent *model, const struct recurrent_span *span)
{
    const long row = recurrent_row(span, span->steps - 1), running = recurrent_running(span, span->steps - 1);
    for (long l = 0; l < model->layers; l++) {
        const struct recurrent_layer *layer = &model->layer[l];
        const size_t size = (size_t)(running * layer->state.stride) * sizeof(real);
        memcpy(layer->last_state.at, nn_rows_from(layer->state, row).at, size);
        if (model->lstm)
            memcpy(layer->last_cell.at, nn_rows_from(layer->cell, row).at, size);
    }
}

static void read_out(struct recurrent *model, real *ret_logits)
{
    const struct recurrent_course *course = &model->course;
    const struct nn_rows state = model->layer[model->layers - 1].state;
    struct recurrent_piece piece = {0};
    while (recurrent_next_piece(course, &piece)) {
        recurrent_to_edge(model, &piece, state, model->edge);
        nn_head_forward(&model->head, &model->common, course->batch, course->first, piece.row, piece.rows, model->edge,
                        ret_logits);
    }
}

static void predict_samples(struct recurrent *model, real *ret_logits)
{
    struct recurrent_course *course = &model->course;
    for (long begin = 0; begin < course->longest; begin += course->steps) {
        recurrent_take_steps(course, begin, RECURRENT_EDGE_ROWS, RECURRENT_ROWS);
        const struct recurrent_span span = {
            .course = course, .samples = course->samples, .steps = course->steps, .step = -1};
        recurrent_forward(model, &span);
        read_out(model, ret_logits);
        keep_last(model, &span);
    }
}

void recurrent_predict(struct nn_model *common, const struct batch *batch, const struct nn_outputs *outputs)
{
    struct recurrent *model = (struct recurrent *)common;
    assert(nn_lengths_fit(batch, common->max_length));
    fill_nan(outputs->relevant_mass, batch->samples);
    fill_nan(outputs->relevant_value_norm, batch->samples);
    fill_nan(outputs->irrelevant_value_norm, batch->samples);
    if (!outputs->logits)
        return;
    const long chunk = common->chunk_samples > 0 ? common->chunk_samples : RECURRENT_STEP_SAMPLES;
    const long most = nn_least(chunk, RECURRENT_STEP_SAMPLES);
    recurrent_begin(model, false);
    for (long first = 0; first < batch->samples; first += most) {
        const long samples = nn_least(most, batch->samples - first);
        recurrent_plan(&model->course, batch, first, samples);
        predict_samples(model, outputs->logits);
    }
}
