// SPDX-License-Identifier: MIT
#include "nn_two_layer.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static const int32_t *relevant_of(const struct batch *batch, long sample)
{
    return batch->relevant + sample * batch->relevant_count;
}

static real relevant_mass(const struct two_layer *model, const struct nn_attention *attention, const int32_t *keys,
                          long count)
{
    real mass[NN_LANES];
    model->common.kernels->attention_on(attention, keys, count, mass);
    real sum = 0;
    for (int lane = 0; lane < NN_LANES; lane++)
        sum += mass[lane];
    return sum;
}

static void predict_sample(struct two_layer *model, const struct two_layer_chunk *chunk, long s,
                           const struct nn_outputs *outputs)
{
    const struct batch *batch = chunk->batch;
    struct nn_attention *attention = two_layer_attention_of(model, chunk, s);
    double mass = 0;
    for (attention->first = two_layer_last_block(batch->length); attention->first >= 0; attention->first -= NN_LANES) {
        two_layer_attend_block(model, attention);
        if (outputs->relevant_mass)
            mass +=
                (double)relevant_mass(model, attention, relevant_of(batch, chunk->first + s), batch->relevant_count);
    }
    if (outputs->logits)
        outputs->logits[chunk->first + s] = two_layer_logit(model, attention);
    if (outputs->relevant_mass)
        outputs->relevant_mass[chunk->first + s] = (real)(mass / (double)batch->length);
}

// Values of the chunk's tokens; a linear model projects to votes alone, so that they are made here.
static const real *value_rows(struct two_layer *model, const struct two_layer_chunk *chunk, long *ret_stride)
{
    *ret_stride = model->linear ? model->value_padded : model->width;
    if (!model->linear)
        return model->projected + 2 * model->head_padded;
    two_layer_project_values(model, chunk->tokens, chunk->tokens_stride, chunk->rows, model->value_rows);
    return model->value_rows;
}

static void sample_norms(const struct batch *batch, const real *norms, long sample, const struct nn_outputs *outputs)
{
    const int32_t *relevant = relevant_of(batch, sample);
    double sum[2] = {0, 0};
    for (long j = 0, r = 0; j < batch->length; j++) {
        const bool is = r < batch->relevant_count && relevant[r] == j;
        sum[is] += (double)norms[j];
        r += is;
    }
    const double count = (double)batch->relevant_count, others = (double)batch->length - count;
    if (outputs->relevant_value_norm)
        outputs->relevant_value_norm[sample] = (real)(count > 0 ? sum[1] / count : NAN);
    if (outputs->irrelevant_value_norm)
        outputs->irrelevant_value_norm[sample] = (real)(others > 0 ? sum[0] / others : NAN);
}

static void predict_norms(struct two_layer *model, const struct two_layer_chunk *chunk,
                          const struct nn_outputs *outputs)
{
    long stride;
    const real *rows = value_rows(model, chunk, &stride);
    model->common.kernels->norms(rows, stride, chunk->rows, model->value_padded, model->norms);
    for (long s = 0; s < chunk->samples; s++)
        sample_norms(chunk->batch, model->norms + s * chunk->batch->length, chunk->first + s, outputs);
}

static bool wants_norms(const struct nn_outputs *outputs)
{
    return outputs->relevant_value_norm || outputs->irrelevant_value_norm;
}

// A batch of one length, with all that is packed.
static void predict_run(struct two_layer *model, const struct batch *batch, const struct nn_outputs *outputs)
{
    const long most = two_layer_chunk_samples(model, batch->length);
    nn_site_begin(&model->input, batch->length, false);
    nn_site_begin(&model->site, batch->length, false);
    for (long start = 0; start < batch->samples; start += most) {
        struct two_layer_chunk chunk;
        two_layer_project(model, &chunk, batch, start, nn_least(most, batch->samples - start), -1);
        for (long s = 0; s < chunk.samples; s++)
            predict_sample(model, &chunk, s, outputs);
        if (wants_norms(outputs))
            predict_norms(model, &chunk, outputs);
    }
}

// Outputs of samples `first` and those behind it.
static struct nn_outputs outputs_from(const struct nn_outputs *outputs, long first)
{
    struct nn_outputs from = *outputs;
    real **member[] = {&from.logits, &from.relevant_mass, &from.relevant_value_norm, &from.irrelevant_value_norm};
    for (size_t i = 0; i < sizeof member / sizeof *member; i++)
        if (*member[i])
            *member[i] += first;
    return from;
}

void two_layer_predict(struct nn_model *common, const struct batch *batch, const struct nn_outputs *outputs)
{
    struct two_layer *model = (struct two_layer *)common;
    assert(two_layer_fits(model, batch, model->common.max_length));
    struct batch run;
    two_layer_pack(model);
    if (wants_norms(outputs) && model->linear)
        two_layer_pack_values(model);
    for (long first = 0; first < batch->samples; first += run.samples) {
        const struct nn_outputs from = outputs_from(outputs, first);
        run = two_layer_run(batch, first);
        predict_run(model, &run, &from);
    }
}
