// SPDX-License-Identifier: MIT
// Learned absolute positions: a row for each position is added to the input. Rows from train_length on are never
// trained and keep their initial values, for any length.
#include "nn_private.h"

// The tensor is the first rows of the whole table.
static void layout(struct nn_model *model, struct nn_builder *builder)
{
    model->positions.added = nn_take(builder, model->max_length, model->dim_padded, sizeof(real));
    model->tensor[model->tensors++] = (struct nn_tensor){.name = "position",
                                                         .rows = model->max_trained_length,
                                                         .columns = model->dim,
                                                         .stride = model->dim_padded,
                                                         .value = model->positions.added};
}

static void fill(struct nn_model *model)
{
    for (long p = 0; p < model->max_length; p++)
        nn_draw(model, &model->tensor[TENSOR_ENCODING], p, (uint64_t)p, model->settings.model.init_scale);
}

const struct nn_encoding nn_encoding_absolute = {.name = "absolute", .adds = true, .layout = layout, .fill = fill};
