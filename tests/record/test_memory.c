// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// The linker sends the program's allocations here (--wrap): each can be made to fail, and sizes are seen.
static long allowed = -1; // allocations before one fails; negative: none fails
static size_t largest;

void *__real_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);

static bool may_have(size_t size)
{
    largest = size > largest ? size : largest;
    return allowed < 0 || allowed-- > 0;
}

void *__wrap_malloc(size_t size)
{
    return may_have(size) ? __real_malloc(size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    return may_have(size) ? __real_realloc(old, size) : NULL;
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
    return may_have(count * size) ? __real_reallocarray(old, count, size) : NULL;
}

static int reset(void **state)
{
    (void)state;
    allowed = -1;
    largest = 0;
    return 0;
}

static void building_fails_cleanly_at_every_allocation(void **state)
{
    (void)state;
    long failures = 0;
    for (bool built = false; !built; failures++) {
        struct record record;
        allowed = failures;
        built = fixture_record(&record);
        allowed = -1;
        record_fini(&record);
    }
    assert_true(failures > 10);
}

static void decoding_fails_cleanly_at_every_allocation(void **state)
{
    (void)state;
    struct record record;
    struct bytes bytes = {0};
    assert_true(fixture_record(&record));
    record_encode(&record, &bytes);
    long failures = 0;
    for (enum status_code code = STATUS_MEMORY; code != STATUS_OK; failures++) {
        struct record returned = {0};
        struct status status = {0};
        allowed = failures;
        code = record_decode(bytes.data, bytes.size, &returned, &status);
        allowed = -1;
        assert_true(code == STATUS_OK || (code == STATUS_MEMORY && status.code == STATUS_MEMORY));
        assert_int_equal(returned.parts_count, code == STATUS_OK ? 3 : 0);
        record_fini(&returned);
    }
    assert_true(failures > 10);
    bytes_fini(&bytes);
    record_fini(&record);
}

static void encoding_shows_that_memory_ran_out(void **state)
{
    (void)state;
    struct record record;
    struct bytes bytes = {0};
    assert_true(fixture_record(&record));
    allowed = 0;
    record_encode(&record, &bytes);
    allowed = -1;
    assert_true(bytes.failed);
    bytes_fini(&bytes);
    record_fini(&record);
}

static void a_merge_without_memory_changes_neither(void **state)
{
    (void)state;
    struct record target, source;
    struct settings settings;
    assert_true(fixture_record(&source));
    settings = source.settings;
    record_init(&target, &settings);
    allowed = 0;
    assert_int_equal(record_merge(&target, &source, NULL), STATUS_MEMORY);
    allowed = -1;
    assert_true(target.parts_count == 0 && target.status == RECORD_PENDING && source.parts_count == 3);
    assert_int_equal(record_merge(&target, &source, NULL), STATUS_OK);
    assert_int_equal(target.parts_count, 3);
    record_fini(&source);
    record_fini(&target);
}

static void a_forged_size_takes_no_memory(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    struct record record;
    fixture_head(&bytes);
    bytes_u32(&bytes, 1);
    fixture_part(&bytes, RECORD_TRAINING, 0, 1000);
    fixture_value(&bytes, 999, RECORD_U8, 1, "novel");
    bytes_text(&bytes, "head");
    bytes_u32(&bytes, UINT32_MAX);
    bytes_u64(&bytes, UINT32_MAX);
    largest = 0;
    assert_int_equal(record_decode(bytes.data, bytes.size, &record, NULL), STATUS_DAMAGED);
    assert_true(largest < 4096);
    bytes_fini(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(building_fails_cleanly_at_every_allocation, reset),
        cmocka_unit_test_setup(decoding_fails_cleanly_at_every_allocation, reset),
        cmocka_unit_test_setup(encoding_shows_that_memory_ran_out, reset),
        cmocka_unit_test_setup(a_merge_without_memory_changes_neither, reset),
        cmocka_unit_test_setup(a_forged_size_takes_no_memory, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
