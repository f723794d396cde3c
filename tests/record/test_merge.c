// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void start(struct record *ret_record, enum record_status status)
{
    struct settings settings;
    settings_defaults(&settings);
    record_init(ret_record, &settings);
    ret_record->status = status;
}

static void put(struct record *record, enum record_part_kind kind, int64_t length, double value)
{
    enum record_field_id id = kind == RECORD_TEST ? FIELD_FINAL_TEST_ERROR : FIELD_T_FIT;
    assert_int_equal(record_put_real(record_part(record, kind, length, true), id, value), STATUS_OK);
}

static double got(const struct record *record, enum record_part_kind kind, int64_t length)
{
    enum record_field_id id = kind == RECORD_TEST ? FIELD_FINAL_TEST_ERROR : FIELD_T_FIT;
    return record_real(record_find_part(record, kind, length), id, 0);
}

static void lengths_added_later_join(void **state)
{
    (void)state;
    struct record target, source;
    start(&target, RECORD_DONE);
    start(&source, RECORD_DONE);
    put(&target, RECORD_TRAINING, 0, 1);
    put(&target, RECORD_TEST, 8, 0.25);
    put(&source, RECORD_TRAINING, 0, 2);
    put(&source, RECORD_TEST, 8, 0.5);
    put(&source, RECORD_TEST, 16, 0.75);
    put(&source, RECORD_TEST, 32, 0.125);
    assert_int_equal(record_merge(&target, &source, NULL), STATUS_OK);
    assert_int_equal(target.parts_count, 4);
    assert_true(got(&target, RECORD_TRAINING, 0) == 1 && got(&target, RECORD_TEST, 8) == 0.25);
    assert_true(got(&target, RECORD_TEST, 16) == 0.75 && got(&target, RECORD_TEST, 32) == 0.125);
    assert_int_equal(source.parts_count, 2);
    assert_true(got(&source, RECORD_TRAINING, 0) == 2 && got(&source, RECORD_TEST, 8) == 0.5);
    record_fini(&source);
    record_fini(&target);
}

static void merging_twice_changes_nothing_more(void **state)
{
    (void)state;
    struct record target, source;
    start(&target, RECORD_DONE);
    start(&source, RECORD_DONE);
    put(&source, RECORD_TEST, 16, 0.75);
    assert_int_equal(record_merge(&target, &source, NULL), STATUS_OK);
    assert_int_equal(record_merge(&target, &source, NULL), STATUS_OK);
    assert_int_equal(target.parts_count, 1);
    assert_int_equal(source.parts_count, 0);
    record_fini(&source);
    record_fini(&target);
}

static void a_result_replaces_a_failure_and_never_the_reverse(void **state)
{
    (void)state;
    const struct {
        enum record_status target, source, after;
        bool forgotten; // the target's failure
    } rows[] = {
        {RECORD_PENDING, RECORD_DONE, RECORD_DONE, true},        {RECORD_FAILED, RECORD_DONE, RECORD_DONE, true},
        {RECORD_FAILED, RECORD_DIVERGED, RECORD_DIVERGED, true}, {RECORD_FAILED, RECORD_FAILED, RECORD_FAILED, false},
        {RECORD_PENDING, RECORD_FAILED, RECORD_PENDING, false},  {RECORD_DONE, RECORD_FAILED, RECORD_DONE, false},
        {RECORD_DIVERGED, RECORD_DONE, RECORD_DIVERGED, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct record target, source;
        start(&target, rows[i].target);
        start(&source, rows[i].source);
        strcpy(target.reason, "out of memory");
        target.signal = 9, target.attempts = 3, target.last_step = 40;
        source.attempts = 1;
        assert_int_equal(record_merge(&target, &source, NULL), STATUS_OK);
        assert_int_equal(target.status, rows[i].after);
        assert_string_equal(target.reason, rows[i].forgotten ? "" : "out of memory");
        assert_int_equal(target.signal, rows[i].forgotten ? 0 : 9);
        assert_int_equal(target.attempts, rows[i].forgotten ? 1 : 3);
        record_fini(&source);
        record_fini(&target);
    }
}

static void refuses_another_trial_and_other_numerics(void **state)
{
    (void)state;
    struct record target, source;
    struct status status = {0};
    char refusal[96];
    start(&target, RECORD_DONE);
    start(&source, RECORD_DONE);
    put(&source, RECORD_TEST, 16, 0.75);
    source.numerics = NUMERICS + 5;
    assert_int_equal(record_merge(&target, &source, &status), STATUS_INVALID);
    snprintf(refusal, sizeof refusal, "records of numerics %d and %d cannot be merged; run the sweep anew", NUMERICS,
             NUMERICS + 5);
    assert_string_equal(status.text, refusal);
    source.numerics = NUMERICS;
    source.identity.low ^= 1;
    assert_int_equal(record_merge(&target, &source, &status), STATUS_INVALID);
    assert_string_equal(status.text, "records of two trials cannot be merged");
    assert_int_equal(target.parts_count, 0);
    assert_int_equal(source.parts_count, 1);
    record_fini(&source);
    record_fini(&target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_added_later_join),
        cmocka_unit_test(merging_twice_changes_nothing_more),
        cmocka_unit_test(a_result_replaces_a_failure_and_never_the_reverse),
        cmocka_unit_test(refuses_another_trial_and_other_numerics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
