// SPDX-License-Identifier: MIT
// HDF5 in the few forms that the store needs. Each function checks every return code and says in its status which file,
// which object, and HDF5's own innermost reason.
#pragma once
#include "base_arena.h"
#include "base_status.h"
#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Elements as stored (little-endian) and in memory. The first five are enum record_type.
enum h5_type { H5_F32, H5_F64, H5_I32, H5_I64, H5_U8, H5_U64, H5_TYPES };
size_t store_h5_size(enum h5_type type);
hid_t store_h5_memory_type(enum h5_type type);
hid_t store_h5_file_type(enum h5_type type);
hid_t store_h5_text_type(void); // variable length, UTF-8; a new identifier each time
// What an absent element holds: NaN, the lowest integer, 255, and the highest of u64.
const void *store_h5_fill(enum h5_type type);

// Where errors are reported.
struct h5 {
    const char *path;
    struct status *status;
};
enum status_code store_h5_error(const struct h5 *h5, const char *operation, const char *name);

// Before any other call of the library. What it does at the exit of a process is kept from it: every file is closed
// here, and after one that could not be, on a full disk, that is where it crashes. May be called again.
void store_h5_begin(void);

// A new file, superblock 2, creation order tracked, times not. An existing one, read-only. No HDF5 file locks: the
// store's own lock and the rename make them needless, and some file systems refuse them.
enum status_code store_h5_create(const struct h5 *h5, hid_t *ret_file) MUST_CHECK;
enum status_code store_h5_open(const struct h5 *h5, hid_t *ret_file) MUST_CHECK;
enum status_code store_h5_close(const struct h5 *h5, hid_t file) MUST_CHECK;
enum status_code store_h5_group(const struct h5 *h5, hid_t parent, const char *name, hid_t *ret_group) MUST_CHECK;

// Attributes. Texts are of variable length, UTF-8; a count of 0 makes a scalar.
enum status_code store_h5_put_text(const struct h5 *h5, hid_t object, const char *name, const char *text) MUST_CHECK;
enum status_code store_h5_put_numbers(const struct h5 *h5, hid_t object, const char *name, enum h5_type type,
                                      size_t count, const void *data) MUST_CHECK;
// Flags as CF has them: flag_values 0 …, and `names` (NULL-terminated) as flag_meanings; with `absent`, 255 too.
enum status_code store_h5_put_flags(const struct h5 *h5, hid_t object, const char *const *names,
                                    bool absent) MUST_CHECK;
bool store_h5_has_attribute(hid_t object, const char *name);
enum status_code store_h5_get_text(const struct h5 *h5, hid_t object, const char *name, struct arena *arena,
                                   const char **ret_text) MUST_CHECK;
enum status_code store_h5_get_number(const struct h5 *h5, hid_t object, const char *name, enum h5_type type,
                                     void *ret_number) MUST_CHECK;

// A variable's dimensions, with the dimension scale of each (0: none).
enum { H5_RANK = H5S_MAX_RANK };
struct h5_shape {
    int rank;
    hsize_t size[H5_RANK];
    hid_t scale[H5_RANK];
};

// Data without filters, for coordinates. `scale` 0 makes one-dimensional data a dimension scale of its own.
enum status_code store_h5_put_coordinate(const struct h5 *h5, hid_t parent, const char *name, enum h5_type type,
                                         size_t count, const void *data, hid_t scale, hid_t *ret_dataset) MUST_CHECK;
enum status_code store_h5_put_array(const struct h5 *h5, hid_t parent, const char *name, enum h5_type type,
                                    const struct h5_shape *shape, const void *data, hid_t *ret_dataset) MUST_CHECK;
enum status_code store_h5_put_texts(const struct h5 *h5, hid_t parent, const char *name, size_t count,
                                    const char *const *texts, hid_t scale, hid_t *ret_dataset) MUST_CHECK;

// Data in chunks that are contiguous in memory, shuffled and deflated. A unit is one element of the first `outer`
// dimensions with all that it holds; `get` yields `count` units from `first` on, and chunks without anything but the
// fill value are not written.
struct h5_source {
    const void *(*get)(void *self, size_t first, size_t count);
    void *self;
};
enum status_code store_h5_put_variable(const struct h5 *h5, hid_t parent, const char *name, enum h5_type type,
                                       const struct h5_shape *shape, int outer, struct h5_source source,
                                       hid_t *ret_dataset) MUST_CHECK;

bool store_h5_has(hid_t parent, const char *name);
// The extents of a dataset.
enum status_code store_h5_extent(const struct h5 *h5, hid_t parent, const char *name, int *ret_rank,
                                 hsize_t ret_size[H5_RANK]) MUST_CHECK;
// Rows `first` … `first + count` of the first dimension, converted to `type`. It is damage when the dataset is shorter,
// or when one row does not hold `unit` elements.
enum status_code store_h5_get_rows(const struct h5 *h5, hid_t parent, const char *name, enum h5_type type, size_t first,
                                   size_t count, size_t unit, void *ret_data) MUST_CHECK;
// The box of `count` elements from `start` on.
enum status_code store_h5_get_box(const struct h5 *h5, hid_t parent, const char *name, enum h5_type type, int rank,
                                  const hsize_t *start, const hsize_t *count, void *ret_data) MUST_CHECK;
enum status_code store_h5_get_texts(const struct h5 *h5, hid_t parent, const char *name, size_t count,
                                    struct arena *arena, const char **ret_texts) MUST_CHECK;
// The name of the dimension scale of the first dimension, or "" when it has none.
void store_h5_scale_name(hid_t parent, const char *name, char *ret_name, size_t size);
