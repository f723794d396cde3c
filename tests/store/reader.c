// SPDX-License-Identifier: MIT
#include "support.h"

#include "reader.h"
#include <hdf5_hl.h>
#include <stdio.h>
#include <string.h>

void reader_begin(struct reader *reader, const struct fixture_plan *plan)
{
    fixture_init(&reader->fixture, plan);
    fixture_run(&reader->fixture);
    reader->file = fixture_hdf5(&reader->fixture);
    assert_true(reader->file >= 0);
}

void reader_end(struct reader *reader)
{
    assert_true(H5Fclose(reader->file) >= 0);
    fixture_fini(&reader->fixture);
}

int reader_rank(const struct reader *reader, const char *name, hsize_t *ret_size)
{
    hid_t dataset = H5Dopen2(reader->file, name, H5P_DEFAULT);
    if (dataset < 0)
        fail_msg("there is no %s", name);
    hid_t space = H5Dget_space(dataset);
    int rank = H5Sget_simple_extent_dims(space, ret_size, NULL);
    H5Sclose(space);
    H5Dclose(dataset);
    return rank;
}

void reader_numbers(const struct reader *reader, const char *name, hid_t type, void *ret_data)
{
    hid_t dataset = H5Dopen2(reader->file, name, H5P_DEFAULT);
    assert_true(dataset >= 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, ret_data) >= 0);
    H5Dclose(dataset);
}

char *reader_text(const struct reader *reader, const char *object, const char *name, char ret_text[READER_TEXT])
{
    char *text = NULL;
    hid_t attribute = H5Aopen_by_name(reader->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0)
        fail_msg("%s has no %s", object, name);
    hid_t type = H5Aget_type(attribute);
    assert_true(H5Tis_variable_str(type) > 0 && H5Tget_cset(type) == H5T_CSET_UTF8);
    assert_true(H5Aread(attribute, type, &text) >= 0);
    snprintf(ret_text, READER_TEXT, "%s", text);
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

char *reader_dimensions(const struct reader *reader, const char *name, char ret_text[READER_TEXT])
{
    hsize_t size[32];
    int rank = reader_rank(reader, name, size);
    hid_t dataset = H5Dopen2(reader->file, name, H5P_DEFAULT);
    ret_text[0] = '\0';
    for (int i = 0; i < rank; i++) {
        char scale[64] = "";
        assert_int_equal(H5DSiterate_scales(dataset, (unsigned)i, NULL, scale_name, scale), 1);
        snprintf(ret_text + strlen(ret_text), READER_TEXT - strlen(ret_text), "%s%s", i ? " " : "", scale);
    }
    H5Dclose(dataset);
    return ret_text;
}
