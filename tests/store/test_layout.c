// SPDX-License-Identifier: MIT
// The published file as other programs see it: its objects and what they say of themselves.
#include "support.h"

#include "reader.h"
#include <hdf5_hl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct reader reader;

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
    reader_begin(&reader, &(struct fixture_plan){0});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(reader_dimensions(&reader, rows[i][0], text), rows[i][1]);
    assert_true(H5Lexists(reader.file, "train_seconds", H5P_DEFAULT) == 0); // timings are in run alone
    assert_true(H5Lexists(reader.file, "trials/train_seconds", H5P_DEFAULT) == 0);
    assert_true(H5Lexists(reader.file, "trials/steps", H5P_DEFAULT) == 0); // one value for all: an attribute
    reader_end(&reader);
}

static void coordinates_are_the_values_of_the_sweep(void **state)
{
    (void)state;
    double snr[3], ratio[2], levels[RECORD_LOSS_LEVELS];
    int64_t lengths[2], replicates[2], steps[FIXTURE_EVALS];
    int32_t phases[RECORD_PHASES], evals[FIXTURE_EVALS];
    uint8_t codes[2];
    reader_begin(&reader, &(struct fixture_plan){0});
    reader_numbers(&reader, "snr", H5T_NATIVE_DOUBLE, snr);
    assert_true(snr[0] == 1 && snr[1] == 4 && isinf(snr[2]));
    reader_numbers(&reader, "encoding_code", H5T_NATIVE_UINT8, codes);
    assert_true(codes[0] == ENCODING_NONE && codes[1] == ENCODING_ROPE);
    reader_numbers(&reader, "replicate", H5T_NATIVE_INT64, replicates);
    assert_true(replicates[0] == 0 && replicates[1] == 1);
    reader_numbers(&reader, "test_length", H5T_NATIVE_INT64, lengths);
    assert_true(lengths[0] == 8 && lengths[1] == 32);
    reader_numbers(&reader, "length_ratio", H5T_NATIVE_DOUBLE, ratio);
    assert_true(ratio[0] == 1 && ratio[1] == 4);
    reader_numbers(&reader, "eval", H5T_NATIVE_INT32, evals);
    reader_numbers(&reader, "step", H5T_NATIVE_INT64, steps);
    for (int i = 0; i < FIXTURE_EVALS; i++)
        assert_true(evals[i] == i && steps[i] == i * i);
    reader_numbers(&reader, "phase", H5T_NATIVE_INT32, phases);
    assert_true(phases[0] == 1 && phases[2] == 3);
    reader_numbers(&reader, "loss_level", H5T_NATIVE_DOUBLE, levels);
    for (int i = 0; i < RECORD_LOSS_LEVELS; i++)
        assert_true(levels[i] == (double)record_loss_levels[i]);
    reader_end(&reader);
}

static void names_are_unfiltered_texts_of_variable_length(void **state)
{
    static const char *const names[] = {"encoding", "trials/encoding", "trials/identity", "run/host"};
    (void)state;
    char *encodings[2] = {NULL};
    reader_begin(&reader, &(struct fixture_plan){0});
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        hid_t dataset = H5Dopen2(reader.file, names[i], H5P_DEFAULT), type = H5Dget_type(dataset);
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
    reader_end(&reader);
}

static void variables_say_what_they_are(void **state)
{
    static const char *const rows[][3] = {
        {"test_error", "long_name", "test error"},
        {"test_error", "units", "1"},
        {"test_error", "coordinates", "encoding_code length_ratio step"},
        {"train_loss", "coordinates", "encoding_code step"},
        {"trials/train_loss", "coordinates", "replicate init_source snr encoding"},
        {"step", "units", "steps"},
        {"snr", "long_name", "snr"},
        {"status", "flag_meanings", "pending done diverged failed excluded"},
        {"trials/status", "flag_meanings", "pending done diverged failed excluded"},
        {"encoding_code", "flag_meanings",
         "none sinusoidal absolute relative alibi rope transformer_xl t5 kerple fire"},
        {"/", "Conventions", "CF-1.10"},
        {"/", "schema", "lgsweep/1"},
        {"/", "axes", "snr encoding replicate test_length"},
        {"/", "optimizer", "gd"},
        {"run", "name", "tiny"},
        {"run", "sweep", "sweep: tiny\n"},
    };
    char text[512];
    (void)state;
    reader_begin(&reader, &(struct fixture_plan){0});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(reader_text(&reader, rows[i][0], rows[i][1], text), rows[i][2]);
    assert_true(strlen(reader_text(&reader, "test_error", "description", text)) > 20);
    float fill = 0;
    hid_t attribute = H5Aopen_by_name(reader.file, "test_error", "_FillValue", H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Aread(attribute, H5T_NATIVE_FLOAT, &fill) >= 0 && isnan(fill));
    H5Aclose(attribute);
    reader_end(&reader);
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
    reader_begin(&reader, &(struct fixture_plan){0});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hid_t attribute = H5Aopen(reader.file, rows[i].name, H5P_DEFAULT), type = H5Aget_type(attribute);
        assert_int_equal(H5Tget_class(type), rows[i].class);
        H5Tclose(type);
        H5Aclose(attribute);
    }
    assert_true(H5Aexists(reader.file, "snr") == 0 && H5Aexists(reader.file, "encoding") == 0 &&
                H5Aexists(reader.file, "replicate") == 0);
    reader_end(&reader);
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
    reader_begin(&reader, &(struct fixture_plan){.twins = true});
    assert_true(H5Fget_info2(reader.file, &info) >= 0);
    assert_int_equal(info.super.version, 2);
    assert_true(H5Ovisit2(reader.file, H5_INDEX_NAME, H5_ITER_NATIVE, check_object, &visit, H5O_INFO_ALL) >= 0);
    assert_true(visit.chunked > 60 && visit.datasets > visit.chunked);
    reader_end(&reader);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
