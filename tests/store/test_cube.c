// SPDX-License-Identifier: MIT
// The published file as other programs see it: the cube over the axes, and what is not in it.
#include "support.h"

#include "reader.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct reader reader;

// Every cell of the cube is the row of its trial; excluded cells and lengths are NaN.
static void the_cube_is_the_trials_by_axes(void **state)
{
    (void)state;
    reader_begin(&reader, &(struct fixture_plan){.exclude = true, .twins = true});
    size_t cells = grid_cell_count(reader.fixture.grid), excluded = 0, absent = 0;
    float *cube = malloc(cells * 2 * sizeof *cube);
    uint8_t *states = malloc(cells);
    assert_true(cube && states);
    reader_numbers(&reader, "final_test_error", H5T_NATIVE_FLOAT, cube);
    reader_numbers(&reader, "status", H5T_NATIVE_UINT8, states);
    for (size_t cell = 0; cell < cells; cell++) {
        static const int64_t lengths[2] = {8, 32};
        ptrdiff_t trial = grid_cell_trial(reader.fixture.grid, cell);
        if (trial < 0) {
            assert_int_equal(states[cell], RECORD_EXCLUDED);
            assert_true(isnan(cube[2 * cell]) && isnan(cube[2 * cell + 1]));
            excluded++;
            continue;
        }
        struct record record;
        fixture_record(grid_trial(reader.fixture.grid, (size_t)trial), FIXTURE_EVALS, &record);
        assert_int_equal(states[cell], record.status);
        for (int i = 0; i < 2; i++) {
            double made = record_real(record_find_part(&record, RECORD_TEST, lengths[i]), FIELD_FINAL_TEST_ERROR, 0);
            if (!grid_wants(reader.fixture.grid, cell, lengths[i])) {
                assert_true(isnan(cube[2 * cell + (size_t)i]));
                absent++;
            } else {
                assert_true(cube[2 * cell + (size_t)i] == (float)made);
            }
        }
        record_fini(&record);
    }
    assert_int_equal(excluded, 2);
    assert_int_equal(absent, 2);
    free(cube);
    free(states);
    reader_end(&reader);
}

static void pending_cells_and_rows_of_an_unfinished_sweep(void **state)
{
    (void)state;
    char text[512];
    hsize_t size[32];
    uint8_t states[12];
    struct status status = {0};
    fixture_init(&reader.fixture, &(struct fixture_plan){0});
    struct store *store = fixture_open(&reader.fixture);
    fixture_append(&reader.fixture, store, 3, 5);
    fixture_ok(store_append_attempt(store, grid_trial(reader.fixture.grid, 7)->identity, NULL, &status), &status);
    store_close(store);
    fixture_publish(&reader.fixture);
    reader.file = fixture_hdf5(&reader.fixture);
    reader_numbers(&reader, "status", H5T_NATIVE_UINT8, states);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(states[i] != RECORD_PENDING, i == 3 || i == 4);
    assert_int_equal(reader_rank(&reader, "trials/train_loss", size), 2);
    assert_int_equal(size[0], 3); // two results, and one whose attempts must not be forgotten
    assert_string_equal(reader_dimensions(&reader, "test_error", text), "snr encoding replicate test_length eval");
    reader_end(&reader);
}

static void an_empty_store_has_ordinary_dimensions(void **state)
{
    (void)state;
    hsize_t size[32];
    uint8_t states[12];
    fixture_init(&reader.fixture, &(struct fixture_plan){0});
    fixture_publish(&reader.fixture);
    reader.file = fixture_hdf5(&reader.fixture);
    reader_numbers(&reader, "status", H5T_NATIVE_UINT8, states);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(states[i], RECORD_PENDING);
    assert_int_equal(reader_rank(&reader, "trials/trial", size), 1);
    assert_int_equal(size[0], 0);
    assert_int_equal(reader_rank(&reader, "snr", size), 1);
    assert_int_equal(size[0], 3);
    struct store_view *view = fixture_view(&reader.fixture);
    assert_int_equal(store_view_rows(view), 0);
    assert_non_null(store_view_table(view));
    store_view_close(view);
    reader_end(&reader);
}

static void a_zip_block_is_one_dimension_with_several_coordinates(void **state)
{
    (void)state;
    char text[512];
    double rates[2];
    int64_t heads[2];
    reader_begin(&reader, &(struct fixture_plan){.zip = true});
    assert_string_equal(reader_dimensions(&reader, "train_loss", text), "snr encoding size replicate eval");
    assert_string_equal(reader_dimensions(&reader, "head_dim", text), "size");
    assert_string_equal(reader_dimensions(&reader, "learning_rate", text), "size");
    assert_string_equal(reader_text(&reader, "train_loss", "coordinates", text),
                        "encoding_code head_dim learning_rate step");
    reader_numbers(&reader, "head_dim", H5T_NATIVE_INT64, heads);
    reader_numbers(&reader, "learning_rate", H5T_NATIVE_DOUBLE, rates);
    assert_true(heads[0] == 2 && heads[1] == 4 && rates[0] == 0.5 && rates[1] == 0.25);
    reader_end(&reader);
}

static void relative_lengths_share_one_dimension(void **state)
{
    (void)state;
    char text[512];
    int64_t lengths[4];
    double ratio[2][4];
    reader_begin(&reader, &(struct fixture_plan){.lengths_axis = true, .snr_count = 1});
    reader_numbers(&reader, "test_length", H5T_NATIVE_INT64, lengths); // 4 and 16, 8 and 32
    assert_true(lengths[0] == 4 && lengths[1] == 8 && lengths[2] == 16 && lengths[3] == 32);
    assert_string_equal(reader_dimensions(&reader, "length_ratio", text), "train_length test_length");
    reader_numbers(&reader, "length_ratio", H5T_NATIVE_DOUBLE, ratio);
    assert_true(ratio[0][0] == 1 && ratio[0][2] == 4 && ratio[1][1] == 1 && ratio[1][3] == 4);
    float errors[2][1][2][2][4];
    reader_numbers(&reader, "final_test_error", H5T_NATIVE_FLOAT, errors);
    assert_true(!isnan(errors[0][0][0][0][0]) && isnan(errors[0][0][0][0][1]) && isnan(errors[1][0][1][1][2]));
    assert_true(!isnan(errors[1][0][1][1][3]));
    reader_end(&reader);
}

static void steps_that_differ_between_trials_are_a_variable(void **state)
{
    (void)state;
    char text[512];
    struct status status = {0};
    struct record record;
    fixture_init(&reader.fixture, &(struct fixture_plan){0});
    struct store *store = fixture_open(&reader.fixture);
    fixture_append(&reader.fixture, store, 0, 3);
    fixture_record(grid_trial(reader.fixture.grid, 3), FIXTURE_EVALS, &record);
    const struct record_value *steps = record_find(&record.parts[0], FIELD_STEP);
    ((int64_t *)steps->data)[2] = 77;
    const struct record_value *levels = record_find(&record.parts[0], FIELD_LOSS_LEVEL);
    ((float *)levels->data)[1] = 0.4F;
    fixture_ok(store_append_result(store, &record, NULL, NULL, &status), &status);
    record_fini(&record);
    store_close(store);
    fixture_publish(&reader.fixture);
    reader.file = fixture_hdf5(&reader.fixture);
    assert_string_equal(reader_dimensions(&reader, "step", text), "snr encoding replicate eval");
    assert_string_equal(reader_text(&reader, "train_loss", "coordinates", text), "encoding_code");
    assert_string_equal(reader_dimensions(&reader, "trials/loss_level_value", text), "trial loss_level");
    assert_string_equal(reader_dimensions(&reader, "loss_level_value", text), "snr encoding replicate loss_level");
    reader_end(&reader);
}

static void twins_and_rows_outside_the_grid_are_not_in_the_cube(void **state)
{
    (void)state;
    hsize_t size[32];
    uint8_t twins[24];
    reader_begin(&reader, &(struct fixture_plan){.twins = true});
    assert_int_equal(reader_rank(&reader, "trials/twin", size), 1);
    assert_int_equal(size[0], 24);
    reader_numbers(&reader, "trials/twin", H5T_NATIVE_UINT8, twins);
    for (size_t i = 0; i < 24; i++)
        assert_int_equal(twins[i], i >= 12);
    assert_int_equal(reader_rank(&reader, "trials/noise_rate", size), 1); // a column, since twins differ in it
    assert_int_equal(reader_rank(&reader, "train_loss", size), 4);
    reader_end(&reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cube_is_the_trials_by_axes),
        cmocka_unit_test(pending_cells_and_rows_of_an_unfinished_sweep),
        cmocka_unit_test(an_empty_store_has_ordinary_dimensions),
        cmocka_unit_test(a_zip_block_is_one_dimension_with_several_coordinates),
        cmocka_unit_test(relative_lengths_share_one_dimension),
        cmocka_unit_test(steps_that_differ_between_trials_are_a_variable),
        cmocka_unit_test(twins_and_rows_outside_the_grid_are_not_in_the_cube),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
