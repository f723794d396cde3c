// SPDX-License-Identifier: MIT
#include "base_clock.h"
#include "store_lock_private.h"
#include "store_owner.h"
#include "store_path.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int kernel_call(int fd, int command, struct flock *lock)
{
    return fcntl(fd, command, lock);
}

int lock_call(const struct store_lock_options *options, int fd, int command, short type, int byte)
{
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    int result;
    do
        result = (options->lock_call ? options->lock_call : kernel_call)(fd, command, &range);
    while (result != 0 && errno == EINTR);
    if (result != 0)
        return errno == EACCES ? EAGAIN : errno;
    return command == F_OFD_GETLK && range.l_type != F_UNLCK ? EAGAIN : 0;
}

bool lock_same_file(int fd, const char *path)
{
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

enum status_code lock_check(const char *store_path, const char *lock_path, const char *token, struct status *status)
{
    struct store_owner owner;
    bool missing, known = store_owner_read(lock_path, &owner, &missing);
    if (known && strcmp(owner.token, token) == 0)
        return STATUS_OK;
    if (!known)
        return status_set(status, STATUS_IN_USE,
                          "%s: its lock %s is gone, so that another run may have begun; run again", store_path,
                          lock_path);
    return status_set(status, STATUS_IN_USE, "%s was taken over by process %lld on %s at %s; this run must not go on",
                      store_path, (long long)owner.process, owner.host, owner.since);
}

// The publication's byte of the lock file; -1 where there is no file or no such locks. Whoever takes the store over has
// it for a moment.
static int hold_publication(const char *path)
{
    const struct store_lock_options kernel = {0};
    int fd = open(path, O_RDWR | O_CLOEXEC), refusal = 0;
    for (int round = 0; fd >= 0 && round < 100; round++) {
        refusal = lock_call(&kernel, fd, F_OFD_SETLK, F_WRLCK, PUBLICATION_BYTE);
        if (refusal != EAGAIN)
            break;
        clock_sleep(0.01);
    }
    if (fd >= 0 && refusal) {
        close(fd);
        fd = -1;
    }
    return fd;
}

enum status_code store_lock_hold(const char *store_path, const char *token, int *ret_fd, struct status *status)
{
    char *path = store_path_beside(store_path, ".lock");
    if (!path)
        return status_set(status, STATUS_MEMORY, "no memory for a path");
    int fd = hold_publication(path);
    enum status_code code = lock_check(store_path, path, token, status);
    if (code == STATUS_OK && fd >= 0 && !lock_same_file(fd, path))
        code = status_set(status, STATUS_IN_USE, "%s: its lock was replaced; this run must not go on", store_path);
    free(path);
    if (code == STATUS_OK)
        *ret_fd = fd;
    else if (fd >= 0)
        close(fd);
    return code;
}

bool store_lock_owner(const char *store_path, struct store_owner *ret_owner)
{
    bool missing, owned = false;
    char *path = store_path_beside(store_path, ".lock");
    struct store_owner owner;
    if (path && store_owner_read(path, &owner, &missing)) {
        const struct store_lock_options kernel = {0};
        int fd = owner.heartbeat ? -1 : open(path, O_RDONLY | O_CLOEXEC);
        int answer = fd >= 0 ? lock_call(&kernel, fd, F_OFD_GETLK, F_WRLCK, OWNER_BYTE) : ENOLCK;
        if (fd >= 0)
            close(fd);
        owned = answer == 0 ? false : answer == EAGAIN || store_owner_life(&owner) != OWNER_DEAD;
    }
    if (owned)
        *ret_owner = owner;
    free(path);
    return owned;
}
