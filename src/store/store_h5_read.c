// SPDX-License-Identifier: MIT
#include "store_h5.h"
#include <errno.h>
#include <hdf5_hl.h>
#include <string.h>

bool store_h5_has(hid_t parent, const char *name)
{
    return H5Lexists(parent, name, H5P_DEFAULT) > 0;
}

static enum status_code damaged(const struct h5 *h5, const char *name, const char *what)
{
    return status_set(h5->status, STATUS_DAMAGED, "%s: variable %s %s", h5->path, name, what);
}

enum status_code store_h5_extent(const struct h5 *h5, hid_t parent, const char *name, int *ret_rank,
                                 hsize_t ret_size[H5_RANK])
{
    hid_t dataset = H5Dopen2(parent, name, H5P_DEFAULT);
    hid_t space = dataset < 0 ? dataset : H5Dget_space(dataset);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, ret_size, NULL);
    enum status_code code = rank < 0 ? store_h5_error(h5, "read", name) : STATUS_OK;
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    if (code == STATUS_OK)
        *ret_rank = rank;
    return code;
}

enum status_code store_h5_get_box(const struct h5 *h5, hid_t parent, const char *name, enum h5_type type, int rank,
                                  const hsize_t *start, const hsize_t *count, void *ret_data)
{
    hsize_t size[H5_RANK];
    hid_t dataset = H5Dopen2(parent, name, H5P_DEFAULT), memory = H5I_INVALID_HID;
    hid_t space = dataset < 0 ? dataset : H5Dget_space(dataset);
    enum status_code code = space < 0 ? store_h5_error(h5, "read", name) : STATUS_OK;
    bool same_rank = space >= 0 && H5Sget_simple_extent_ndims(space) == rank;
    if (code == STATUS_OK && (!same_rank || H5Sget_simple_extent_dims(space, size, NULL) < 0))
        code = damaged(h5, name, "does not have the dimensions that it should have");
    bool nothing = false;
    for (int i = 0; code == STATUS_OK && i < rank; i++) {
        nothing = nothing || count[i] == 0;
        if (start[i] > size[i] || count[i] > size[i] - start[i])
            code = damaged(h5, name, "is shorter than it should be");
    }
    if (code == STATUS_OK && !nothing) {
        memory = H5Screate_simple(rank, count, NULL);
        bool good = memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                    H5Dread(dataset, store_h5_memory_type(type), memory, space, H5P_DEFAULT, ret_data) >= 0;
        code = good ? STATUS_OK : store_h5_error(h5, "read", name);
    }
    if (memory >= 0)
        H5Sclose(memory);
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    return code;
}

enum status_code store_h5_get_rows(const struct h5 *h5, hid_t parent, const char *name, enum h5_type type, size_t first,
                                   size_t count, size_t unit, void *ret_data)
{
    int rank = 0;
    hsize_t start[H5_RANK] = {first}, size[H5_RANK];
    enum status_code code = store_h5_extent(h5, parent, name, &rank, size);
    hsize_t elements = 1;
    for (int i = 1; code == STATUS_OK && i < rank; i++)
        elements *= size[i];
    if (code == STATUS_OK && (rank < 1 || elements != unit))
        code = damaged(h5, name, "does not have the dimensions that it should have");
    if (code != STATUS_OK)
        return code;
    size[0] = count;
    return store_h5_get_box(h5, parent, name, type, rank, start, size, ret_data);
}

// Copies into the arena, then gives the library its texts back.
static enum status_code keep_texts(const struct h5 *h5, const char *name, size_t count, char **read,
                                   struct arena *arena, const char **ret_texts)
{
    enum status_code code = STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        ret_texts[i] = !read[i] || !*read[i] ? "" : arena_text(arena, read[i], strlen(read[i]));
        if (!ret_texts[i])
            code = status_set(h5->status, STATUS_MEMORY, "no memory for the texts of %s", name);
        H5free_memory(read[i]);
    }
    return code;
}

enum status_code store_h5_get_texts(const struct h5 *h5, hid_t parent, const char *name, size_t count,
                                    struct arena *arena, const char **ret_texts)
{
    hsize_t size[H5_RANK];
    int rank = 0;
    enum status_code code = store_h5_extent(h5, parent, name, &rank, size);
    if (code == STATUS_OK && (rank != 1 || size[0] != count))
        code = damaged(h5, name, "does not have the dimensions that it should have");
    if (code != STATUS_OK || count == 0)
        return code;
    char **read = arena_get(arena, count, sizeof *read);
    if (!read)
        return status_set(h5->status, STATUS_MEMORY, "no memory for the texts of %s", name);
    hid_t type = store_h5_text_type();
    hid_t dataset = H5Dopen2(parent, name, H5P_DEFAULT);
    bool good = dataset >= 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) >= 0;
    code = good ? keep_texts(h5, name, count, read, arena, ret_texts) : store_h5_error(h5, "read", name);
    if (dataset >= 0)
        H5Dclose(dataset);
    H5Tclose(type);
    return code;
}

static herr_t take_name(hid_t dataset, unsigned dimension, hid_t scale, void *client)
{
    (void)dataset;
    (void)dimension;
    char *name = client;
    return H5DSget_scale_name(scale, name, 64) < 0 ? -1 : 1;
}

void store_h5_scale_name(hid_t parent, const char *name, char *ret_name, size_t size)
{
    char found[64] = "";
    hid_t dataset = H5Dopen2(parent, name, H5P_DEFAULT);
    if (dataset >= 0 && H5DSis_scale(dataset) > 0)
        H5DSget_scale_name(dataset, found, sizeof found);
    else if (dataset >= 0)
        H5DSiterate_scales(dataset, 0, NULL, take_name, found);
    if (dataset >= 0)
        H5Dclose(dataset);
    snprintf(ret_name, size, "%s", found);
}
