// SPDX-License-Identifier: MIT
// Learned absolute positions: a row for each position is added to the input. Positions that training cannot meet (from
// train_length on, or with random_positions from there on) keep their initial values, drawn for any position.
#include "nn_encoding.h"

enum { POSITION };

// The table has the positions beyond the tensor's.
static void layout(struct nn_site *site, struct nn_builder *builder)
{
    const struct nn_model *model = site->model;
    const long trained = nn_position_limit(model, model->max_trained_length);
    nn_site_tensor(site, builder, POSITION, ROLE_INPUT,
                   (struct nn_tensor){.name = "position", .rows = trained, .columns = site->width});
    const long beyond = nn_position_limit(model, model->max_length) - trained;
    if (beyond > 0)
        site->table = nn_take_reals(builder, beyond, nn_padded(site->width));
}

static void fill(struct nn_site *site)
{
    const struct nn_tensor *tensor = site->tensor[POSITION];
    const long all = nn_position_limit(site->model, site->model->max_length);
    struct nn_tensor beyond = *tensor;
    beyond.value = site->table;
    for (long p = 0; p < tensor->rows; p++)
        nn_draw_normal(site->model, site->tensor[POSITION], p, (uint64_t)p, site->init_scale);
    for (long p = tensor->rows; p < all; p++)
        nn_draw_normal(site->model, &beyond, p - tensor->rows, (uint64_t)p, site->init_scale);
}

static void add(const struct nn_site *site, real *x, long stride, long count, const int32_t *positions)
{
    const struct nn_tensor *tensor = site->tensor[POSITION];
    for (long r = 0; r < count; r++) {
        const long p = positions[r], beyond = p - tensor->rows;
        const real *row = beyond < 0 ? tensor->value + p * tensor->stride : site->table + beyond * tensor->stride;
        site->model->kernels->add_scaled(x + r * stride, row, 1, tensor->stride);
    }
}

static void add_gradient(const struct nn_site *site, const real *x_gradient, long stride, long count,
                         const int32_t *positions)
{
    const struct nn_tensor *tensor = site->tensor[POSITION];
    for (long r = 0; r < count; r++)
        site->model->kernels->add_scaled(tensor->gradient + positions[r] * tensor->stride, x_gradient + r * stride, 1,
                                         tensor->stride);
}

const struct nn_encoding nn_encoding_absolute = {
    .name = "absolute", .input = true, .layout = layout, .fill = fill, .add = add, .add_gradient = add_gradient};
