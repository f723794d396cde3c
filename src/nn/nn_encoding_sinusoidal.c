// SPDX-License-Identifier: MIT
// Vaswani et al. 2017, section 3.5: input p gains sin(p / 10000^(2c/d)) at coordinate 2c and the cosine at 2c + 1.
#include "base_math.h"
#include "nn_two_layer.h"

static void layout(struct two_layer *model, struct nn_builder *builder)
{
    model->positions.added = nn_take(builder, model->common.max_length, model->dim_padded, sizeof(real));
}

static void fill(struct two_layer *model)
{
    const double scale = model->common.settings.model.sinusoidal_scale;
    for (long c = 0; c < model->dim; c++) {
        const double frequency = math_pow(10000, -(double)(c / 2 * 2) / (double)model->dim);
        for (long p = 0; p < model->common.max_length; p++) {
            const double angle = (double)p * frequency, wave = c % 2 ? math_cos(angle) : math_sin(angle);
            model->positions.added[p * model->dim_padded + c] = (real)(scale * wave);
        }
    }
}

const struct nn_encoding nn_encoding_sinusoidal = {.name = "sinusoidal", .adds = true, .layout = layout, .fill = fill};
