// SPDX-License-Identifier: MIT
// FIRE from inside: what nn_encoding_fire.c keeps, and in nn_fire_gradient.c its way back.
//
// At a query with divisor N and a key at distance d, x = ψ(d) / N goes to unit w's u_w = in_w x + in_bias_w. With g the
// gradient of the score, over all pairs where u_w > 0, a head's sums are
//   FIRE_ACTIVE Σ g;  FIRE_RATIO Σ g x;  FIRE_OF_SCALE Σ g dx/dc;  FIRE_OF_THRESHOLD Σ g ψ(d) / N², queries up to L
//   alone
// from which every gradient follows; and Σ g over all pairs.
#pragma once
#include "nn_bias.h"

enum { FIRE_SCALE, FIRE_THRESHOLD, FIRE_IN, FIRE_IN_BIAS, FIRE_OUT, FIRE_OUT_BIAS, FIRE_TENSORS };
enum { FIRE_ACTIVE, FIRE_RATIO, FIRE_OF_SCALE, FIRE_OF_THRESHOLD, FIRE_SUMS };

struct nn_fire {
    double scale, threshold; // c and L of this pass
    real *psi, *psi_slope;   // ψ of each distance, and dψ/dc: as the bias table, for all heads
    real *out;               // (heads, units padded): fire.out, transposed
    double *sums;            // (heads, FIRE_SUMS * units + 1)
    real *lane_sums;         // of a block, from the kernel
    real *gathered;          // (2, trained length, 16): ψ and its derivative for pairs
};

// max(L, i) of a query at position i.
static inline double nn_fire_reach(const struct nn_fire *fire, double position)
{
    return fire->threshold > position ? fire->threshold : position;
}

// Adds what the kernel summed over a block's keys to the head's sums.
void nn_fire_add_lanes(const struct nn_site *site, const struct nn_attention *block, const struct nn_fire_block *f);
void nn_fire_end(struct nn_site *site, long length); // the hook
