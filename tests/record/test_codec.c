// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <math.h>
#include <string.h>

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
    assert_int_equal(fixture_decode(bytes->data, bytes->size, &record, &status), STATUS_OK);
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
    record.settings.task.table = "0 1; 1 0";
    record_encode(&record, &bytes);
    assert_int_equal(fixture_decode(bytes.data, bytes.size, &returned, NULL), STATUS_OK);
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
    assert_string_equal(returned.settings.task.table, "0 1; 1 0"); // its own
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

static void what_is_unknown_survives_unchanged(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    fixture_head(&bytes);
    bytes_u32(&bytes, 1);
    fixture_part(&bytes, RECORD_TRAINING, 0, 4);
    fixture_novel(&bytes);
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
    // And one of the other kind of part.
    fixture_value(&bytes, FIELD_FINAL_TEST_COUNT, RECORD_I64, 0, "final_test_count");
    bytes_u64(&bytes, 8);
    bytes_u64(&bytes, 12);
    assert_survives(&bytes);

    struct record record;
    assert_int_equal(fixture_decode(bytes.data, bytes.size, &record, NULL), STATUS_OK);
    struct record_part *part = &record.parts[0];
    assert_int_equal(part->count, 4);
    assert_null(record_find(part, FIELD_FINAL_TEST_COUNT));
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

static void no_prefix_is_taken_for_the_whole(void **state)
{
    (void)state;
    struct record record, returned;
    struct bytes bytes = {0};
    assert_true(fixture_record(&record));
    record_encode(&record, &bytes);
    for (size_t size = 0; size < bytes.size; size++)
        assert_int_equal(fixture_decode(bytes.data, size, &returned, NULL), STATUS_DAMAGED);
    bytes_fini(&bytes);
    record_fini(&record);
}

// Whatever decodes must encode to something that decodes to the same bytes.
static bool try_damaged(const struct bytes *bytes)
{
    struct record record;
    if (fixture_decode(bytes->data, bytes->size, &record, NULL) != STATUS_OK)
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
        cmocka_unit_test(no_prefix_is_taken_for_the_whole),
        cmocka_unit_test(a_flipped_bit_gives_an_error_or_a_valid_record),
        cmocka_unit_test(wild_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
