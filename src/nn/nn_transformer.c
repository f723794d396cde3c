// SPDX-License-Identifier: MIT
#include "nn_transformer.h"

bool transformer_fits(const struct transformer *model, const struct batch *batch, long length)
{
    const struct batch_shape *shape = &model->common.shape;
    const long positions = model->head.kind == POOLING_PER_POSITION ? batch->length : 1;
    return (shape->vocabulary > 0 ? batch->tokens != NULL : batch->vectors && batch->dim == shape->dim) &&
           batch->length >= 1 && batch->length <= length && batch->positions == positions &&
           batch->binary == shape->binary && batch->classes == shape->classes;
}

long transformer_chunk_samples(const struct transformer *model, long length)
{
    const long most = nn_most(1, model->chunk_tokens / length);
    return model->common.chunk_samples > 0 ? nn_least(model->common.chunk_samples, most) : most;
}

long transformer_block_rows(const struct transformer_chunk *chunk, long row)
{
    const long length = chunk->batch->length;
    if (length >= TRANSFORMER_BLOCK)
        return nn_least(TRANSFORMER_BLOCK, length - row % length);
    return nn_least(TRANSFORMER_BLOCK / length * length, chunk->rows - row);
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
