// SPDX-License-Identifier: MIT
#include "support.h"

#include "../../src/grid/grid_table.h"

static struct hash128 key_of(uint64_t i)
{
    return hash_128(&i, sizeof i);
}

static void keys_are_numbered_as_they_come(void **state)
{
    (void)state;
    struct table table = {0};
    assert_int_equal(table_find(&table, key_of(0)), TABLE_NONE);
    for (uint64_t i = 0; i < 5000; i++) {
        assert_int_equal(table_add(&table, key_of(i)), i);
        assert_int_equal(table_add(&table, key_of(i / 2)), i / 2);
    }
    assert_int_equal(table.count, 5000);
    for (uint64_t i = 0; i < 5000; i++)
        assert_int_equal(table_find(&table, key_of(i)), i);
    assert_int_equal(table_find(&table, key_of(5000)), TABLE_NONE);
    table_fini(&table);
    assert_int_equal(table_find(&table, key_of(0)), TABLE_NONE);
}

// Keys that meet in one slot, and differ in the half that chooses it, in the tag, or in neither.
static void keys_that_collide_are_told_apart(void **state)
{
    (void)state;
    struct table table = {0};
    for (uint64_t i = 0; i < 60; i++) {
        struct hash128 key = {.high = i % 2 ? i : i << 32, .low = (i % 3) << 40};
        assert_int_equal(table_add(&table, key), i);
    }
    for (uint64_t i = 0; i < 60; i++) {
        struct hash128 key = {.high = i % 2 ? i : i << 32, .low = (i % 3) << 40};
        assert_int_equal(table_find(&table, key), i);
    }
    assert_int_equal(table_find(&table, (struct hash128){.high = 61, .low = 0}), TABLE_NONE);
    table_fini(&table);
}

static void room_that_is_reserved_is_not_moved(void **state)
{
    (void)state;
    struct table table = {0};
    assert_true(table_reserve(&table, 1000));
    const struct hash128 *keys = table.key;
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(table_add(&table, key_of(i)), i);
    assert_ptr_equal(table.key, keys);
    assert_true(table_reserve(&table, 10));
    assert_ptr_equal(table.key, keys);
    table_fini(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_numbered_as_they_come),
        cmocka_unit_test(keys_that_collide_are_told_apart),
        cmocka_unit_test(room_that_is_reserved_is_not_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
