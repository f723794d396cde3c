// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <string.h>

typedef void damage(struct bytes *bytes);

static void no_parts(struct bytes *bytes)
{
    bytes_u32(bytes, 0);
}

static void left_over(struct bytes *bytes)
{
    bytes_u32(bytes, 0);
    bytes_u8(bytes, 0);
}

static void forged_parts(struct bytes *bytes)
{
    bytes_u32(bytes, UINT32_MAX);
}

static void forged_values(struct bytes *bytes)
{
    bytes_u32(bytes, 1);
    fixture_part(bytes, RECORD_TRAINING, 0, UINT32_MAX);
}

static void unknown_part(struct bytes *bytes)
{
    bytes_u32(bytes, 1);
    fixture_part(bytes, 2, 0, 0);
}

static void length_of_training(struct bytes *bytes)
{
    bytes_u32(bytes, 1);
    fixture_part(bytes, RECORD_TRAINING, 8, 0);
}

static void no_length_of_test(struct bytes *bytes)
{
    bytes_u32(bytes, 1);
    fixture_part(bytes, RECORD_TEST, 0, 0);
}

static void part_twice(struct bytes *bytes)
{
    bytes_u32(bytes, 2);
    fixture_part(bytes, RECORD_TEST, 8, 0);
    fixture_part(bytes, RECORD_TEST, 8, 0);
}

static void one_value(struct bytes *bytes, unsigned type, unsigned dimensions, const char *name)
{
    bytes_u32(bytes, 1);
    fixture_part(bytes, RECORD_TRAINING, 0, 1);
    fixture_value(bytes, 999, type, dimensions, name);
}

static void unknown_type(struct bytes *bytes)
{
    one_value(bytes, RECORD_U8 + 1, 0, "novel");
    bytes_u64(bytes, 0);
}

static void too_many_dimensions(struct bytes *bytes)
{
    one_value(bytes, RECORD_U8, RECORD_DIMENSIONS + 1, "novel");
}

static void bad_name(struct bytes *bytes)
{
    one_value(bytes, RECORD_U8, 0, "/etc");
}

static void no_name(struct bytes *bytes)
{
    one_value(bytes, RECORD_U8, 0, "");
}

static void long_name(struct bytes *bytes)
{
    one_value(bytes, RECORD_U8, 0, "a_name_of_forty_eight_characters_and_not_one_les");
}

static void bad_dimension(struct bytes *bytes)
{
    one_value(bytes, RECORD_U8, 1, "novel");
    bytes_text(bytes, "Eval");
    bytes_u32(bytes, 0);
}

static void short_elements(struct bytes *bytes)
{
    one_value(bytes, RECORD_F64, 0, "novel");
    bytes_u64(bytes, 4);
    bytes_u32(bytes, 0);
}

static void forged_extents(struct bytes *bytes)
{
    one_value(bytes, RECORD_F64, 4, "novel");
    for (int i = 0; i < 4; i++) {
        bytes_text(bytes, "head");
        bytes_u32(bytes, i < 2 ? UINT32_MAX : 1u << 31);
    }
    bytes_u64(bytes, UINT64_MAX);
}

static void wrapping_extents(struct bytes *bytes)
{
    one_value(bytes, RECORD_F32, 2, "novel");
    for (int i = 0; i < 2; i++) {
        bytes_text(bytes, "head");
        bytes_u32(bytes, 1u << 31);
    }
    bytes_u64(bytes, 0);
}

static void field_twice(struct bytes *bytes)
{
    bytes_u32(bytes, 1);
    fixture_part(bytes, RECORD_TRAINING, 0, 2);
    fixture_novel(bytes);
    fixture_novel(bytes);
}

static void refuses_what_no_version_writes(void **state)
{
    (void)state;
    const struct {
        damage *add;
        const char *message; // NULL: accepted
    } rows[] = {
        {no_parts, NULL},
        {left_over, "record: bytes are left behind its end"},
        {forged_parts, "record: it has too many parts"},
        {forged_values, "record: a part is of no known kind"},
        {unknown_part, "record: a part is of no known kind"},
        {length_of_training, "record: a part's test length is impossible"},
        {no_length_of_test, "record: a part's test length is impossible"},
        {part_twice, "record: a part appears twice"},
        {unknown_type, "record: a field has an unknown type or too many dimensions"},
        {too_many_dimensions, "record: a field has an unknown type or too many dimensions"},
        {bad_name, "record: a field's name is not one"},
        {no_name, "record: a field's name is not one"},
        {long_name, "record: a field's name is not one"},
        {bad_dimension, "record: a dimension's name is not one"},
        {short_elements, "record: a field's elements do not fill its extents"},
        {forged_extents, "record: a field's elements do not fill its extents"},
        {wrapping_extents, "record: a field's elements do not fill its extents"},
        {field_twice, "record: a part has a field twice"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bytes bytes = {0};
        struct status status = {0};
        struct record record = {.attempts = 77};
        fixture_head(&bytes);
        rows[i].add(&bytes);
        enum status_code code = fixture_decode(bytes.data, bytes.size, &record, &status);
        assert_int_equal(code, rows[i].message ? STATUS_DAMAGED : STATUS_OK);
        assert_string_equal(status.text, rows[i].message ? rows[i].message : "");
        assert_int_equal(record.attempts, rows[i].message ? 77 : 0);
        record_fini(&record);
        bytes_fini(&bytes);
    }
}

static void a_head_is_checked(void **state)
{
    (void)state;
    enum { VERSION_AT = 0, STATUS_AT = 24, REASON_AT = 30 };
    const struct {
        size_t at;
        uint32_t number;
        enum status_code code;
        const char *message;
    } rows[] = {
        {VERSION_AT, 0, STATUS_DAMAGED, "record: its head is not one"},
        {VERSION_AT, 2, STATUS_INVALID, "record: version 2; this program reads up to 1, use the one that wrote it"},
        {STATUS_AT, RECORD_STATUSES, STATUS_DAMAGED, "record: its head is not one"},
        {REASON_AT, 256, STATUS_DAMAGED, "record: its reason of failure is not a text"},
        {REASON_AT, UINT32_MAX, STATUS_DAMAGED, "record: its reason of failure is not a text"},
        {REASON_AT, 1, STATUS_DAMAGED, "record: its reason of failure is not a text"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bytes bytes = {0};
        struct status status = {0};
        struct record record = {0};
        fixture_head(&bytes);
        bytes_u32(&bytes, 0);
        bytes_set_u32(&bytes, rows[i].at, rows[i].number);
        assert_int_equal(fixture_decode(bytes.data, bytes.size, &record, &status), rows[i].code);
        assert_string_equal(status.text, rows[i].message);
        bytes_fini(&bytes);
    }
}

static void settings_of_a_newer_version_are_named(void **state)
{
    (void)state;
    struct record record = {0};
    struct bytes bytes = {0};
    struct status status = {0};
    settings_defaults(&record.settings);
    record.settings.train.steps = 1;
    record_encode(&record, &bytes);
    memcpy(memmem(bytes.data, bytes.size, "steps", 5), "stops", 5);
    assert_int_equal(fixture_decode(bytes.data, bytes.size, &record, &status), STATUS_INVALID);
    assert_string_equal(status.text,
                        "record: unknown setting 'stops'; it was written by a newer version of lgsweep, use that one");
    bytes_fini(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_no_version_writes),
        cmocka_unit_test(a_head_is_checked),
        cmocka_unit_test(settings_of_a_newer_version_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
