// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include "store_diff.h"
#include "store_digest.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 5 };

static struct fixture first, second;
static struct store_differences found;

static int set_up(void **state)
{
    (void)state;
    fixture_init(&first, &(struct fixture_plan){0});
    fixture_init(&second, &(struct fixture_plan){0});
    fixture_run(&first);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_fini(&first);
    fixture_fini(&second);
    return 0;
}

static void compare(void)
{
    const char *const paths[] = {first.path, second.path};
    struct status status = {0};
    fixture_ok(store_diff(paths, 2, LIMIT, first.arena, &found, &status), &status);
}

// The second store, with one trial changed by `change`.
static void run_changed(size_t at, void (*change)(struct record *record))
{
    struct status status = {0};
    struct record record;
    struct store *store = fixture_open(&second);
    fixture_record(grid_trial(second.grid, at), FIXTURE_EVALS, &record);
    change(&record);
    fixture_ok(store_append_result(store, &record, NULL, NULL, &status), &status);
    record_fini(&record);
    store_close(store);
    fixture_run(&second);
    compare();
}

static void *data_of(struct record *record, size_t part, enum record_field_id id)
{
    return record_find(&record->parts[part], id)->data;
}

static void assert_one(size_t trial, const char *field, const char *index, const char *a, const char *b)
{
    assert_int_equal(found.total, 1);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.list[0].other, 1);
    assert_true(hash_equal(found.list[0].identity, grid_trial(first.grid, trial)->identity));
    assert_non_null(strstr(found.list[0].settings, "noise_rate=0.25"));
    assert_string_equal(found.list[0].field, field);
    assert_string_equal(found.list[0].index, index);
    assert_string_equal(found.list[0].first, a);
    assert_string_equal(found.list[0].second, b);
}

static void equal_stores_have_no_differences(void **state)
{
    (void)state;
    struct hash128 hashes[2];
    fixture_run(&second);
    compare();
    assert_int_equal(found.total, 0);
    assert_int_equal(found.trials, 12);
    assert_true(found.values > 12 * 2 * 3 * FIXTURE_EVALS);
    assert_int_equal(store_digest(first.path, &hashes[0], NULL), STATUS_OK);
    assert_int_equal(store_digest(second.path, &hashes[1], NULL), STATUS_OK);
    assert_true(hash_equal(hashes[0], hashes[1]));
}

static void change_last_bit(struct record *record)
{
    uint32_t *bits = data_of(record, 2, FIELD_TEST_ERROR);
    ((float *)(void *)bits)[3] = 0.5F;
    bits[3] ^= 1;
}

static void the_last_bit_of_a_number_is_a_difference(void **state)
{
    (void)state;
    char made[STORE_DIFFERENCE_TEXT];
    struct record record;
    fixture_record(grid_trial(first.grid, 7), FIXTURE_EVALS, &record);
    snprintf(made, sizeof made, "%.9g", (double)((float *)data_of(&record, 2, FIELD_TEST_ERROR))[3]);
    record_fini(&record);
    run_changed(7, change_last_bit);
    assert_true(fabs(strtod(found.list[0].first, NULL) - strtod(made, NULL)) < 1e-6);
    assert_one(7, "test_error", "test_length=32, eval=3", found.list[0].first, "0.5000000596046448");
}

static void negate_zero(struct record *record)
{
    *(double *)data_of(record, 0, FIELD_T_FIT) = -0.0;
}

static void change_integer(struct record *record)
{
    *(int64_t *)data_of(record, 0, FIELD_FLIP_COUNT) = -7;
}

static void an_integer_and_a_negative_zero_are_differences(void **state)
{
    (void)state;
    run_changed(2, change_integer);
    assert_one(2, "flip_count", "", found.list[0].first, "-7");
    fixture_fini(&second);
    fixture_init(&second, &(struct fixture_plan){0});
    run_changed(3, negate_zero);
    assert_one(3, "t_fit", "", found.list[0].first, "-0");
}

static void change_timing(struct record *record)
{
    *(double *)data_of(record, 0, FIELD_TRAIN_SECONDS) = 1e6;
}

static void timings_are_no_difference(void **state)
{
    (void)state;
    run_changed(2, change_timing);
    assert_int_equal(found.total, 0);
}

static void drop_a_field(struct record *record)
{
    struct record_part *part = &record->parts[1];
    free(part->values[part->count - 1].data);
    part->count--;
}

static void a_missing_field_is_a_difference(void **state)
{
    (void)state;
    run_changed(4, drop_a_field);
    assert_one(4, "phase_test_error", "test_length=8", "present", "absent");
}

static void add_a_field(struct record *record)
{
    fixture_add_novel(record, 2, 2);
    for (int i = 1; i < 3; i++) {
        struct record_part *part = &record->parts[i];
        free(part->values[--part->count].data);
    }
}

static void an_unknown_field_counts_as_science(void **state)
{
    (void)state;
    run_changed(4, add_a_field);
    assert_one(4, "snr", "", "absent", "present");
}

static void diverge(struct record *record)
{
    record->status = record->status == RECORD_DONE ? RECORD_DIVERGED : RECORD_DONE;
}

static void another_status_is_a_difference(void **state)
{
    (void)state;
    struct record record;
    fixture_record(grid_trial(first.grid, 5), FIXTURE_EVALS, &record);
    const char *usual = record_status_names[record.status];
    diverge(&record);
    const char *changed = record_status_names[record.status];
    record_fini(&record);
    run_changed(5, diverge);
    assert_one(5, "status", "", usual, changed);
}

static void trials_of_one_store_alone_are_differences(void **state)
{
    (void)state;
    struct store *store = fixture_open(&second);
    fixture_append(&second, store, 1, 12);
    store_close(store);
    fixture_publish(&second);
    compare();
    assert_one(0, "trial", "", found.list[0].first, "absent");
    const char *const paths[] = {second.path, first.path};
    struct status status = {0};
    fixture_ok(store_diff(paths, 2, LIMIT, first.arena, &found, &status), &status);
    assert_one(0, "trial", "", "absent", found.list[0].second);
}

static void attempts_and_texts_of_failures_are_no_differences(void **state)
{
    (void)state;
    struct status status = {0};
    for (int which = 0; which < 2; which++) {
        struct fixture *fixture = which ? &second : &first;
        struct record failure;
        fixture_fini(fixture);
        fixture_init(fixture, &(struct fixture_plan){0});
        struct store *store = fixture_open(fixture);
        fixture_failure(grid_trial(fixture->grid, 0), &failure);
        failure.attempts += (uint32_t)which;
        failure.signal -= which;
        snprintf(failure.reason, sizeof failure.reason, "reason %d", which);
        fixture_ok(store_append_failure(store, &failure, NULL, NULL, &status), &status);
        if (which)
            fixture_ok(store_append_attempt(store, grid_trial(fixture->grid, 1)->identity, NULL, &status), &status);
        record_fini(&failure);
        store_close(store);
        fixture_publish(fixture);
    }
    compare();
    assert_int_equal(found.total, 0);
    assert_int_equal(found.trials, 1);
}

static void the_list_is_cut_and_the_total_is_not(void **state)
{
    (void)state;
    fixture_replan(&second, &(struct fixture_plan){.steps = 50}); // every trial another
    fixture_run(&second);
    compare();
    assert_int_equal(found.total, 24);
    assert_int_equal(found.count, LIMIT);
}

static void the_order_of_values_is_no_difference(void **state)
{
    (void)state;
    fixture_replan(&second, &(struct fixture_plan){.reversed = true});
    fixture_run(&second);
    compare();
    assert_int_equal(found.total, 0);
}

static void several_stores_are_compared_with_the_first(void **state)
{
    (void)state;
    struct status status = {0};
    run_changed(2, change_integer);
    const char *const paths[] = {first.path, first.path, second.path, second.path};
    fixture_ok(store_diff(paths, 4, LIMIT, first.arena, &found, &status), &status);
    assert_int_equal(found.total, 2);
    assert_int_equal(found.list[0].other, 2);
    assert_int_equal(found.list[1].other, 3);
    assert_int_equal(store_diff(paths, 1, LIMIT, first.arena, &found, &status), STATUS_INVALID);
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        UNIT(equal_stores_have_no_differences),
        UNIT(the_last_bit_of_a_number_is_a_difference),
        UNIT(an_integer_and_a_negative_zero_are_differences),
        UNIT(timings_are_no_difference),
        UNIT(a_missing_field_is_a_difference),
        UNIT(an_unknown_field_counts_as_science),
        UNIT(another_status_is_a_difference),
        UNIT(trials_of_one_store_alone_are_differences),
        UNIT(attempts_and_texts_of_failures_are_no_differences),
        UNIT(the_list_is_cut_and_the_total_is_not),
        UNIT(the_order_of_values_is_no_difference),
        UNIT(several_stores_are_compared_with_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
