// SPDX-License-Identifier: MIT
// Vectors for distances m = key - query that meet the queries: score(i, j) += q_i · p(m). The site has them as rows and
// transposed; the gradients of p are summed as rows, for each head apart.
//
// Where positions are consecutive, the products of a block's queries with all distances are shifted into place (Dai et
// al. 2019, appendix B), a strip of distances at a time. Otherwise pairs of query and key are looked up one by one.
#pragma once
#include "nn_encoding.h"

// Distances beyond ±`clip` have the vector of ±clip, if a model's sequences have any (clip is cut to the longest);
// `heads` is 1 where all share one set. `sums`: gradients are wanted.
void nn_distance_layout(struct nn_site *site, struct nn_builder *builder, long clip, long heads, bool sums);
// Columns that sequences of up to `limit` positions use: distances *ret_first … *ret_first + result - 1, of which those
// beyond ±reach are to be filled with the vector of ±reach.
long nn_distance_span(const struct nn_site *site, long limit, long *ret_first);
void nn_distance_clear(struct nn_site *site); // the sums
// score(i, j) += q_i · p for `query` rows (16, query_stride) of the block, onto zeros.
void nn_distance_scores(struct nn_site *site, struct nn_attention *block, const real *query, long query_stride);
// The same, bit by bit, for the next query of `samples` sequences from `first` on, at one head, to next->start.
void nn_distance_next(struct nn_site *site, const struct nn_next *next, long head, long first, long samples,
                      const real *query, long query_stride);
// Gradients of rows `query` are added to query_gradient (rows query_stride apart too), those of p to the sums.
void nn_distance_scores_gradient(struct nn_site *site, struct nn_attention *block, const real *query, long query_stride,
                                 real *query_gradient);
