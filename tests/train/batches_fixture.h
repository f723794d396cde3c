// SPDX-License-Identifier: MIT
// A training set and its batches, for the units of train that look at them.
#pragma once
#include "support.h"

#include "train_batches.h"
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct arena *arena;
    struct settings settings;
    struct train_data train;
    struct train_batches batches;
};

static inline struct batch get(struct fixture *fixture, int64_t step, int64_t part)
{
    struct batch batch;
    struct status status;
    assert_int_equal(train_batches_get(&fixture->batches, step, part, fixture->arena, &batch, &status), STATUS_OK);
    return batch;
}

static inline void assert_same_sample(const struct batch *a, long i, const struct batch *b, long j)
{
    struct batch x = train_batch_view(a, i, 1), y = train_batch_view(b, j, 1);
    const size_t positions = (size_t)x.positions * sizeof(int32_t);
    assert_int_equal(batch_index(&x, 0), batch_index(&y, 0));
    assert_memory_equal(x.targets, y.targets, positions);
    assert_memory_equal(x.clean, y.clean, positions);
    assert_int_equal(!x.vectors, !y.vectors);
    assert_int_equal(!x.relevant, !y.relevant);
    assert_true(x.relevant_count == y.relevant_count && x.relevant_each == y.relevant_each);
    if (x.vectors)
        assert_memory_equal(x.vectors, y.vectors, (size_t)(x.length * x.dim) * sizeof(float));
    if (x.tokens)
        assert_memory_equal(x.tokens, y.tokens, (size_t)x.length * sizeof(int32_t));
    if (x.relevant)
        assert_memory_equal(x.relevant, y.relevant,
                            (size_t)(batch_relevant(&x, 1) * x.relevant_count) * sizeof(int32_t));
}
