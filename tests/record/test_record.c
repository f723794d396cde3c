// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <math.h>
#include <string.h>

static void starts_pending_with_its_identity(void **state)
{
    (void)state;
    struct settings settings;
    struct record record;
    settings_defaults(&settings);
    settings.task.samples = 17;
    record_init(&record, &settings);
    assert_true(hash_equal(record.identity, settings_identity(&settings)));
    assert_int_equal(record.numerics, NUMERICS);
    assert_int_equal(record.status, RECORD_PENDING);
    assert_null(settings_differ(&record.settings, &settings));
    assert_int_equal(record.parts_count, 0);
    assert_string_equal(record.reason, "");
    record_fini(&record);
}

static void ends_zeroed_and_may_end_twice(void **state)
{
    (void)state;
    struct record record, zero;
    memset(&zero, 0, sizeof zero);
    assert_true(fixture_record(&record));
    record_fini(&record);
    assert_memory_equal(&record, &zero, sizeof record);
    record_fini(&record);
}

static void a_part_is_added_once(void **state)
{
    (void)state;
    struct record record = {0};
    assert_null(record_part(&record, RECORD_TRAINING, 0, false));
    assert_null(record_find_part(&record, RECORD_TRAINING, 0));
    assert_non_null(record_part(&record, RECORD_TRAINING, 0, true));
    for (int64_t length = 1; length <= 100; length++)
        assert_int_equal(record_part(&record, RECORD_TEST, length, true)->test_length, length);
    assert_int_equal(record.parts_count, 101);
    for (int64_t length = 1; length <= 100; length++) {
        struct record_part *part = record_part(&record, RECORD_TEST, length, true);
        assert_ptr_equal(part, &record.parts[length]);
        assert_ptr_equal(record_find_part(&record, RECORD_TEST, length), part);
    }
    assert_int_equal(record.parts_count, 101);
    assert_null(record_part(&record, RECORD_TEST, 101, false));
    record_fini(&record);
}

static void every_field_is_added_with_its_fill(void **state)
{
    (void)state;
    struct record record = {0};
    const uint32_t extents[RECORD_DIMENSIONS] = {5, 4, 3, 2};
    assert_non_null(record_part(&record, RECORD_TRAINING, 0, true));
    assert_non_null(record_part(&record, RECORD_TEST, 8, true));
    for (size_t i = 0; i < record_fields_count; i++) {
        const struct record_field *field = &record_fields[i];
        struct record_part *part = &record.parts[field->part == RECORD_TEST];
        void *data = record_add(part, field->id, extents);
        const struct record_value *value = record_find(part, field->id);
        assert_non_null(data);
        assert_ptr_equal(value->data, data);
        assert_ptr_equal(value->field, field);
        assert_string_equal(value->name, field->name);
        assert_int_equal(record_size(value), record_field_dimensions(field) ? 5 : 1);
        bool real = field->type == RECORD_F32 || field->type == RECORD_F64;
        for (size_t k = 0; k < record_size(value); k++) {
            double number = record_real(part, field->id, k);
            assert_true(real ? isnan(number) : number == 0);
        }
        assert_true(isnan(record_real(part, field->id, record_size(value))));
    }
    record_fini(&record);
}

static void adding_again_gives_the_same_data(void **state)
{
    (void)state;
    struct record record = {0};
    struct record_part *part = record_part(&record, RECORD_TRAINING, 0, true);
    const uint32_t three[] = {3}, four[] = {4}, none[] = {0};
    float *loss = record_add(part, FIELD_TRAIN_LOSS, three);
    assert_non_null(loss);
    loss[1] = 0.25F;
    assert_ptr_equal(record_add(part, FIELD_TRAIN_LOSS, three), loss);
    assert_null(record_add(part, FIELD_TRAIN_LOSS, four));
    assert_true(record_real(part, FIELD_TRAIN_LOSS, 1) == 0.25);
    assert_non_null(record_add(part, FIELD_TRAIN_ERROR, none));
    assert_int_equal(record_size(record_find(part, FIELD_TRAIN_ERROR)), 0);
    assert_true(isnan(record_real(part, FIELD_TRAIN_ERROR, 0)));
    record_fini(&record);
}

static void data_stay_where_they_are_as_the_part_grows(void **state)
{
    (void)state;
    struct record record = {0};
    const uint32_t evals[] = {6};
    float *loss = record_add(record_part(&record, RECORD_TRAINING, 0, true), FIELD_TRAIN_LOSS, evals);
    assert_non_null(loss);
    for (size_t i = 0; i < record_fields_count; i++)
        if (record_fields[i].part == RECORD_TRAINING && record_fields[i].dimension[0])
            assert_non_null(record_add(&record.parts[0], record_fields[i].id, evals));
    assert_ptr_equal(record_find(&record.parts[0], FIELD_TRAIN_LOSS)->data, loss);
    record_fini(&record);
}

static void what_is_absent_is_nan(void **state)
{
    (void)state;
    struct record record = {0};
    struct record_part *part = record_part(&record, RECORD_TRAINING, 0, true);
    assert_null(record_find(NULL, FIELD_STEP));
    assert_null(record_find(part, FIELD_STEP));
    assert_true(isnan(record_real(NULL, FIELD_STEP, 0)));
    assert_true(isnan(record_real(part, FIELD_STEP, 0)));
    record_fini(&record);
}

static void scalars_are_converted_to_their_type(void **state)
{
    (void)state;
    const struct {
        enum record_field_id id;
        double put, got;
        enum status_code code;
    } rows[] = {
        {FIELD_T_FIT, 0.1, 0.1, STATUS_OK},
        {FIELD_T_FIT, NAN, NAN, STATUS_OK},
        {FIELD_FINAL_TRAIN_LOSS, 0.1, (double)0.1F, STATUS_OK},
        {FIELD_FLIP_COUNT, 8, 8, STATUS_OK},
        {FIELD_FLIP_COUNT, -0x1p63, -0x1p63, STATUS_OK},
        {FIELD_FLIP_COUNT, 0x1p63, -0x1p63, STATUS_INTERNAL},
        {FIELD_FLIP_COUNT, 8.5, -0x1p63, STATUS_INTERNAL},
        {FIELD_FLIP_COUNT, NAN, -0x1p63, STATUS_INTERNAL},
        {FIELD_FLIP_COUNT, INFINITY, -0x1p63, STATUS_INTERNAL},
        {FIELD_INTERPOLATED, 255, 255, STATUS_OK},
        {FIELD_INTERPOLATED, 256, 255, STATUS_INTERNAL},
        {FIELD_INTERPOLATED, -1, 255, STATUS_INTERNAL},
    };
    struct record record = {0};
    struct record_part *part = record_part(&record, RECORD_TRAINING, 0, true);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(record_put_real(part, rows[i].id, rows[i].put), rows[i].code);
        double got = record_real(part, rows[i].id, 0);
        assert_true(got == rows[i].got || (isnan(got) && isnan(rows[i].got)));
    }
    assert_int_equal(part->count, 4);
    record_fini(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_pending_with_its_identity),
        cmocka_unit_test(ends_zeroed_and_may_end_twice),
        cmocka_unit_test(a_part_is_added_once),
        cmocka_unit_test(every_field_is_added_with_its_fill),
        cmocka_unit_test(adding_again_gives_the_same_data),
        cmocka_unit_test(data_stay_where_they_are_as_the_part_grows),
        cmocka_unit_test(what_is_absent_is_nan),
        cmocka_unit_test(scalars_are_converted_to_their_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
