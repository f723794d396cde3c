// SPDX-License-Identifier: MIT
#include "store_h5.h"
#include "store_path.h"
#include "store_seal.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

size_t store_h5_size(enum h5_type type)
{
    static const size_t sizes[H5_TYPES] = {4, 8, 4, 8, 1, 8};
    return sizes[type];
}

hid_t store_h5_memory_type(enum h5_type type)
{
    const hid_t types[H5_TYPES] = {H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE, H5T_NATIVE_INT32,
                                   H5T_NATIVE_INT64, H5T_NATIVE_UINT8,  H5T_NATIVE_UINT64};
    return types[type];
}

hid_t store_h5_file_type(enum h5_type type)
{
    const hid_t types[H5_TYPES] = {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_STD_I32LE,
                                   H5T_STD_I64LE,  H5T_STD_U8LE,   H5T_STD_U64LE};
    return types[type];
}

const void *store_h5_fill(enum h5_type type)
{
    static const float f32 = NAN;
    static const double f64 = NAN;
    static const int32_t i32 = INT32_MIN;
    static const int64_t i64 = INT64_MIN;
    static const uint8_t u8 = UINT8_MAX;
    static const uint64_t u64 = UINT64_MAX;
    static const void *const fills[H5_TYPES] = {&f32, &f64, &i32, &i64, &u8, &u64};
    return fills[type];
}

// The innermost entry of the error stack is visited last on the way down from the call.
static herr_t keep_reason(unsigned depth, const H5E_error2_t *error, void *client)
{
    (void)depth;
    char *reason = client;
    snprintf(reason, 256, "%s", error->desc ? error->desc : "");
    return 0;
}

enum status_code store_h5_error(const struct h5 *h5, const char *operation, const char *name)
{
    int error = errno;
    char reason[256] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_reason, reason);
    H5Eclear2(H5E_DEFAULT);
    if (error == ENOSPC || error == EDQUOT || error == EFBIG)
        return store_path_errno(h5->status, error, "cannot write", h5->path);
    return status_set(h5->status, STATUS_DAMAGED, "%s: cannot %s%s%s: %s", h5->path, operation, *name ? " " : "", name,
                      *reason ? reason : "HDF5 gives no reason");
}

void store_h5_begin(void)
{
    H5dont_atexit();
}

static hid_t make_access(void)
{
    store_h5_begin();
    // Errors come as texts of ours; printing of the library's stack is switched off for the whole process.
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_file_locking(access, false, true) >= 0 &&
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
        return access;
    return H5I_INVALID_HID;
}

enum status_code store_h5_create(const struct h5 *h5, hid_t *ret_file)
{
    hid_t access = make_access(), creation = H5Pcreate(H5P_FILE_CREATE), file = H5I_INVALID_HID;
    unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    if (access >= 0 && creation >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
        H5Pset_link_creation_order(creation, order) >= 0 && H5Pset_attr_creation_order(creation, order) >= 0 &&
        H5Pset_obj_track_times(creation, false) >= 0)
        file = H5Fcreate(h5->path, H5F_ACC_EXCL, creation, access);
    enum status_code code = file < 0 ? store_h5_error(h5, "create the file", "") : STATUS_OK;
    H5Pclose(creation);
    H5Pclose(access);
    if (code == STATUS_OK)
        *ret_file = file;
    return code;
}

// Tells a missing file from one that is not HDF5, which H5Fopen does not, and keeps a damaged one away from it.
static enum status_code check_readable(const struct h5 *h5)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[sizeof signature];
    int fd = open(h5->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // it may be a pipe
    if (fd < 0)
        return store_path_errno(h5->status, errno, "cannot open", h5->path);
    ssize_t size = read(fd, head, sizeof head);
    enum status_code code = STATUS_OK;
    if (size < 0 && errno != EISDIR)
        code = store_path_errno(h5->status, errno, "cannot read", h5->path);
    else if (size < (ssize_t)sizeof head || memcmp(head, signature, sizeof head) != 0)
        code = status_set(h5->status, STATUS_INVALID, "%s: not an HDF5 file; choose another name for the store with -o",
                          h5->path);
    else
        code = store_seal_check(fd, h5->path, h5->status);
    close(fd);
    return code;
}

enum status_code store_h5_open(const struct h5 *h5, hid_t *ret_file)
{
    enum status_code code = check_readable(h5);
    if (code != STATUS_OK)
        return code;
    hid_t access = make_access();
    hid_t file = access < 0 ? access : H5Fopen(h5->path, H5F_ACC_RDONLY, access);
    if (file < 0)
        code = store_h5_error(h5, "open the file", "");
    H5Pclose(access);
    if (code == STATUS_OK)
        *ret_file = file;
    return code;
}

enum status_code store_h5_close(const struct h5 *h5, hid_t file)
{
    errno = 0;
    return H5Fclose(file) < 0 ? store_h5_error(h5, "close the file", "") : STATUS_OK;
}

enum status_code store_h5_group(const struct h5 *h5, hid_t parent, const char *name, hid_t *ret_group)
{
    unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE), group = H5I_INVALID_HID;
    errno = 0;
    if (creation >= 0 && H5Pset_link_creation_order(creation, order) >= 0 &&
        H5Pset_attr_creation_order(creation, order) >= 0 && H5Pset_obj_track_times(creation, false) >= 0)
        group = H5Gcreate2(parent, name, H5P_DEFAULT, creation, H5P_DEFAULT);
    enum status_code code = group < 0 ? store_h5_error(h5, "create group", name) : STATUS_OK;
    H5Pclose(creation);
    if (code == STATUS_OK)
        *ret_group = group;
    return code;
}
