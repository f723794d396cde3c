// SPDX-License-Identifier: MIT
#include "nn_transformer.h"

bool transformer_fits(const struct transformer *model, const struct batch *batch, long length)
{
    const struct batch_shape *shape = &model->common.shape;
    const long positions = model->head.kind == POOLING_PER_POSITION ? batch->length : 1;
    return (shape->vocabulary > 0 ? batch->tokens != NULL : batch->vectors && batch->dim == shape->dim) &&
           nn_lengths_fit(batch, length) && batch->positions == positions && batch->binary == shape->binary &&
           batch->classes == shape->classes;
}

struct transformer_chunk transformer_chunk(const struct transformer *model, const struct batch *batch, long first,
                                           long end)
{
    long samples = nn_least(nn_samples_within(batch, first, model->chunk_tokens), end - first);
    if (model->common.chunk_samples > 0)
        samples = nn_least(samples, model->common.chunk_samples);
    const long row = (long)batch_row(batch, first);
    return (struct transformer_chunk){.batch = batch,
                                      .first = first,
                                      .samples = samples,
                                      .row = row,
                                      .rows = (long)batch_row(batch, first + samples) - row};
}

long transformer_block_rows(const struct transformer_chunk *chunk, long row)
{
    const struct batch *batch = chunk->batch;
    const struct nn_place place = nn_place(batch, chunk->row + row);
    const long left = batch_length(batch, place.sample) - place.position;
    if (place.position > 0 || left >= TRANSFORMER_BLOCK)
        return nn_least(TRANSFORMER_BLOCK, left);
    const long samples = nn_samples_within(batch, place.sample, TRANSFORMER_BLOCK);
    return nn_least(chunk->rows, (long)batch_row(batch, place.sample + samples) - chunk->row) - row;
}

struct transformer_rows transformer_block_at(const struct transformer *model, long row)
{
    struct transformer_rows rows = model->block;
    rows.x = nn_rows_from(rows.x, row);
    rows.projected = nn_rows_from(rows.projected, row);
    rows.next = rows.x;
    return rows;
}

const struct nn_model_kind nn_transformer = {
    .name = "transformer",
    .size = sizeof(struct transformer),
    .tensors_limit = transformer_tensors_limit,
    .layout = transformer_layout,
    .fill = transformer_fill,
    .gradient = transformer_gradient,
    .predict = transformer_predict,
    .gradient_flops = transformer_gradient_flops,
    .predict_flops = transformer_predict_flops,
};
