// SPDX-License-Identifier: MIT
// Settings of tasks on tokens by name, and their data.
#pragma once
#include "support.h"

#include "task.h"
#include <stdlib.h>
#include <string.h>

enum { CASE_SETTINGS = 6 };

static inline void put_setting(struct settings *settings, const char *name, const char *text)
{
    const struct setting *row = setting_find(name, strlen(name));
    union setting_value value;
    assert_non_null(row);
    assert_int_equal(setting_parse(row, text, strlen(text), &value, NULL), STATUS_OK);
    setting_put(row, settings, value);
}

// Of pairs of a name and a value, up to CASE_SETTINGS or the first NULL.
static inline struct settings case_settings(const char *const pairs[CASE_SETTINGS][2])
{
    struct settings settings;
    settings_defaults(&settings);
    settings.seed = 7;
    settings.model.kind = MODEL_RNN;
    for (int i = 0; i < CASE_SETTINGS && pairs[i][0]; i++)
        put_setting(&settings, pairs[i][0], pairs[i][1]);
    return settings;
}

static inline struct batch make_batch(const struct settings *settings, enum task_split split, long length, long first,
                                      long count, struct arena *arena)
{
    struct task_set *set = arena_get(arena, 1, sizeof *set);
    struct batch batch = {0};
    struct status status;
    const long tokens = (long)settings_tokens(settings, split == SPLIT_TEST, length);
    task_set_init(set, settings, split, length);
    assert_int_equal(task_make(set, first, count, arena, &batch, &status), STATUS_OK);
    assert_true(batch.samples == count && batch.length == tokens && batch.first == first);
    assert_true(batch.positions == (settings_every_step(settings) ? tokens : 1));
    assert_int_equal(batch.classes, set->shape.classes);
    assert_true(!batch.binary && !batch.vectors && !batch.index);
    assert_true((batch.mask != NULL) == settings_masked(settings));
    assert_int_equal(batch.relevant_count, set->relevant_count);
    for (long i = 0; i < count * tokens; i++)
        assert_true(batch.tokens[i] >= 0 && batch.tokens[i] < set->shape.vocabulary);
    for (long i = 0; i < count * batch.positions; i++)
        assert_true(batch.clean[i] >= 0 && batch.clean[i] < set->shape.classes);
    return batch;
}

// Whether target `i` of all counts.
static inline bool counts(const struct batch *batch, long i)
{
    return !batch->mask || batch->mask[i];
}

static inline void assert_same(const int32_t *a, const int32_t *b, long count)
{
    assert_memory_equal(a, b, (size_t)count * sizeof *a);
}

static inline int create_arena(void **state)
{
    *state = arena_create(1 << 16, 0);
    return *state == NULL;
}

static inline int destroy_arena(void **state)
{
    arena_destroy(*state);
    return 0;
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, create_arena, destroy_arena)
