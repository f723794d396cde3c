// SPDX-License-Identifier: MIT
#include "store_h5.h"
#include <errno.h>
#include <hdf5_hl.h>
#include <string.h>

// A chunk is one unit or as many as fit in so many bytes: well within the cache of a reader.
enum { CHUNK_BYTES = 1 << 19 };

static hid_t make_creation(void)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (creation >= 0 && H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0 &&
        H5Pset_obj_track_times(creation, false) >= 0)
        return creation;
    return H5I_INVALID_HID;
}

static hid_t create_dataset(hid_t parent, const char *name, hid_t type, const struct h5_shape *shape, hid_t creation)
{
    hid_t space = H5Screate_simple(shape->rank, shape->size, NULL);
    if (space < 0 || creation < 0)
        return H5I_INVALID_HID;
    hid_t dataset = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Sclose(space);
    return dataset;
}

static bool attach(hid_t dataset, const struct h5_shape *shape)
{
    for (int i = 0; i < shape->rank; i++)
        if (shape->scale[i] > 0 && H5DSattach_scale(dataset, shape->scale[i], (unsigned)i) < 0)
            return false;
    return true;
}

static enum status_code keep_or_close(const struct h5 *h5, const char *name, bool good, hid_t dataset,
                                      hid_t *ret_dataset)
{
    enum status_code code = good ? STATUS_OK : store_h5_error(h5, "write", name);
    if (code == STATUS_OK && ret_dataset) {
        *ret_dataset = dataset;
        return code;
    }
    if (dataset >= 0 && H5Dclose(dataset) < 0 && code == STATUS_OK)
        code = store_h5_error(h5, "write", name);
    return code;
}

struct plain {
    hid_t file_type, memory_type;
    const struct h5_shape *shape;
    bool is_scale;
    const void *data;
};

static enum status_code put_plain(const struct h5 *h5, hid_t parent, const char *name, const struct plain *plain,
                                  hid_t *ret_dataset)
{
    bool empty = false;
    for (int i = 0; i < plain->shape->rank; i++)
        empty = empty || plain->shape->size[i] == 0;
    hid_t creation = make_creation();
    errno = 0;
    hid_t dataset = create_dataset(parent, name, plain->file_type, plain->shape, creation);
    bool good = dataset >= 0 &&
                (empty || H5Dwrite(dataset, plain->memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, plain->data) >= 0) &&
                (plain->is_scale ? H5DSset_scale(dataset, name) >= 0 : attach(dataset, plain->shape));
    enum status_code code = keep_or_close(h5, name, good, dataset, ret_dataset);
    H5Pclose(creation);
    return code;
}

enum status_code store_h5_put_array(const struct h5 *h5, hid_t parent, const char *name, enum h5_type type,
                                    const struct h5_shape *shape, const void *data, hid_t *ret_dataset)
{
    const struct plain plain = {store_h5_file_type(type), store_h5_memory_type(type), shape, false, data};
    return put_plain(h5, parent, name, &plain, ret_dataset);
}

enum status_code store_h5_put_coordinate(const struct h5 *h5, hid_t parent, const char *name, enum h5_type type,
                                         size_t count, const void *data, hid_t scale, hid_t *ret_dataset)
{
    const struct h5_shape shape = {1, {count}, {scale}};
    const struct plain plain = {store_h5_file_type(type), store_h5_memory_type(type), &shape, scale == 0, data};
    return put_plain(h5, parent, name, &plain, ret_dataset);
}

enum status_code store_h5_put_texts(const struct h5 *h5, hid_t parent, const char *name, size_t count,
                                    const char *const *texts, hid_t scale, hid_t *ret_dataset)
{
    hid_t type = store_h5_text_type();
    const struct h5_shape shape = {1, {count}, {scale}};
    const struct plain plain = {type, type, &shape, scale == 0, texts};
    enum status_code code = put_plain(h5, parent, name, &plain, ret_dataset);
    H5Tclose(type);
    return code;
}

// Inner dimensions whole; of the outer ones, the last whole as long as they fit, then a part of one, then ones.
static void choose_chunk(enum h5_type type, const struct h5_shape *shape, int outer, hsize_t ret_chunk[H5_RANK])
{
    hsize_t bytes = store_h5_size(type);
    for (int i = outer; i < shape->rank; i++) {
        ret_chunk[i] = shape->size[i];
        bytes *= shape->size[i];
    }
    hsize_t units = bytes < CHUNK_BYTES ? CHUNK_BYTES / bytes : 1;
    for (int i = outer - 1; i >= 0; i--) {
        ret_chunk[i] = shape->size[i] < units ? shape->size[i] : units;
        units = ret_chunk[i] < shape->size[i] ? 1 : units / shape->size[i];
        units = units ? units : 1;
    }
}

static bool is_fill(const void *data, size_t bytes, enum h5_type type)
{
    size_t size = store_h5_size(type);
    return memcmp(data, store_h5_fill(type), size) == 0 && memcmp(data, (const char *)data + size, bytes - size) == 0;
}

struct chunk_walk {
    hid_t dataset, file_space;
    enum h5_type type;
    const struct h5_shape *shape;
    int outer;
    hsize_t chunk[H5_RANK];
    size_t unit; // elements
    struct h5_source source;
    bool starved; // the source had no memory
};

// Writes the chunk whose corner has the outer indices of `start`, which is unit `first`.
static bool write_chunk(struct chunk_walk *walk, const hsize_t *start, size_t first)
{
    const struct h5_shape *shape = walk->shape;
    hsize_t count[H5_RANK];
    size_t units = 1;
    for (int i = 0; i < shape->rank; i++) {
        hsize_t left = shape->size[i] - start[i];
        count[i] = walk->chunk[i] < left ? walk->chunk[i] : left;
        units *= i < walk->outer ? (size_t)count[i] : 1;
    }
    const void *data = walk->source.get(walk->source.self, first, units);
    walk->starved = !data;
    if (!data)
        return false;
    if (is_fill(data, units * walk->unit * store_h5_size(walk->type), walk->type))
        return true;
    hid_t memory_space = H5Screate_simple(shape->rank, count, NULL);
    bool good = memory_space >= 0 &&
                H5Sselect_hyperslab(walk->file_space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dwrite(walk->dataset, store_h5_memory_type(walk->type), memory_space, walk->file_space, H5P_DEFAULT,
                         data) >= 0;
    if (good)
        H5Sclose(memory_space);
    return good;
}

// All chunks in the order of their units, as an odometer over the outer dimensions.
static bool write_chunks(struct chunk_walk *walk)
{
    hsize_t start[H5_RANK] = {0};
    for (;;) {
        size_t first = 0;
        for (int i = 0; i < walk->outer; i++)
            first = first * (size_t)walk->shape->size[i] + (size_t)start[i];
        if (!write_chunk(walk, start, first))
            return false;
        int at = walk->outer - 1;
        while (at >= 0 && (start[at] += walk->chunk[at]) >= walk->shape->size[at])
            start[at--] = 0;
        if (at < 0)
            return true;
    }
}

static bool set_storage(hid_t creation, enum h5_type type, const struct h5_shape *shape, const hsize_t *chunk)
{
    return H5Pset_fill_value(creation, store_h5_memory_type(type), store_h5_fill(type)) >= 0 &&
           H5Pset_chunk(creation, shape->rank, chunk) >= 0 && H5Pset_shuffle(creation) >= 0 &&
           H5Pset_deflate(creation, 1) >= 0;
}

enum status_code store_h5_put_variable(const struct h5 *h5, hid_t parent, const char *name, enum h5_type type,
                                       const struct h5_shape *shape, int outer, struct h5_source source,
                                       hid_t *ret_dataset)
{
    struct chunk_walk walk = {.type = type, .shape = shape, .outer = outer, .unit = 1, .source = source};
    bool empty = false;
    for (int i = 0; i < shape->rank; i++) {
        empty = empty || shape->size[i] == 0;
        walk.unit *= i >= outer ? (size_t)shape->size[i] : 1;
    }
    errno = 0;
    hid_t creation = make_creation();
    if (!empty)
        choose_chunk(type, shape, outer, walk.chunk);
    // Chunks may not be longer than a dimension, so that nothing is kept as one piece.
    bool good = creation >= 0 && (empty || set_storage(creation, type, shape, walk.chunk));
    hid_t dataset = good ? create_dataset(parent, name, store_h5_file_type(type), shape, creation) : H5I_INVALID_HID;
    walk.dataset = dataset;
    good = dataset >= 0 && attach(dataset, shape) && (walk.file_space = H5Dget_space(dataset)) >= 0;
    good = good && (empty || write_chunks(&walk));
    enum status_code code = keep_or_close(h5, name, good, dataset, ret_dataset);
    if (walk.starved)
        code = status_set(h5->status, STATUS_MEMORY, "no memory to write %s into %s", name, h5->path);
    if (walk.file_space > 0)
        H5Sclose(walk.file_space);
    H5Pclose(creation);
    return code;
}
