// SPDX-License-Identifier: MIT
// A batch of mixed lengths as runs of one length each.
#include "nn_two_layer.h"

struct batch two_layer_run(const struct batch *batch, long first)
{
    struct batch run = *batch;
    if (!batch->offsets)
        return run;
    const int64_t row = batch_row(batch, first);
    run.length = batch_length(batch, first);
    run.samples = 1;
    while (first + run.samples < batch->samples && batch_length(batch, first + run.samples) == run.length)
        run.samples++;
    run.offsets = NULL;
    run.vectors += row * batch->dim;
    run.targets += first;
    if (batch->clean)
        run.clean += first;
    if (batch->relevant)
        run.relevant += first * batch->relevant_count;
    if (batch->index)
        run.index += first;
    run.first += first;
    return run;
}
