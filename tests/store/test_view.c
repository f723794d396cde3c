// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_clock.h"
#include "fixture.h"
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void axes_come_with_their_columns(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct store_axis *axes;
    const int64_t *lengths;
    fixture_init(&fixture, &(struct fixture_plan){.zip = true, .lengths_axis = true, .replicates = 3});
    fixture_run(&fixture);
    struct store_view *view = fixture_view(&fixture);
    static const char *const names[] = {"train_length", "snr", "encoding", "size"};
    static const size_t counts[] = {2, 3, 2, 2};
    assert_int_equal(store_view_axes(view, &axes), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(axes[i].name, names[i]);
        assert_int_equal(axes[i].count, counts[i]);
        assert_int_equal(axes[i].columns_count, i == 3 ? 2 : 1);
    }
    assert_int_equal(axes[0].values[0][1].i, 8);
    assert_true(isinf(axes[1].values[0][2].r));
    assert_int_equal(axes[2].values[0][1].choice, ENCODING_ROPE);
    assert_string_equal(axes[3].columns[0]->name, "head_dim");
    assert_true(axes[3].values[1][1].r == 0.25);
    assert_int_equal(store_view_replicates(view), 3);
    assert_int_equal(store_view_cube_lengths(view, &lengths), 4);
    assert_true(store_view_has_cube(view));
    store_view_close(view);
    fixture_fini(&fixture);
}

static void the_head_says_what_the_store_is(void **state)
{
    (void)state;
    struct fixture fixture;
    union setting_value value;
    fixture_init(&fixture, &(struct fixture_plan){.twins = true, .name = "a name", .text = "sweep: \"ü\"\n"});
    fixture_run(&fixture);
    struct store_view *view = fixture_view(&fixture);
    assert_string_equal(store_view_path(view), fixture.path);
    assert_string_equal(store_view_name(view), "a name");
    assert_string_equal(store_view_sweep_text(view), "sweep: \"ü\"\n");
    assert_int_equal(strlen(store_view_published(view)), strlen("2026-11-30T13:06:11Z"));
    assert_int_equal(store_view_numerics(view), NUMERICS);
    assert_true(store_view_fixed(view, setting_find("steps", 5), &value));
    assert_int_equal(value.i, 100);
    assert_false(store_view_fixed(view, setting_find("snr", 3), &value));
    assert_false(store_view_fixed(view, setting_find("noise_rate", 10), &value)); // twins differ in it
    assert_false(store_view_fixed(view, setting_find("replicate", 9), &value));
    store_view_close(view);
    store_view_close(NULL);
    fixture_fini(&fixture);
}

static void rows_have_settings_origin_and_failure(void **state)
{
    (void)state;
    struct fixture fixture;
    struct status status = {0};
    struct record failure;
    fixture_init(&fixture, &(struct fixture_plan){.twins = true});
    struct store *store = fixture_open(&fixture);
    fixture_append(&fixture, store, 0, 2);
    fixture_failure(grid_trial(fixture.grid, 2), &failure);
    fixture_ok(store_append_failure(store, &failure, NULL, NULL, &status), &status);
    fixture_append(&fixture, store, 13, 14);
    store_close(store);
    fixture_publish(&fixture);
    struct store_view *view = fixture_view(&fixture);
    assert_int_equal(store_view_rows(view), 4);
    static const size_t trials[] = {0, 1, 2, 13};
    for (size_t i = 0; i < 4; i++) {
        const struct store_row *row = store_view_row(view, i);
        const struct grid_trial *trial = grid_trial(fixture.grid, trials[i]);
        assert_true(hash_equal(row->identity, trial->identity));
        assert_null(settings_differ(&row->settings, &trial->settings));
        assert_int_equal(row->twin, i == 3);
        assert_string_equal(row->host, i == 2 ? "" : "node1");
        assert_string_equal(row->version, i == 2 ? "" : "0.1.0");
        assert_true(i == 2 ? isnan(row->finished) : row->finished == 1e9);
        assert_string_equal(row->reason, i == 2 ? failure.reason : "");
        assert_int_equal(row->signal, i == 2 ? 9 : 0);
        assert_int_equal(row->last_step, i == 2 ? 40 : 0);
        assert_int_equal(row->attempts, i == 2 ? 3 : 0);
        assert_int_equal(store_view_trained(view, i), i != 2);
        assert_int_equal(store_view_has(view, i, trial->lengths[0]), i != 2);
        assert_false(store_view_has(view, i, 999));
    }
    assert_int_equal(store_view_find(view, (struct hash128){3, 4}), -1);
    store_view_close(view);
    record_fini(&failure);
    fixture_fini(&fixture);
}

static void the_table_has_scalars_groups_and_twins(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, &(struct fixture_plan){.twins = true});
    fixture_run(&fixture);
    struct store_view *view = fixture_view(&fixture);
    const struct record_table *table = store_view_table(view);
    assert_non_null(table);
    assert_int_equal(table->trials, 24);
    assert_int_equal(table->lengths_count, 2);
    const double *flips = table->training(table->self, FIELD_FLIP_COUNT);
    const double *errors = table->test(table->self, FIELD_FINAL_TEST_ERROR);
    assert_true(flips && errors);
    assert_ptr_equal(flips, table->training(table->self, FIELD_FLIP_COUNT));
    for (size_t i = 0; i < 24; i++) {
        struct record record;
        fixture_record(grid_trial(fixture.grid, i), FIXTURE_EVALS, &record);
        assert_true(flips[i] == record_real(&record.parts[0], FIELD_FLIP_COUNT, 0));
        assert_true(errors[2 * i + 1] == record_real(&record.parts[2], FIELD_FINAL_TEST_ERROR, 0));
        assert_int_equal(table->status[i], record.status);
        assert_int_equal(table->group[i], i / 2);
        assert_int_equal(table->twin[i], i < 12 ? (ptrdiff_t)i + 12 : (ptrdiff_t)i);
        assert_true(table->noise_rate[i] == (i < 12 ? 0.25 : 0));
        assert_int_equal(table->train_length[i], 8);
        record_fini(&record);
    }
    assert_null(table->training(table->self, FIELD_TRAIN_LOSS));       // not a scalar
    assert_null(table->training(table->self, FIELD_FINAL_TEST_ERROR)); // of the other part
    assert_null(table->test(table->self, (enum record_field_id)4000));
    store_view_close(view);
    fixture_fini(&fixture);
}

static void numbers_that_a_trial_lacks_are_nan(void **state)
{
    (void)state;
    struct fixture fixture;
    struct status status = {0};
    struct record failure;
    fixture_init(&fixture, &(struct fixture_plan){0});
    struct store *store = fixture_open(&fixture);
    fixture_append(&fixture, store, 0, 1);
    fixture_failure(grid_trial(fixture.grid, 1), &failure);
    fixture_ok(store_append_failure(store, &failure, NULL, NULL, &status), &status);
    store_close(store);
    fixture_publish(&fixture);
    struct store_view *view = fixture_view(&fixture);
    const struct record_table *table = store_view_table(view);
    static const enum record_field_id fields[] = {FIELD_FLIP_COUNT, FIELD_INTERPOLATED, FIELD_T_FIT};
    for (size_t i = 0; i < 3; i++) {
        const double *numbers = table->training(table->self, fields[i]);
        assert_true(!isnan(numbers[0]) && isnan(numbers[1]));
    }
    assert_true(isnan(table->test(table->self, FIELD_FINAL_TEST_COUNT)[2]));
    store_view_close(view);
    record_fini(&failure);
    fixture_fini(&fixture);
}

// A result across trials for the tests: the mean over the replicates, and which half it is in.
static enum status_code derive(const struct record_table *table, struct arena *arena,
                               const struct record_derived **ret_derived, size_t *ret_count, struct status *status)
{
    static const char *const halves[] = {"lower", "upper", NULL};
    size_t count = table->trials * table->lengths_count;
    const double *errors = table->test(table->self, FIELD_FINAL_TEST_ERROR);
    double *mean = arena_get(arena, count + 1, sizeof *mean), *half = arena_get(arena, count + 1, sizeof *half);
    struct record_derived *derived = arena_get(arena, 2, sizeof *derived);
    if (!errors || !mean || !half || !derived)
        return status_set(status, STATUS_MEMORY, "no memory");
    for (size_t i = 0; i < count; i++) {
        double sum = 0, members = 0;
        for (size_t j = i % table->lengths_count; j < count; j += table->lengths_count)
            if (table->group[j / table->lengths_count] == table->group[i / table->lengths_count]) {
                sum += errors[j];
                members++;
            }
        mean[i] = sum / members;
        half[i] = isnan(mean[i]) ? (double)NAN : mean[i] >= 0.5;
    }
    derived[0] = (struct record_derived){"mean_error", "mean error", "1", "Over replicates.", NULL, mean};
    derived[1] = (struct record_derived){"half", "half", "1", "Of the mean.", halves, half};
    *ret_derived = derived;
    *ret_count = 2;
    return STATUS_OK;
}

static void results_across_trials_are_in_trials_and_cube(void **state)
{
    (void)state;
    struct fixture fixture;
    struct status status = {0};
    const struct store_derived *derived;
    static const struct store_publish_options options = {.derive = derive};
    fixture_init(&fixture, &(struct fixture_plan){.exclude = true});
    struct store *store = fixture_open(&fixture);
    fixture_append(&fixture, store, 0, grid_trials(fixture.grid));
    fixture_ok(store_publish(fixture.path, &fixture.sweep, fixture.grid, &options, NULL, &status), &status);
    store_close(store);
    struct store_view *view = fixture_view(&fixture);
    assert_int_equal(store_view_derived(view, &derived), 2);
    assert_string_equal(derived[0].name, "mean_error");
    assert_null(derived[0].code);
    assert_string_equal(derived[1].long_name, "half");
    assert_int_equal(derived[1].flags_count, 2);
    assert_string_equal(derived[1].flags[1], "upper");
    hid_t file = fixture_hdf5(&fixture), dataset = H5Dopen2(file, "mean_error", H5P_DEFAULT);
    float cube[3][2][2];
    assert_true(H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, cube) >= 0);
    H5Dclose(dataset);
    H5Fclose(file);
    for (size_t cell = 0; cell < 12; cell += 2) {
        ptrdiff_t trial = grid_cell_trial(fixture.grid, cell);
        for (size_t i = 0; i < 2; i++) {
            static const int64_t lengths[] = {8, 32};
            float there = cube[cell / 4][cell / 2 % 2][i];
            if (trial < 0 || !grid_wants(fixture.grid, cell, lengths[i])) {
                assert_true(isnan(there));
                continue;
            }
            size_t row = (size_t)store_view_find(view, grid_trial(fixture.grid, (size_t)trial)->identity);
            assert_true(there == derived[0].real[2 * row + i]);
            assert_true(derived[0].real[2 * row + i] == derived[0].real[2 * (row + 1) + i]); // the other replicate
            assert_int_equal(derived[1].code[2 * row + i], there >= 0.5F);
        }
    }
    store_view_close(view);
    fixture_fini(&fixture);
}

static enum status_code refuse(const struct record_table *table, struct arena *arena,
                               const struct record_derived **ret_derived, size_t *ret_count, struct status *status)
{
    (void)table;
    (void)arena;
    (void)ret_derived;
    (void)ret_count;
    return status_set(status, STATUS_INTERNAL, "no analysis today");
}

static void a_failed_analysis_leaves_the_old_file(void **state)
{
    (void)state;
    struct fixture fixture;
    struct status status = {0};
    static const struct store_publish_options options = {.derive = refuse};
    fixture_init(&fixture, &(struct fixture_plan){0});
    fixture_run(&fixture);
    assert_int_equal(store_publish(fixture.path, &fixture.sweep, fixture.grid, &options, NULL, &status),
                     STATUS_INTERNAL);
    assert_non_null(strstr(status.text, "no analysis today"));
    assert_int_equal(fixture_count(&fixture, ""), 1);
    struct store_view *view = fixture_view(&fixture);
    assert_int_equal(store_view_rows(view), 12);
    store_view_close(view);
    fixture_fini(&fixture);
}

static void an_open_view_does_not_disturb_publications(void **state)
{
    (void)state;
    struct fixture fixture;
    struct status status = {0};
    struct record record;
    fixture_init(&fixture, &(struct fixture_plan){0});
    struct store *store = fixture_open(&fixture);
    fixture_append(&fixture, store, 0, 3);
    fixture_publish(&fixture);
    struct store_view *view = fixture_view(&fixture);
    hid_t file = fixture_hdf5(&fixture); // another reader
    fixture_append(&fixture, store, 3, 12);
    fixture_publish(&fixture);
    assert_int_equal(store_view_rows(view), 3);
    fixture_ok(store_view_record(view, 2, &record, &status), &status); // from the file as it was
    record_fini(&record);
    H5Fclose(file);
    store_view_close(view);
    view = fixture_view(&fixture);
    assert_int_equal(store_view_rows(view), 12);
    store_view_close(view);
    store_close(store);
    fixture_fini(&fixture);
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    struct store_view *view = NULL;
    struct status status = {0};
    assert_int_equal(store_view_open("/nonexistent/s.h5", &view, &status), STATUS_SYSTEM);
    assert_non_null(strstr(status.text, "/nonexistent/s.h5"));
    assert_non_null(strstr(status.text, "No such file"));
    assert_null(view);
}

// Whatever byte of a small store is changed, reading it gives values or an error, and never more.
static void damaged_files_give_errors_at_worst(void **state)
{
    (void)state;
    struct fixture fixture;
    size_t size, refused = 0;
    fixture_init(&fixture, &(struct fixture_plan){.snr_count = 1, .replicates = 1, .lengths_count = 1});
    fixture_run(&fixture);
    unsigned char *bytes = fixture_read(fixture.path, &size);
    for (size_t at = 8; at < size; at += 1 + size / 400) {
        struct store_view *view = NULL;
        struct status status = {0};
        unsigned char kept = bytes[at];
        bytes[at] ^= 0xff;
        fixture_write(fixture.path, bytes, size);
        bytes[at] = kept;
        if (store_view_open(fixture.path, &view, &status) != STATUS_OK) {
            assert_true(*status.text);
            refused++;
            continue;
        }
        for (size_t row = 0; row < store_view_rows(view); row++) {
            struct record record;
            if (store_view_record(view, row, &record, &status) == STATUS_OK)
                record_fini(&record);
        }
        store_view_close(view);
    }
    assert_true(refused > 0);
    free(bytes);
    fixture_fini(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_come_with_their_columns),
        cmocka_unit_test(the_head_says_what_the_store_is),
        cmocka_unit_test(rows_have_settings_origin_and_failure),
        cmocka_unit_test(the_table_has_scalars_groups_and_twins),
        cmocka_unit_test(numbers_that_a_trial_lacks_are_nan),
        cmocka_unit_test(results_across_trials_are_in_trials_and_cube),
        cmocka_unit_test(a_failed_analysis_leaves_the_old_file),
        cmocka_unit_test(an_open_view_does_not_disturb_publications),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(damaged_files_give_errors_at_worst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
