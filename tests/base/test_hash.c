// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_hash.h"
#include "base_version.h"
#include <stdlib.h>
#include <string.h>

// Published values of XXH3 for the empty input.
static void equals_the_published_values(void **state)
{
    (void)state;
    char text[HASH_TEXT_SIZE];
    hash_text(hash_128("", 0), text);
    assert_string_equal(text, "99aa06d3014798d86001c324468d497f");
    assert_true(hash_64("", 0) == 0x2d06800538d394c2);
}

static void is_the_same_at_any_length_and_alignment(void **state)
{
    (void)state;
    unsigned char data[600], moved[601];
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 37 + i / 11);
    for (size_t size = 0; size <= sizeof data; size++) {
        memcpy(moved + 1, data, size);
        struct hash128 hash = hash_128(data, size);
        assert_true(hash_equal(hash, hash_128(moved + 1, size)));
        assert_true(hash_64(data, size) == hash_64(moved + 1, size));
        all = all * 31 + (hash.high ^ hash.low ^ hash_64(data, size));
    }
    assert_true(all == 0xf4b77a3e3062f313);
}

static void text_and_parse_are_inverse(void **state)
{
    (void)state;
    static const struct hash128 rows[] = {
        {0, 0}, {UINT64_MAX, UINT64_MAX}, {0x0123456789abcdef, 0xfedcba9876543210}, {1, 0}, {0, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[HASH_TEXT_SIZE];
        struct hash128 back = {5, 5};
        hash_text(rows[i], text);
        assert_int_equal(strlen(text), 32);
        assert_true(hash_parse(text, 32, &back));
        assert_true(hash_equal(back, rows[i]));
    }
}

static void refuses_what_is_not_a_hash(void **state)
{
    (void)state;
    static const char *const rows[] = {"",
                                       "0123456789abcdef0123456789abcde",
                                       "0123456789abcdef0123456789abcdef0",
                                       "0123456789abcdef0123456789abcdeg",
                                       "0123456789ABCDEF0123456789abcdef",
                                       "0x23456789abcdef0123456789abcdef",
                                       " 123456789abcdef0123456789abcdef",
                                       "0123456789abcdef0123456789abcde`"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hash128 hash = {7, 7};
        assert_false(hash_parse(rows[i], strlen(rows[i]), &hash));
        assert_true(hash.high == 7 && hash.low == 7);
    }
}

static void orders_by_value(void **state)
{
    (void)state;
    struct hash128 hashes[] = {{2, 0}, {0, 3}, {1, UINT64_MAX}, {0, 0}, {UINT64_MAX, 0}, {1, 2}};
    qsort(hashes, 6, sizeof *hashes, hash_compare);
    static const struct hash128 sorted[] = {{0, 0}, {0, 3}, {1, 2}, {1, UINT64_MAX}, {2, 0}, {UINT64_MAX, 0}};
    assert_memory_equal(hashes, sorted, sizeof sorted);
    assert_int_equal(hash_compare(&sorted[1], &hashes[1]), 0);
    assert_false(hash_equal(sorted[0], sorted[1]));
    assert_false(hash_equal((struct hash128){0, 3}, (struct hash128){1, 3}));
}

static void tells_the_linked_library_s_version(void **state)
{
    (void)state;
    char text[64], cut[5];
    base_version(text, sizeof text);
    assert_memory_equal(text, "xxHash 0.", 9);
    base_version(cut, sizeof cut);
    assert_string_equal(cut, "xxHa");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_published_values),        cmocka_unit_test(is_the_same_at_any_length_and_alignment),
        cmocka_unit_test(text_and_parse_are_inverse),         cmocka_unit_test(refuses_what_is_not_a_hash),
        cmocka_unit_test(tells_the_linked_library_s_version), cmocka_unit_test(orders_by_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
