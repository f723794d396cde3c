// SPDX-License-Identifier: MIT
// Dropout of the units of rows. A unit stays, scaled by 1 / (1 - rate), iff its word of a keyed stream is at least
// rate * 2^32: keyed by (seed, init seed, site, step), addressed by (sample's index, position, coordinate).
#pragma once
#include "base_random.h"
#include "nn_linear.h"

struct nn_dropout {
    struct random_key key;
    uint32_t threshold; // 0: nothing is dropped
    real scale;
};

// `site` names the place, as "layers.0.ffn"; step < 0 is no training.
struct nn_dropout nn_dropout(const struct nn_model *model, const char *site, int64_t step);
static inline bool nn_drops(const struct nn_dropout *dropout)
{
    return dropout->threshold > 0;
}
// Factors, 0 or scale, of coordinates 0 … count - 1.
void nn_dropout_factors(const struct nn_dropout *dropout, int64_t index, long position, long count, real *ret_factor);
// Multiplies the batch's rows row … row + count - 1, or their gradients. Does nothing where nothing is dropped.
void nn_drop_rows(const struct nn_dropout *dropout, const struct batch *batch, long row, long count, long columns,
                  struct nn_rows x);
