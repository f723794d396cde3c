// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_arena.h"
#include "scarce.h"
#include <string.h>

static bool is_zero(const unsigned char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i])
            return false;
    return true;
}

static void gives_zeroed_aligned_objects(void **state)
{
    (void)state;
    struct arena *arena = arena_create(1000, 0);
    for (size_t size = 0; size < 300; size++) {
        unsigned char *object = arena_get(arena, size, 3);
        assert_non_null(object);
        assert_int_equal((uintptr_t)object % 64, 0);
        assert_true(is_zero(object, 3 * size));
        memset(object, 0xff, 3 * size);
    }
    arena_destroy(arena);
}

static void zeroes_memory_that_it_reuses(void **state)
{
    (void)state;
    struct arena *arena = arena_create(4096, 0);
    memset(arena_get(arena, 1000, 1), 0xff, 1000);
    arena_reset(arena);
    assert_true(is_zero(arena_get(arena, 1000, 1), 1000));
    arena_destroy(arena);
}

static void objects_do_not_overlap(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    struct arena *arena = arena_create(256, 0);
    unsigned char *object[COUNT];
    for (int i = 0; i < COUNT; i++)
        memset(object[i] = arena_get(arena, (size_t)i + 1, 1), i, (size_t)i + 1);
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j <= i; j++)
            assert_int_equal(object[i][j], i);
    arena_destroy(arena);
}

static void refuses_products_that_overflow(void **state)
{
    (void)state;
    static const size_t rows[][2] = {{SIZE_MAX, 2},      {2, SIZE_MAX},         {SIZE_MAX, 1},
                                     {SIZE_MAX / 8, 16}, {SIZE_MAX / 2 + 1, 1}, {1ull << 32, 1ull << 32}};
    struct arena *arena = arena_create(64, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_null(arena_get(arena, rows[i][0], rows[i][1]));
    assert_null(arena_text(arena, "x", SIZE_MAX));
    assert_int_equal(arena_used(arena), 0);
    assert_non_null(arena_get(arena, 1, 1));
    arena_destroy(arena);
}

static void stops_at_its_limit_and_goes_on_below(void **state)
{
    (void)state;
    struct arena *arena = arena_create(256, 1024);
    assert_null(arena_get(arena, 1025, 1));
    assert_non_null(arena_get(arena, 512, 1));
    assert_null(arena_get(arena, 513, 1));
    assert_non_null(arena_get(arena, 512, 1));
    assert_null(arena_get(arena, 1, 1));
    arena_reset(arena);
    assert_non_null(arena_get(arena, 512, 1));
    arena_destroy(arena);
}

static void a_mark_releases_what_came_later_alone(void **state)
{
    (void)state;
    struct arena *arena = arena_create(128, 0);
    char *kept = arena_text(arena, "kept", 4);
    struct arena_mark mark = arena_mark(arena);
    size_t used = arena_used(arena);
    for (int i = 0; i < 50; i++)
        assert_non_null(arena_get(arena, 100, 1));
    assert_true(arena_used(arena) >= used + 5000);
    arena_release(arena, mark);
    assert_int_equal(arena_used(arena), used);
    assert_string_equal(kept, "kept");
    arena_destroy(arena);
}

static void an_early_mark_releases_all(void **state)
{
    (void)state;
    struct arena *arena = arena_create(128, 0);
    struct arena_mark mark = arena_mark(arena);
    for (int i = 0; i < 10; i++)
        assert_non_null(arena_get(arena, 100, 1));
    arena_release(arena, mark);
    assert_int_equal(arena_used(arena), 0);
    arena_destroy(arena);
}

static void a_loop_with_marks_grows_once(void **state)
{
    (void)state;
    struct arena *arena = arena_create(100, 0);
    assert_non_null(arena_get(arena, 10, 1));
    size_t blocks = 0;
    for (int step = 0; step < 20; step++) {
        struct arena_mark mark = arena_mark(arena);
        for (size_t i = 0; i < 40; i++)
            assert_non_null(arena_get(arena, i * 13, 1));
        if (step == 0)
            blocks = arena_blocks(arena);
        arena_release(arena, mark);
    }
    assert_int_equal(arena_blocks(arena), blocks);
    assert_true(blocks > 1 && blocks < 12);
    arena_destroy(arena);
}

static void copies_texts(void **state)
{
    (void)state;
    struct arena *arena = arena_create(0, 0);
    assert_string_equal(arena_text(arena, "snr=4,rope", 5), "snr=4");
    assert_string_equal(arena_text(arena, NULL, 0), "");
    arena_destroy(arena);
}

static void survives_a_refused_allocation(void **state)
{
    (void)state;
    struct rlimit before;
    struct arena *arena = arena_create(1 << 16, 0);
    char *kept = arena_text(arena, "kept", 4);
    if (!memory_is_scarce(32 << 20, &before)) {
        arena_destroy(arena);
        skip();
    }
    void *object = arena_get(arena, 64 << 20, 1);
    memory_is_plenty(&before);
    assert_null(object);
    assert_string_equal(kept, "kept");
    assert_non_null(arena_get(arena, 64 << 20, 1));
    arena_destroy(arena);
}

static void destroying_nothing_is_fine(void **state)
{
    (void)state;
    arena_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_zeroed_aligned_objects),
        cmocka_unit_test(zeroes_memory_that_it_reuses),
        cmocka_unit_test(objects_do_not_overlap),
        cmocka_unit_test(refuses_products_that_overflow),
        cmocka_unit_test(stops_at_its_limit_and_goes_on_below),
        cmocka_unit_test(a_mark_releases_what_came_later_alone),
        cmocka_unit_test(an_early_mark_releases_all),
        cmocka_unit_test(a_loop_with_marks_grows_once),
        cmocka_unit_test(copies_texts),
        cmocka_unit_test(survives_a_refused_allocation),
        cmocka_unit_test(destroying_nothing_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
