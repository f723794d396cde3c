// SPDX-License-Identifier: MIT
// Chi et al. 2022, logarithmic form: score(i, j) -= r_1 log(1 + r_2 |i - j|), r_1 ("scale") and r_2 ("rate") for each
// head and layer. As in the authors' program they start uniform in [0, 2) and [0, 1), and are set to 0.01 at the start
// of a pass where they are less.
#include "base_math.h"
#include "nn_bias.h"
#include <math.h>

enum { SCALE, RATE, PARAMETERS };

static void layout(struct nn_site *site, struct nn_builder *builder)
{
    nn_site_tensor(site, builder, SCALE, ROLE_CONSTANT,
                   (struct nn_tensor){.name = "kerple.scale", .rows = 1, .columns = site->heads});
    nn_site_tensor(site, builder, RATE, ROLE_CONSTANT,
                   (struct nn_tensor){.name = "kerple.rate", .rows = 1, .columns = site->heads});
    nn_bias_layout(site, builder, true);
}

static void clamp(const struct nn_site *site)
{
    for (int which = SCALE; which < PARAMETERS; which++)
        for (long head = 0; head < site->heads; head++)
            if (site->tensor[which]->value[head] < (real)0.01)
                site->tensor[which]->value[head] = (real)0.01;
}

static void fill(struct nn_site *site)
{
    static const double highest[PARAMETERS] = {2, 1};
    for (int which = SCALE; which < PARAMETERS; which++) {
        nn_draw_uniform(site->model, site->tensor[which], 0, 0, highest[which]);
        for (long head = 0; head < site->heads; head++)
            site->tensor[which]->value[head] = (real)fabs((double)site->tensor[which]->value[head]);
    }
    clamp(site);
}

static void begin(struct nn_site *site, long length, bool gradient)
{
    const long limit = nn_position_limit(site->model, length);
    clamp(site);
    for (long head = 0; head < site->heads; head++) {
        const double scale = (double)site->tensor[SCALE]->value[head], rate = (double)site->tensor[RATE]->value[head];
        real *values = nn_bias_values(site, head);
        for (long d = 0; d < limit; d++) {
            values[d] = (real)(-scale * math_log1p(rate * (double)d));
            if (!site->causal)
                values[-d] = values[d];
        }
    }
    if (gradient && site->gradient)
        nn_bias_clear(site);
}

static void end(struct nn_site *site, long length)
{
    const long limit = nn_position_limit(site->model, length);
    for (long head = 0; head < site->heads; head++) {
        const double scale = (double)site->tensor[SCALE]->value[head], rate = (double)site->tensor[RATE]->value[head];
        const real *sums = nn_bias_sums(site, head);
        double of_scale = 0, of_rate = 0;
        for (long d = 1; d < limit; d++) {
            const double slope = (double)sums[d] + (site->causal ? 0 : (double)sums[-d]);
            of_scale -= slope * math_log1p(rate * (double)d);
            of_rate -= slope * scale * (double)d / (1 + rate * (double)d);
        }
        site->tensor[SCALE]->gradient[head] += (real)of_scale;
        site->tensor[RATE]->gradient[head] += (real)of_rate;
    }
}

const struct nn_encoding nn_encoding_kerple = {.name = "kerple",
                                               .layout = layout,
                                               .fill = fill,
                                               .begin = begin,
                                               .bias = nn_bias_add,
                                               .bias_gradient = nn_bias_add_gradient,
                                               .bias_next = nn_bias_next,
                                               .end = end};
