// SPDX-License-Identifier: MIT
// Li et al. 2024 (FIRE): score(i, j) += f(ψ(|i - j|) / ψ(max(L, i))), ψ(x) = log(c x + 1), i counted from 0, with f a
// network 1 → fire_width → heads with ReLU for each layer. As in the paper's listing c ("fire.scale", at first 0.1) and
// the factor on L = fire_threshold ("fire.threshold", at first 1) are learned and used by their magnitudes, the divisor
// gains 1e-6, and the network starts as two linear layers.
//
// Up to position L the bias depends on the distance alone: a block of such queries takes it from the table. Others
// compute it key by key, from tables of ψ and of its derivative for c.
#include "base_math.h"
#include "nn_fire.h"
#include <math.h>
#include <string.h>

static long hidden_units(const struct nn_site *site)
{
    return (long)site->model->settings.model.fire_width;
}

static void add_tensors(struct nn_site *site, struct nn_builder *builder)
{
    const long hidden = hidden_units(site);
    const struct nn_tensor tensors[] = {
        [FIRE_SCALE] = {"fire.scale", 1, 1},
        [FIRE_THRESHOLD] = {"fire.threshold", 1, 1},
        [FIRE_IN] = {"fire.in", 1, hidden, .matrix = true},
        [FIRE_IN_BIAS] = {"fire.in.bias", 1, hidden},
        [FIRE_OUT] = {"fire.out", hidden, site->heads, .matrix = true},
        [FIRE_OUT_BIAS] = {"fire.out.bias", 1, site->heads},
    };
    for (int i = 0; i < FIRE_TENSORS; i++)
        nn_site_tensor(site, builder, i, ROLE_CONSTANT, tensors[i]);
}

static void layout(struct nn_site *site, struct nn_builder *builder)
{
    const long hidden = hidden_units(site), trained = site->model->max_trained_length;
    struct nn_fire *fire = site->own = nn_take_structs(builder, 1, sizeof *fire);
    add_tensors(site, builder);
    nn_bias_layout(site, builder, true);
    if (!fire)
        return;
    fire->psi = nn_take_reals(builder, 1, site->bias.size);
    fire->psi_slope = nn_take_reals(builder, 1, site->bias.size);
    fire->out = nn_take_reals(builder, site->heads, nn_padded(hidden));
    if (site->frozen)
        return;
    fire->sums = nn_take(builder, site->heads, FIRE_SUMS * hidden + 1, sizeof *fire->sums);
    fire->lane_sums = nn_take_reals(builder, FIRE_LANE_SUMS * hidden + 1, NN_LANES);
    fire->gathered = nn_take_reals(builder, 2 * trained, NN_LANES);
}

static void fill(struct nn_site *site)
{
    const long hidden = hidden_units(site);
    site->tensor[FIRE_SCALE]->value[0] = (real)0.1;
    site->tensor[FIRE_THRESHOLD]->value[0] = 1;
    nn_draw_uniform(site->model, site->tensor[FIRE_IN], 0, 0, 1);
    nn_draw_uniform(site->model, site->tensor[FIRE_IN_BIAS], 0, 0, 1);
    for (long unit = 0; unit < hidden; unit++)
        nn_draw_uniform(site->model, site->tensor[FIRE_OUT], unit, (uint64_t)unit, 1 / sqrt((double)hidden));
    nn_draw_uniform(site->model, site->tensor[FIRE_OUT_BIAS], 0, 0, 1 / sqrt((double)hidden));
}

static double network(const struct nn_site *site, long head, double x)
{
    const struct nn_fire *fire = site->own;
    const real *in = site->tensor[FIRE_IN]->value, *bias = site->tensor[FIRE_IN_BIAS]->value;
    const real *out = fire->out + head * nn_padded(hidden_units(site));
    double sum = (double)site->tensor[FIRE_OUT_BIAS]->value[head];
    for (long unit = 0; unit < hidden_units(site); unit++) {
        const double u = (double)in[unit] * x + (double)bias[unit];
        sum += (u < 0 ? 0 : u) * (double)out[unit];
    }
    return sum;
}

// Writes both sides of a table, or one.
static void put(const struct nn_site *site, real *middle, long distance, double value)
{
    middle[distance] = (real)value;
    if (!site->causal)
        middle[-distance] = (real)value;
}

static void begin(struct nn_site *site, long length, bool gradient)
{
    struct nn_fire *fire = site->own;
    const long limit = nn_position_limit(site->model, length), hidden = hidden_units(site);
    real *psi = fire->psi + site->bias.before, *slope = fire->psi_slope + site->bias.before;
    fire->scale = fabs((double)site->tensor[FIRE_SCALE]->value[0]);
    fire->threshold = fabs((double)site->tensor[FIRE_THRESHOLD]->value[0] * site->model->settings.model.fire_threshold);
    for (long head = 0; head < site->heads; head++)
        for (long unit = 0; unit < hidden; unit++)
            fire->out[head * nn_padded(hidden) + unit] =
                site->tensor[FIRE_OUT]->value[unit * site->tensor[FIRE_OUT]->stride + head];
    const double inverse = 1 / (math_log1p(fire->scale * fire->threshold) + 1e-6);
    for (long d = 0; d < limit; d++) {
        const double x = math_log1p(fire->scale * (double)d);
        put(site, psi, d, x);
        put(site, slope, d, (double)d / (1 + fire->scale * (double)d));
        if (!site->causal || !((double)d > fire->threshold)) // a query up to L meets keys at any distance ahead
            for (long head = 0; head < site->heads; head++)
                put(site, nn_bias_values(site, head), d, network(site, head, x * inverse));
    }
    if (!gradient || !site->gradient)
        return;
    nn_bias_clear(site);
    memset(fire->sums, 0, (size_t)(site->heads * (FIRE_SUMS * hidden + 1)) * sizeof *fire->sums);
}

static bool in_table(const struct nn_site *site, const struct nn_attention *block)
{
    const struct nn_fire *fire = site->own;
    const long last = nn_least(block->first + NN_LANES, block->length) - 1;
    return !((double)block->positions[last] > fire->threshold);
}

// What the kernels need at one head: the lanes' divisors and the network.
static struct nn_fire_block fire_block(const struct nn_site *site, const struct nn_attention *block)
{
    const struct nn_fire *fire = site->own;
    struct nn_fire_block f = {.units = hidden_units(site),
                              .in = site->tensor[FIRE_IN]->value,
                              .in_bias = site->tensor[FIRE_IN_BIAS]->value,
                              .out = fire->out + block->head * nn_padded(hidden_units(site)),
                              .out_bias = site->tensor[FIRE_OUT_BIAS]->value[block->head]};
    for (long lane = 0; lane < NN_LANES; lane++) {
        const long query = nn_least(block->first + lane, block->length - 1);
        const double at = nn_fire_reach(fire, (double)block->positions[query]);
        f.inverse[lane] = (real)(1 / (math_log1p(fire->scale * at) + 1e-6));
    }
    return f;
}

static void bias(struct nn_site *site, struct nn_attention *block)
{
    const struct nn_fire *fire = site->own;
    if (in_table(site, block)) {
        nn_bias_add(site, block);
        return;
    }
    struct nn_fire_block f = fire_block(site, block);
    f.psi = fire->psi + site->bias.before + block->first;
    f.step = -1;
    if (!block->consecutive) {
        nn_bias_gather(site, block, fire->psi + site->bias.before, block->weights);
        f.psi = block->weights;
        f.step = NN_LANES;
    }
    site->model->kernels->fire_scores(block, &f);
}

static void bias_gradient(struct nn_site *site, struct nn_attention *block)
{
    const struct nn_fire *fire = site->own;
    if (in_table(site, block)) {
        nn_bias_add_gradient(site, block);
        return;
    }
    if (!site->gradient)
        return;
    struct nn_fire_block f = fire_block(site, block);
    f.lane_sums = fire->lane_sums;
    f.psi = fire->psi + site->bias.before + block->first;
    f.psi_slope = fire->psi_slope + site->bias.before + block->first;
    f.step = -1;
    if (!block->consecutive) {
        real *slopes = fire->gathered + site->model->max_trained_length * NN_LANES;
        nn_bias_gather(site, block, fire->psi + site->bias.before, fire->gathered);
        nn_bias_gather(site, block, fire->psi_slope + site->bias.before, slopes);
        f.psi = fire->gathered;
        f.psi_slope = slopes;
        f.step = NN_LANES;
    }
    site->model->kernels->fire_scores_gradient(block, &f);
    nn_fire_add_lanes(site, block, &f);
}

// Lanes are keys here: all meet the same query.
static void network_row(const struct nn_site *site, const struct nn_next *next, long sample, long head, real *row)
{
    const struct nn_fire *fire = site->own;
    struct nn_attention query = {.head = head,
                                 .length = next->at + 1,
                                 .first = next->at,
                                 .positions = next->positions + sample * next->length,
                                 .keys = nn_padded(next->at + 1) / NN_LANES,
                                 .weights = row};
    struct nn_fire_block f = fire_block(site, &query);
    nn_bias_next_row(next, sample, fire->psi + site->bias.before, row);
    f.psi = row;
    f.step = NN_LANES;
    site->model->kernels->fire_scores(&query, &f);
}

static void bias_next(struct nn_site *site, struct nn_next *next)
{
    next->start_sample = next->consecutive ? 0 : site->heads * next->start_head;
    for (long s = 0; s < (next->consecutive ? 1 : next->samples); s++) {
        const struct nn_attention block = {.first = next->at / NN_LANES * NN_LANES,
                                           .length = next->length,
                                           .positions = next->positions + s * next->length};
        for (long head = 0; head < site->heads; head++) {
            real *row = next->start + s * next->start_sample + head * next->start_head;
            if (in_table(site, &block))
                nn_bias_next_row(next, s, nn_bias_values(site, head), row);
            else
                network_row(site, next, s, head, row);
        }
    }
}

static double bias_flops(const struct nn_site *site, long length)
{
    const double beyond = (double)length - site->model->settings.model.fire_threshold;
    return beyond > 0 ? 4 * beyond * (double)(length * site->heads * hidden_units(site)) : 0;
}

const struct nn_encoding nn_encoding_fire = {.name = "fire",
                                             .layout = layout,
                                             .fill = fill,
                                             .begin = begin,
                                             .bias = bias,
                                             .bias_gradient = bias_gradient,
                                             .bias_next = bias_next,
                                             .end = nn_fire_end,
                                             .bias_flops = bias_flops};
