// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A copy on the heap, so that a sanitizer sees every read past its end.
static enum status_code decode_copy(const void *data, size_t size, struct record *ret_record, struct status *status)
{
    unsigned char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    if (size)
        memcpy(copy, data, size);
    enum status_code code = record_decode(copy, size, ret_record, status);
    free(copy);
    return code;
}

static void assert_same_bytes(const struct bytes *a, const struct bytes *b)
{
    assert_false(a->failed || b->failed);
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

// Decodes `bytes`, wants success, and wants the same bytes back.
static void assert_survives(const struct bytes *bytes)
{
    struct record record;
    struct status status = {0};
    struct bytes again = {0};
    assert_int_equal(decode_copy(bytes->data, bytes->size, &record, &status), STATUS_OK);
    record_encode(&record, &again);
    assert_same_bytes(bytes, &again);
    bytes_fini(&again);
    record_fini(&record);
}

static void a_record_returns_as_it_was(void **state)
{
    (void)state;
    struct record record, returned;
    struct bytes bytes = {0};
    assert_true(fixture_record(&record));
    record.last_step = -1;
    record.attempts = UINT32_MAX;
    record.signal = 9;
    record.exit_status = -2;
    strcpy(record.reason, "killed");
    record_encode(&record, &bytes);
    assert_int_equal(decode_copy(bytes.data, bytes.size, &returned, NULL), STATUS_OK);
    assert_true(hash_equal(returned.identity, record.identity));
    assert_null(settings_differ(&returned.settings, &record.settings));
    assert_true(returned.status == RECORD_DONE && returned.numerics == NUMERICS);
    assert_true(returned.last_step == -1 && returned.attempts == UINT32_MAX);
    assert_true(returned.signal == 9 && returned.exit_status == -2);
    assert_string_equal(returned.reason, "killed");
    assert_int_equal(returned.parts_count, 3);
    const struct record_part *training = record_find_part(&returned, RECORD_TRAINING, 0);
    assert_true(record_real(training, FIELD_STEP, 1) == 7);
    assert_int_equal(((const int64_t *)record_find(training, FIELD_STEP)->data)[2], INT64_MAX);
    assert_true(record_real(training, FIELD_TRAIN_LOSS, 1) == -INFINITY);
    assert_true(isnan(record_real(training, FIELD_TRAIN_LOSS, 2)));
    assert_true(record_real(training, FIELD_INTERPOLATED, 0) == 1);
    assert_true(record_real(record_find_part(&returned, RECORD_TEST, 128), FIELD_TEST_ERROR, 1) == 0.25);
    assert_survives(&bytes);
    bytes_fini(&bytes);
    record_fini(&returned);
    record_fini(&record);
}

// Stores and journals hold these bytes: a change needs another RECORD_VERSION and a reader of both.
static void the_bytes_are_frozen(void **state)
{
    (void)state;
    enum { HEAD = 54 };
    static const unsigned char part[] = "\1\0\0\0\1\0\0\0\10\0\0\0\0\0\0\0\1\0\0\0"
                                        "\121\0\0\0\017\0\0\0final_test_loss\4\0\0\0\0\0\0\0\0\0\200\76";
    struct record record = {0};
    struct bytes bytes = {0};
    settings_defaults(&record.settings);
    assert_int_equal(record_put_real(record_part(&record, RECORD_TEST, 8, true), FIELD_FINAL_TEST_LOSS, 0.25),
                     STATUS_OK);
    record_encode(&record, &bytes);
    assert_int_equal(bytes.size, HEAD + sizeof part - 1);
    assert_memory_equal(bytes.data, "\1\0\0\0", 4);
    assert_memory_equal(bytes.data + HEAD, part, sizeof part - 1);
    bytes_fini(&bytes);
    record_fini(&record);
}

static void nans_are_canonical(void **state)
{
    (void)state;
    struct bytes encoded[2] = {{0}};
    for (unsigned i = 0; i < 2; i++) {
        struct record record = {0};
        settings_defaults(&record.settings);
        struct record_part *part = record_part(&record, RECORD_TRAINING, 0, true);
        const uint32_t one[] = {1};
        float *loss = record_add(part, FIELD_TRAIN_LOSS, one);
        double *fit = record_add(part, FIELD_T_FIT, NULL);
        assert_true(loss && fit);
        // A quiet NaN with a payload, and a signalling one with the sign set.
        memcpy(loss, i ? &(uint32_t){0xffc00001} : &(uint32_t){0x7f800001}, sizeof *loss);
        memcpy(fit, i ? &(uint64_t){0x7ff8000000000001} : &(uint64_t){0xfff0000000000001}, sizeof *fit);
        record_encode(&record, &encoded[i]);
        record_fini(&record);
    }
    assert_same_bytes(&encoded[0], &encoded[1]);
    bytes_fini(&encoded[0]);
    bytes_fini(&encoded[1]);
}

// A field of a later version: unknown id, type known, one known and one unknown dimension, a NaN with a payload.
static void add_novel(struct bytes *bytes)
{
    fixture_value(bytes, 999, RECORD_F32, 2, "novel");
    bytes_text(bytes, "head");
    bytes_u32(bytes, 1);
    bytes_text(bytes, "shell");
    bytes_u32(bytes, 2);
    bytes_u64(bytes, 8);
    bytes_u32(bytes, 0xffc00123);
    bytes_u32(bytes, 0x3f800000);
}

static void what_is_unknown_survives_unchanged(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    fixture_head(&bytes);
    bytes_u32(&bytes, 1);
    fixture_part(&bytes, RECORD_TRAINING, 0, 3);
    add_novel(&bytes);
    // A known field that gained a dimension, and one whose type changed.
    fixture_value(&bytes, FIELD_SIGNAL_ATTENTION, RECORD_F32, 2, "signal_attention");
    bytes_text(&bytes, "eval");
    bytes_u32(&bytes, 1);
    bytes_text(&bytes, "head");
    bytes_u32(&bytes, 0);
    bytes_u64(&bytes, 0);
    fixture_value(&bytes, FIELD_T_FIT, RECORD_I32, 0, "t_fit");
    bytes_u64(&bytes, 4);
    bytes_u32(&bytes, 12);
    assert_survives(&bytes);

    struct record record;
    assert_int_equal(decode_copy(bytes.data, bytes.size, &record, NULL), STATUS_OK);
    struct record_part *part = &record.parts[0];
    assert_int_equal(part->count, 3);
    assert_null(part->values[0].field);
    assert_string_equal(part->values[0].name, "novel");
    assert_string_equal(part->values[0].dimension[1], "shell");
    assert_int_equal(record_size(&part->values[0]), 2);
    assert_null(record_find(part, FIELD_SIGNAL_ATTENTION));
    assert_null(record_find(part, FIELD_T_FIT));
    assert_null(record_add(part, FIELD_T_FIT, NULL));
    record_fini(&record);
    bytes_fini(&bytes);
}

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
    add_novel(bytes);
    add_novel(bytes);
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
        enum status_code code = decode_copy(bytes.data, bytes.size, &record, &status);
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
        assert_int_equal(decode_copy(bytes.data, bytes.size, &record, &status), rows[i].code);
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
    assert_int_equal(decode_copy(bytes.data, bytes.size, &record, &status), STATUS_INVALID);
    assert_string_equal(status.text,
                        "record: unknown setting 'stops'; it was written by a newer version of lgsweep, use that one");
    bytes_fini(&bytes);
}

static void no_prefix_is_taken_for_the_whole(void **state)
{
    (void)state;
    struct record record, returned;
    struct bytes bytes = {0};
    assert_true(fixture_record(&record));
    record_encode(&record, &bytes);
    for (size_t size = 0; size < bytes.size; size++)
        assert_int_equal(decode_copy(bytes.data, size, &returned, NULL), STATUS_DAMAGED);
    bytes_fini(&bytes);
    record_fini(&record);
}

// Whatever decodes must encode to something that decodes to the same bytes.
static bool try_damaged(const struct bytes *bytes)
{
    struct record record;
    if (decode_copy(bytes->data, bytes->size, &record, NULL) != STATUS_OK)
        return false;
    struct bytes again = {0};
    record_encode(&record, &again);
    assert_survives(&again);
    bytes_fini(&again);
    record_fini(&record);
    return true;
}

static void a_flipped_bit_gives_an_error_or_a_valid_record(void **state)
{
    (void)state;
    struct record record;
    struct bytes bytes = {0};
    size_t accepted = 0;
    assert_true(fixture_record(&record));
    record_encode(&record, &bytes);
    for (size_t bit = 0; bit < 8 * bytes.size; bit++) {
        bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        accepted += try_damaged(&bytes);
        bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    // Elements and numbers take any bits, structure does not.
    assert_true(accepted > 100 && accepted < 8 * bytes.size);
    bytes_fini(&bytes);
    record_fini(&record);
}

static void wild_bytes_do_no_harm(void **state)
{
    (void)state;
    static const unsigned char likely[] = {0, 1, 2, 4, 8, 127, 128, 255};
    struct record record;
    struct bytes bytes = {0}, wild = {0};
    uint64_t random = 1;
    assert_true(fixture_record(&record));
    record_encode(&record, &bytes);
    for (int round = 0; round < 20000; round++) {
        bytes_clear(&wild);
        bytes_raw(&wild, bytes.data, bytes.size);
        for (int change = 0; change < 1 + round % 4; change++) {
            random = random * 6364136223846793005 + 1442695040888963407;
            wild.data[(random >> 33) % wild.size] = likely[random >> 61];
        }
        try_damaged(&wild);
    }
    bytes_fini(&wild);
    bytes_fini(&bytes);
    record_fini(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_returns_as_it_was),
        cmocka_unit_test(the_bytes_are_frozen),
        cmocka_unit_test(nans_are_canonical),
        cmocka_unit_test(what_is_unknown_survives_unchanged),
        cmocka_unit_test(refuses_what_no_version_writes),
        cmocka_unit_test(a_head_is_checked),
        cmocka_unit_test(settings_of_a_newer_version_are_named),
        cmocka_unit_test(no_prefix_is_taken_for_the_whole),
        cmocka_unit_test(a_flipped_bit_gives_an_error_or_a_valid_record),
        cmocka_unit_test(wild_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
