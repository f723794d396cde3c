// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// The linker sends the program's allocations here (--wrap), so that each in turn can fail.
static long allowed = -1; // allocations before one fails; negative: none fails

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static bool may_have(void)
{
    return allowed < 0 || allowed-- > 0;
}

void *__wrap_malloc(size_t size)
{
    return may_have() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return may_have() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    return may_have() ? __real_realloc(old, size) : NULL;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return may_have() ? __real_aligned_alloc(alignment, size) : NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct fixture f;
    struct status status;
    long failures = 0;
    enum status_code code = STATUS_MEMORY;
    fixture_init(&f);
    f.sweep.replicates = 20;
    fixture_axis(&f, "snr", "1 2 4 8");
    fixture_axis(&f, "noise_rate", "0.1 0.2");
    fixture_axis(&f, "train_length", "8 16");
    fixture_lengths(&f, "1x 4x 64");
    fixture_exclude(&f, "snr=1 test_length=64");
    for (; code == STATUS_MEMORY && failures < 1000; failures++) {
        struct grid *grid = NULL;
        allowed = failures;
        code = grid_expand(&f.sweep, 1000, &grid, &status);
        allowed = -1;
        assert_int_equal(grid == NULL, code != STATUS_OK);
        if (code == STATUS_MEMORY)
            assert_non_null(strstr(status.text, "out of memory while expanding the grid"));
        grid_destroy(grid);
    }
    assert_int_equal(code, STATUS_OK);
    assert_true(failures > 10);
    fixture_fini(&f);
}

static void nothing_is_destroyed_without_harm(void **state)
{
    (void)state;
    grid_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(nothing_is_destroyed_without_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
