// SPDX-License-Identifier: MIT
// Learned absolute positions: a row for each position is added to the input. Positions that training cannot meet (from
// train_length on, or with random_positions from there on) keep their initial values, drawn for any position.
#include "nn_encoding.h"

enum { POSITION };

// The tensor is the first rows of the whole table.
static void layout(struct nn_site *site, struct nn_builder *builder)
{
    const struct nn_model *model = site->model;
    const long all = nn_position_limit(model, model->max_length), padded = nn_padded(site->width);
    site->table = nn_take_reals(builder, all, padded);
    nn_site_tensor(site, builder, POSITION,
                   (struct nn_tensor){.name = "position",
                                      .rows = nn_position_limit(model, model->max_trained_length),
                                      .columns = site->width,
                                      .value = site->table});
}

static void fill(struct nn_site *site)
{
    const long all = nn_position_limit(site->model, site->model->max_length);
    for (long p = 0; p < all; p++)
        nn_draw_normal(site->model, site->tensor[POSITION], p, (uint64_t)p, site->init_scale);
}

static void add_gradient(const struct nn_site *site, const real *x_gradient, long stride, long count,
                         const int32_t *positions)
{
    const struct nn_tensor *tensor = site->tensor[POSITION];
    for (long r = 0; r < count; r++)
        site->model->kernels->add_scaled(tensor->gradient + positions[r] * tensor->stride, x_gradient + r * stride, 1,
                                         tensor->stride);
}

const struct nn_encoding nn_encoding_absolute = {.name = "absolute",
                                                 .input = true,
                                                 .layout = layout,
                                                 .fill = fill,
                                                 .add = nn_add_rows,
                                                 .add_gradient = add_gradient};
