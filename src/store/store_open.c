// SPDX-License-Identifier: MIT
// Station before: grid_expand; after: store_append_result.
#include "base_clock.h"
#include "store_path.h"
#include "store_private.h"
#include "store_sources.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

// Seconds until the first publication, so that a short run has one alone, at its end.
enum { PUBLISH_FIRST = 5 };

static void warn(struct bytes *warnings, const char *format, const char *path, uint64_t number)
{
    char text[1024];
    snprintf(text, sizeof text, format, path, number);
    if (warnings)
        bytes_raw(warnings, text, strlen(text));
}

// A new journal appears whole: it is written beside and renamed.
static enum status_code create_journal(struct store *store, const struct bytes *content, struct status *status)
{
    enum status_code code = STATUS_OK;
    char *fresh = store_path_join(store->journal_path, ".new");
    if (!fresh)
        return status_set(status, STATUS_MEMORY, "no memory for a path");
    int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    errno = fd < 0 ? errno : 0;
    bool good = fd >= 0 && write(fd, content->data, content->size) == (ssize_t)content->size && fsync(fd) == 0;
    if (!good)
        code = store_path_errno(status, errno ? errno : ENOSPC, "cannot write", fresh);
    if (fd >= 0)
        close(fd);
    if (code == STATUS_OK && rename(fresh, store->journal_path) != 0)
        code = store_path_errno(status, errno, "cannot write", store->journal_path);
    if (code == STATUS_OK)
        code = store_path_sync_folder(store->journal_path, status);
    if (!good)
        unlink(fresh);
    free(fresh);
    return code;
}

static bool copy_bytes(int from, int to, uint64_t size)
{
    off_t at = 0;
    while ((uint64_t)at < size) {
        ssize_t count = sendfile(to, from, &at, (size_t)(size - (uint64_t)at));
        errno = count == 0 ? EIO : errno;
        if (count == 0 || (count < 0 && errno != EINTR))
            return false;
    }
    return fsync(to) == 0;
}

// A copy takes the journal's place, its first `size` bytes: a former owner that was displaced within a write, and goes
// on, writes to a file without a name.
static enum status_code renew_journal(struct store *store, uint64_t size, struct status *status)
{
    enum status_code code = STATUS_OK;
    char *fresh = store_path_join(store->journal_path, ".new");
    if (!fresh)
        return status_set(status, STATUS_MEMORY, "no memory for a path");
    int from = open(store->journal_path, O_RDONLY | O_CLOEXEC);
    int to = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (from < 0 || to < 0 || !copy_bytes(from, to, size) || rename(fresh, store->journal_path) != 0) {
        code = store_path_errno(status, errno, "cannot write", fresh);
        unlink(fresh);
    }
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    free(fresh);
    return code == STATUS_OK ? store_path_sync_folder(store->journal_path, status) : code;
}

static uint64_t new_id(void)
{
    double facts[3] = {clock_wall(), clock_now(), (double)getpid()};
    return hash_64(facts, sizeof facts) | 1;
}

// The entry that describes the sweep, in store->entry.
static enum status_code describe_sweep(struct store *store, const struct sweep *sweep, const struct grid *grid,
                                       struct status *status)
{
    bytes_clear(&store->payload);
    bytes_clear(&store->entry);
    store_sweep_encode(sweep, grid_trials(grid), &store->payload);
    store_journal_put(&store->entry, STORE_SWEEP, (struct hash128){0}, store->payload.data, store->payload.size);
    if (store->payload.failed || store->entry.failed)
        return status_set(status, STATUS_MEMORY, "no memory to describe the sweep");
    return STATUS_OK;
}

static bool same_sweep(const struct store_sources *sources, const struct sweep *sweep, const struct grid *grid)
{
    return sources->sweep_in_journal && sources->sweep.planned == grid_trials(grid) &&
           sources->sweep.text_size == sweep->text_size && strcmp(sources->sweep.name, sweep->name) == 0 &&
           memcmp(sources->sweep.text, sweep->text, sweep->text_size) == 0 &&
           !settings_differ(&sources->sweep.base, &sweep->base);
}

// Begins a journal, or goes on with the one that was replayed; then starts the writer.
static enum status_code begin_journal(struct store *store, const struct store_sources *sources,
                                      const struct sweep *sweep, struct bytes *warnings, struct status *status)
{
    enum status_code code = describe_sweep(store, sweep, store->grid, status);
    uint64_t end = 0, torn = 0;
    if (code == STATUS_OK && sources->journal) {
        end = store_journal_end(sources->journal);
        torn = store_journal_size(sources->journal) - end;
        store->journal_id = store_journal_id(sources->journal);
        store->damage = store_journal_damage(sources->journal);
        if (store_lock_displaced(store->lock))
            code = renew_journal(store, end, status);
    } else if (code == STATUS_OK) {
        struct bytes content = {0};
        store->journal_id = new_id();
        store_journal_put_header(&content, NUMERICS, store->journal_id);
        bytes_raw(&content, store->entry.data, store->entry.size);
        end = content.size;
        code = content.failed ? status_set(status, STATUS_MEMORY, "no memory for a journal")
                              : create_journal(store, &content, status);
        bytes_fini(&content);
    }
    if (!sources->journal)
        store->published = store->unused = end;
    if (torn)
        warn(warnings, "%s: an unfinished entry of %" PRIu64 " bytes at the end was dropped\n", store->journal_path,
             torn);
    if (code == STATUS_OK)
        code = store_writer_open(store->journal_path, end, store->lock, &store->writer, status);
    if (code != STATUS_OK || !sources->journal || same_sweep(sources, sweep, store->grid))
        return code;
    code = store_writer_append(store->writer, &store->entry, &end, status);
    return code == STATUS_OK ? store_writer_wait(store->writer, status) : code;
}

static void count_trials(struct store *store)
{
    for (size_t i = 0; i < store_index_count(store->index); i++)
        store->trials += store_index_at(store->index, i)->status != RECORD_PENDING;
}

static enum status_code open_locked(struct store *store, const struct sweep *sweep, struct bytes *warnings,
                                    struct status *status)
{
    struct store_sources sources = {0};
    enum status_code code = store_sources_open(store->path, NUMERICS, &sources, warnings, status);
    if (code == STATUS_OK && sources.sweep.name)
        code = store_sweep_check(&sources.sweep, sweep, store->path, status);
    if (code == STATUS_OK)
        code = begin_journal(store, &sources, sweep, warnings, status);
    if (code == STATUS_OK) {
        uint64_t covered = 0;
        if (sources.journal)
            store->published =
                sources.view && store_view_journal(sources.view, &covered) == store->journal_id ? covered : 0;
        store->index = sources.index;
        sources.index = NULL;
        count_trials(store);
        store_path_remove_stale(store->path);
        store->due = clock_now() + PUBLISH_FIRST;
    }
    store_sources_close(&sources);
    return code;
}

enum status_code store_open(const char *path, const struct sweep *sweep, const struct grid *grid,
                            const struct store_lock_options *options, struct store **ret_store,
                            struct bytes *ret_warnings, struct status *status)
{
    struct store *store = calloc(1, sizeof *store);
    if (!store || !(store->path = strdup(path)) || !(store->journal_path = store_journal_path(path))) {
        store_close(store);
        return status_set(status, STATUS_MEMORY, "no memory for the store %s", path);
    }
    store->grid = grid;
    enum status_code code = store_path_check(path, status);
    if (code == STATUS_OK)
        code = store_lock_acquire(path, options, &store->lock, ret_warnings, status);
    if (code == STATUS_OK)
        code = open_locked(store, sweep, ret_warnings, status);
    if (code != STATUS_OK) {
        store_close(store);
        return code;
    }
    *ret_store = store;
    return STATUS_OK;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    store_writer_close(store->writer);
    if (store->lock)
        store_path_remove_stale(store->path); // of a publication that was ended
    store_lock_release(store->lock);
    store_index_destroy(store->index);
    bytes_fini(&store->payload);
    bytes_fini(&store->entry);
    free(store->path);
    free(store->journal_path);
    free(store);
}
