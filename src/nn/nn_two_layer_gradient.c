// SPDX-License-Identifier: MIT
#include "nn_two_layer.h"
#include <assert.h>
#include <string.h>

bool nn_fits(const struct two_layer *model, const struct batch *batch, long length)
{
    return batch->vectors && batch->dim == model->dim && batch->length >= 1 && batch->length <= length &&
           batch->positions == 1 && batch->binary && !batch->mask;
}

long nn_chunk_samples(const struct two_layer *model, long length)
{
    const long most = nn_most(1, CHUNK_TOKENS / length);
    return model->common.chunk_samples > 0 ? nn_least(model->common.chunk_samples, most) : most;
}

struct nn_attention *nn_attention_of(struct two_layer *model, long length, long sample)
{
    const long row = sample * length, start = row * model->width;
    struct nn_attention *attention = &model->attention;
    attention->length = attention->keys = length;
    attention->query = model->projected + start;
    attention->key = attention->query + model->head_padded;
    attention->value = attention->key + model->head_padded;
    attention->query_gradient = model->projected_gradient + start;
    attention->key_gradient = attention->query_gradient + model->head_padded;
    attention->value_gradient = attention->key_gradient + model->head_padded;
    if (model->linear) {
        attention->votes = model->votes + row;
        attention->vote_gradients = model->vote_gradients + row;
    }
    attention->readout = model->common.tensor[TENSOR_READOUT].value;
    memset(attention->total, 0, sizeof attention->total);
    return attention;
}

void nn_attend_block(const struct two_layer *model, struct nn_attention *attention)
{
    const struct nn_kernels *kernels = model->common.kernels;
    kernels->take_queries(attention);
    if (model->encoding->bias)
        model->encoding->bias(model, attention);
    kernels->attend(attention, model->encoding->bias != NULL);
    (model->linear ? kernels->read_votes : kernels->read_values)(attention);
}

static void block_gradient(struct two_layer *model, struct nn_attention *attention, real upstream)
{
    const struct nn_kernels *kernels = model->common.kernels;
    if (model->linear)
        kernels->votes_gradient(attention, upstream);
    else
        kernels->values_gradient(attention, upstream, model->score_gradients);
    if (!model->score_gradients)
        return;
    kernels->scores_gradient(attention);
    if (model->encoding->bias_gradient)
        model->encoding->bias_gradient(model, attention);
}

// A sample of more than one block has been differentiated with respect to the sum over queries: the rest of the chain.
static void scale_sample(struct two_layer *model, const struct nn_attention *attention, real upstream)
{
    const struct nn_kernels *kernels = model->common.kernels;
    kernels->scale(attention->query_gradient, upstream, attention->length * model->width);
    if (model->linear)
        for (long j = 0; j < attention->length; j++)
            attention->vote_gradients[j] *= upstream;
    if (model->encoding->sample_end && model->score_gradients)
        model->encoding->sample_end(model, attention->length, upstream);
}

// Each block's attention is used for its gradient at once, and never kept. A single block knows the loss's slope by
// then; several are scaled by it afterwards.
static real sample_gradient(struct two_layer *model, const struct nn_chunk *chunk, long s, double targets)
{
    struct nn_attention *attention = nn_attention_of(model, chunk->batch->length, s);
    const bool single = attention->length <= NN_LANES;
    real upstream = 1, logit = 0;
    if (model->linear)
        memset(attention->vote_gradients, 0, (size_t)attention->length * sizeof(real));
    if (attention->readout_sum)
        memset(attention->readout_sum, 0, (size_t)model->value_padded * sizeof(real));
    for (attention->first = 0; attention->first < attention->length; attention->first += NN_LANES) {
        nn_attend_block(model, attention);
        if (single) {
            logit = nn_logit(model, attention);
            upstream = nn_upstream(model, chunk->batch, chunk->first + s, logit, targets);
        }
        block_gradient(model, attention, upstream);
    }
    if (!single) {
        logit = nn_logit(model, attention);
        upstream = nn_upstream(model, chunk->batch, chunk->first + s, logit, targets);
        scale_sample(model, attention, upstream);
    }
    if (!model->linear && attention->readout_sum)
        model->common.kernels->add_scaled(model->common.tensor[TENSOR_READOUT].gradient, attention->readout_sum,
                                          upstream, model->value_padded);
    return logit;
}

static void clear_sums(struct two_layer *model, long length)
{
    if (model->linear)
        memset(model->folded_total, 0, (size_t)model->dim_padded * sizeof(real));
    if (model->base)
        memset(model->base_gradient, 0, (size_t)(length * model->width) * sizeof(real));
    if (model->base && model->linear)
        memset(model->base_vote_gradients, 0, (size_t)length * sizeof(real));
}

static void group_gradient(struct two_layer *model, const struct batch *batch, long first, long end, double targets,
                           real *ret_logits)
{
    const long most = nn_chunk_samples(model, batch->length);
    for (long start = first; start < end; start += most) {
        struct nn_chunk chunk;
        nn_project(model, &chunk, batch, start, nn_least(most, end - start));
        for (long s = 0; s < chunk.samples; s++)
            ret_logits[start + s] = sample_gradient(model, &chunk, s, targets);
        nn_collect(model, &chunk, start == first);
    }
    nn_group_end(model);
}

void two_layer_gradient(struct nn_model *common, const struct batch *batch, const struct nn_pass *pass,
                        real *ret_logits, double *ret_loss)
{
    struct two_layer *model = (struct two_layer *)common;
    assert(nn_fits(model, batch, common->max_trained_length));
    const long group = nn_most(1, GROUP_TOKENS / batch->length);
    const double targets = pass->targets > 0 ? pass->targets : (double)batch->samples;
    if (!pass->add)
        nn_clear_gradients(common);
    clear_sums(model, batch->length);
    nn_pack(model, batch->length);
    for (long first = 0; first < batch->samples; first += group)
        group_gradient(model, batch, first, nn_least(first + group, batch->samples), targets, ret_logits);
    nn_gradients_end(model, batch->length);
    if (ret_loss)
        *ret_loss = nn_loss_sum(batch, ret_logits) / targets;
}
