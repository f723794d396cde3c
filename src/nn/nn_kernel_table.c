// SPDX-License-Identifier: MIT
// Compiled once for each instruction set; nn_kernels.c picks among the tables.
#include "nn_kernel_activation.h"
#include "nn_kernel_attention.h"
#include "nn_kernel_bias.h"
#include "nn_kernel_class.h"
#include "nn_kernel_decode.h"
#include "nn_kernel_mix.h"
#include "nn_kernel_norm.h"
#include "nn_kernel_product.h"
#include "nn_kernel_recurrent.h"
#include "nn_kernel_rows.h"

extern const struct nn_kernels SIMD_NAME(nn_kernels);
const struct nn_kernels SIMD_NAME(nn_kernels) = {
    .multiply = multiply,
    .pack = pack,
    .pack_transposed = pack_transposed,
    .norm = norm,
    .norm_gradient = norm_gradient,
    .activate = activate,
    .times = times,
    .sum_rows = sum_rows,
    .class_loss = class_loss,
    .class_gradient = class_gradient,
    .lstm_cell = lstm_cell,
    .lstm_cell_gradient = lstm_cell_gradient,
    .rnn_cell = rnn_cell,
    .rnn_cell_gradient = rnn_cell_gradient,
    .mix = mix,
    .mix_gradient = mix_gradient,
    .take_queries = take_queries,
    .attend = attend,
    .read_votes = read_votes,
    .read_values = read_values,
    .votes_gradient = votes_gradient,
    .values_gradient = values_gradient,
    .scores_gradient = scores_gradient,
    .total = total,
    .attention_on = attention_on,
    .decode = decode,
    .rotate = rotate,
    .bias_slices = bias_slices,
    .bias_slices_gradient = bias_slices_gradient,
    .shift = shift,
    .unshift = unshift,
    .pair_scores = pair_scores,
    .pair_scores_gradient = pair_scores_gradient,
    .key_slopes = key_slopes,
    .fire_scores = fire_scores,
    .fire_scores_gradient = fire_scores_gradient,
    .dots = dots,
    .norms = norms,
    .square_norm = square_norm,
    .combine = combine,
    .add_scaled = add_scaled,
    .decay_add = decay_add,
    .scale = scale,
    .step_gd = step_gd,
    .step_momentum = step_momentum,
    .step_adam = step_adam,
    .losses = losses,
    .loss_slope = loss_slope,
};
