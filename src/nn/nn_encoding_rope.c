// SPDX-License-Identifier: MIT
// Su et al. 2021: pair (c, c + d/2) of a head's d columns, of a query or key at position p, turns by p f_c with
// f_c = base^(-2c/d), so that a score depends on the distance alone.
//
// rope_scaling changes the angles of sequences that reach beyond the positions of training, by s = positions now /
// positions in training (lengths, or random_positions where that is larger); s <= 1 changes nothing:
//   interpolation  f_c / s                                                   (Chen et al. 2023, arXiv:2306.15595)
//   ntk            base * s^(d/(d-2)) in place of base                       (NTK-aware; eq. 16 of arXiv:2309.00071)
//   yarn           (1 - g) f_c / s + g f_c, where g rises from 0 to 1 as the turns r = n f_c / 2π that the pair makes
//                  over the n positions of training rise from 1 to 32: g = (r - 1) / 31; and scores times
//                  (0.1 ln s + 1)²                                           (Peng et al. 2023, arXiv:2309.00071)
#include "base_math.h"
#include "nn_encoding.h"
#include <math.h>

static void layout(struct nn_site *site, struct nn_builder *builder)
{
    site->table = nn_take_reals(builder, nn_position_limit(site->model, site->model->max_length), site->head_dim);
}

static double frequency(const struct nn_site *site, long column, double scaling, double trained)
{
    const struct model_settings *set = &site->model->settings.model;
    const double d = (double)site->head_dim, exponent = -2 * (double)column / d;
    double base = set->rope_base;
    if (set->rope_scaling == ROPE_SCALING_NTK && d > 2)
        base *= math_pow(scaling, d / (d - 2));
    const double plain = math_pow(base, exponent);
    if (set->rope_scaling == ROPE_SCALING_INTERPOLATION)
        return plain / scaling;
    if (set->rope_scaling != ROPE_SCALING_YARN)
        return plain;
    const double turns = trained * plain / 0x1.921fb54442d18p+2; // 2 pi
    const double kept = turns < 1 ? 0 : turns > 32 ? 1 : (turns - 1) / 31;
    return (1 - kept) * plain / scaling + kept * plain;
}

// Rows `filled` … limit - 1 of cosines, then sines, both times what YaRN multiplies queries and keys by.
static void fill_angles(struct nn_site *site, long limit, double trained)
{
    const long half = site->head_dim / 2;
    const bool yarn = site->model->settings.model.rope_scaling == ROPE_SCALING_YARN;
    const double size = yarn ? 0.1 * math_log(site->scaling) + 1 : 1;
    for (long c = 0; c < half; c++) {
        const double turn = frequency(site, c, site->scaling, trained);
        for (long p = site->filled; p < limit; p++) {
            real *row = site->table + p * site->head_dim;
            row[c] = (real)(size * math_cos((double)p * turn));
            row[half + c] = (real)(size * math_sin((double)p * turn));
        }
    }
    site->filled = limit;
}

static void begin(struct nn_site *site, long length, bool gradient)
{
    (void)gradient;
    const struct nn_model *model = site->model;
    const long limit = nn_position_limit(model, length);
    const double trained = (double)nn_position_limit(model, model->max_trained_length);
    const bool scaled = model->settings.model.rope_scaling != ROPE_SCALING_NONE && (double)limit > trained;
    const double scaling = scaled ? (double)limit / trained : 1;
    if (scaling != site->scaling)
        site->filled = 0;
    site->scaling = scaling;
    if (limit > site->filled)
        fill_angles(site, limit, trained);
}

static void rotate(const struct nn_site *site, real *rows, long stride, long count, const int32_t *positions, bool back)
{
    for (long head = 0; head < site->heads; head++)
        site->model->kernels->rotate(rows + head * site->head_padded, stride, count, site->head_dim, positions,
                                     site->table, back);
}

const struct nn_encoding nn_encoding_rope = {.name = "rope", .layout = layout, .begin = begin, .rotate = rotate};
