// SPDX-License-Identifier: MIT
#include "nn_bias.h"
#include <string.h>

// Kernels touch whole blocks of 16 queries and 16 keys, so up to 15 distances more on either side.
void nn_bias_layout(struct nn_site *site, struct nn_builder *builder, bool sums)
{
    const struct nn_model *model = site->model;
    const long limit = nn_padded(nn_position_limit(model, model->max_length));
    struct nn_bias_table *bias = &site->bias;
    bias->before = (site->causal ? 0 : limit) + NN_LANES;
    bias->size = bias->before + limit + NN_LANES;
    bias->values = nn_take_reals(builder, site->heads, bias->size);
    if (sums && !site->frozen)
        bias->sums = nn_take_reals(builder, site->heads, bias->size);
}

void nn_bias_clear(struct nn_site *site)
{
    memset(site->bias.sums, 0, (size_t)(site->heads * site->bias.size) * sizeof(real));
}

// Under a causal mask keys lie ahead of some queries of the block; what is found there for them is never used.
static long furthest_back(const struct nn_site *site)
{
    return site->causal ? 0 : -site->bias.before;
}

void nn_bias_gather(const struct nn_site *site, const struct nn_attention *block, const real *values, real *ret)
{
    const int32_t *query = block->positions + block->first;
    const long queries = nn_least(NN_LANES, block->length - block->first), least = furthest_back(site);
    for (long j = 0; j < block->keys; j++)
        for (long lane = 0; lane < queries; lane++)
            ret[j * NN_LANES + lane] = values[nn_most(query[lane] - block->positions[j], least)];
}

static void scatter(const struct nn_site *site, const struct nn_attention *block, real *sums)
{
    const int32_t *query = block->positions + block->first;
    const long queries = nn_least(NN_LANES, block->length - block->first), least = furthest_back(site);
    for (long j = 0; j < block->keys; j++)
        for (long lane = 0; lane < queries; lane++)
            sums[nn_most(query[lane] - block->positions[j], least)] += block->score_gradient[j * NN_LANES + lane];
}

void nn_bias_add(struct nn_site *site, struct nn_attention *block)
{
    const real *values = nn_bias_values(site, block->head);
    if (block->consecutive)
        site->model->kernels->bias_slices(block, values);
    else
        nn_bias_gather(site, block, values, block->weights);
}

void nn_bias_add_gradient(struct nn_site *site, struct nn_attention *block)
{
    real *sums = nn_bias_sums(site, block->head);
    if (!site->gradient)
        return;
    if (block->consecutive)
        site->model->kernels->bias_slices_gradient(block, sums);
    else
        scatter(site, block, sums);
}

void nn_bias_next_row(const struct nn_next *next, long sample, const real *values, real *ret_row)
{
    const int32_t *positions = next->positions + sample * next->length;
    const real *at = values + positions[next->at];
    for (long j = 0; j <= next->at; j++)
        ret_row[j] = at[-positions[j]];
}

void nn_bias_next(struct nn_site *site, struct nn_next *next)
{
    next->start_sample = next->consecutive ? 0 : site->heads * next->start_head;
    for (long s = 0; s < (next->consecutive ? 1 : next->samples); s++)
        for (long head = 0; head < site->heads; head++)
            nn_bias_next_row(next, s, nn_bias_values(site, head),
                             next->start + s * next->start_sample + head * next->start_head);
}
