// SPDX-License-Identifier: MIT
// Positions of tokens; the random ones of Ruoss et al. 2023. A subset is drawn by Floyd's method (Bentley and Floyd,
// CACM 1987): for k = 0 … length - 1, a draw from {0 … limit - length + k} joins it, or where it is in it already,
// limit - length + k itself.
#include "base_random.h"
#include "nn_encoding.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

long nn_position_limit(const struct nn_model *model, long length)
{
    const struct model_settings *set = &model->settings.model;
    return set->encoding == ENCODING_NONE ? length : nn_most(length, (long)set->random_positions);
}

// How many of the first `count`, ascending, are below `x`.
static long below(const int32_t *sorted, long count, int32_t x)
{
    long low = 0, high = count;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (sorted[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void draw_subset(struct random_key key, uint64_t sample, long length, long limit, int32_t *ret_positions)
{
    for (long k = 0; k < length; k++) {
        const long last = limit - length + k;
        int32_t drawn = (int32_t)random_below(key, sample, (uint32_t)k, 0, (uint32_t)last + 1);
        long at = below(ret_positions, k, drawn);
        if (at < k && ret_positions[at] == drawn) {
            drawn = (int32_t)last;
            at = k;
        }
        memmove(ret_positions + at + 1, ret_positions + at, (size_t)(k - at) * sizeof *ret_positions);
        ret_positions[at] = drawn;
    }
}

bool nn_consecutive(const struct nn_model *model, long length)
{
    return nn_position_limit(model, length) == length;
}

static struct random_key positions_key(const struct nn_model *model, const struct batch *batch, int64_t step)
{
    char stream[96];
    const char *set = batch->set ? batch->set : "";
    if (step < 0)
        snprintf(stream, sizeof stream, "%s/positions", set);
    else
        snprintf(stream, sizeof stream, "%s/positions/%" PRId64, set, step);
    return random_key(model->settings.seed, settings_data_seed(&model->settings), stream);
}

bool nn_positions(const struct nn_model *model, const struct batch *batch, long first, long samples, int64_t step,
                  int32_t *ret_positions)
{
    const bool random = !nn_consecutive(model, 1);
    const struct random_key key = random ? positions_key(model, batch, step) : (struct random_key){{0}};
    bool all = true;
    for (long s = first, length; s < first + samples; s++, ret_positions += length) {
        length = batch_length(batch, s);
        const bool consecutive = nn_consecutive(model, length);
        for (long r = 0; consecutive && r < length; r++)
            ret_positions[r] = (int32_t)r;
        if (!consecutive)
            draw_subset(key, (uint64_t)batch_index(batch, s), length, nn_position_limit(model, length), ret_positions);
        all = all && consecutive;
    }
    return all;
}
