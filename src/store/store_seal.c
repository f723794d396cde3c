// SPDX-License-Identifier: MIT
#include "store_seal.h"
#include "base_bytes.h"
#include "base_hash.h"
#include "store_path.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC_SIZE = 8, CHAIN_SIZE = 8, BLOCK_SIZE = 1 << 20, CHECKED = STORE_SEAL_SIZE - 8 };
static const char magic[MAGIC_SIZE + 1] = "LGSWSEAL";

static enum status_code read_all(int fd, const char *path, uint64_t offset, unsigned char *ret_data, size_t size,
                                 struct status *status)
{
    for (size_t got = 0; got < size;) {
        ssize_t count = pread(fd, ret_data + got, size - got, (off_t)(offset + got));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return store_path_errno(status, errno, "cannot read", path);
        if (count == 0)
            return status_set(status, STATUS_DAMAGED, "%s became shorter while it was read", path);
        got += (size_t)count;
    }
    return STATUS_OK;
}

static void put_u64(unsigned char *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

// The hash of the first `size` bytes.
static enum status_code hash_file(int fd, const char *path, uint64_t size, uint64_t *ret_hash, struct status *status)
{
    uint64_t hash = 0;
    enum status_code code = STATUS_OK;
    unsigned char *block = malloc(CHAIN_SIZE + BLOCK_SIZE);
    if (!block)
        return status_set(status, STATUS_MEMORY, "no memory to check %s", path);
    for (uint64_t at = 0; at < size && code == STATUS_OK; at += BLOCK_SIZE) {
        size_t length = size - at < BLOCK_SIZE ? (size_t)(size - at) : BLOCK_SIZE;
        code = read_all(fd, path, at, block + CHAIN_SIZE, length, status);
        put_u64(block, hash);
        hash = hash_64(block, CHAIN_SIZE + length);
    }
    free(block);
    if (code == STATUS_OK)
        *ret_hash = hash;
    return code;
}

static enum status_code size_of(int fd, const char *path, uint64_t *ret_size, struct status *status)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0)
        return store_path_errno(status, errno, "cannot read", path);
    *ret_size = (uint64_t)facts.st_size;
    return STATUS_OK;
}

static enum status_code append(int fd, const char *path, struct status *status)
{
    uint64_t size = 0, hash = 0;
    unsigned char seal[STORE_SEAL_SIZE];
    enum status_code code = size_of(fd, path, &size, status);
    if (code == STATUS_OK)
        code = hash_file(fd, path, size, &hash, status);
    if (code != STATUS_OK)
        return code;
    memcpy(seal, magic, MAGIC_SIZE);
    put_u64(seal + MAGIC_SIZE, size);
    put_u64(seal + MAGIC_SIZE + 8, hash);
    put_u64(seal + CHECKED, hash_64(seal, CHECKED));
    errno = 0;
    if (pwrite(fd, seal, sizeof seal, (off_t)size) != (ssize_t)sizeof seal)
        return store_path_errno(status, errno ? errno : ENOSPC, "cannot write", path);
    return STATUS_OK;
}

enum status_code store_seal_put(const char *path, struct status *status)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return store_path_errno(status, errno, "cannot open", path);
    enum status_code code = append(fd, path, status);
    if (close(fd) != 0 && code == STATUS_OK)
        code = store_path_errno(status, errno, "cannot write", path);
    return code;
}

enum status_code store_seal_check(int fd, const char *path, struct status *status)
{
    uint64_t size = 0, hash = 0;
    unsigned char seal[STORE_SEAL_SIZE];
    enum status_code code = size_of(fd, path, &size, status);
    if (code != STATUS_OK || size < sizeof seal)
        return code;
    code = read_all(fd, path, size - sizeof seal, seal, sizeof seal, status);
    if (code != STATUS_OK || memcmp(seal, magic, MAGIC_SIZE) != 0)
        return code;
    struct bytes_reader reader = bytes_reader(seal + MAGIC_SIZE, sizeof seal - MAGIC_SIZE);
    uint64_t sealed = bytes_read_u64(&reader), wanted = bytes_read_u64(&reader);
    bool sound = bytes_read_u64(&reader) == hash_64(seal, CHECKED) && sealed == size - sizeof seal;
    if (sound)
        code = hash_file(fd, path, sealed, &hash, status);
    if (code == STATUS_OK && (!sound || hash != wanted))
        code = status_set(status, STATUS_DAMAGED,
                          "%s was damaged after it was published: its bytes contradict the checksum behind them; bring "
                          "back a copy of it, or begin another store with -o",
                          path);
    return code;
}
