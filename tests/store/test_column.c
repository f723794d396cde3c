// SPDX-License-Identifier: MIT
#include "support.h"

#include "store_schema.h"
#include <stdlib.h>
#include <string.h>

enum { ROOM = 400 };

// Where element (i, j, k, l) of a padded value must be, computed as an index and not as a walk.
static size_t padded_index(const struct column *column, const uint32_t *at)
{
    size_t index = 0;
    for (int d = 0; d < column->dimensions; d++)
        index = index * column->extent[d] + at[d];
    return index;
}

static bool advance(const struct column *column, const uint32_t *extent, uint32_t *at)
{
    for (int d = column->dimensions - 1; d >= 0; d--) {
        if (++at[d] < extent[d])
            return true;
        at[d] = 0;
    }
    return false;
}

static const struct {
    uint8_t dimensions;
    uint32_t most[RECORD_DIMENSIONS], extent[RECORD_DIMENSIONS];
} rows[] = {
    {0, {0}, {0}},
    {1, {5}, {5}},
    {1, {5}, {3}},
    {2, {3, 4}, {3, 4}},
    {2, {3, 4}, {2, 3}},
    {2, {3, 4}, {3, 1}},
    {3, {2, 3, 4}, {1, 3, 2}},
    {4, {2, 3, 2, 5}, {2, 2, 1, 4}},
    {4, {2, 3, 2, 5}, {2, 3, 2, 5}},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static struct column column_of(size_t row, uint8_t type)
{
    struct column column = {.type = type, .dimensions = rows[row].dimensions};
    memcpy(column.extent, rows[row].most, sizeof column.extent);
    return column;
}

static void padding_puts_each_element_in_its_place(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        struct column column = column_of(r, RECORD_I32);
        int32_t value[ROOM], padded[ROOM], back[ROOM] = {0};
        uint32_t at[RECORD_DIMENSIONS] = {0};
        size_t count = 1, filled = 0;
        for (int d = 0; d < column.dimensions; d++)
            count *= rows[r].extent[d];
        for (size_t i = 0; i < ROOM; i++) {
            value[i] = (int32_t)i + 1;
            padded[i] = -1;
        }
        store_column_pad(&column, rows[r].extent, value, padded);
        size_t element = 0;
        do
            assert_int_equal(padded[padded_index(&column, at)], ++element);
        while (advance(&column, rows[r].extent, at));
        assert_int_equal(element, count);
        for (size_t i = 0; i < ROOM; i++)
            filled += padded[i] != -1;
        assert_int_equal(filled, count); // and nothing else is touched
        store_column_unpad(&column, rows[r].extent, padded, back);
        assert_memory_equal(back, value, count * sizeof *value);
        assert_int_equal(back[count], 0);
    }
}

static void all_element_sizes_are_moved_whole(void **state)
{
    (void)state;
    static const uint8_t types[] = {RECORD_F32, RECORD_F64, RECORD_I32, RECORD_I64, RECORD_U8};
    for (size_t t = 0; t < sizeof types; t++) {
        struct column column = column_of(4, types[t]); // (3, 4) of which (2, 3)
        size_t size = record_type_size(types[t]);
        unsigned char value[64], padded[128], back[64];
        for (size_t i = 0; i < sizeof value; i++)
            value[i] = (unsigned char)(7 * i + 1);
        memset(padded, 0, sizeof padded);
        memset(back, 0, sizeof back);
        assert_int_equal(store_column_bytes(&column), 12 * size);
        store_column_pad(&column, rows[4].extent, value, padded);
        assert_memory_equal(padded, value, 3 * size);
        assert_memory_equal(padded + 4 * size, value + 3 * size, 3 * size);
        assert_int_equal(padded[3 * size], 0);
        store_column_unpad(&column, rows[4].extent, padded, back);
        assert_memory_equal(back, value, 6 * size);
    }
}

static void empty_extents_move_nothing(void **state)
{
    (void)state;
    static const uint32_t extents[][RECORD_DIMENSIONS] = {{0, 4}, {3, 0}, {0, 0}};
    struct column column = column_of(3, RECORD_I32);
    for (size_t i = 0; i < 3; i++) {
        int32_t value[12] = {5, 5, 5}, padded[12] = {0};
        store_column_pad(&column, extents[i], value, padded);
        for (size_t j = 0; j < 12; j++)
            assert_int_equal(padded[j], 0);
    }
    column.extent[1] = 0;
    assert_int_equal(store_column_elements(&column), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(padding_puts_each_element_in_its_place),
        cmocka_unit_test(all_element_sizes_are_moved_whole),
        cmocka_unit_test(empty_extents_move_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
