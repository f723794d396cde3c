// SPDX-License-Identifier: MIT
#pragma once
#include "store_diff.h"
#include "store_view_private.h"

// Two stores under comparison.
struct pair {
    struct store_view *first, *second;
    size_t other; // index of the second among the paths
    struct arena *arena;
    struct store_differences *found;
    size_t limit;
    struct store_difference *list; // (limit)
    struct status *status;
};

// Which number of which trial.
struct place {
    size_t row;          // of the first store
    int64_t test_length; // 0: training
    const struct column *column;
    size_t element;
};

// Notes a difference; `row` NULL: of the store as a whole.
enum status_code store_diff_add(struct pair *pair, const struct store_row *row, const char *field, const char *index,
                                const char *first, const char *second) MUST_CHECK;
enum status_code store_diff_no_memory(const struct pair *pair);
// "test_length=32, eval=5"; without place->column the test length alone.
void store_diff_index_text(const struct place *place, char *ret_text, size_t size);
void store_diff_value_text(enum record_type type, const void *value, char ret_text[STORE_DIFFERENCE_TEXT]);
// The same bits, or two NaNs.
bool store_diff_same(enum record_type type, const void *a, const void *b);

// Compares one column of all trials that both stores have.
enum status_code store_diff_column(struct pair *pair, const struct column *like) MUST_CHECK;
bool store_diff_is_compared(const struct store_row *row); // a result or a failure
