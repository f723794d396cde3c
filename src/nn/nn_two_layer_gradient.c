// SPDX-License-Identifier: MIT
#include "nn_two_layer.h"
#include <assert.h>
#include <string.h>

bool two_layer_fits(const struct two_layer *model, const struct batch *batch, long length)
{
    return batch->vectors && batch->dim == model->dim && nn_lengths_fit(batch, length) && batch->positions == 1 &&
           batch->binary && !batch->mask;
}

long two_layer_chunk_samples(const struct two_layer *model, long length)
{
    const long most = nn_most(1, CHUNK_TOKENS / length);
    return model->common.chunk_samples > 0 ? nn_least(model->common.chunk_samples, most) : most;
}

struct nn_attention *two_layer_attention_of(struct two_layer *model, const struct two_layer_chunk *chunk, long sample)
{
    const long length = chunk->batch->length, row = sample * length, start = row * model->width;
    struct nn_attention *attention = &model->attention;
    attention->length = attention->keys = length;
    attention->positions = chunk->positions + row;
    attention->consecutive = chunk->consecutive;
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

long two_layer_last_block(long length)
{
    return (length - 1) / NN_LANES * NN_LANES;
}

void two_layer_attend_block(struct two_layer *model, struct nn_attention *attention)
{
    const struct nn_kernels *kernels = model->common.kernels;
    kernels->take_queries(attention);
    nn_site_bias(&model->site, attention);
    kernels->attend(attention, nn_site_biases(&model->site));
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
    nn_site_bias_gradient(&model->site, attention);
}

// Attention is never kept. The blocks are run once for the logit, the first of them last, and all but that one again
// for the gradients, which start with the first.
static real sample_gradient(struct two_layer *model, const struct two_layer_chunk *chunk, long s, double targets)
{
    struct nn_attention *attention = two_layer_attention_of(model, chunk, s);
    if (model->linear)
        memset(attention->vote_gradients, 0, (size_t)attention->length * sizeof(real));
    if (attention->readout_sum)
        memset(attention->readout_sum, 0, (size_t)model->value_padded * sizeof(real));
    for (attention->first = two_layer_last_block(attention->length); attention->first >= 0;
         attention->first -= NN_LANES)
        two_layer_attend_block(model, attention);
    const real logit = two_layer_logit(model, attention);
    const real upstream = two_layer_upstream(model, chunk->batch, chunk->first + s, logit, targets);
    for (attention->first = 0; attention->first < attention->length; attention->first += NN_LANES) {
        if (attention->first > 0)
            two_layer_attend_block(model, attention);
        block_gradient(model, attention, upstream);
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
    if (model->position_gradient)
        memset(model->position_gradient, 0, (size_t)(length * model->width) * sizeof(real));
    if (model->position_votes)
        memset(model->position_votes, 0, (size_t)length * sizeof(real));
}

static void begin(struct two_layer *model, long length)
{
    clear_sums(model, length);
    two_layer_pack(model);
    if (model->input_gradient)
        two_layer_transpose(model);
    nn_site_begin(&model->input, length, true);
    nn_site_begin(&model->site, length, true);
}

static void sample_gradients(struct two_layer *model, const struct two_layer_chunk *chunk, double targets,
                             real *ret_logits)
{
    for (long s = 0; s < chunk->samples; s++)
        ret_logits[chunk->first + s] = sample_gradient(model, chunk, s, targets);
}

// Adds the gradient of a batch of one length.
static void run_gradient(struct two_layer *model, const struct batch *batch, int64_t step, double targets,
                         real *ret_logits)
{
    const long most = two_layer_chunk_samples(model, batch->length), group = nn_most(1, GROUP_TOKENS / batch->length);
    struct two_layer_chunk chunk;
    begin(model, batch->length);
    for (long first = 0; first < batch->samples; first += chunk.samples) {
        const long group_end = nn_least((first / group + 1) * group, batch->samples);
        two_layer_project(model, &chunk, batch, first, nn_least(most, group_end - first), step);
        sample_gradients(model, &chunk, targets, ret_logits);
        two_layer_collect(model, &chunk, first % group == 0);
        if (first + chunk.samples == group_end)
            two_layer_group_end(model);
    }
    two_layer_gradients_end(model, &chunk);
}

void two_layer_gradient(struct nn_model *common, const struct batch *batch, const struct nn_pass *pass,
                        real *ret_logits, double *ret_loss)
{
    struct two_layer *model = (struct two_layer *)common;
    assert(two_layer_fits(model, batch, common->max_trained_length));
    const double targets = pass->targets > 0 ? pass->targets : (double)batch->samples;
    struct batch run;
    if (!pass->add)
        nn_clear_gradients(common);
    for (long first = 0; first < batch->samples; first += run.samples) {
        run = two_layer_run(batch, first);
        run_gradient(model, &run, pass->step, targets, ret_logits + first);
    }
    if (ret_loss)
        *ret_loss = nn_loss_sum(batch, ret_logits) / targets;
}
