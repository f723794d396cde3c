// SPDX-License-Identifier: MIT
#include "store_h5.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

hid_t store_h5_text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
        return type;
    return H5I_INVALID_HID;
}

// Creates and writes; `count` 0 is a scalar.
static enum status_code put(const struct h5 *h5, hid_t object, const char *name, hid_t file_type, hid_t memory_type,
                            size_t count, const void *data)
{
    hsize_t size = count;
    errno = 0;
    hid_t space = count ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
    hid_t attribute = space < 0 ? space : H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, memory_type, data) >= 0;
    enum status_code code = good ? STATUS_OK : store_h5_error(h5, "write attribute", name);
    if (attribute >= 0 && H5Aclose(attribute) < 0 && code == STATUS_OK)
        code = store_h5_error(h5, "write attribute", name);
    if (space >= 0)
        H5Sclose(space);
    return code;
}

enum status_code store_h5_put_text(const struct h5 *h5, hid_t object, const char *name, const char *text)
{
    hid_t type = store_h5_text_type();
    enum status_code code = put(h5, object, name, type, type, 0, &text);
    H5Tclose(type);
    return code;
}

enum status_code store_h5_put_numbers(const struct h5 *h5, hid_t object, const char *name, enum h5_type type,
                                      size_t count, const void *data)
{
    return put(h5, object, name, store_h5_file_type(type), store_h5_memory_type(type), count, data);
}

enum status_code store_h5_put_flags(const struct h5 *h5, hid_t object, const char *const *names, bool absent)
{
    uint8_t values[256];
    size_t count = 0, length = sizeof "absent";
    for (; names[count] && count < 255; count++)
        length += strlen(names[count]) + 1;
    char *meanings = malloc(length + 1);
    if (!meanings)
        return status_set(h5->status, STATUS_MEMORY, "no memory for the names of flags");
    char *at = meanings;
    for (size_t i = 0; i < count; i++) {
        values[i] = (uint8_t)i;
        at = stpcpy(stpcpy(at, i ? " " : ""), names[i]);
    }
    if (absent) {
        values[count++] = UINT8_MAX;
        stpcpy(at, " absent");
    }
    enum status_code code = store_h5_put_numbers(h5, object, "flag_values", H5_U8, count, values);
    if (code == STATUS_OK)
        code = store_h5_put_text(h5, object, "flag_meanings", meanings);
    free(meanings);
    return code;
}

bool store_h5_has_attribute(hid_t object, const char *name)
{
    return H5Aexists(object, name) > 0;
}

// *ret_text is the library's and freed by free_text.
static enum status_code read_text(const struct h5 *h5, hid_t object, const char *name, char **ret_text)
{
    char *text = NULL;
    hid_t type = store_h5_text_type();
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Aread(attribute, type, &text) >= 0;
    enum status_code code = good ? STATUS_OK : store_h5_error(h5, "read attribute", name);
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Tclose(type);
    if (code == STATUS_OK)
        *ret_text = text;
    return code;
}

enum status_code store_h5_get_text(const struct h5 *h5, hid_t object, const char *name, struct arena *arena,
                                   const char **ret_text)
{
    char *text = NULL;
    enum status_code code = read_text(h5, object, name, &text);
    if (code != STATUS_OK)
        return code;
    const char *copy = arena_text(arena, text ? text : "", text ? strlen(text) : 0);
    H5free_memory(text);
    if (!copy)
        return status_set(h5->status, STATUS_MEMORY, "no memory for attribute %s", name);
    *ret_text = copy;
    return STATUS_OK;
}

enum status_code store_h5_get_number(const struct h5 *h5, hid_t object, const char *name, enum h5_type type,
                                     void *ret_number)
{
    unsigned char number[8];
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t space = attribute < 0 ? attribute : H5Aget_space(attribute);
    bool good = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
                H5Aread(attribute, store_h5_memory_type(type), number) >= 0;
    enum status_code code = good ? STATUS_OK : store_h5_error(h5, "read attribute", name);
    if (space >= 0)
        H5Sclose(space);
    if (attribute >= 0)
        H5Aclose(attribute);
    if (code == STATUS_OK)
        memcpy(ret_number, number, store_h5_size(type));
    return code;
}
