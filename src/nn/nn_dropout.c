// SPDX-License-Identifier: MIT
#include "nn_dropout.h"
#include <inttypes.h>
#include <stdio.h>

enum { WORDS = 4 }; // of a draw

struct nn_dropout nn_dropout(const struct nn_model *model, const char *site, int64_t step)
{
    const struct settings *settings = &model->settings;
    const double rate = settings->model.dropout;
    if (step < 0 || rate <= 0)
        return (struct nn_dropout){.scale = 1};
    char stream[96];
    snprintf(stream, sizeof stream, "dropout/%s/%" PRId64, site, step);
    return (struct nn_dropout){.key = random_key(settings->seed, settings_init_seed(settings), stream),
                               .threshold = (uint32_t)nn_most(1, (long)(rate * 0x1p32)),
                               .scale = (real)(1 / (1 - rate))};
}

// Of coordinates from … from + count - 1, `from` being the first of a draw.
static void factors_from(const struct nn_dropout *dropout, int64_t index, long position, long from, long count,
                         real *ret_factor)
{
    for (long c = 0; c < count; c += WORDS) {
        uint32_t word[WORDS];
        random_block(dropout->key, (uint64_t)index, (uint32_t)position, (uint32_t)((from + c) / WORDS), word);
        for (long k = 0; k < nn_least(WORDS, count - c); k++)
            ret_factor[c + k] = word[k] >= dropout->threshold ? dropout->scale : 0;
    }
}

void nn_dropout_factors(const struct nn_dropout *dropout, int64_t index, long position, long count, real *ret_factor)
{
    factors_from(dropout, index, position, 0, count, ret_factor);
}

static void drop_row(const struct nn_dropout *dropout, int64_t index, long position, long columns, real *x)
{
    real factor[NN_LANES];
    for (long c = 0; c < columns; c += NN_LANES) {
        const long some = nn_least(NN_LANES, columns - c);
        factors_from(dropout, index, position, c, some, factor);
        for (long k = 0; k < some; k++)
            x[c + k] *= factor[k];
    }
}

void nn_drop_rows(const struct nn_dropout *dropout, const struct batch *batch, long row, long count, long columns,
                  struct nn_rows x)
{
    if (!nn_drops(dropout))
        return;
    struct nn_place place = nn_place(batch, row);
    for (long r = 0; r < count; r++, nn_place_next(batch, &place))
        drop_row(dropout, batch_index(batch, place.sample), place.position, columns, x.at + r * x.stride);
}
