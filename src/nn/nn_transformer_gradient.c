// SPDX-License-Identifier: MIT
// A chunk of sequences forward and backward through all layers; groups of chunks make the gradient.
#include "nn_transformer.h"
#include <assert.h>
#include <string.h>

static void norm_gradient(const struct transformer *model, const struct transformer_norm *norm, long count,
                          struct nn_rows x, real *statistics, bool add)
{
    const struct nn_norm_rows rows = {.rms = norm->bias == NULL,
                                      .rows = count,
                                      .width = model->width,
                                      .x = x.at,
                                      .x_stride = x.stride,
                                      .gain = norm->gain->value,
                                      .bias = norm->bias ? norm->bias->value : NULL,
                                      .y_stride = model->normed_gradient.stride,
                                      .statistics = statistics,
                                      .y_gradient = model->normed_gradient.at,
                                      .x_gradient = model->x_gradient.at,
                                      .x_gradient_stride = model->x_gradient.stride,
                                      .add = add,
                                      .gain_gradient = norm->gain->gradient,
                                      .bias_gradient = norm->bias ? norm->bias->gradient : NULL};
    model->common.kernels->norm_gradient(&rows);
}

// The gradient of what a branch adds to the stream: x_gradient itself, or what dropout leaves of it.
static struct nn_rows branch_gradient(struct transformer *model, const struct transformer_chunk *chunk,
                                      const struct nn_dropout *dropout)
{
    const struct nn_rows from = model->x_gradient, to = model->normed_gradient;
    if (!nn_drops(dropout))
        return from;
    assert(from.stride == to.stride);
    memcpy(to.at, from.at, (size_t)(chunk->rows * from.stride) * sizeof(real));
    nn_drop_rows(dropout, chunk->batch, chunk->row, chunk->rows, model->width, to);
    return to;
}

static void ffn_gradient(struct transformer *model, const struct transformer_layer *layer,
                         const struct transformer_chunk *chunk)
{
    const struct nn_model *common = &model->common;
    const struct transformer_rows *kept = &layer->kept;
    const struct nn_rows branch = branch_gradient(model, chunk, &layer->drop_ffn), hidden = model->hidden_gradient;
    const long rows = chunk->rows;
    nn_linear_collect(common, &layer->ffn_out, rows, kept->hidden, branch);
    nn_linear_back(common, &layer->ffn_out, rows, branch, hidden, false);
    common->kernels->times(hidden.at, kept->slope.at, rows * hidden.stride);
    nn_linear_collect(common, &layer->ffn_in, rows, kept->normed_ffn, hidden);
    nn_linear_back(common, &layer->ffn_in, rows, hidden, model->normed_gradient, false);
    norm_gradient(model, &layer->norm_ffn, rows, kept->between, kept->statistics_ffn, true);
}

static void attention_gradient(struct transformer *model, struct transformer_layer *layer,
                               const struct transformer_chunk *chunk)
{
    const struct nn_model *common = &model->common;
    const struct transformer_rows *kept = &layer->kept;
    const struct nn_rows branch = branch_gradient(model, chunk, &layer->drop_out);
    const struct nn_rows projected = model->projected_gradient;
    const long rows = chunk->rows;
    nn_linear_collect(common, &layer->out, rows, kept->mixed, branch);
    nn_linear_back(common, &layer->out, rows, branch, model->mixed_gradient, false);
    transformer_attention_gradient(model, layer, chunk);
    nn_site_rotate(&layer->site, projected.at, projected.stride, rows, model->positions, true);
    nn_site_rotate(&layer->site, projected.at + model->part, projected.stride, rows, model->positions, true);
    nn_linear_collect(common, &layer->project, rows, kept->normed, projected);
    nn_linear_back(common, &layer->project, rows, projected, model->normed_gradient, false);
    norm_gradient(model, &layer->norm, rows, kept->x, kept->statistics, true);
}

static void chunk_forward(struct transformer *model, const struct transformer_chunk *chunk, real *ret_logits)
{
    const struct batch *batch = chunk->batch;
    transformer_embed(model, chunk, model->layer[0].kept.x);
    for (long l = 0; l < model->layers; l++) {
        struct transformer_layer *layer = &model->layer[l];
        const struct transformer_rows *kept = &layer->kept;
        const struct transformer_heads heads = transformer_heads_of(model, kept->projected);
        transformer_project(model, layer, 0, chunk->rows, kept);
        transformer_attend(model, layer, chunk, 0, chunk->rows, &heads, kept->mixed);
        transformer_finish(model, layer, chunk, 0, chunk->rows, kept);
    }
    transformer_norm_rows(model, &model->norm, chunk->rows, model->layer[model->layers - 1].kept.next,
                          model->last_normed, model->last_statistics);
    nn_head_forward(&model->head, &model->common, batch, chunk->first, chunk->row, chunk->rows, model->last_normed,
                    ret_logits);
}

static void chunk_backward(struct transformer *model, const struct transformer_chunk *chunk, double targets,
                           const real *logits)
{
    const struct nn_rows x_gradient = model->x_gradient;
    nn_head_gradient(&model->head, &model->common, chunk->batch, chunk->first, chunk->samples, targets,
                     model->last_normed, logits, model->normed_gradient);
    norm_gradient(model, &model->norm, chunk->rows, model->layer[model->layers - 1].kept.next, model->last_statistics,
                  false);
    for (long l = model->layers - 1; l >= 0; l--) {
        ffn_gradient(model, &model->layer[l], chunk);
        attention_gradient(model, &model->layer[l], chunk);
    }
    nn_drop_rows(&model->drop_input, chunk->batch, chunk->row, chunk->rows, model->width, x_gradient);
    nn_embedding_gradient(&model->embedding, &model->common, chunk->batch, chunk->row, chunk->rows, x_gradient);
    nn_site_add_gradient(&model->position, x_gradient.at, x_gradient.stride, chunk->rows, model->positions);
}

static void sums_end(struct transformer *model, long length)
{
    for (long l = 0; l < model->layers; l++) {
        struct transformer_layer *layer = &model->layer[l];
        nn_linear_end(&model->common, &layer->project);
        nn_linear_end(&model->common, &layer->out);
        nn_linear_end(&model->common, &layer->ffn_in);
        nn_linear_end(&model->common, &layer->ffn_out);
        nn_site_end(&layer->site, length);
    }
    nn_site_end(&model->position, length);
    nn_head_end(&model->head, &model->common);
}

static void group_gradient(struct transformer *model, const struct batch *batch, long first, long end, double targets,
                           real *ret_logits)
{
    struct transformer_chunk chunk;
    transformer_sites_begin(model, batch->length, true);
    for (long start = first; start < end; start += chunk.samples) {
        chunk = transformer_chunk(model, batch, start, end);
        chunk_forward(model, &chunk, ret_logits);
        chunk_backward(model, &chunk, targets, ret_logits);
    }
    sums_end(model, batch->length);
}

void transformer_gradient(struct nn_model *common, const struct batch *batch, const struct nn_pass *pass,
                          real *ret_logits, double *ret_loss)
{
    struct transformer *model = (struct transformer *)common;
    assert(transformer_fits(model, batch, common->max_trained_length));
    const double targets = pass->targets > 0 ? pass->targets : (double)nn_targets(batch);
    transformer_begin(model, pass->step);
    for (long first = 0, number = 0, end; first < batch->samples; first = end, number++) {
        end = first + nn_group_take(batch, first);
        nn_group_begin(&model->group, common, pass, number);
        group_gradient(model, batch, first, end, targets, ret_logits);
        nn_group_end(&model->group, common, pass, number);
    }
    if (ret_loss)
        *ret_loss = nn_loss_sum(batch, ret_logits) / targets;
}
