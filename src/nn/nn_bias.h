// SPDX-License-Identifier: MIT
// Biases of scores that depend on the distance alone: a table for each head over all distances, made in `begin`. Where
// positions are consecutive, the biases of one key and 16 queries are 16 neighbours in it. `end` takes the gradients,
// summed in the same places, to whatever the table was made from.
#pragma once
#include "nn_encoding.h"

// `sums`: gradients are wanted.
void nn_bias_layout(struct nn_site *site, struct nn_builder *builder, bool sums);
// Of distance 0 (query - key) of a head; distances to both sides, under a causal mask only those from 0 up, hold
// numbers up to nn_position_limit - 1.
static inline real *nn_bias_values(const struct nn_site *site, long head)
{
    return site->bias.values + head * site->bias.size + site->bias.before;
}
static inline real *nn_bias_sums(const struct nn_site *site, long head)
{
    return site->bias.sums + head * site->bias.size + site->bias.before;
}
void nn_bias_clear(struct nn_site *site); // the sums
// ret (keys, 16) = values at the distances of a block's queries and keys, by positions; `values` is at distance 0.
void nn_bias_gather(const struct nn_site *site, const struct nn_attention *block, const real *values, real *ret);
// The hooks.
void nn_bias_add(struct nn_site *site, struct nn_attention *block);
void nn_bias_add_gradient(struct nn_site *site, struct nn_attention *block);
void nn_bias_next(struct nn_site *site, struct nn_next *next);
// `values` at the distances of the next query of sample `sample` and its keys.
void nn_bias_next_row(const struct nn_next *next, long sample, const real *values, real *ret_row);

// T5's bucket for keys `apart` >= 0 tokens away, of a direction's `buckets`.
long nn_t5_bucket(long apart, long buckets, long farthest);
