// SPDX-License-Identifier: MIT
// FIRE's network at one head; shapes are length, units. ψ(d) = scale * log(1 + |d|), so dψ/dscale is known; a query at
// position i multiplies it by 1 / (1 + i / 9).
#include "ops_scores.h"
#include <stddef.h>

enum { TABLE, GATHERED }; // ψ read by distance; or laid out pair by pair
enum { Y, IN, IN_BIAS, OUT, OUT_BIAS, SCALE };
enum { WEIGHTS, SLOPES, PSI, PSI_SLOPE, LANE_SUMS, BUFFERS };

static void layout(struct op *op)
{
    const long length = op->shape.a, units = op->shape.b, table = (length + 16) * 16;
    op_add(op, length, length, length, false);
    op_add(op, 1, units, units, true);
    op_add(op, 1, units, units, true);
    op_add(op, 1, units, units, true);
    op_add(op, 1, 1, 1, true);
    op_add(op, 1, 1, 1, true);
    for (int i = WEIGHTS; i <= PSI_SLOPE; i++)
        op_take(op, table);
    op_take(op, (units * FIRE_LANE_SUMS + 1) * 16);
}

static real *buffer(const struct op *op, int which)
{
    return op->memory[op->taken - BUFFERS + which];
}

static double slope_at(double distance)
{
    return log1p(fabs(distance));
}

static double inverse_at(long query)
{
    return 1 / (1 + (double)query / 9);
}

// scale * slope_at of query - key, by distance or pair by pair; returns where key 0 and lane 0 have theirs.
static const real *fill(const struct op *op, long first, double scale, real *ret_psi)
{
    const long length = op->shape.a;
    if (op->row->variant == GATHERED) {
        for (long j = 0; j < length; j++)
            for (long lane = 0; lane < 16; lane++)
                ret_psi[j * 16 + lane] = (real)(scale * slope_at((double)(first + lane - j)));
        return ret_psi;
    }
    for (long distance = 1 - length; distance < length + 15; distance++)
        ret_psi[length + distance] = (real)(scale * slope_at((double)distance));
    return ret_psi + length + first;
}

static struct nn_fire_block fire_at(const struct op *op, long first)
{
    struct nn_fire_block fire = {.units = op->shape.b,
                                 .in = op->m[IN].value,
                                 .in_bias = op->m[IN_BIAS].value,
                                 .out = op->m[OUT].value,
                                 .out_bias = op->m[OUT_BIAS].value[0],
                                 .step = op->row->variant == GATHERED ? 16 : -1,
                                 .lane_sums = buffer(op, LANE_SUMS)};
    for (long lane = 0; lane < 16; lane++)
        fire.inverse[lane] = (real)inverse_at(first + lane);
    return fire;
}

static void forward(const struct nn_kernels *kernels, struct op *op)
{
    for (long first = 0; first < op->shape.a; first += 16) {
        struct nn_attention t = op_block(op, first, buffer(op, WEIGHTS), buffer(op, SLOPES));
        struct nn_fire_block fire = fire_at(op, first);
        real *place = op->row->variant == GATHERED ? t.weights : buffer(op, PSI);
        fire.psi = fill(op, first, (double)op->m[SCALE].value[0], place);
        kernels->fire_scores(&t, &fire);
        op_put_weights(op, &t);
    }
}

static double reference(const struct op *op, long r, long c)
{
    const double x = op_at(op, SCALE, 0, 0) * slope_at((double)(r - c)) * inverse_at(r);
    double sum = op_at(op, OUT_BIAS, 0, 0);
    for (long unit = 0; unit < op->shape.b; unit++)
        sum += fmax(0, op_at(op, IN, 0, unit) * x + op_at(op, IN_BIAS, 0, unit)) * op_at(op, OUT, 0, unit);
    return sum;
}

// From the lane's sums, as nn_fire.h has it.
static void add_lane(struct op *op, real inverse, long lane)
{
    const struct op_matrix *m = op->m;
    const real *sums = buffer(op, LANE_SUMS) + lane;
    for (long unit = 0; unit < op->shape.b; unit++, sums += FIRE_LANE_SUMS * 16) {
        const real in = m[IN].value[unit], out = m[OUT].value[unit], active = sums[FIRE_LANE_ACTIVE * 16];
        const real along = inverse * sums[FIRE_LANE_PSI * 16];
        m[OUT].gradient[unit] += in * along + m[IN_BIAS].value[unit] * active;
        m[IN].gradient[unit] += out * along;
        m[IN_BIAS].gradient[unit] += out * active;
        m[SCALE].gradient[0] += out * in * inverse * sums[FIRE_LANE_SLOPE * 16];
    }
    m[OUT_BIAS].gradient[0] += sums[0];
}

static void backward(const struct nn_kernels *kernels, struct op *op)
{
    for (long first = 0; first < op->shape.a; first += 16) {
        struct nn_attention t = op_block(op, first, buffer(op, WEIGHTS), buffer(op, SLOPES));
        struct nn_fire_block fire = fire_at(op, first);
        fire.psi = fill(op, first, (double)op->m[SCALE].value[0], buffer(op, PSI));
        fire.psi_slope = fill(op, first, 1, buffer(op, PSI_SLOPE));
        op_take_slopes(op, &t);
        kernels->fire_scores_gradient(&t, &fire);
        for (long lane = 0; lane < 16 && op_block_has(op, first, lane); lane++)
            add_lane(op, fire.inverse[lane], lane);
    }
}

static double work(const struct op *op)
{
    return 4 * (double)op->shape.b * (double)(op->shape.a * op->shape.a);
}

static const struct op_kind fire = {layout, forward, reference, backward, work};
static const struct op_row rows[] = {
    {"fire", TABLE, &fire, {{1, 1}, {5, 7}, {16, 16}, {39, 12}}, {{128, 32}}},
    {"fire, gathered", GATHERED, &fire, {{1, 1}, {7, 7}, {35, 12}}, {{128, 32}}},
};
const struct op_table ops_fire = {rows, sizeof rows / sizeof *rows};
