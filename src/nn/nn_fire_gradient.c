// SPDX-License-Identifier: MIT
#include "base_math.h"
#include "nn_fire.h"

static long units_of(const struct nn_site *site)
{
    return (long)site->model->settings.model.fire_width;
}

static double *sums_of(const struct nn_site *site, long head)
{
    const struct nn_fire *fire = site->own;
    return fire->sums + head * (FIRE_SUMS * units_of(site) + 1);
}

// 1 / N of queries at `position`, and the derivative of N for c.
static double divisor(const struct nn_fire *fire, double position, double *ret_slope)
{
    const double at = nn_fire_reach(fire, position);
    *ret_slope = at / (1 + fire->scale * at);
    return 1 / (math_log1p(fire->scale * at) + 1e-6);
}

void nn_fire_add_lanes(const struct nn_site *site, const struct nn_attention *block, const struct nn_fire_block *f)
{
    const struct nn_fire *fire = site->own;
    const long units = units_of(site), queries = nn_least(NN_LANES, block->length - block->first);
    double *sums = sums_of(site, block->head);
    for (long lane = 0; lane < queries; lane++) {
        const double position = (double)block->positions[block->first + lane];
        double slope;
        const double inverse = divisor(fire, position, &slope);
        for (long unit = 0; unit < units; unit++) {
            const real *lanes = f->lane_sums + unit * FIRE_LANE_SUMS * NN_LANES + lane;
            const double psi = (double)lanes[FIRE_LANE_PSI * NN_LANES];
            double *sum = sums + unit * FIRE_SUMS;
            sum[FIRE_ACTIVE] += (double)lanes[FIRE_LANE_ACTIVE * NN_LANES];
            sum[FIRE_RATIO] += inverse * psi;
            sum[FIRE_OF_SCALE] += inverse * (double)lanes[FIRE_LANE_SLOPE * NN_LANES] - inverse * inverse * slope * psi;
            sum[FIRE_OF_THRESHOLD] += position > fire->threshold ? 0 : inverse * inverse * psi;
        }
        sums[FIRE_SUMS * units] += (double)f->lane_sums[FIRE_LANE_SUMS * units * NN_LANES + lane];
    }
}

// The same for what was summed in the table.
static void add_table(const struct nn_site *site, long head, long limit)
{
    const struct nn_fire *fire = site->own;
    const real *in = site->tensor[FIRE_IN]->value, *bias = site->tensor[FIRE_IN_BIAS]->value;
    const real *table = nn_bias_sums(site, head);
    const long units = units_of(site);
    double *sums = sums_of(site, head), slope;
    const double inverse = divisor(fire, 0, &slope);
    for (long d = 0; d < limit; d++) {
        const double g = (double)table[d] + (site->causal || d == 0 ? 0 : (double)table[-d]);
        const double psi = math_log1p(fire->scale * (double)d), of_scale = (double)d / (1 + fire->scale * (double)d);
        for (long unit = 0; unit < units; unit++) {
            double *sum = sums + unit * FIRE_SUMS;
            if (!((double)in[unit] * psi * inverse + (double)bias[unit] > 0))
                continue;
            sum[FIRE_ACTIVE] += g;
            sum[FIRE_RATIO] += g * psi * inverse;
            sum[FIRE_OF_SCALE] += g * (inverse * of_scale - inverse * inverse * slope * psi);
            sum[FIRE_OF_THRESHOLD] += g * inverse * inverse * psi;
        }
        sums[FIRE_SUMS * units] += g;
    }
}

static void end_head(struct nn_site *site, long head, double *ret_of_scale, double *ret_of_threshold)
{
    const struct nn_fire *fire = site->own;
    struct nn_tensor **tensor = site->tensor;
    const long units = units_of(site);
    const double *sums = sums_of(site, head);
    for (long unit = 0; unit < units; unit++) {
        const double *sum = sums + unit * FIRE_SUMS, in = (double)tensor[FIRE_IN]->value[unit];
        const double out = (double)fire->out[head * nn_padded(units) + unit];
        tensor[FIRE_OUT]->gradient[unit * tensor[FIRE_OUT]->stride + head] +=
            (real)(in * sum[FIRE_RATIO] + (double)tensor[FIRE_IN_BIAS]->value[unit] * sum[FIRE_ACTIVE]);
        tensor[FIRE_IN]->gradient[unit] += (real)(out * sum[FIRE_RATIO]);
        tensor[FIRE_IN_BIAS]->gradient[unit] += (real)(out * sum[FIRE_ACTIVE]);
        *ret_of_scale += out * in * sum[FIRE_OF_SCALE];
        *ret_of_threshold += out * in * sum[FIRE_OF_THRESHOLD];
    }
    tensor[FIRE_OUT_BIAS]->gradient[head] += (real)sums[FIRE_SUMS * units];
}

void nn_fire_end(struct nn_site *site, long length)
{
    const struct nn_fire *fire = site->own;
    struct nn_tensor **tensor = site->tensor;
    double of_scale = 0, of_threshold = 0;
    for (long head = 0; head < site->heads; head++) {
        add_table(site, head, nn_position_limit(site->model, length));
        end_head(site, head, &of_scale, &of_threshold);
    }
    const double factor = site->model->settings.model.fire_threshold;
    const double sign = tensor[FIRE_SCALE]->value[0] < 0 ? -1 : 1;
    const double threshold_sign = tensor[FIRE_THRESHOLD]->value[0] < 0 ? -1 : 1;
    tensor[FIRE_SCALE]->gradient[0] += (real)(sign * of_scale);
    tensor[FIRE_THRESHOLD]->gradient[0] -=
        (real)(threshold_sign * factor * of_threshold * fire->scale / (1 + fire->scale * fire->threshold));
}
