// SPDX-License-Identifier: MIT
// A time step of recurrent layers, element by element. Included by nn_kernel_table.c alone.
#pragma once
#include "base_simd.h"
#include "nn_kernels.h"

// 1 / (1 + exp(-x)): NaN stays, and exp overflows to the limit 0.
SIMD_INLINE simd sigmoid(simd x)
{
    const simd one = simd_set(1);
    return simd_div(one, simd_add(one, simd_exp(simd_negate(x))));
}

// slope * (1 - y^2), the derivative behind y = tanh.
SIMD_INLINE simd behind_tanh(simd slope, simd y)
{
    return simd_mul(slope, simd_fnma(y, y, simd_set(1)));
}

// slope * y (1 - y), behind y = sigmoid.
SIMD_INLINE simd behind_sigmoid(simd slope, simd y)
{
    return simd_mul(slope, simd_fnma(y, y, y));
}

SIMD_INLINE void lstm_unit(real *gates, long width, const real *before, real *cell, real *state)
{
    const simd i = sigmoid(simd_load(gates)), f = sigmoid(simd_load(gates + width));
    const simd g = simd_tanh(simd_load(gates + 2 * width)), o = sigmoid(simd_load(gates + 3 * width));
    const simd old = before ? simd_load(before) : simd_zero();
    const simd sum = simd_fma(f, old, simd_mul(i, g));
    simd_store(gates, i);
    simd_store(gates + width, f);
    simd_store(gates + 2 * width, g);
    simd_store(gates + 3 * width, o);
    simd_store(cell, sum);
    simd_store(state, simd_mul(o, simd_tanh(sum)));
}

static void lstm_cell(const struct nn_cell *cell)
{
    for (long r = 0; r < cell->rows; r++)
        for (long c = 0; c < cell->width; c += SIMD_WIDTH) {
            const long at = r * cell->stride + c;
            lstm_unit(cell->gates + r * cell->gates_stride + c, cell->width,
                      cell->cell_before ? cell->cell_before + at : NULL, cell->cell + at, cell->state + at);
        }
}

SIMD_INLINE void lstm_unit_gradient(real *gates, long width, simd before, simd sum, simd slope, real *sum_gradient)
{
    const simd i = simd_load(gates), f = simd_load(gates + width);
    const simd g = simd_load(gates + 2 * width), o = simd_load(gates + 3 * width);
    const simd out = simd_tanh(sum);
    const simd back = simd_add(simd_load(sum_gradient), behind_tanh(simd_mul(slope, o), out));
    simd_store(gates, behind_sigmoid(simd_mul(back, g), i));
    simd_store(gates + width, behind_sigmoid(simd_mul(back, before), f));
    simd_store(gates + 2 * width, behind_tanh(simd_mul(back, i), g));
    simd_store(gates + 3 * width, behind_sigmoid(simd_mul(slope, out), o));
    simd_store(sum_gradient, simd_mul(back, f));
}

static void lstm_cell_gradient(const struct nn_cell *cell)
{
    for (long r = 0; r < cell->rows; r++)
        for (long c = 0; c < cell->width; c += SIMD_WIDTH) {
            const long at = r * cell->stride + c;
            lstm_unit_gradient(cell->gates + r * cell->gates_stride + c, cell->width,
                               cell->cell_before ? simd_load(cell->cell_before + at) : simd_zero(),
                               simd_load(cell->cell + at), simd_load(cell->state_gradient + at),
                               cell->cell_gradient + at);
        }
}

static void rnn_cell(const struct nn_cell *cell)
{
    for (long r = 0; r < cell->rows; r++)
        for (long c = 0; c < cell->width; c += SIMD_WIDTH)
            simd_store(cell->state + r * cell->stride + c,
                       simd_tanh(simd_load(cell->gates + r * cell->gates_stride + c)));
}

static void rnn_cell_gradient(const struct nn_cell *cell)
{
    for (long r = 0; r < cell->rows; r++)
        for (long c = 0; c < cell->width; c += SIMD_WIDTH) {
            const long at = r * cell->stride + c;
            simd_store(cell->gates + r * cell->gates_stride + c,
                       behind_tanh(simd_load(cell->state_gradient + at), simd_load(cell->state + at)));
        }
}
