// SPDX-License-Identifier: MIT
#include "support.h"

#include "train_state.h"
#include <string.h>

struct numbers {
    int64_t step;
    float weights[5];
    double losses[3];
};

static const struct numbers before = {41, {1, -2, 3.5F, 0, 1e-30F}, {0.5, -0.25, 1e300}};

static struct train_state state_of(struct numbers *numbers, struct arena *arena)
{
    struct train_state state;
    struct status status;
    assert_int_equal(train_state_init(&state, 3, arena, &status), STATUS_OK);
    train_state_add(&state, &numbers->step, 1, 8, "step");
    train_state_add(&state, numbers->weights, 5, 4, "weight/%s", "query");
    train_state_add(&state, numbers->losses, 3, 8, "curve/%d", 7);
    return state;
}

static void what_was_saved_is_loaded(void **arena)
{
    struct numbers saved = before, loaded = {0};
    struct train_state from = state_of(&saved, *arena), to = state_of(&loaded, *arena);
    struct bytes bytes = {0};
    struct status status;
    assert_string_equal(from.items[1].name, "weight/query");
    assert_string_equal(from.items[2].name, "curve/7");
    train_state_save(&from, &bytes);
    struct bytes_reader reader = bytes_reader(bytes.data, bytes.size);
    assert_int_equal(train_state_load(&to, &reader, &status), STATUS_OK);
    assert_int_equal(bytes_left(&reader), 0);
    assert_memory_equal(&loaded.weights, &before.weights, sizeof before.weights);
    assert_memory_equal(&loaded.losses, &before.losses, sizeof before.losses);
    assert_int_equal(loaded.step, 41);
    bytes_fini(&bytes);
}

static void an_early_end_changes_nothing(void **arena)
{
    struct numbers saved = before, loaded = {.step = 7};
    struct train_state from = state_of(&saved, *arena), to = state_of(&loaded, *arena);
    struct bytes bytes = {0};
    struct status status;
    train_state_save(&from, &bytes);
    for (size_t size = 0; size < bytes.size; size++) {
        struct bytes_reader reader = bytes_reader(bytes.data, size);
        assert_int_not_equal(train_state_load(&to, &reader, &status), STATUS_OK);
        assert_int_equal(loaded.step, 7);
        assert_true(loaded.weights[0] == 0);
    }
    bytes_fini(&bytes);
}

static void other_items_are_refused(void **arena)
{
    struct numbers saved = before, loaded = {.step = 7};
    struct train_state from = state_of(&saved, *arena);
    for (int change = 0; change < 4; change++) {
        struct train_state to = state_of(&loaded, *arena);
        struct bytes bytes = {0};
        struct status status;
        if (change == 0)
            strcpy(to.items[1].name, "weight/key");
        if (change == 1)
            to.items[1].count--;
        if (change == 2)
            to.items[1].width = 8;
        if (change == 3)
            to.count--;
        train_state_save(&from, &bytes);
        struct bytes_reader reader = bytes_reader(bytes.data, bytes.size);
        assert_int_equal(train_state_load(&to, &reader, &status), STATUS_INVALID);
        assert_non_null(strstr(status.text, "train the trial from its start"));
        assert_int_equal(loaded.step, 7);
        bytes_fini(&bytes);
    }
}

static void numbers_are_little_endian(void **arena)
{
    struct numbers saved = {.step = 0x0102030405060708};
    struct train_state from = state_of(&saved, *arena);
    struct bytes bytes = {0};
    train_state_save(&from, &bytes);
    const unsigned char expected[] = {3, 0, 0, 0, 4, 0, 0, 0, 's', 't', 'e', 'p', 8, 0, 0, 0,
                                      1, 0, 0, 0, 0, 0, 0, 0, 8,   7,   6,   5,   4, 3, 2, 1};
    assert_memory_equal(bytes.data, expected, sizeof expected);
    bytes_fini(&bytes);
}

static int create_arena(void **state)
{
    *state = arena_create(1 << 12, 0);
    return *state == NULL;
}

static int destroy_arena(void **state)
{
    arena_destroy(*state);
    return 0;
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, create_arena, destroy_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(what_was_saved_is_loaded),
        ROW(an_early_end_changes_nothing),
        ROW(other_items_are_refused),
        ROW(numbers_are_little_endian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
