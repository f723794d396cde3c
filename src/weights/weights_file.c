// SPDX-License-Identifier: MIT
#include "weights_private.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// Reads `size` bytes; false at an error or an early end, with errno 0 for the latter.
static bool read_all(int fd, unsigned char *data, size_t size)
{
    errno = 0;
    for (size_t at = 0; at < size;) {
        ssize_t got = read(fd, data + at, size - at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += (size_t)got;
    }
    return true;
}

char *weights_checksum(const void *numbers, size_t size, char ret_text[WEIGHTS_CHECKSUM_SIZE])
{
    snprintf(ret_text, WEIGHTS_CHECKSUM_SIZE, "%016" PRIx64, hash_64(numbers, size));
    return ret_text;
}

enum status_code weights_load_file(const char *path, size_t most, struct bytes *ret_bytes, size_t *ret_size,
                                   struct status *status)
{
    enum status_code code = STATUS_OK;
    struct bytes bytes = {0};
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &facts) != 0) {
        code = status_errno(status, errno, "cannot open weights %s", path);
        goto out;
    }
    *ret_size = (size_t)facts.st_size;
    bytes.size = bytes.capacity = *ret_size < most ? *ret_size : most;
    bytes.data = malloc(bytes.size + 1);
    if (!bytes.data)
        code = status_set(status, STATUS_MEMORY, "no memory for the %zu bytes of %s", bytes.size, path);
    else if (!read_all(fd, bytes.data, bytes.size))
        code = status_errno(status, errno ? errno : EIO, "cannot read weights %s", path);
    if (code != STATUS_OK)
        goto out;
    *ret_bytes = bytes;
    bytes.data = NULL;
out:
    free(bytes.data);
    if (fd >= 0)
        close(fd);
    return code;
}

static bool write_all(int fd, const unsigned char *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t put = write(fd, data + at, size - at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        at += (size_t)put;
    }
    return true;
}

// The folder's entry, too, where the file system can sync it.
static void sync_folder(const char *path)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = NULL;
    for (char *c = folder; *c; c++)
        slash = *c == '/' ? c : slash;
    if (slash)
        *slash = '\0';
    int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

enum status_code weights_store_file(const char *path, const struct bytes *bytes, struct status *status)
{
    char fresh[4096];
    if (snprintf(fresh, sizeof fresh, "%s.tmp-%d", path, (int)getpid()) >= (int)sizeof fresh)
        return status_set(status, STATUS_INVALID, "the path of the weights is too long: %.200s…", path);
    int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int error = fd < 0 ? errno : 0;
    if (!error && (!write_all(fd, bytes->data, bytes->size) || fsync(fd) != 0))
        error = errno;
    if (fd >= 0 && close(fd) != 0 && !error)
        error = errno;
    if (!error && rename(fresh, path) != 0)
        error = errno;
    if (error) {
        unlink(fresh);
        return status_errno(status, error, "cannot write weights %s", path);
    }
    sync_folder(path);
    return STATUS_OK;
}
