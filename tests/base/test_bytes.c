// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_bytes.h"
#include "scarce.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void numbers_are_little_endian(void **state)
{
    (void)state;
    static const unsigned char expected[] = {1,   3, 2, 7, 6, 5, 4, 15,   14,   13,   12,   11,  10, 9,
                                             8,   0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 2,    0,    0,   0,  'h',
                                             'i', 1, 0, 0, 0, 0, 0, 0,    0,    0xee, 0xdd, 0xcc};
    struct bytes bytes = {0};
    bytes_u8(&bytes, 1);
    bytes_u16(&bytes, 0x0203);
    bytes_u32(&bytes, 0x04050607);
    bytes_u64(&bytes, 0x08090a0b0c0d0e0f);
    bytes_f64(&bytes, 1.5);
    bytes_text(&bytes, "hi");
    bytes_blob(&bytes, "\xee", 1);
    bytes_raw(&bytes, "\xdd\xcc", 2);
    assert_false(bytes.failed);
    assert_int_equal(bytes.size, sizeof expected);
    assert_memory_equal(bytes.data, expected, sizeof expected);
    bytes_fini(&bytes);
}

static void write_one_of_each(struct bytes *bytes)
{
    bytes_u8(bytes, 0xff);
    bytes_u16(bytes, 0xfffe);
    bytes_u32(bytes, 0xfffffffd);
    bytes_u64(bytes, 0xfffffffffffffffc);
    bytes_f64(bytes, -0x1.23456789abcdep-1050);
    bytes_text(bytes, "");
    bytes_text(bytes, "naïve");
    bytes_blob(bytes, "a\0b", 3);
    bytes_blob(bytes, NULL, 0);
}

static void everything_comes_back(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    write_one_of_each(&bytes);
    struct bytes_reader reader = bytes_reader(bytes.data, bytes.size);
    size_t size;
    assert_int_equal(bytes_read_u8(&reader), 0xff);
    assert_int_equal(bytes_read_u16(&reader), 0xfffe);
    assert_int_equal(bytes_read_u32(&reader), 0xfffffffd);
    assert_true(bytes_read_u64(&reader) == 0xfffffffffffffffc);
    assert_true(bytes_read_f64(&reader) == -0x1.23456789abcdep-1050);
    assert_non_null(bytes_read_text(&reader, &size));
    assert_int_equal(size, 0);
    const char *text = bytes_read_text(&reader, &size);
    assert_int_equal(size, strlen("naïve"));
    assert_memory_equal(text, "naïve", size);
    const unsigned char *blob = bytes_read_blob(&reader, &size);
    assert_int_equal(size, 3);
    assert_memory_equal(blob, "a\0b", 3);
    assert_non_null(bytes_read_blob(&reader, &size));
    assert_int_equal(size, 0);
    assert_int_equal(bytes_left(&reader), 0);
    assert_false(reader.failed);
    bytes_fini(&bytes);
}

static void floats_keep_every_bit(void **state)
{
    (void)state;
    static const uint64_t rows[] = {0, 1ull << 63, 1, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000123};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bytes bytes = {0};
        double value, back;
        memcpy(&value, &rows[i], 8);
        bytes_f64(&bytes, value);
        struct bytes_reader reader = bytes_reader(bytes.data, bytes.size);
        back = bytes_read_f64(&reader);
        assert_memory_equal(&back, &rows[i], 8);
        bytes_fini(&bytes);
    }
}

// The reads of everything_comes_back; true while all are whole.
static bool read_one_of_each(struct bytes_reader *reader)
{
    size_t size;
    bytes_read_u8(reader);
    bytes_read_u16(reader);
    bytes_read_u32(reader);
    bytes_read_u64(reader);
    bytes_read_f64(reader);
    bytes_read_text(reader, &size);
    bytes_read_text(reader, &size);
    bytes_read_blob(reader, &size);
    bytes_read_blob(reader, &size);
    return !reader->failed;
}

static void every_truncation_is_seen(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    write_one_of_each(&bytes);
    for (size_t size = 0; size <= bytes.size; size++) {
        struct bytes_reader reader = bytes_reader(bytes.data, size);
        assert_int_equal(read_one_of_each(&reader), size == bytes.size);
    }
    bytes_fini(&bytes);
}

static void a_failed_reader_gives_nothing_any_more(void **state)
{
    (void)state;
    struct bytes_reader reader = bytes_reader("\1\2\3", 3);
    size_t size = 77;
    assert_int_equal(bytes_read_u32(&reader), 0);
    assert_true(reader.failed);
    assert_int_equal(bytes_read_u8(&reader), 0);
    assert_int_equal(bytes_left(&reader), 0);
    assert_null(bytes_read_raw(&reader, 0));
    assert_null(bytes_read_text(&reader, &size));
    assert_int_equal(size, 0);
    assert_null(bytes_read_blob(&reader, &size));
}

static void lengths_beyond_the_end_are_refused(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    size_t size;
    bytes_u64(&bytes, UINT64_MAX);
    struct bytes_reader reader = bytes_reader(bytes.data, bytes.size);
    assert_null(bytes_read_blob(&reader, &size));
    assert_int_equal(size, 0);
    reader = bytes_reader(bytes.data, bytes.size);
    assert_null(bytes_read_text(&reader, &size));
    assert_true(reader.failed);
    bytes_fini(&bytes);
}

static void an_empty_buffer_reads_as_empty(void **state)
{
    (void)state;
    struct bytes_reader reader = bytes_reader(NULL, 0);
    assert_non_null(bytes_read_raw(&reader, 0));
    assert_false(reader.failed);
    assert_null(bytes_read_raw(&reader, 1));
    assert_true(reader.failed);
}

static void set_overwrites_only_what_is_there(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    bytes_set_u32(&bytes, 0, 9);
    assert_true(bytes.failed);
    bytes_clear(&bytes);
    bytes_raw(&bytes, "abcdef", 6);
    bytes_set_u32(&bytes, 2, 0x31323334);
    assert_memory_equal(bytes.data, "ab4321", 6);
    assert_false(bytes.failed);
    bytes_set_u32(&bytes, 3, 0);
    assert_true(bytes.failed);
    assert_memory_equal(bytes.data, "ab4321", 6);
    bytes_fini(&bytes);
}

static void drops_the_front(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    bytes_drop_front(&bytes, 3);
    assert_int_equal(bytes.size, 0);
    bytes_raw(&bytes, "abcdef", 6);
    bytes_drop_front(&bytes, 0);
    bytes_drop_front(&bytes, 2);
    assert_int_equal(bytes.size, 4);
    assert_memory_equal(bytes.data, "cdef", 4);
    bytes_drop_front(&bytes, 99);
    assert_int_equal(bytes.size, 0);
    bytes_fini(&bytes);
}

static void a_failed_buffer_takes_nothing_any_more(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    bytes_u8(&bytes, 1);
    bytes_raw(&bytes, "", SIZE_MAX / 2);
    assert_true(bytes.failed);
    bytes_u8(&bytes, 2);
    assert_int_equal(bytes.size, 1);
    bytes_fini(&bytes);
    assert_null(bytes.data);
    bytes_u8(&bytes, 3);
    assert_int_equal(bytes.data[0], 3);
    bytes_fini(&bytes);
}

static void a_refused_allocation_keeps_what_was_there(void **state)
{
    (void)state;
    enum { LARGE = 16 << 20 };
    struct rlimit before;
    struct bytes bytes = {0};
    void *large = calloc(LARGE, 1);
    bytes_raw(&bytes, "kept", 4);
    bool scarce = memory_is_scarce(LARGE / 4, &before);
    if (scarce) {
        bytes_raw(&bytes, large, LARGE);
        memory_is_plenty(&before);
        assert_true(bytes.failed);
        assert_int_equal(bytes.size, 4);
        assert_memory_equal(bytes.data, "kept", 4);
    }
    free(large);
    bytes_fini(&bytes);
    if (!scarce)
        skip();
}

static void clearing_keeps_the_capacity(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    for (int i = 0; i < 1000; i++)
        bytes_u32(&bytes, 7);
    unsigned char *data = bytes.data;
    bytes_clear(&bytes);
    for (int i = 0; i < 1000; i++)
        bytes_u32(&bytes, 8);
    assert_ptr_equal(bytes.data, data);
    assert_int_equal(bytes.size, 4000);
    bytes_fini(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_little_endian),
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(floats_keep_every_bit),
        cmocka_unit_test(every_truncation_is_seen),
        cmocka_unit_test(a_failed_reader_gives_nothing_any_more),
        cmocka_unit_test(lengths_beyond_the_end_are_refused),
        cmocka_unit_test(an_empty_buffer_reads_as_empty),
        cmocka_unit_test(set_overwrites_only_what_is_there),
        cmocka_unit_test(drops_the_front),
        cmocka_unit_test(a_failed_buffer_takes_nothing_any_more),
        cmocka_unit_test(a_refused_allocation_keeps_what_was_there),
        cmocka_unit_test(clearing_keeps_the_capacity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
