// SPDX-License-Identifier: MIT
#include "store_lock.h"
#include "base_clock.h"
#include "store_lock_private.h"
#include "store_owner.h"
#include "store_path.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct store_lock {
    char *store_path, *path;
    int fd;
    bool displaced; // another owner, which may be alive
    struct store_owner owner;
    struct store_lock_options options;
};

static enum status_code in_use(const struct store_lock *lock, const struct store_owner *owner, struct status *status)
{
    char job[STORE_OWNER_TEXT + 16] = "", remedy[512] = "";
    if (!owner->process)
        return status_set(status, STATUS_IN_USE, "%s is being opened by another process; wait for it",
                          lock->store_path);
    if (*owner->job)
        snprintf(job, sizeof job, ", job %s", owner->job);
    if (store_owner_life(owner) == OWNER_ELSEWHERE)
        snprintf(remedy, sizeof remedy, ", or remove %.400s once that process is gone for good", lock->path);
    return status_set(status, STATUS_IN_USE, "%s is in use by process %lld on %s since %s%s; wait for it%s",
                      lock->store_path, (long long)owner->process, owner->host, owner->since, job, remedy);
}

// Writes the owner's text over the whole file.
static int write_owner(const struct store_lock *lock, bool cut)
{
    char text[OWNER_TEXT_SIZE];
    size_t length = store_owner_format(&lock->owner, text);
    if (pwrite(lock->fd, text, length, 0) != (ssize_t)length)
        return errno ? errno : EIO;
    return cut && ftruncate(lock->fd, (off_t)length) != 0 ? errno : 0;
}

// True once the owner's heart has stood still for the whole patience, as seen from here: clocks are not compared.
static bool stands_still(const struct store_lock *lock, const struct store_owner *first)
{
    double deadline = clock_now() + lock->options.patience;
    for (;;) {
        struct store_owner owner;
        bool missing;
        bool whole = store_owner_read(lock->path, &owner, &missing);
        if (missing)
            return true;
        if (whole && (!first || owner.beat != first->beat || strcmp(owner.token, first->token) != 0))
            return false;
        double left = deadline - clock_now();
        if (left <= 0)
            return true;
        clock_sleep(left < 0.1 ? left : 0.1);
    }
}

// Whether the owner that the file names is out of the way, for a taker that relies on the text alone.
static bool may_replace(const struct store_lock *lock, const struct store_owner *owner)
{
    if (store_owner_requeued(owner))
        return true;
    enum owner_life life = store_owner_life(owner);
    if (life != OWNER_ELSEWHERE)
        return life == OWNER_DEAD;
    return owner->heartbeat && stands_still(lock, owner);
}

// Waits for a publication of the owner before, so that none replaces the file after this one has begun to read it; the
// owner's token is gone for those that come later.
static bool await_publication(const struct store_lock *lock)
{
    double deadline = clock_now() + lock->options.patience;
    while (lock_call(&lock->options, lock->fd, F_OFD_SETLK, F_WRLCK, PUBLICATION_BYTE) == EAGAIN) {
        if (clock_now() > deadline)
            return false;
        clock_sleep(0.01);
    }
    return true;
}

// UNSUITED: not by this kind of lock, for the reason in *ret_error. REFUSED: not at all, by an error of the system.
enum outcome { TAKEN, BUSY, AGAIN, UNSUITED, REFUSED };

static bool open_kernel_lock(struct store_lock *lock, bool *ret_created)
{
    lock->fd = open(lock->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *ret_created = lock->fd >= 0;
    if (lock->fd < 0 && errno == EEXIST)
        lock->fd = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    return lock->fd >= 0;
}

// An open-file-description lock. It vanishes with its process, but the file may be removed and made anew between open
// and lock, hence AGAIN; and a text with a heartbeat is respected, since its owner has no such lock.
static enum outcome take_kernel_lock(struct store_lock *lock, struct store_owner *ret_owner, int *ret_error)
{
    bool created, missing;
    *ret_error = 0;
    if (!open_kernel_lock(lock, &created)) {
        *ret_error = errno;
        return REFUSED;
    }
    int refusal = lock_call(&lock->options, lock->fd, F_OFD_SETLK, F_WRLCK, OWNER_BYTE);
    if (refusal == EAGAIN) {
        if (!store_owner_read(lock->path, ret_owner, &missing))
            return AGAIN;
        *ret_error = refusal;
        return store_owner_requeued(ret_owner) ? UNSUITED : BUSY;
    }
    if (refusal) {
        // Nobody may take the empty file for another's while this one goes on to the heartbeat.
        if (created)
            unlink(lock->path);
        *ret_error = refusal;
        return UNSUITED;
    }
    if (!lock_same_file(lock->fd, lock->path))
        return AGAIN;
    if (store_owner_read(lock->path, ret_owner, &missing) && ret_owner->heartbeat && !may_replace(lock, ret_owner))
        return BUSY;
    if (!await_publication(lock))
        return BUSY;
    *ret_error = write_owner(lock, true);
    (void)lock_call(&lock->options, lock->fd, F_OFD_SETLK, F_UNLCK, PUBLICATION_BYTE);
    return *ret_error ? REFUSED : TAKEN;
}

// Puts a new file in the place of an old one in one step; the last of several takers wins, and the others find its
// token there.
static int replace_file(struct store_lock *lock)
{
    char *fresh = NULL;
    if (asprintf(&fresh, "%s.%s", lock->path, lock->owner.token) < 0)
        return ENOMEM;
    lock->fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int error = lock->fd < 0 ? errno : write_owner(lock, true);
    if (!error && rename(fresh, lock->path) != 0)
        error = errno;
    if (error)
        unlink(fresh);
    lock->displaced = !error;
    free(fresh);
    return error;
}

static enum outcome take_heartbeat(struct store_lock *lock, struct store_owner *ret_owner, int *ret_error)
{
    lock->owner.heartbeat = true;
    lock->fd = open(lock->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (lock->fd >= 0) {
        *ret_error = write_owner(lock, true);
    } else if (errno == EEXIST) {
        bool missing;
        bool whole = store_owner_read(lock->path, ret_owner, &missing);
        if (missing)
            return AGAIN;
        // An incomplete text is being written, or was when its writer died.
        if (whole ? !may_replace(lock, ret_owner) : !stands_still(lock, NULL))
            return whole ? BUSY : AGAIN;
        *ret_error = replace_file(lock);
    } else {
        *ret_error = errno;
    }
    return *ret_error ? REFUSED : TAKEN;
}

static void close_file(struct store_lock *lock)
{
    if (lock->fd >= 0)
        close(lock->fd);
    lock->fd = -1;
}

static void warn_of_fallback(const struct store_lock *lock, const char *reason, struct bytes *warnings)
{
    char text[1024];
    snprintf(text, sizeof text, "%s: this file system has no usable locks (%s); a heartbeat file stands in\n",
             lock->path, reason);
    if (warnings)
        bytes_raw(warnings, text, strlen(text));
}

static enum outcome take_once(struct store_lock *lock, struct store_owner *ret_owner, int *ret_error,
                              struct bytes *warnings)
{
    enum outcome outcome = UNSUITED;
    if (!lock->options.heartbeat)
        outcome = take_kernel_lock(lock, ret_owner, ret_error);
    if (outcome == UNSUITED) {
        if (!lock->options.heartbeat && *ret_error != EAGAIN)
            warn_of_fallback(lock, strerror(*ret_error), warnings);
        lock->options.heartbeat = true;
        *ret_error = 0;
        close_file(lock);
        outcome = take_heartbeat(lock, ret_owner, ret_error);
    }
    if (outcome != TAKEN)
        close_file(lock);
    return outcome;
}

static enum status_code take(struct store_lock *lock, struct bytes *warnings, struct status *status)
{
    enum outcome outcome = AGAIN;
    int error = 0;
    struct store_owner owner = {0};
    for (int round = 0; round < 50 && outcome == AGAIN; round++) {
        if (round)
            clock_sleep(0.02);
        outcome = take_once(lock, &owner, &error, warnings);
    }
    if (outcome == TAKEN)
        return STATUS_OK;
    if (outcome == REFUSED)
        return store_path_errno(status, error, "cannot write", lock->path);
    return in_use(lock, &owner, status);
}

enum status_code store_lock_acquire(const char *store_path, const struct store_lock_options *options,
                                    struct store_lock **ret_lock, struct bytes *ret_warnings, struct status *status)
{
    enum status_code code = STATUS_OK;
    struct store_lock *lock = calloc(1, sizeof *lock);
    if (!lock)
        return status_set(status, STATUS_MEMORY, "no memory for the lock of %s", store_path);
    lock->fd = -1;
    lock->options = options ? *options : (struct store_lock_options){0};
    lock->options.beat = lock->options.beat > 0 ? lock->options.beat : 2;
    lock->options.patience = lock->options.patience > 0 ? lock->options.patience : 10;
    lock->store_path = strdup(store_path);
    lock->path = store_path_beside(store_path, ".lock");
    store_owner_self(&lock->owner);
    if (!lock->store_path || !lock->path) {
        code = status_set(status, STATUS_MEMORY, "no memory for the lock of %s", store_path);
        goto out;
    }
    code = take(lock, ret_warnings, status);
    if (code == STATUS_OK)
        code = store_lock_fence(lock, status);
    if (code == STATUS_OK) {
        *ret_lock = lock;
        return STATUS_OK;
    }
out:
    close_file(lock);
    free(lock->path);
    free(lock->store_path);
    free(lock);
    return code;
}

void store_lock_release(struct store_lock *lock)
{
    if (!lock)
        return;
    if (lock_check(lock->store_path, lock->path, lock->owner.token, NULL) == STATUS_OK)
        unlink(lock->path);
    close_file(lock);
    free(lock->path);
    free(lock->store_path);
    free(lock);
}

enum status_code store_lock_fence(struct store_lock *lock, struct status *status)
{
    return lock_check(lock->store_path, lock->path, lock->owner.token, status);
}

bool store_lock_displaced(const struct store_lock *lock)
{
    return lock->displaced;
}

double store_lock_interval(const struct store_lock *lock)
{
    return lock->owner.heartbeat ? lock->options.beat : 0;
}

enum status_code store_lock_beat(struct store_lock *lock, struct status *status)
{
    if (!lock->owner.heartbeat)
        return STATUS_OK;
    enum status_code code = store_lock_fence(lock, status);
    if (code != STATUS_OK)
        return code;
    lock->owner.beat++;
    int error = write_owner(lock, false);
    return error ? store_path_errno(status, error, "cannot write", lock->path) : STATUS_OK;
}

const char *store_lock_token(const struct store_lock *lock)
{
    return lock->owner.token;
}
