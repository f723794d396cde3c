// SPDX-License-Identifier: MIT
// Counts of the model's products, two operations a multiply-add, without padding, softmax and optimiser.
#include "nn_model.h"

struct costs {
    double tokens, pairs, dim, head, value, distances;
};

static struct costs costs_of(const struct settings *settings, long samples, long length)
{
    const struct model_settings *model = &settings->model;
    struct costs costs = {.tokens = (double)samples * (double)length, .dim = (double)settings->task.dim};
    costs.pairs = costs.tokens * (double)length;
    costs.head = (double)model->head_dim;
    costs.value = model->activation == ACTIVATION_NONE ? 1 : (double)model->value_dim;
    if (model->encoding == ENCODING_RELATIVE) {
        const double reach = (double)(length - 1), clip = (double)model->relative_clip;
        costs.distances = 2 * (reach < clip ? reach : clip) + 1;
    }
    return costs;
}

double nn_predict_flops(const struct settings *settings, long samples, long length)
{
    const struct costs c = costs_of(settings, samples, length);
    return 2 * c.tokens * c.dim * (2 * c.head + c.value) + 2 * c.pairs * (c.head + c.value) +
           2 * c.tokens * c.distances * c.head;
}

double nn_gradient_flops(const struct settings *settings, long samples, long length)
{
    const struct costs c = costs_of(settings, samples, length);
    const bool frozen = settings->model.freeze_attention;
    const bool scores = !frozen || settings->model.encoding == ENCODING_ABSOLUTE;
    const double values = 2 * c.tokens * c.dim * c.value + 2 * c.pairs * c.value;
    const double of_scores = 2 * c.pairs * (2 * c.head + c.value) + 4 * c.tokens * c.distances * c.head;
    const double of_weights = 4 * c.tokens * c.dim * c.head;
    return nn_predict_flops(settings, samples, length) + values + (scores ? of_scores : 0) + (frozen ? 0 : of_weights);
}
