// SPDX-License-Identifier: MIT
// Vaswani et al. 2017, section 3.5: the input at position p gains sin(p / 10000^(2c/width)) at coordinate 2c and the
// cosine at 2c + 1, times sinusoidal_scale.
#include "base_math.h"
#include "nn_encoding.h"

void nn_waves(long first, long count, long width, double scale, long row_stride, long column_stride, real *ret)
{
    for (long c = 0; c < width; c++) {
        const double frequency = math_pow(10000, -(double)(c / 2 * 2) / (double)width);
        for (long r = 0; r < count; r++) {
            const double angle = (double)(first + r) * frequency, wave = c % 2 ? math_cos(angle) : math_sin(angle);
            ret[r * row_stride + c * column_stride] = (real)(scale * wave);
        }
    }
}

static void layout(struct nn_site *site, struct nn_builder *builder)
{
    site->table =
        nn_take_reals(builder, nn_position_limit(site->model, site->model->max_length), nn_padded(site->width));
}

static void begin(struct nn_site *site, long length, bool gradient)
{
    (void)gradient;
    const long padded = nn_padded(site->width), limit = nn_position_limit(site->model, length);
    if (limit > site->filled)
        nn_waves(site->filled, limit - site->filled, site->width, site->model->settings.model.sinusoidal_scale, padded,
                 1, site->table + site->filled * padded);
    site->filled = nn_most(site->filled, limit);
}

static void add(const struct nn_site *site, real *x, long stride, long count, const int32_t *positions)
{
    const long padded = nn_padded(site->width);
    for (long r = 0; r < count; r++)
        site->model->kernels->add_scaled(x + r * stride, site->table + positions[r] * padded, 1, padded);
}

const struct nn_encoding nn_encoding_sinusoidal = {
    .name = "sinusoidal", .input = true, .layout = layout, .begin = begin, .add = add};
