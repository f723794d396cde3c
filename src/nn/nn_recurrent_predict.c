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
    const long row = recurrent_row(span, span->begin + span->steps - 1);
    for (long l = 0; l < model->layers; l++) {
        const struct recurrent_layer *layer = &model->layer[l];
        const size_t size = (size_t)(span->samples * layer->state.stride) * sizeof(real);
        memcpy(layer->last_state.at, nn_rows_from(layer->state, row).at, size);
        if (model->lstm)
            memcpy(layer->last_cell.at, nn_rows_from(layer->cell, row).at, size);
    }
}

static void read_out(struct recurrent *model, const struct recurrent_span *span, long first, real *ret_logits)
{
    const struct nn_rows state = model->layer[model->layers - 1].state;
    struct recurrent_span piece;
    for (bool some = recurrent_first_piece(span, &piece); some; some = recurrent_next_piece(span, &piece)) {
        recurrent_to_edge(model, &piece, state, model->edge);
        nn_head_forward(&model->head, &model->common, span->batch, first, recurrent_piece_row(&piece),
                        piece.samples * piece.steps, model->edge, ret_logits);
    }
}

static void predict_samples(struct recurrent *model, struct recurrent_span span, real *ret_logits)
{
    const long length = span.batch->length;
    const long most = nn_least(RECURRENT_EDGE_ROWS, nn_most(1, RECURRENT_ROWS / span.samples));
    for (span.begin = 0; span.begin < length; span.begin += span.steps) {
        span.steps = nn_least(most, length - span.begin);
        recurrent_forward(model, &span);
        read_out(model, &span, span.first, ret_logits);
        keep_last(model, &span);
    }
}

void recurrent_predict(struct nn_model *common, const struct batch *batch, const struct nn_outputs *outputs)
{
    struct recurrent *model = (struct recurrent *)common;
    assert(batch->length >= 1 && batch->length <= common->max_length);
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
        predict_samples(model,
                        (struct recurrent_span){
                            .batch = batch, .first = first, .samples = samples, .row_samples = samples, .step = -1},
                        outputs->logits);
    }
}
