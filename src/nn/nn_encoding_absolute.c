// SPDX-License-Identifier: MIT
// Learned absolute positions: a row for each position is added to the input. Rows from train_length on are never
// trained and keep their initial values, for any length.
#include "nn_two_layer.h"

// The tensor is the first rows of the whole table.
static void layout(struct two_layer *model, struct nn_builder *builder)
{
    model->positions.added = nn_take(builder, model->common.max_length, model->dim_padded, sizeof(real));
    nn_add_tensor(&model->common, builder,
                  (struct nn_tensor){.name = "position",
                                     .rows = model->common.max_trained_length,
                                     .columns = model->dim,
                                     .value = model->positions.added});
}

static void fill(struct two_layer *model)
{
    for (long p = 0; p < model->common.max_length; p++)
        nn_draw_normal(&model->common, &model->common.tensor[TENSOR_ENCODING], p, (uint64_t)p,
                       model->common.settings.model.init_scale);
}

const struct nn_encoding nn_encoding_absolute = {.name = "absolute", .adds = true, .layout = layout, .fill = fill};
