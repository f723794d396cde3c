// SPDX-License-Identifier: MIT
#include "nn_embedding.h"
#include "base_random.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_ROWS = 128 }; // of vectors at a time

static bool is_frozen(const struct nn_model *model)
{
    return model->settings.model.embeddings == EMBEDDINGS_ORTHONORMAL;
}

static void layout_table(struct nn_embedding *embedding, struct nn_model *model, struct nn_builder *builder)
{
    const bool frozen = is_frozen(model);
    const struct nn_tensor table = {
        .name = "embedding", .rows = model->shape.vocabulary, .columns = embedding->width, .frozen = frozen};
    embedding->table = nn_add_tensor(model, builder, nn_rows_padded(table));
    if (frozen && model->settings.task.snr < INFINITY)
        embedding->noise = 1 / sqrt(model->settings.task.snr);
    embedding->draw = nn_take(builder, embedding->width, 1, sizeof *embedding->draw);
    embedding->scratch = nn_take(builder, embedding->width, 1, sizeof *embedding->scratch);
}

static void layout_input(struct nn_embedding *embedding, struct nn_model *model, struct nn_builder *builder)
{
    const struct nn_tensor weight = {.name = "input.weight", .rows = model->shape.dim, .columns = embedding->width};
    struct nn_tensor *added = nn_add_weight(model, builder, weight);
    nn_linear_part(&embedding->input, added, nn_add_bias(model, builder, "input.bias", added), 1, 1);
    nn_linear_layout(&embedding->input, builder);
    embedding->vectors = nn_take_rows(builder, BLOCK_ROWS, model->shape.dim);
}

void nn_embedding_layout(struct nn_embedding *embedding, struct nn_model *model, struct nn_builder *builder, long width)
{
    embedding->width = width;
    (model->shape.vocabulary > 0 ? layout_table : layout_input)(embedding, model, builder);
}

struct nn_tensor *nn_embedding_tied(const struct nn_embedding *embedding, const struct nn_model *model)
{
    return model->settings.model.tied && !is_frozen(model) ? embedding->table : NULL;
}

// Takes out of x (width) its components along the table's rows before `row`; twice, for what rounding leaves.
static void make_orthogonal(const struct nn_tensor *table, long row, double *x)
{
    for (long i = 0; i < 2 * row; i++) {
        const real *unit = table->value + i % row * table->stride;
        double along = 0;
        for (long c = 0; c < table->columns; c++)
            along += x[c] * (double)unit[c];
        for (long c = 0; c < table->columns; c++)
            x[c] -= along * (double)unit[c];
    }
}

static void fill_unit_row(const struct nn_embedding *embedding, const struct nn_model *model, long row)
{
    struct nn_tensor *table = embedding->table;
    double *x = embedding->scratch, square = 0;
    nn_draw_normal(model, table, row, (uint64_t)row, 1);
    for (long c = 0; c < table->columns; c++)
        x[c] = (double)table->value[row * table->stride + c];
    if (table->rows <= table->columns)
        make_orthogonal(table, row, x);
    for (long c = 0; c < table->columns; c++)
        square += x[c] * x[c];
    for (long c = 0; c < table->columns; c++)
        table->value[row * table->stride + c] = (real)(x[c] / sqrt(square));
}

void nn_embedding_fill(struct nn_embedding *embedding, const struct nn_model *model)
{
    if (!embedding->table) {
        const struct nn_linear_part *part = &embedding->input.part[0];
        const double scale = 1 / sqrt((double)model->shape.dim);
        nn_fill_uniform(model, part->weight, scale * model->settings.model.init_gain);
        nn_fill_uniform(model, part->bias, scale);
    } else if (is_frozen(model)) {
        for (long row = 0; row < embedding->table->rows; row++)
            fill_unit_row(embedding, model, row);
    } else {
        nn_fill_normal(model, embedding->table, 1);
    }
}

void nn_embedding_begin(struct nn_embedding *embedding, const struct nn_model *model)
{
    if (!embedding->table)
        nn_linear_pack(model, &embedding->input, false);
}

static struct random_key noise_key(const struct nn_model *model, const struct batch *batch)
{
    char stream[96];
    snprintf(stream, sizeof stream, "%s/embedding", batch->set);
    return random_key(model->settings.seed, settings_data_seed(&model->settings), stream);
}

static void add_noise(const struct nn_embedding *embedding, struct random_key key, const struct batch *batch,
                      struct nn_place place, real *x)
{
    random_normals(key, (uint64_t)batch_index(batch, place.sample), (uint32_t)place.position, (size_t)embedding->width,
                   embedding->draw);
    for (long c = 0; c < embedding->width; c++)
        x[c] += (real)embedding->noise * (real)embedding->draw[c];
}

static void look_up(struct nn_embedding *embedding, const struct nn_model *model, const struct batch *batch, long row,
                    long count, struct nn_rows x)
{
    const struct nn_tensor *table = embedding->table;
    for (long r = 0; r < count; r++)
        memcpy(x.at + r * x.stride, table->value + batch->tokens[row + r] * table->stride,
               (size_t)table->stride * sizeof(real));
    if (!(embedding->noise > 0))
        return;
    const struct random_key key = noise_key(model, batch);
    struct nn_place place = nn_place(batch, row);
    for (long r = 0; r < count; r++, nn_place_next(batch, &place))
        add_noise(embedding, key, batch, place, x.at + r * x.stride);
}

static void copy_vectors(const struct nn_embedding *embedding, const struct batch *batch, long row, long count)
{
    for (long r = 0; r < count; r++)
        for (long c = 0; c < batch->dim; c++)
            embedding->vectors.at[r * embedding->vectors.stride + c] = (real)batch->vectors[(row + r) * batch->dim + c];
}

void nn_embedding_forward(struct nn_embedding *embedding, const struct nn_model *model, const struct batch *batch,
                          long row, long count, struct nn_rows ret_x)
{
    if (embedding->table) {
        look_up(embedding, model, batch, row, count, ret_x);
        return;
    }
    for (long from = 0; from < count; from += BLOCK_ROWS) {
        const long some = nn_least(BLOCK_ROWS, count - from);
        copy_vectors(embedding, batch, row + from, some);
        nn_linear_forward(model, &embedding->input, some, embedding->vectors, (struct nn_rows){0},
                          nn_rows_from(ret_x, from));
    }
}

void nn_embedding_gradient(struct nn_embedding *embedding, const struct nn_model *model, const struct batch *batch,
                           long row, long count, struct nn_rows x_gradient)
{
    struct nn_tensor *table = embedding->table;
    if (table && !table->frozen)
        for (long r = 0; r < count; r++)
            model->kernels->add_scaled(table->gradient + batch->tokens[row + r] * table->stride,
                                       x_gradient.at + r * x_gradient.stride, 1, table->stride);
    for (long from = 0; !table && from < count; from += BLOCK_ROWS) {
        const long some = nn_least(BLOCK_ROWS, count - from);
        copy_vectors(embedding, batch, row + from, some);
        nn_linear_collect(model, &embedding->input, some, embedding->vectors, nn_rows_from(x_gradient, from));
    }
}
