// SPDX-License-Identifier: MIT
// Keys and queries come in blocks of 16. The keys of tile u relative to a block of queries, 16 u … 16 u + 15 behind its
// first query, meet distances 16 u - 15 … 16 u + 15.
#include "nn_distance.h"
#include <string.h>

enum { STRIP_TILES = 16, STRIP_COLUMNS = (STRIP_TILES + 1) * NN_LANES };

// Tiles to either side whose distances are not all beyond the clip.
static long near_tiles(const struct nn_site *site, long limit)
{
    return nn_least((limit - 1) / NN_LANES, (site->vectors.reach + NN_LANES - 2) / NN_LANES);
}

static long all_heads(const struct nn_site *site)
{
    return site->heads * site->head_padded;
}

void nn_distance_layout(struct nn_site *site, struct nn_builder *builder, long clip, long heads, bool sums)
{
    struct nn_distance_vectors *vectors = &site->vectors;
    const long limit = nn_position_limit(site->model, site->model->max_length);
    vectors->reach = nn_most(nn_least(clip, limit - 1), 0);
    vectors->heads = heads;
    const long before = near_tiles(site, limit), after = site->causal ? 0 : before;
    vectors->origin = (before + 1) * NN_LANES;
    vectors->columns = vectors->origin + (after + 1) * NN_LANES;
    vectors->rows = nn_take_reals(builder, vectors->columns, heads * site->head_padded);
    vectors->transposed = nn_take_reals(builder, heads * site->head_padded, vectors->columns);
    vectors->scores = nn_take_reals(builder, NN_LANES, STRIP_COLUMNS);
    vectors->slopes = nn_take_reals(builder, NN_LANES, STRIP_COLUMNS);
    if (sums && !site->frozen)
        vectors->sums = nn_take_reals(builder, vectors->columns, all_heads(site));
}

long nn_distance_span(const struct nn_site *site, long limit, long *ret_first)
{
    const long before = near_tiles(site, limit), after = site->causal ? 0 : before;
    *ret_first = -(before + 1) * NN_LANES;
    return (before + after + 2) * NN_LANES;
}

void nn_distance_clear(struct nn_site *site)
{
    memset(site->vectors.sums, 0, (size_t)(site->vectors.columns * all_heads(site)) * sizeof(real));
}

// A block's work at one head.
struct block {
    struct nn_site *site;
    struct nn_attention *attention;
    const real *query;
    long query_stride, queries;
    real *query_gradient;
    const real *rows, *transposed; // of the head, from column 0
    real *sums;
    long row_stride, first_tile, last_tile; // near tiles that the block meets
};

static struct block block_of(struct nn_site *site, struct nn_attention *attention, const real *query, long stride)
{
    const struct nn_distance_vectors *vectors = &site->vectors;
    const long head = vectors->heads == 1 ? 0 : attention->head, near = near_tiles(site, attention->length);
    struct block block = {.site = site, .attention = attention, .query = query, .query_stride = stride};
    block.queries = nn_least(NN_LANES, attention->length - attention->first);
    block.rows = vectors->rows + head * site->head_padded;
    block.row_stride = vectors->heads * site->head_padded;
    block.transposed = vectors->transposed + head * site->head_padded * vectors->columns;
    if (vectors->sums)
        block.sums = vectors->sums + attention->head * site->head_padded;
    block.first_tile = nn_most(-near, -attention->first / NN_LANES);
    block.last_tile = nn_least(near, (attention->keys - 1 - attention->first) / NN_LANES);
    return block;
}

// Column of the strip's first distance, of `tiles` tiles from `tile` on.
static long strip_start(const struct block *b, long tile)
{
    return b->site->vectors.origin + (tile - 1) * NN_LANES;
}

static void strip_scores(const struct block *b, long tile, long tiles)
{
    const struct nn_distance_vectors *vectors = &b->site->vectors;
    const struct nn_product product = {.rows = b->queries,
                                       .columns = (tiles + 1) * NN_LANES,
                                       .depth = b->site->head_dim,
                                       .a = b->query,
                                       .a_row = b->query_stride,
                                       .a_depth = 1,
                                       .b = b->transposed + strip_start(b, tile),
                                       .b_stride = vectors->columns,
                                       .b_group = NN_LANES,
                                       .c = vectors->scores,
                                       .c_stride = STRIP_COLUMNS};
    b->site->model->kernels->multiply(&product);
}

static long tile_keys(const struct block *b, long tile, long *ret_key)
{
    *ret_key = b->attention->first + tile * NN_LANES;
    return nn_least(NN_LANES, b->attention->keys - *ret_key);
}

// Keys from … to - 1 are all beyond the clip: the scores of the strip's column.
static void far_scores(const struct block *b, long from, long to, long column)
{
    real row[NN_LANES];
    for (long lane = 0; lane < NN_LANES; lane++)
        row[lane] = b->site->vectors.scores[lane * STRIP_COLUMNS + column];
    for (long j = from; j < to; j++)
        memcpy(b->attention->weights + j * NN_LANES, row, sizeof row);
}

static long near_start(const struct block *b)
{
    return b->attention->first + b->first_tile * NN_LANES;
}

static long near_end(const struct block *b)
{
    return nn_least(b->attention->keys, b->attention->first + (b->last_tile + 1) * NN_LANES);
}

static void shifted_scores(const struct block *b)
{
    const struct nn_kernels *kernels = b->site->model->kernels;
    long key;
    for (long tile = b->first_tile; tile <= b->last_tile; tile += STRIP_TILES) {
        const long tiles = nn_least(STRIP_TILES, b->last_tile + 1 - tile);
        strip_scores(b, tile, tiles);
        for (long t = 0; t < tiles; t++) {
            const long keys = tile_keys(b, tile + t, &key);
            kernels->shift(b->site->vectors.scores + (t + 1) * NN_LANES, STRIP_COLUMNS - 1, keys,
                           b->attention->weights + key * NN_LANES);
        }
        if (tile == b->first_tile)
            far_scores(b, 0, near_start(b), 1);
        if (tile + tiles > b->last_tile)
            far_scores(b, near_end(b), b->attention->keys, (tiles + 1) * NN_LANES - 1);
    }
}

static void far_slopes(const struct block *b, long from, long to, long column)
{
    real sum[NN_LANES] = {0};
    b->site->model->kernels->sum_rows(b->attention->score_gradient + from * NN_LANES, NN_LANES, to - from, NN_LANES,
                                      sum);
    for (long lane = 0; lane < NN_LANES; lane++)
        b->site->vectors.slopes[lane * STRIP_COLUMNS + column] += sum[lane];
}

// From the gradient of a strip's scores to those of queries and vectors.
static void strip_gradient(const struct block *b, long tile, long tiles)
{
    const struct nn_distance_vectors *vectors = &b->site->vectors;
    const struct nn_kernels *kernels = b->site->model->kernels;
    const long start = strip_start(b, tile), columns = (tiles + 1) * NN_LANES, width = all_heads(b->site);
    const struct nn_product of_queries = {.rows = b->queries,
                                          .columns = b->site->head_padded,
                                          .depth = columns,
                                          .a = vectors->slopes,
                                          .a_row = STRIP_COLUMNS,
                                          .a_depth = 1,
                                          .b = b->rows + start * b->row_stride,
                                          .b_stride = b->row_stride,
                                          .b_group = NN_LANES,
                                          .c = b->query_gradient,
                                          .c_stride = b->query_stride,
                                          .from_c = true};
    kernels->multiply(&of_queries);
    if (!b->site->gradient)
        return;
    const struct nn_product of_vectors = {.rows = columns,
                                          .columns = b->site->head_padded,
                                          .depth = b->queries,
                                          .a = vectors->slopes,
                                          .a_row = 1,
                                          .a_depth = STRIP_COLUMNS,
                                          .b = b->query,
                                          .b_stride = b->query_stride,
                                          .b_group = NN_LANES,
                                          .c = b->sums + start * width,
                                          .c_stride = width,
                                          .from_c = true};
    kernels->multiply(&of_vectors);
}

static void shifted_gradient(const struct block *b)
{
    const struct nn_kernels *kernels = b->site->model->kernels;
    real *slopes = b->site->vectors.slopes;
    long key;
    for (long tile = b->first_tile; tile <= b->last_tile; tile += STRIP_TILES) {
        const long tiles = nn_least(STRIP_TILES, b->last_tile + 1 - tile);
        for (long lane = 0; lane < NN_LANES; lane++)
            memset(slopes + lane * STRIP_COLUMNS, 0, (size_t)((tiles + 1) * NN_LANES) * sizeof *slopes);
        for (long t = 0; t < tiles; t++) {
            const long keys = tile_keys(b, tile + t, &key);
            kernels->unshift(b->attention->score_gradient + key * NN_LANES, keys, slopes + (t + 1) * NN_LANES,
                             STRIP_COLUMNS - 1);
        }
        if (tile == b->first_tile)
            far_slopes(b, 0, near_start(b), 1);
        if (tile + tiles > b->last_tile)
            far_slopes(b, near_end(b), b->attention->keys, (tiles + 1) * NN_LANES - 1);
        strip_gradient(b, tile, tiles);
    }
}

static struct nn_pairs pairs_of(const struct block *b)
{
    const struct nn_distance_vectors *vectors = &b->site->vectors;
    return (struct nn_pairs){.query = b->query,
                             .query_stride = b->query_stride,
                             .queries = b->queries,
                             .columns = b->site->head_padded,
                             .rows = b->rows + vectors->origin * b->row_stride,
                             .row_stride = b->row_stride,
                             .least = -vectors->reach,
                             .most = b->site->causal ? 0 : vectors->reach};
}

void nn_distance_scores(struct nn_site *site, struct nn_attention *attention, const real *query, long query_stride)
{
    const struct block block = block_of(site, attention, query, query_stride);
    if (attention->consecutive) {
        shifted_scores(&block);
        return;
    }
    const struct nn_pairs pairs = pairs_of(&block);
    site->model->kernels->pair_scores(attention, &pairs);
}

void nn_distance_scores_gradient(struct nn_site *site, struct nn_attention *attention, const real *query,
                                 long query_stride, real *query_gradient)
{
    struct block block = block_of(site, attention, query, query_stride);
    block.query_gradient = query_gradient;
    if (attention->consecutive) {
        shifted_gradient(&block);
        return;
    }
    struct nn_pairs pairs = pairs_of(&block);
    pairs.query_gradient = query_gradient;
    if (site->gradient) {
        pairs.sums_stride = all_heads(site);
        pairs.sums = block.sums + site->vectors.origin * pairs.sums_stride;
    }
    site->model->kernels->pair_scores_gradient(attention, &pairs);
}

// Distances up to the clip, then all keys beyond it.
static void next_shifted(const struct nn_site *site, const struct nn_next *next, const struct nn_product *head)
{
    const struct nn_distance_vectors *vectors = &site->vectors;
    const long near = nn_least(next->at, vectors->reach) + 1, far = next->at + 1 - near;
    struct nn_product product = *head;
    product.columns = nn_padded(near);
    product.b += vectors->origin - (product.columns - 1);
    product.c += next->at + 1 - product.columns;
    site->model->kernels->multiply(&product);
    for (long s = 0; s < product.rows; s++) {
        real *row = head->c + s * head->c_stride;
        for (long j = 0; j < far; j++)
            row[j] = row[far];
    }
}

static void next_pairs(const struct nn_site *site, const struct nn_next *next, const real *rows, long sample,
                       const real *query, real *ret_row)
{
    const struct nn_distance_vectors *vectors = &site->vectors;
    const int32_t *positions = next->positions + sample * next->length;
    const long stride = vectors->heads * site->head_padded;
    for (long j = 0; j <= next->at; j++) {
        const long distance = nn_most(-vectors->reach, positions[j] - positions[next->at]);
        site->model->kernels->dots(rows + (vectors->origin + distance) * stride, stride, 1, site->head_padded, query,
                                   ret_row + j);
    }
}

void nn_distance_next(struct nn_site *site, const struct nn_next *next, long head, long first, long samples,
                      const real *query, long query_stride)
{
    const struct nn_distance_vectors *vectors = &site->vectors;
    const long set = vectors->heads == 1 ? 0 : head * site->head_padded;
    real *start = next->start + first * next->start_sample + head * next->start_head;
    const struct nn_product product = {.rows = samples,
                                       .depth = site->head_dim,
                                       .a = query,
                                       .a_row = query_stride,
                                       .a_depth = 1,
                                       .b = vectors->transposed + set * vectors->columns,
                                       .b_stride = vectors->columns,
                                       .b_group = NN_LANES,
                                       .c = start,
                                       .c_stride = next->start_sample};
    if (next->consecutive) {
        next_shifted(site, next, &product);
        return;
    }
    for (long s = 0; s < samples; s++)
        next_pairs(site, next, vectors->rows + set, first + s, query + s * query_stride,
                   start + s * next->start_sample);
}
