// SPDX-License-Identifier: MIT
#include "store_writer.h"
#include "store_path.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct store_writer {
    char *path;
    int fd;
    struct store_lock *lock;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t work, progress;
    // Under the mutex:
    struct bytes queue;
    uint64_t end; // of the file, once the queue is written
    struct status failure;
    bool stop;
    // The thread's own:
    struct bytes group;
    atomic_uint_fast64_t synced;
};

static enum status_code write_all(struct store_writer *writer, uint64_t offset, struct status *status)
{
    for (size_t done = 0; done < writer->group.size;) {
        ssize_t count =
            pwrite(writer->fd, writer->group.data + done, writer->group.size - done, (off_t)(offset + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return store_path_errno(status, count ? errno : EIO, "cannot write", writer->path);
        done += (size_t)count;
    }
    if (fdatasync(writer->fd) != 0)
        return store_path_errno(status, errno, "cannot sync", writer->path);
    return STATUS_OK;
}

// A group that failed is cut off again, so that the file ends with what was acknowledged.
static enum status_code write_group(struct store_writer *writer, struct status *status)
{
    uint64_t offset = atomic_load(&writer->synced);
    enum status_code code = store_lock_fence(writer->lock, status);
    if (code != STATUS_OK)
        return code;
    code = write_all(writer, offset, status);
    if (code != STATUS_OK) {
        int ignored = ftruncate(writer->fd, (off_t)offset);
        (void)ignored;
        return code;
    }
    atomic_store(&writer->synced, offset + writer->group.size);
    return STATUS_OK;
}

// Waits for work, an end or the time of the next heartbeat. Called and left with the mutex held.
static void wait_for_work(struct store_writer *writer, double interval)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)floor(interval);
    until.tv_nsec += (long)((interval - floor(interval)) * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    int timed_out = 0;
    while (!writer->stop && writer->queue.size == 0 && !timed_out)
        timed_out = interval > 0 ? pthread_cond_timedwait(&writer->work, &writer->mutex, &until)
                                 : pthread_cond_wait(&writer->work, &writer->mutex);
}

// One round without the mutex: a heartbeat, then the group.
static void serve(struct store_writer *writer, struct status *status)
{
    if (store_lock_beat(writer->lock, status) == STATUS_OK && writer->group.size)
        (void)!write_group(writer, status);
}

static void *run(void *argument)
{
    struct store_writer *writer = argument;
    double interval = store_lock_interval(writer->lock);
    pthread_mutex_lock(&writer->mutex);
    for (;;) {
        wait_for_work(writer, interval);
        if (writer->stop && writer->queue.size == 0)
            break;
        struct bytes taken = writer->queue;
        writer->queue = writer->group;
        writer->group = taken;
        struct status status = writer->failure;
        pthread_mutex_unlock(&writer->mutex);
        if (status.code == STATUS_OK)
            serve(writer, &status);
        bytes_clear(&writer->group);
        pthread_mutex_lock(&writer->mutex);
        writer->failure = status;
        pthread_cond_broadcast(&writer->progress);
    }
    pthread_mutex_unlock(&writer->mutex);
    return NULL;
}

// Signals are for the thread that runs the sweep; a file-size limit shall come as an error of the write.
static int start_thread(struct store_writer *writer)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&writer->thread, NULL, run, writer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static void destroy(struct store_writer *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    pthread_cond_destroy(&writer->work);
    pthread_cond_destroy(&writer->progress);
    pthread_mutex_destroy(&writer->mutex);
    bytes_fini(&writer->queue);
    bytes_fini(&writer->group);
    free(writer->path);
    free(writer);
}

enum status_code store_writer_open(const char *journal_path, uint64_t end, struct store_lock *lock,
                                   struct store_writer **ret_writer, struct status *status)
{
    struct store_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return status_set(status, STATUS_MEMORY, "no memory for the writer of %s", journal_path);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&writer->mutex, NULL);
    pthread_cond_init(&writer->work, &monotonic);
    pthread_cond_init(&writer->progress, &monotonic);
    pthread_condattr_destroy(&monotonic);
    writer->lock = lock;
    writer->end = end;
    atomic_init(&writer->synced, end);
    writer->path = strdup(journal_path);
    writer->fd = open(journal_path, O_WRONLY | O_CLOEXEC);
    enum status_code code = STATUS_OK;
    if (!writer->path)
        code = status_set(status, STATUS_MEMORY, "no memory for the writer of %s", journal_path);
    else if (writer->fd < 0 || ftruncate(writer->fd, (off_t)end) != 0 || fsync(writer->fd) != 0)
        code = store_path_errno(status, errno, "cannot write", journal_path);
    int error = code == STATUS_OK ? start_thread(writer) : 0;
    if (error)
        code = status_errno(status, error, "cannot start the writer of %s", journal_path);
    if (code != STATUS_OK) {
        destroy(writer);
        return code;
    }
    *ret_writer = writer;
    return STATUS_OK;
}

void store_writer_close(struct store_writer *writer)
{
    if (!writer)
        return;
    pthread_mutex_lock(&writer->mutex);
    writer->stop = true;
    pthread_cond_signal(&writer->work);
    pthread_mutex_unlock(&writer->mutex);
    pthread_join(writer->thread, NULL);
    destroy(writer);
}

static enum status_code failure_of(const struct store_writer *writer, struct status *status)
{
    if (writer->failure.code == STATUS_OK)
        return STATUS_OK;
    return status_set(status, writer->failure.code, "%s", writer->failure.text);
}

enum status_code store_writer_append(struct store_writer *writer, const struct bytes *entry, uint64_t *ret_end,
                                     struct status *status)
{
    pthread_mutex_lock(&writer->mutex);
    enum status_code code = failure_of(writer, status);
    size_t size = writer->queue.size;
    if (code == STATUS_OK) {
        bytes_raw(&writer->queue, entry->data, entry->size);
        if (writer->queue.failed) {
            writer->queue.size = size;
            writer->queue.failed = false;
            code = status_set(status, STATUS_MEMORY, "no memory to queue a result for %s", writer->path);
        }
    }
    if (code == STATUS_OK) {
        writer->end += entry->size;
        *ret_end = writer->end;
        pthread_cond_signal(&writer->work);
    }
    pthread_mutex_unlock(&writer->mutex);
    return code;
}

uint64_t store_writer_synced(const struct store_writer *writer)
{
    return atomic_load(&writer->synced);
}

enum status_code store_writer_health(struct store_writer *writer, struct status *status)
{
    pthread_mutex_lock(&writer->mutex);
    enum status_code code = failure_of(writer, status);
    pthread_mutex_unlock(&writer->mutex);
    return code;
}

enum status_code store_writer_wait(struct store_writer *writer, struct status *status)
{
    pthread_mutex_lock(&writer->mutex);
    while (writer->failure.code == STATUS_OK && atomic_load(&writer->synced) < writer->end)
        pthread_cond_wait(&writer->progress, &writer->mutex);
    enum status_code code = failure_of(writer, status);
    pthread_mutex_unlock(&writer->mutex);
    return code;
}
