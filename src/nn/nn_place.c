// SPDX-License-Identifier: MIT
// Sequences of a batch, of one length or each of its own.
#include "nn_private.h"

// The last sequence from `low` on that begins at `row` or before.
static long sequence_at(const struct batch *batch, long low, int64_t row)
{
    long high = batch->samples; // begins behind `row`
    while (high - low > 1) {
        const long middle = low + (high - low) / 2;
        if (batch_row(batch, middle) <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

struct nn_place nn_place(const struct batch *batch, int64_t row)
{
    if (!batch->offsets)
        return (struct nn_place){(long)(row / batch->length), (long)(row % batch->length)};
    const long sample = sequence_at(batch, 0, row);
    return (struct nn_place){sample, (long)(row - batch_row(batch, sample))};
}

long nn_samples_within(const struct batch *batch, long first, long rows)
{
    const int64_t end = batch_row(batch, first) + rows;
    const long left = batch->samples - first;
    if (!batch->offsets)
        return nn_least(left, nn_most(1, rows / batch->length));
    if (batch_row(batch, batch->samples) <= end)
        return left;
    return nn_most(1, sequence_at(batch, first, end) - first);
}

bool nn_lengths_fit(const struct batch *batch, long longest)
{
    bool fit = batch->length >= 1 && batch->length <= longest;
    for (long s = 0; batch->offsets && s < batch->samples; s++)
        fit = fit && batch_length(batch, s) >= 1 && batch_length(batch, s) <= batch->length;
    return fit;
}
