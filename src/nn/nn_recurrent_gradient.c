// SPDX-License-Identifier: MIT
#include "nn_recurrent.h"
#include <assert.h>
#include <limits.h>
#include <string.h>

static bool fits(const struct recurrent *model, const struct batch *batch)
{
    const struct batch_shape *shape = &model->common.shape;
    const bool input = shape->vocabulary > 0 ? batch->tokens != NULL : batch->vectors && batch->dim == shape->dim;
    return input && nn_lengths_fit(batch, model->common.max_trained_length);
}

// Rows of a span from the head and back: logits, and the gradient of the last layer's states.
static void read_out(struct recurrent *model, const struct recurrent_span *span, double targets, real *ret_logits)
{
    const struct batch *batch = span->course->batch;
    const struct nn_rows state = model->layer[model->layers - 1].state;
    struct recurrent_piece piece = {0};
    while (recurrent_next_piece(span->course, &piece)) {
        const long first = span->course->first + piece.number;
        recurrent_to_edge(model, &piece, state, model->edge);
        nn_head_forward(&model->head, &model->common, batch, first, piece.row, piece.rows, model->edge, ret_logits);
        nn_head_gradient(&model->head, &model->common, batch, first, piece.samples, targets, model->edge, ret_logits,
                         model->edge_gradient);
        recurrent_from_edge(model, &piece, model->edge_gradient, model->slope);
    }
}

// The states before the steps of rows row … row + count - 1, which are of step `*t` and those behind it: copied
// together where samples have ended between.
static struct nn_rows states_before(struct recurrent *model, const struct recurrent_course *course,
                                    struct nn_rows state, long row, long count, long *t)
{
    const long *start = course->start;
    if (start[course->steps] == course->steps * course->samples)
        return nn_rows_from(state, row - course->samples);
    for (long r = 0, some; r < count; r += some) {
        while (start[*t + 1] <= row + r)
            ++*t;
        some = nn_least(count - r, start[*t + 1] - row - r);
        memcpy(nn_rows_from(model->edge, r).at, nn_rows_from(state, start[*t - 1] + row + r - start[*t]).at,
               (size_t)(some * state.stride) * sizeof(real));
    }
    return model->edge;
}

// Blocks of rows, so that a weight's gradient meets rows that are still near.
static void collect_recurrent(struct recurrent *model, long l, const struct recurrent_course *course,
                              struct nn_rows sums)
{
    const struct recurrent_layer *layer = &model->layer[l];
    const long rows = course->start[course->steps];
    for (long row = course->start[1], t = 1; row < rows; row += RECURRENT_EDGE_ROWS) {
        const long count = nn_least(RECURRENT_EDGE_ROWS, rows - row);
        nn_linear_collect(&model->common, &layer->recurrent, count,
                          states_before(model, course, layer->state, row, count, &t), nn_rows_from(sums, row));
    }
}

static void collect_input(struct recurrent *model, long l, long rows, struct nn_rows x, struct nn_rows sums)
{
    const struct recurrent_layer *layer = &model->layer[l];
    for (long row = 0; row < rows; row += RECURRENT_EDGE_ROWS)
        nn_linear_collect(&model->common, &layer->input, nn_least(RECURRENT_EDGE_ROWS, rows - row),
                          nn_rows_from(x, row), nn_rows_from(sums, row));
}

// Gradients of the sums, by token; then the way of a few rows.
static void collect_table(struct recurrent *model, const struct recurrent_span *span, struct nn_rows sums)
{
    const struct recurrent_course *course = span->course;
    const struct nn_tensor *embedding = model->embedding.table;
    const struct nn_rows gradient = model->table_gradient, value = {embedding->value, embedding->stride};
    memset(gradient.at, 0, (size_t)(embedding->rows * gradient.stride) * sizeof(real));
    for (long t = 0; t < course->steps; t++)
        for (long row = course->start[t]; row < course->start[t + 1]; row++) {
            const int32_t token = course->batch->tokens[recurrent_origin(course, row - course->start[t], t)];
            model->common.kernels->add_scaled(nn_rows_from(gradient, token).at, nn_rows_from(sums, row).at, 1,
                                              model->gates);
        }
    collect_input(model, 0, embedding->rows, value, gradient);
    if (!embedding->frozen)
        nn_linear_back(&model->common, &model->layer[0].input, embedding->rows, gradient,
                       (struct nn_rows){embedding->gradient, embedding->stride}, true);
}

static void embedding_gradient(struct recurrent *model, const struct recurrent_span *span)
{
    const struct nn_dropout dropout = nn_dropout(&model->common, model->layer[0].site, span->step);
    const struct batch *batch = span->course->batch;
    struct recurrent_piece piece = {0};
    while (recurrent_next_piece(span->course, &piece)) {
        recurrent_to_edge(model, &piece, model->slope, model->edge_gradient);
        nn_drop_rows(&dropout, batch, piece.row, piece.rows, model->width, model->edge_gradient);
        nn_embedding_gradient(&model->embedding, &model->common, batch, piece.row, piece.rows, model->edge_gradient);
    }
}

// From the gradient of what a layer's gates are made of to that of what it reads, in model->slope.
static void below(struct recurrent *model, long l, const struct recurrent_span *span, struct nn_rows sums)
{
    const struct nn_rows slope = model->slope;
    nn_linear_back(&model->common, &model->layer[l].input, span->course->start[span->steps], sums, model->other_slope,
                   false);
    model->slope = model->other_slope;
    model->other_slope = slope;
    if (l > 0)
        recurrent_drop(model, l, span, model->slope);
}

static void layer_gradient(struct recurrent *model, long l, const struct recurrent_span *span, struct nn_rows sums)
{
    struct recurrent_layer *layer = &model->layer[l];
    const bool table = l == 0 && recurrent_uses_table(model, span->step);
    collect_recurrent(model, l, span->course, sums);
    if (table)
        collect_table(model, span, sums);
    else
        collect_input(model, l, span->course->start[span->steps], recurrent_input(model, l, span->step), sums);
    const struct nn_tensor *bias = layer->input.part[0].bias;
    memcpy(layer->recurrent_bias->gradient, bias->gradient, (size_t)bias->storage * sizeof(real));
    if (table || (l == 0 && model->embedding.table && model->embedding.table->frozen))
        return;
    below(model, l, span, sums);
    if (l == 0)
        embedding_gradient(model, span);
}

// The samples of a group from rank `from` on that go through time together.
static struct recurrent_span chunk_of(const struct recurrent *model, const struct recurrent_span *group, long from)
{
    const long most = model->common.chunk_samples > 0 ? model->common.chunk_samples : group->samples;
    struct recurrent_span chunk = *group;
    chunk.from = from;
    chunk.samples = nn_least(most, group->samples - from);
    while (recurrent_running(&chunk, chunk.steps - 1) == 0)
        chunk.steps--;
    return chunk;
}

static void group_gradient(struct recurrent *model, const struct recurrent_span *group, double targets,
                           real *ret_logits)
{
    struct recurrent_span chunk;
    for (long from = 0; from < group->samples; from += chunk.samples) {
        chunk = chunk_of(model, group, from);
        recurrent_forward(model, &chunk);
    }
    read_out(model, group, targets, ret_logits);
    for (long l = model->layers - 1; l >= 0; l--) {
        struct nn_rows sums = {0};
        for (long from = 0; from < group->samples; from += chunk.samples) {
            chunk = chunk_of(model, group, from);
            sums = recurrent_back(model, l, &chunk);
        }
        layer_gradient(model, l, group, sums);
    }
    nn_head_end(&model->head, &model->common);
}

void recurrent_gradient(struct nn_model *common, const struct batch *batch, const struct nn_pass *pass,
                        real *ret_logits, double *ret_loss)
{
    struct recurrent *model = (struct recurrent *)common;
    assert(fits(model, batch));
    const double targets = pass->targets > 0 ? pass->targets : (double)nn_targets(batch);
    const long rows = recurrent_group_rows(batch);
    struct recurrent_course *course = &model->course;
    recurrent_begin(model, true);
    for (long first = 0, number = 0; first < batch->samples; first += course->samples, number++) {
        recurrent_plan(course, batch, first, recurrent_group_samples(batch, first, rows));
        recurrent_take_steps(course, 0, course->longest, LONG_MAX);
        nn_group_begin(&model->group, common, pass, number);
        group_gradient(model,
                       &(struct recurrent_span){
                           .course = course, .samples = course->samples, .steps = course->steps, .step = pass->step},
                       targets, ret_logits);
        nn_group_end(&model->group, common, pass, number);
    }
    if (ret_loss)
        *ret_loss = nn_loss_sum(batch, ret_logits) / targets;
}
