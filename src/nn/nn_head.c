// SPDX-License-Identifier: MIT
#include "nn_head.h"
#include "nn_scaling.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { BLOCK_ROWS = 128 }; // of logits at a time

static bool is_pooled(const struct nn_head *head)
{
    return head->kind != POOLING_PER_POSITION;
}

static struct nn_tensor *add_bias(struct nn_model *model, struct nn_builder *builder)
{
    const struct nn_tensor bias = {.name = "head.bias",
                                   .rows = 1,
                                   .columns = model->outputs,
                                   .rate = nn_scaling(&model->settings, ROLE_CONSTANT).rate};
    return model->settings.model.head_bias ? nn_add_tensor(model, builder, bias) : NULL;
}

static void share(struct nn_head *head, struct nn_model *model, struct nn_builder *builder, struct nn_tensor *tied)
{
    assert(tied->rows >= model->outputs);
    head->tied = tied;
    head->shared = *tied;
    head->shared.gradient = nn_take_reals(builder, 1, tied->storage);
    const double scale = model->settings.model.output_scale;
    nn_linear_tied(&head->linear, &head->shared, model->outputs, add_bias(model, builder),
                   scale * nn_scaling(&model->settings, ROLE_TIED_HEAD).factor, scale);
}

static void add_weight(struct nn_head *head, struct nn_model *model, struct nn_builder *builder)
{
    const struct nn_scaling scaling = nn_scaling(&model->settings, ROLE_HEAD);
    const struct nn_tensor weight = {
        .name = "head", .rows = head->width, .columns = model->outputs, .rate = scaling.rate};
    struct nn_tensor *added = nn_add_weight(model, builder, weight);
    const double scale = model->settings.model.output_scale;
    nn_linear_part(&head->linear, added, add_bias(model, builder), scale * scaling.factor, scale);
}

void nn_head_layout(struct nn_head *head, struct nn_model *model, struct nn_builder *builder, long width,
                    struct nn_tensor *tied, long samples)
{
    head->kind = settings_pooling(&model->settings);
    head->width = width;
    if (tied)
        share(head, model, builder, tied);
    else
        add_weight(head, model, builder);
    nn_linear_layout(&head->linear, builder);
    head->logits = nn_take_rows(builder, BLOCK_ROWS, model->outputs);
    if (!is_pooled(head))
        return;
    head->pooled = nn_take_rows(builder, samples, width);
    head->pooled_gradient = nn_take_rows(builder, BLOCK_ROWS, width);
}

void nn_head_fill(struct nn_head *head, const struct nn_model *model)
{
    const struct nn_linear_part *part = &head->linear.part[0];
    const double scale = 1 / sqrt((double)head->width);
    const double gain = model->settings.model.init_gain * nn_scaling(&model->settings, ROLE_HEAD).initial;
    if (!head->tied)
        nn_fill_uniform(model, part->weight, scale * gain);
    if (part->bias)
        nn_fill_uniform(model, part->bias, scale);
}

static void clear_shared(struct nn_head *head)
{
    if (head->tied)
        memset(head->shared.gradient, 0, (size_t)head->shared.storage * sizeof(real));
}

void nn_head_begin(struct nn_head *head, const struct nn_model *model, bool gradient)
{
    nn_linear_pack(model, &head->linear, gradient);
    clear_shared(head);
}

static void write_logits(struct nn_head *head, const struct nn_model *model, long count, struct nn_rows x,
                         real *ret_logits)
{
    const long outputs = model->outputs;
    nn_linear_forward(model, &head->linear, count, x, (struct nn_rows){0}, head->logits);
    for (long r = 0; r < count; r++)
        for (long c = 0; c < outputs; c++)
            ret_logits[r * outputs + c] = nn_canonical(head->logits.at[r * head->logits.stride + c]);
}

// `count` rows of one sample from `position` on; true where they complete it.
static bool pool(const struct nn_head *head, const struct nn_model *model, long length, long position, long count,
                 struct nn_rows x, real *pooled)
{
    const long width = nn_padded(head->width);
    const bool complete = position + count == length;
    if (head->kind == POOLING_LAST) {
        if (complete)
            memcpy(pooled, x.at + (count - 1) * x.stride, (size_t)width * sizeof *pooled);
        return complete;
    }
    if (position == 0)
        memset(pooled, 0, (size_t)width * sizeof *pooled);
    model->kernels->sum_rows(x.at, x.stride, count, width, pooled);
    if (complete)
        model->kernels->scale(pooled, (real)(1 / (double)length), width);
    return complete;
}

static void forward_pooled(struct nn_head *head, const struct nn_model *model, const struct batch *batch, long first,
                           long row, long count, struct nn_rows x, real *ret_logits)
{
    struct nn_place place = nn_place(batch, row);
    for (long r = 0, some; r < count; r += some, place = (struct nn_place){place.sample + 1, 0}) {
        const long length = batch_length(batch, place.sample);
        const struct nn_rows pooled = nn_rows_from(head->pooled, place.sample - first);
        some = nn_least(count - r, length - place.position);
        if (pool(head, model, length, place.position, some, nn_rows_from(x, r), pooled.at))
            write_logits(head, model, 1, pooled, ret_logits + place.sample * model->outputs);
    }
}

void nn_head_forward(struct nn_head *head, const struct nn_model *model, const struct batch *batch, long first,
                     long row, long count, struct nn_rows x, real *ret_logits)
{
    if (is_pooled(head)) {
        forward_pooled(head, model, batch, first, row, count, x, ret_logits);
        return;
    }
    for (long r = 0; r < count; r += BLOCK_ROWS)
        write_logits(head, model, nn_least(BLOCK_ROWS, count - r), nn_rows_from(x, r),
                     ret_logits + (row + r) * model->outputs);
}

// From the logits of a target to the gradient of its loss, in a padded row.
static void slope_row(const struct nn_model *model, const struct batch *batch, long target, real factor,
                      const real *logits, real *ret_row)
{
    const long outputs = model->outputs;
    memset(ret_row, 0, (size_t)nn_padded(outputs) * sizeof *ret_row);
    if (batch->mask && !batch->mask[target])
        return;
    if (batch->binary) {
        const real sign = batch->targets[target] ? 1 : -1;
        ret_row[0] = -sign * model->kernels->loss_slope(-sign * logits[target]) * factor;
        return;
    }
    memcpy(ret_row, logits + target * outputs, (size_t)outputs * sizeof *ret_row);
    model->kernels->class_gradient(ret_row, outputs, batch->targets[target], factor);
}

// `count` targets from `target` on, the head's inputs x: adds to the tensors' gradients and makes those of x.
static void targets_gradient(struct nn_head *head, const struct nn_model *model, const struct batch *batch, long target,
                             long count, double targets, struct nn_rows x, const real *logits, struct nn_rows ret)
{
    for (long r = 0; r < count; r++)
        slope_row(model, batch, target + r, (real)(1 / targets), logits, head->logits.at + r * head->logits.stride);
    nn_linear_collect(model, &head->linear, count, x, head->logits);
    nn_linear_back(model, &head->linear, count, head->logits, ret, false);
}

// What a pooled row's gradient is to each of the sample's rows.
static void spread(const struct nn_head *head, const struct nn_model *model, long length, const real *pooled,
                   struct nn_rows ret)
{
    const long width = nn_padded(head->width);
    const real share = head->kind == POOLING_MEAN ? (real)(1 / (double)length) : 1;
    for (long r = 0; r < length; r++) {
        memset(ret.at + r * ret.stride, 0, (size_t)width * sizeof(real));
        if (head->kind == POOLING_MEAN || r == length - 1)
            model->kernels->add_scaled(ret.at + r * ret.stride, pooled, share, width);
    }
}

static void gradient_pooled(struct nn_head *head, const struct nn_model *model, const struct batch *batch, long first,
                            long samples, double targets, const real *logits, struct nn_rows ret)
{
    for (long s = 0, some; s < samples; s += some) {
        some = nn_least(BLOCK_ROWS, samples - s);
        targets_gradient(head, model, batch, first + s, some, targets, nn_rows_from(head->pooled, s), logits,
                         head->pooled_gradient);
        for (long k = 0; k < some; k++) {
            const long length = batch_length(batch, first + s + k);
            spread(head, model, length, nn_rows_from(head->pooled_gradient, k).at, ret);
            ret = nn_rows_from(ret, length);
        }
    }
}

void nn_head_gradient(struct nn_head *head, const struct nn_model *model, const struct batch *batch, long first,
                      long samples, double targets, struct nn_rows x, const real *logits, struct nn_rows ret_x_gradient)
{
    if (is_pooled(head)) {
        gradient_pooled(head, model, batch, first, samples, targets, logits, ret_x_gradient);
        return;
    }
    const long row = (long)batch_row(batch, first), rows = (long)batch_row(batch, first + samples) - row;
    for (long r = 0; r < rows; r += BLOCK_ROWS)
        targets_gradient(head, model, batch, row + r, nn_least(BLOCK_ROWS, rows - r), targets, nn_rows_from(x, r),
                         logits, nn_rows_from(ret_x_gradient, r));
}

void nn_head_end(struct nn_head *head, const struct nn_model *model)
{
    nn_linear_end(model, &head->linear);
    if (head->tied) {
        model->kernels->add_scaled(head->tied->gradient, head->shared.gradient, 1, head->shared.storage);
        clear_shared(head);
    }
}
