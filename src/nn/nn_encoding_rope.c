// SPDX-License-Identifier: MIT
// Su et al. 2021: pair (c, c + d_h / 2) of a query or key at position p turns by p * base^(-2c/d_h), so that a score
// depends on the distance alone.
#include "base_math.h"
#include "nn_two_layer.h"

static void layout(struct two_layer *model, struct nn_builder *builder)
{
    model->positions.angles = nn_take(builder, model->common.max_length, model->head_dim, sizeof(real));
}

static void fill(struct two_layer *model)
{
    const long half = model->head_dim / 2;
    for (long c = 0; c < half; c++) {
        const double exponent = -2 * (double)c / (double)model->head_dim;
        const double frequency = math_pow(model->common.settings.model.rope_base, exponent);
        for (long p = 0; p < model->common.max_length; p++) {
            real *row = model->positions.angles + p * model->head_dim;
            row[c] = (real)math_cos((double)p * frequency);
            row[half + c] = (real)math_sin((double)p * frequency);
        }
    }
}

static void rotate(const struct two_layer *model, real *rows, long stride, long count, long length, bool back)
{
    for (int part = 0; part < 2; part++)
        model->common.kernels->rotate(rows + part * model->head_padded, stride, count, length, model->head_dim,
                                      model->positions.angles, back);
}

const struct nn_encoding nn_encoding_rope = {.name = "rope", .layout = layout, .fill = fill, .rotate = rotate};
