// SPDX-License-Identifier: MIT
// Layer by layer, a chunk of sequences at a time (long ones alone), and within it a block of rows at a time.
#include "nn_transformer.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// Norms of the values of `count` rows from `row` on, added to the sums of their samples. Rows and relevant positions
// ascend together.
static void measure_values(struct transformer *model, const struct transformer_chunk *chunk, long row, long count,
                           struct nn_rows projected)
{
    const struct batch *batch = chunk->batch;
    const real *values = projected.at + 2 * model->part;
    for (long head = 0; head < model->heads; head++) {
        struct nn_place place = nn_place(batch, chunk->row + row);
        model->common.kernels->norms(values + head * model->head_padded, projected.stride, count, model->head_padded,
                                     model->value_norms);
        for (long r = 0, next = 0; r < count; r++, nn_place_next(batch, &place)) {
            const int32_t *relevant = batch->relevant + place.sample * batch->relevant_count;
            if (place.position == 0)
                next = 0;
            while (next < batch->relevant_count && relevant[next] < place.position)
                next++;
            const bool is = next < batch->relevant_count && relevant[next] == place.position;
            (is ? chunk->relevant_norms : chunk->other_norms)[place.sample - chunk->first] +=
                (double)model->value_norms[r];
        }
    }
}

// From how many tokens on the heads of a sequence are taken apart, so that a head's keys and values are read as
// streams. It is the only one of its chunk.
enum { LONG_SEQUENCE = 1024 };

static struct transformer_heads heads_apart(const struct transformer *model, long length)
{
    const long head = length * model->head_padded;
    return (struct transformer_heads){
        .at = model->block.projected.at, .stride = model->head_padded, .head = head, .part = model->heads * head};
}

// `count` rows, from row `row` on.
static void take_apart(const struct transformer *model, const struct transformer_heads *heads, long row, long count,
                       struct nn_rows projected)
{
    const long columns = model->head_padded;
    for (long place = 0; place < 3 * model->heads; place++) { // a head's queries, keys or values
        real *to = heads->at + place * heads->head + row * columns;
        for (long r = 0; r < count; r++)
            memcpy(to + r * columns, projected.at + r * projected.stride + place * columns,
                   (size_t)columns * sizeof *to);
    }
}

static struct transformer_heads project_chunk(struct transformer *model, const struct transformer_layer *layer,
                                              const struct transformer_chunk *chunk)
{
    const bool apart = chunk->samples == 1 && chunk->rows >= LONG_SEQUENCE;
    const struct transformer_heads heads =
        apart ? heads_apart(model, chunk->rows) : transformer_heads_of(model, model->block.projected);
    for (long row = 0, some; row < chunk->rows; row += some) {
        struct transformer_rows rows = transformer_block_at(model, row);
        some = transformer_block_rows(chunk, row);
        if (apart)
            rows.projected = model->staged;
        transformer_project(model, layer, row, some, &rows);
        if (chunk->relevant_norms)
            measure_values(model, chunk, row, some, rows.projected);
        if (apart)
            take_apart(model, &heads, row, some, rows.projected);
    }
    return heads;
}

static void layer_forward(struct transformer *model, struct transformer_layer *layer,
                          const struct transformer_chunk *chunk)
{
    const struct transformer_heads heads = project_chunk(model, layer, chunk);
    for (long row = 0, some; row < chunk->rows; row += some) {
        const struct transformer_rows rows = transformer_block_at(model, row);
        some = transformer_block_rows(chunk, row);
        transformer_attend(model, layer, chunk, row, some, &heads, rows.mixed);
        transformer_finish(model, layer, chunk, row, some, &rows);
    }
}

static void chunk_logits(struct transformer *model, const struct transformer_chunk *chunk, real *ret_logits)
{
    for (long row = 0, some; row < chunk->rows; row += some) {
        const struct transformer_rows rows = transformer_block_at(model, row);
        some = transformer_block_rows(chunk, row);
        transformer_norm_rows(model, &model->norm, some, rows.x, rows.normed, rows.statistics);
        nn_head_forward(&model->head, &model->common, chunk->batch, chunk->first, chunk->row + row, some, rows.normed,
                        ret_logits);
    }
}

static void begin_measures(struct transformer *model, struct transformer_chunk *chunk, const struct nn_outputs *outputs)
{
    const long samples = chunk->samples;
    memset(model->measured, 0, (size_t)(3 * samples) * sizeof *model->measured);
    if (outputs->relevant_mass && chunk->batch->relevant_count > 0)
        chunk->mass = model->measured;
    if (!chunk->batch->relevant_each && (outputs->relevant_value_norm || outputs->irrelevant_value_norm)) {
        chunk->relevant_norms = model->measured + samples;
        chunk->other_norms = model->measured + 2 * samples;
    }
}

static real mean_of(double sum, double count)
{
    return count > 0 ? nn_canonical((real)(sum / count)) : (real)NAN;
}

static void end_measures(const struct transformer *model, const struct transformer_chunk *chunk,
                         const struct nn_outputs *outputs)
{
    const struct batch *batch = chunk->batch;
    const double places = (double)(model->layers * model->heads), relevant = (double)batch->relevant_count;
    for (long s = 0; s < chunk->samples; s++) {
        const long sample = chunk->first + s;
        const double tokens = (double)batch_length(batch, sample);
        const double queries = batch->relevant_each ? (double)batch_naming(batch, sample) : tokens;
        if (outputs->relevant_mass)
            outputs->relevant_mass[sample] = chunk->mass ? mean_of(chunk->mass[s], places * queries) : (real)NAN;
        if (outputs->relevant_value_norm)
            outputs->relevant_value_norm[sample] =
                chunk->relevant_norms ? mean_of(chunk->relevant_norms[s], places * relevant) : (real)NAN;
        if (outputs->irrelevant_value_norm)
            outputs->irrelevant_value_norm[sample] =
                chunk->other_norms ? mean_of(chunk->other_norms[s], places * (tokens - relevant)) : (real)NAN;
    }
}

void transformer_predict(struct nn_model *common, const struct batch *batch, const struct nn_outputs *outputs)
{
    struct transformer *model = (struct transformer *)common;
    assert(transformer_fits(model, batch, common->max_length));
    struct transformer_chunk chunk;
    transformer_begin(model, -1);
    transformer_sites_begin(model, batch->length, false);
    for (long first = 0; first < batch->samples; first += chunk.samples) {
        chunk = transformer_chunk(model, batch, first, batch->samples);
        begin_measures(model, &chunk, outputs);
        transformer_embed(model, &chunk, model->block.x);
        for (long l = 0; l < model->layers; l++)
            layer_forward(model, &model->layer[l], &chunk);
        if (outputs->logits)
            chunk_logits(model, &chunk, outputs->logits);
        end_measures(model, &chunk, outputs);
    }
}
