// SPDX-License-Identifier: MIT
// From tokens or vectors through the layers, on ranges of a chunk's rows. Attention is in nn_transformer_attention.c.
#include "nn_transformer.h"
#include <stdio.h>

static void begin_layer(struct transformer *model, long number, int64_t step)
{
    struct transformer_layer *layer = &model->layer[number];
    const struct nn_model *common = &model->common;
    const bool training = step >= 0;
    char site[64];
    snprintf(site, sizeof site, "layers.%ld.attention.out", number);
    layer->drop_out = nn_dropout(common, site, step);
    snprintf(site, sizeof site, "layers.%ld.ffn.out", number);
    layer->drop_ffn = nn_dropout(common, site, step);
    nn_linear_pack(common, &layer->project, training);
    nn_linear_pack(common, &layer->out, training);
    nn_linear_pack(common, &layer->ffn_in, training);
    nn_linear_pack(common, &layer->ffn_out, training);
}

void transformer_begin(struct transformer *model, int64_t step)
{
    nn_embedding_begin(&model->embedding, &model->common);
    nn_head_begin(&model->head, &model->common, step >= 0);
    model->drop_input = nn_dropout(&model->common, "input", step);
    model->step = step;
    for (long l = 0; l < model->layers; l++)
        begin_layer(model, l, step);
}

void transformer_sites_begin(struct transformer *model, long length, bool gradient)
{
    nn_site_begin(&model->position, length, gradient);
    for (long l = 0; l < model->layers; l++)
        nn_site_begin(&model->layer[l].site, length, gradient);
}

void transformer_embed(struct transformer *model, const struct transformer_chunk *chunk, struct nn_rows ret_x)
{
    const struct batch *batch = chunk->batch;
    nn_positions(&model->common, batch, chunk->first, chunk->samples, model->step, model->positions);
    nn_embedding_forward(&model->embedding, &model->common, batch, chunk->row, chunk->rows, ret_x);
    nn_site_add(&model->position, ret_x.at, ret_x.stride, chunk->rows, model->positions);
    nn_drop_rows(&model->drop_input, batch, chunk->row, chunk->rows, model->width, ret_x);
}

void transformer_norm_rows(const struct transformer *model, const struct transformer_norm *norm, long count,
                           struct nn_rows x, struct nn_rows ret_y, real *ret_statistics)
{
    const struct nn_norm_rows rows = {.rms = norm->bias == NULL,
                                      .rows = count,
                                      .width = model->width,
                                      .x = x.at,
                                      .x_stride = x.stride,
                                      .gain = norm->gain->value,
                                      .bias = norm->bias ? norm->bias->value : NULL,
                                      .y = ret_y.at,
                                      .y_stride = ret_y.stride,
                                      .statistics = ret_statistics};
    model->common.kernels->norm(&rows);
}

void transformer_project(struct transformer *model, const struct transformer_layer *layer, long row, long count,
                         const struct transformer_rows *rows)
{
    const struct nn_rows projected = rows->projected;
    const int32_t *positions = model->positions + row;
    transformer_norm_rows(model, &layer->norm, count, rows->x, rows->normed, rows->statistics);
    nn_linear_forward(&model->common, &layer->project, count, rows->normed, (struct nn_rows){0}, projected);
    nn_site_rotate(&layer->site, projected.at, projected.stride, count, positions, false);
    nn_site_rotate(&layer->site, projected.at + model->part, projected.stride, count, positions, false);
}

// y = residual + what dropout leaves of x W + b.
static void join(const struct transformer *model, const struct nn_linear *linear, const struct nn_dropout *dropout,
                 const struct transformer_chunk *chunk, long row, long count, struct nn_rows x, struct nn_rows residual,
                 struct nn_rows y)
{
    if (!nn_drops(dropout)) {
        nn_linear_forward(&model->common, linear, count, x, residual, y);
        return;
    }
    nn_linear_forward(&model->common, linear, count, x, (struct nn_rows){0}, y);
    nn_drop_rows(dropout, chunk->batch, chunk->row + row, count, model->width, y);
    for (long r = 0; r < count; r++)
        model->common.kernels->add_scaled(y.at + r * y.stride, residual.at + r * residual.stride, 1,
                                          nn_padded(model->width));
}

void transformer_finish(struct transformer *model, const struct transformer_layer *layer,
                        const struct transformer_chunk *chunk, long row, long count,
                        const struct transformer_rows *rows)
{
    const struct nn_model *common = &model->common;
    const struct nn_rows hidden = rows->hidden;
    join(model, &layer->out, &layer->drop_out, chunk, row, count, rows->mixed, rows->x, rows->between);
    transformer_norm_rows(model, &layer->norm_ffn, count, rows->between, rows->normed_ffn, rows->statistics_ffn);
    nn_linear_forward(common, &layer->ffn_in, count, rows->normed_ffn, (struct nn_rows){0}, hidden);
    common->kernels->activate(common->settings.model.ffn_activation, hidden.at, rows->slope.at, count * hidden.stride);
    join(model, &layer->ffn_out, &layer->drop_ffn, chunk, row, count, hidden, rows->between, rows->next);
}
