// SPDX-License-Identifier: MIT
// Counts of the model's products, two operations a multiply-add, without padding, norms, softmax and optimiser.
#include "nn_transformer.h"

struct costs {
    double embedding, linear, scores, bias, head; // of all samples; scores: one product of queries and keys
};

static struct costs costs_of(const struct transformer *model, long samples, long length)
{
    const struct nn_model *common = &model->common;
    const double tokens = (double)samples * (double)length, width = (double)model->width;
    const double factor = (double)common->settings.model.ffn_factor;
    const double targets = model->head.kind == POOLING_PER_POSITION ? tokens : (double)samples;
    const double keys = model->causal ? ((double)length + 1) / 2 : (double)length;
    struct costs costs = {.embedding = 2 * tokens * (double)common->shape.dim * width,
                          .linear = 2 * tokens * width * width * (4 + 2 * factor) * (double)model->layers,
                          .scores = 2 * tokens * keys * width * (double)model->layers,
                          .head = 2 * targets * width * (double)common->outputs};
    for (long l = 0; l < model->layers; l++)
        costs.bias += (double)samples * nn_site_bias_flops(&model->layer[l].site, length);
    return costs;
}

double transformer_predict_flops(const struct nn_model *common, long samples, long length)
{
    const struct costs c = costs_of((const struct transformer *)common, samples, length);
    return c.embedding + c.linear + 2 * c.scores + c.bias + c.head;
}

// The way back: two products for one of the way forward (none to the input); scores are made again.
double transformer_gradient_flops(const struct nn_model *common, long samples, long length)
{
    const struct costs c = costs_of((const struct transformer *)common, samples, length);
    return 2 * c.embedding + 3 * (c.linear + c.head) + 7 * c.scores + 4 * c.bias;
}
