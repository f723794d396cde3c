// SPDX-License-Identifier: MIT
// Operations: a product's multiply-adds are two each, and a gate's function counts as FUNCTION_FLOPS.
#include "nn_recurrent.h"

enum { FUNCTION_FLOPS = 30 };

// Products with W_h in all layers, with W_x where it is met, and the gates; of `tokens`.
static double forward(const struct recurrent *model, double tokens, bool table)
{
    const double gates = (double)model->gates, width = (double)model->width, layers = (double)model->layers;
    const double product = 2 * gates * width, cell = FUNCTION_FLOPS * (gates + (model->lstm ? width : 0));
    const double entries = table ? (double)model->common.shape.vocabulary : tokens;
    return tokens * (layers * (product + cell) + (layers - 1) * product) + entries * product;
}

static double edges(const struct recurrent *model, double tokens)
{
    const struct nn_model *common = &model->common;
    const double width = (double)model->width;
    return tokens * 2 * width * (double)(common->shape.dim + common->outputs);
}

static double both_ways(const struct recurrent *model, double tokens, bool back)
{
    const bool table = recurrent_uses_table(model, back ? 0 : -1);
    return (back ? 3 : 1) * (forward(model, tokens, table) + edges(model, tokens));
}

double recurrent_gradient_flops(const struct nn_model *common, long samples, long length)
{
    return both_ways((const struct recurrent *)common, (double)samples * (double)length, true);
}

double recurrent_predict_flops(const struct nn_model *common, long samples, long length)
{
    return both_ways((const struct recurrent *)common, (double)samples * (double)length, false);
}
