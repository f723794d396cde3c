// SPDX-License-Identifier: MIT
// The published file as other programs see it.
#include "support.h"

#include "fixture.h"
#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fixture fixture;
static hid_t file;

static void begin(const struct fixture_plan *plan)
{
    fixture_init(&fixture, plan);
    fixture_run(&fixture);
    file = fixture_hdf5(&fixture);
    assert_true(file >= 0);
}

static void end(void)
{
    assert_true(H5Fclose(file) >= 0);
    fixture_fini(&fixture);
}

static int rank_of(const char *name, hsize_t *ret_size)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0)
        fail_msg("there is no %s", name);
    hid_t space = H5Dget_space(dataset);
    int rank = H5Sget_simple_extent_dims(space, ret_size, NULL);
    H5Sclose(space);
    H5Dclose(dataset);
    return rank;
}

static void read_all(const char *name, hid_t type, void *ret_data)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(dataset >= 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, ret_data) >= 0);
    H5Dclose(dataset);
}

static char *text_of(const char *object, const char *name, char ret_text[512])
{
    char *text = NULL;
    hid_t attribute = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0)
        fail_msg("%s has no %s", object, name);
    hid_t type = H5Aget_type(attribute);
    assert_true(H5Tis_variable_str(type) > 0 && H5Tget_cset(type) == H5T_CSET_UTF8);
    assert_true(H5Aread(attribute, type, &text) >= 0);
    snprintf(ret_text, 512, "%s", text);
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(attribute);
    return ret_text;
}

static herr_t scale_name(hid_t dataset, unsigned dimension, hid_t scale, void *client)
{
    (void)dataset;
    (void)dimension;
    return H5DSget_scale_name(scale, client, 64) < 0 ? -1 : 1;
}

// "snr encoding replicate" of a dataset; fails when a dimension has no scale.
static char *dimensions_of(const char *name, char ret_text[512])
{
    hsize_t size[32];
    int rank = rank_of(name, size);
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    ret_text[0] = '\0';
    for (int i = 0; i < rank; i++) {
        char scale[64] = "";
        assert_int_equal(H5DSiterate_scales(dataset, (unsigned)i, NULL, scale_name, scale), 1);
        snprintf(ret_text + strlen(ret_text), 512 - strlen(ret_text), "%s%s", i ? " " : "", scale);
    }
    H5Dclose(dataset);
    return ret_text;
}

static void variables_have_the_axes_as_dimensions(void **state)
{
    static const char *const rows[][2] = {
        {"test_error", "snr encoding replicate test_length eval"},
        {"train_loss", "snr encoding replicate eval"},
        {"final_test_error", "snr encoding replicate test_length"},
        {"phase_test_error", "snr encoding replicate test_length phase"},
        {"loss_level_step", "snr encoding replicate loss_level"},
        {"status", "snr encoding replicate"},
        {"length_ratio", "test_length"},
        {"encoding_code", "encoding"},
        {"step", "eval"},
        {"trials/test_error", "trial test_length eval"},
        {"trials/train_loss", "trial eval"},
        {"trials/snr", "trial"},
        {"trials/encoding", "trial"},
        {"trials/replicate", "trial"},
        {"trials/identity", "trial"},
        {"trials/layouts/test", "trial test_length"},
        {"run/train_seconds", "trial"},
        {"run/host", "trial"},
    };
    char text[512];
    (void)state;
    begin(&(struct fixture_plan){0});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(dimensions_of(rows[i][0], text), rows[i][1]);
    assert_true(H5Lexists(file, "train_seconds", H5P_DEFAULT) == 0); // timings are in run alone
    assert_true(H5Lexists(file, "trials/train_seconds", H5P_DEFAULT) == 0);
    assert_true(H5Lexists(file, "trials/steps", H5P_DEFAULT) == 0); // one value for all: an attribute
    end();
}

static void coordinates_are_the_values_of_the_sweep(void **state)
{
    (void)state;
    double snr[3], ratio[2], levels[RECORD_LOSS_LEVELS];
    int64_t lengths[2], replicates[2], steps[FIXTURE_EVALS];
    int32_t phases[RECORD_PHASES], evals[FIXTURE_EVALS];
    uint8_t codes[2];
    begin(&(struct fixture_plan){0});
    read_all("snr", H5T_NATIVE_DOUBLE, snr);
    assert_true(snr[0] == 1 && snr[1] == 4 && isinf(snr[2]));
    read_all("encoding_code", H5T_NATIVE_UINT8, codes);
    assert_true(codes[0] == ENCODING_NONE && codes[1] == ENCODING_ROPE);
    read_all("replicate", H5T_NATIVE_INT64, replicates);
    assert_true(replicates[0] == 0 && replicates[1] == 1);
    read_all("test_length", H5T_NATIVE_INT64, lengths);
    assert_true(lengths[0] == 8 && lengths[1] == 32);
    read_all("length_ratio", H5T_NATIVE_DOUBLE, ratio);
    assert_true(ratio[0] == 1 && ratio[1] == 4);
    read_all("eval", H5T_NATIVE_INT32, evals);
    read_all("step", H5T_NATIVE_INT64, steps);
    for (int i = 0; i < FIXTURE_EVALS; i++)
        assert_true(evals[i] == i && steps[i] == i * i);
    read_all("phase", H5T_NATIVE_INT32, phases);
    assert_true(phases[0] == 1 && phases[2] == 3);
    read_all("loss_level", H5T_NATIVE_DOUBLE, levels);
    for (int i = 0; i < RECORD_LOSS_LEVELS; i++)
        assert_true(levels[i] == (double)record_loss_levels[i]);
    end();
}

static void names_are_unfiltered_texts_of_variable_length(void **state)
{
    static const char *const names[] = {"encoding", "trials/encoding", "trials/identity", "run/host"};
    (void)state;
    char *encodings[2] = {NULL};
    begin(&(struct fixture_plan){0});
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        hid_t dataset = H5Dopen2(file, names[i], H5P_DEFAULT), type = H5Dget_type(dataset);
        hid_t creation = H5Dget_create_plist(dataset);
        assert_true(H5Tis_variable_str(type) > 0 && H5Tget_cset(type) == H5T_CSET_UTF8);
        assert_int_equal(H5Pget_nfilters(creation), 0);
        if (i == 0) {
            assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, encodings) >= 0);
            assert_string_equal(encodings[0], "none");
            assert_string_equal(encodings[1], "rope");
            H5free_memory(encodings[0]);
            H5free_memory(encodings[1]);
        }
        H5Pclose(creation);
        H5Tclose(type);
        H5Dclose(dataset);
    }
    end();
}

static void variables_say_what_they_are(void **state)
{
    static const char *const rows[][3] = {
        {"test_error", "long_name", "test error"},
        {"test_error", "units", "1"},
        {"test_error", "coordinates", "encoding_code length_ratio step"},
        {"train_loss", "coordinates", "encoding_code step"},
        {"trials/train_loss", "coordinates", "replicate snr encoding"},
        {"step", "units", "steps"},
        {"snr", "long_name", "snr"},
        {"status", "flag_meanings", "pending done diverged failed excluded"},
        {"trials/status", "flag_meanings", "pending done diverged failed excluded"},
        {"encoding_code", "flag_meanings", "none sinusoidal absolute relative alibi rope"},
        {"/", "Conventions", "CF-1.10"},
        {"/", "schema", "lgsweep/1"},
        {"/", "axes", "snr encoding replicate test_length"},
        {"/", "optimizer", "gd"},
        {"run", "name", "tiny"},
        {"run", "sweep", "sweep: tiny\n"},
    };
    char text[512];
    (void)state;
    begin(&(struct fixture_plan){0});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(text_of(rows[i][0], rows[i][1], text), rows[i][2]);
    assert_true(strlen(text_of("test_error", "description", text)) > 20);
    float fill = 0;
    hid_t attribute = H5Aopen_by_name(file, "test_error", "_FillValue", H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Aread(attribute, H5T_NATIVE_FLOAT, &fill) >= 0 && isnan(fill));
    H5Aclose(attribute);
    end();
}

// Settings outside the axes are attributes with their types; axes are not.
static void settings_that_do_not_vary_are_typed_attributes(void **state)
{
    static const struct {
        const char *name;
        H5T_class_t class;
    } rows[] = {{"steps", H5T_INTEGER},
                {"noise_rate", H5T_FLOAT},
                {"seed", H5T_INTEGER},
                {"model", H5T_STRING},
                {"freeze_attention", H5T_INTEGER}};
    (void)state;
    begin(&(struct fixture_plan){0});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hid_t attribute = H5Aopen(file, rows[i].name, H5P_DEFAULT), type = H5Aget_type(attribute);
        assert_int_equal(H5Tget_class(type), rows[i].class);
        H5Tclose(type);
        H5Aclose(attribute);
    }
    assert_true(H5Aexists(file, "snr") == 0 && H5Aexists(file, "encoding") == 0 && H5Aexists(file, "replicate") == 0);
    end();
}

struct visit {
    size_t datasets, chunked;
};

static herr_t check_object(hid_t root, const char *name, const H5O_info_t *info, void *client)
{
    struct visit *visit = client;
    unsigned order = 0;
    assert_int_equal(info->mtime, 0); // times are not tracked
    hid_t object = H5Oopen(root, name, H5P_DEFAULT);
    if (info->type == H5O_TYPE_GROUP) {
        hid_t creation = H5Gget_create_plist(object);
        assert_true(H5Pget_link_creation_order(creation, &order) >= 0);
        assert_int_equal(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
        assert_true(H5Pget_attr_creation_order(creation, &order) >= 0);
        H5Pclose(creation);
    } else {
        hid_t creation = H5Dget_create_plist(object), type = H5Dget_type(object), space = H5Dget_space(object);
        assert_true(H5Pget_attr_creation_order(creation, &order) >= 0);
        assert_true(H5Tget_class(type) != H5T_ENUM && H5Tget_class(type) != H5T_BITFIELD);
        assert_int_equal(H5Sget_simple_extent_type(space), H5S_SIMPLE);
        visit->datasets++;
        if (H5Pget_layout(creation) == H5D_CHUNKED) {
            unsigned flags, level[1];
            size_t values = 1;
            visit->chunked++;
            assert_int_equal(H5Pget_nfilters(creation), 2);
            assert_int_equal(H5Pget_filter2(creation, 0, &flags, NULL, NULL, 0, NULL, NULL), H5Z_FILTER_SHUFFLE);
            assert_int_equal(H5Pget_filter2(creation, 1, &flags, &values, level, 0, NULL, NULL), H5Z_FILTER_DEFLATE);
            assert_int_equal(level[0], 1);
        }
        H5Sclose(space);
        H5Tclose(type);
        H5Pclose(creation);
    }
    assert_int_equal(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Oclose(object);
    return 0;
}

static void the_file_is_what_netcdf_expects(void **state)
{
    (void)state;
    struct visit visit = {0};
    H5F_info2_t info;
    begin(&(struct fixture_plan){.twins = true});
    assert_true(H5Fget_info2(file, &info) >= 0);
    assert_int_equal(info.super.version, 2);
    assert_true(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, check_object, &visit, H5O_INFO_ALL) >= 0);
    assert_true(visit.chunked > 60 && visit.datasets > visit.chunked);
    end();
}

// Every cell of the cube is the row of its trial; excluded cells and lengths are NaN.
static void the_cube_is_the_trials_by_axes(void **state)
{
    (void)state;
    begin(&(struct fixture_plan){.exclude = true, .twins = true});
    size_t cells = grid_cell_count(fixture.grid), excluded = 0, absent = 0;
    float *cube = malloc(cells * 2 * sizeof *cube);
    uint8_t *states = malloc(cells);
    assert_true(cube && states);
    read_all("final_test_error", H5T_NATIVE_FLOAT, cube);
    read_all("status", H5T_NATIVE_UINT8, states);
    for (size_t cell = 0; cell < cells; cell++) {
        static const int64_t lengths[2] = {8, 32};
        ptrdiff_t trial = grid_cell_trial(fixture.grid, cell);
        if (trial < 0) {
            assert_int_equal(states[cell], RECORD_EXCLUDED);
            assert_true(isnan(cube[2 * cell]) && isnan(cube[2 * cell + 1]));
            excluded++;
            continue;
        }
        struct record record;
        fixture_record(grid_trial(fixture.grid, (size_t)trial), FIXTURE_EVALS, &record);
        assert_int_equal(states[cell], record.status);
        for (int i = 0; i < 2; i++) {
            double made = record_real(record_find_part(&record, RECORD_TEST, lengths[i]), FIELD_FINAL_TEST_ERROR, 0);
            if (!grid_wants(fixture.grid, cell, lengths[i])) {
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
    end();
}

static void pending_cells_and_rows_of_an_unfinished_sweep(void **state)
{
    (void)state;
    char text[512];
    hsize_t size[32];
    uint8_t states[12];
    struct status status = {0};
    fixture_init(&fixture, &(struct fixture_plan){0});
    struct store *store = fixture_open(&fixture);
    fixture_append(&fixture, store, 3, 5);
    fixture_ok(store_append_attempt(store, grid_trial(fixture.grid, 7)->identity, NULL, &status), &status);
    store_close(store);
    fixture_publish(&fixture);
    file = fixture_hdf5(&fixture);
    read_all("status", H5T_NATIVE_UINT8, states);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(states[i] != RECORD_PENDING, i == 3 || i == 4);
    assert_int_equal(rank_of("trials/train_loss", size), 2);
    assert_int_equal(size[0], 3); // two results, and one whose attempts must not be forgotten
    assert_string_equal(dimensions_of("test_error", text), "snr encoding replicate test_length eval");
    end();
}

static void an_empty_store_has_ordinary_dimensions(void **state)
{
    (void)state;
    hsize_t size[32];
    uint8_t states[12];
    fixture_init(&fixture, &(struct fixture_plan){0});
    fixture_publish(&fixture);
    file = fixture_hdf5(&fixture);
    read_all("status", H5T_NATIVE_UINT8, states);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(states[i], RECORD_PENDING);
    assert_int_equal(rank_of("trials/trial", size), 1);
    assert_int_equal(size[0], 0);
    assert_int_equal(rank_of("snr", size), 1);
    assert_int_equal(size[0], 3);
    struct store_view *view = fixture_view(&fixture);
    assert_int_equal(store_view_rows(view), 0);
    assert_non_null(store_view_table(view));
    store_view_close(view);
    end();
}

static void a_zip_block_is_one_dimension_with_several_coordinates(void **state)
{
    (void)state;
    char text[512];
    double rates[2];
    int64_t heads[2];
    begin(&(struct fixture_plan){.zip = true});
    assert_string_equal(dimensions_of("train_loss", text), "snr encoding size replicate eval");
    assert_string_equal(dimensions_of("head_dim", text), "size");
    assert_string_equal(dimensions_of("learning_rate", text), "size");
    assert_string_equal(text_of("train_loss", "coordinates", text), "encoding_code head_dim learning_rate step");
    read_all("head_dim", H5T_NATIVE_INT64, heads);
    read_all("learning_rate", H5T_NATIVE_DOUBLE, rates);
    assert_true(heads[0] == 2 && heads[1] == 4 && rates[0] == 0.5 && rates[1] == 0.25);
    end();
}

static void relative_lengths_share_one_dimension(void **state)
{
    (void)state;
    char text[512];
    int64_t lengths[4];
    double ratio[2][4];
    begin(&(struct fixture_plan){.lengths_axis = true, .snr_count = 1});
    read_all("test_length", H5T_NATIVE_INT64, lengths); // 4 and 16, 8 and 32
    assert_true(lengths[0] == 4 && lengths[1] == 8 && lengths[2] == 16 && lengths[3] == 32);
    assert_string_equal(dimensions_of("length_ratio", text), "train_length test_length");
    read_all("length_ratio", H5T_NATIVE_DOUBLE, ratio);
    assert_true(ratio[0][0] == 1 && ratio[0][2] == 4 && ratio[1][1] == 1 && ratio[1][3] == 4);
    float errors[2][1][2][2][4];
    read_all("final_test_error", H5T_NATIVE_FLOAT, errors);
    assert_true(!isnan(errors[0][0][0][0][0]) && isnan(errors[0][0][0][0][1]) && isnan(errors[1][0][1][1][2]));
    assert_true(!isnan(errors[1][0][1][1][3]));
    end();
}

static void steps_that_differ_between_trials_are_a_variable(void **state)
{
    (void)state;
    char text[512];
    struct status status = {0};
    struct record record;
    fixture_init(&fixture, &(struct fixture_plan){0});
    struct store *store = fixture_open(&fixture);
    fixture_append(&fixture, store, 0, 3);
    fixture_record(grid_trial(fixture.grid, 3), FIXTURE_EVALS, &record);
    const struct record_value *steps = record_find(&record.parts[0], FIELD_STEP);
    ((int64_t *)steps->data)[2] = 77;
    const struct record_value *levels = record_find(&record.parts[0], FIELD_LOSS_LEVEL);
    ((float *)levels->data)[1] = 0.4F;
    fixture_ok(store_append_result(store, &record, NULL, NULL, &status), &status);
    record_fini(&record);
    store_close(store);
    fixture_publish(&fixture);
    file = fixture_hdf5(&fixture);
    assert_string_equal(dimensions_of("step", text), "snr encoding replicate eval");
    assert_string_equal(text_of("train_loss", "coordinates", text), "encoding_code");
    assert_string_equal(dimensions_of("trials/loss_level_value", text), "trial loss_level");
    assert_string_equal(dimensions_of("loss_level_value", text), "snr encoding replicate loss_level");
    end();
}

static void twins_and_rows_outside_the_grid_are_not_in_the_cube(void **state)
{
    (void)state;
    hsize_t size[32];
    uint8_t twins[24];
    begin(&(struct fixture_plan){.twins = true});
    assert_int_equal(rank_of("trials/twin", size), 1);
    assert_int_equal(size[0], 24);
    read_all("trials/twin", H5T_NATIVE_UINT8, twins);
    for (size_t i = 0; i < 24; i++)
        assert_int_equal(twins[i], i >= 12);
    assert_int_equal(rank_of("trials/noise_rate", size), 1); // a column, since twins differ in it
    assert_int_equal(rank_of("train_loss", size), 4);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_have_the_axes_as_dimensions),
        cmocka_unit_test(coordinates_are_the_values_of_the_sweep),
        cmocka_unit_test(names_are_unfiltered_texts_of_variable_length),
        cmocka_unit_test(variables_say_what_they_are),
        cmocka_unit_test(settings_that_do_not_vary_are_typed_attributes),
        cmocka_unit_test(the_file_is_what_netcdf_expects),
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
