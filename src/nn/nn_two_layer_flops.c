// SPDX-License-Identifier: MIT
// Counts of the model's products, two operations a multiply-add, without padding, softmax and optimiser.
#include "nn_two_layer.h"

struct costs {
    double tokens, pairs, dim, head, value, bias;
};

static struct costs costs_of(const struct two_layer *model, long samples, long length)
{
    struct costs costs = {.tokens = (double)samples * (double)length, .dim = (double)model->dim};
    costs.pairs = costs.tokens * (double)length;
    costs.head = (double)model->head_dim;
    costs.value = model->linear ? 1 : (double)model->value_dim;
    costs.bias = (double)samples * nn_site_bias_flops(&model->site, length);
    return costs;
}

static double forward(struct costs c)
{
    return 2 * c.tokens * c.dim * (2 * c.head + c.value) + 2 * c.pairs * (c.head + c.value) + c.bias;
}

double two_layer_predict_flops(const struct nn_model *model, long samples, long length)
{
    return forward(costs_of((const struct two_layer *)model, samples, length));
}

double two_layer_gradient_flops(const struct nn_model *common, long samples, long length)
{
    const struct two_layer *model = (const struct two_layer *)common;
    const struct costs c = costs_of(model, samples, length);
    double flops = forward(c) + 2 * c.tokens * c.dim * c.value + 2 * c.pairs * c.value;
    if (model->score_gradients)
        flops += 2 * c.pairs * (2 * c.head + c.value) + 2 * c.bias;
    if (!common->settings.model.freeze_attention)
        flops += 4 * c.tokens * c.dim * c.head;
    return flops;
}
