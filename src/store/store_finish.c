// SPDX-License-Identifier: MIT
// Station before: store_publish.
#include "store_path.h"
#include "store_private.h"
#include "store_view.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PUBLISH_FACTOR = 20, PUBLISH_RETRY = 60 };

bool store_publish_due(const struct store *store, double now)
{
    return !store->publishing && now >= store->due && store_synced(store) > store->published;
}

void store_publish_begun(struct store *store, double now)
{
    store->publishing = true;
    store->begun = now;
    store->covering = store_synced(store);
}

void store_publish_ended(struct store *store, double now, bool succeeded)
{
    double duration = now - store->begun;
    store->publishing = false;
    store->due = now + PUBLISH_FACTOR * duration + (succeeded ? 0 : PUBLISH_RETRY);
    if (succeeded)
        store->published = store->covering;
}

static enum status_code check_cover(const struct store *store, struct status *status)
{
    struct store_view *view = NULL;
    uint64_t end = 0;
    // A journal that says nothing new needs no publication.
    if (store->unused == store_synced(store) && store_path_exists(store->path))
        return STATUS_OK;
    enum status_code code = store_view_open(store->path, &view, status);
    if (code != STATUS_OK)
        return code;
    uint64_t id = store_view_journal(view, &end);
    store_view_close(view);
    if (id != store->journal_id || end != store_synced(store))
        return status_set(status, STATUS_DAMAGED,
                          "%s does not cover its journal (%" PRIu64 " of %" PRIu64 " bytes), which is therefore kept",
                          store->path, id == store->journal_id ? end : 0, store_synced(store));
    return STATUS_OK;
}

// A name that no earlier damage has taken.
static char *damaged_path(const char *journal_path)
{
    char suffix[32] = ".damaged", *path = store_path_join(journal_path, suffix);
    for (int number = 2; path && store_path_exists(path); number++) {
        free(path);
        snprintf(suffix, sizeof suffix, ".damaged-%d", number);
        path = store_path_join(journal_path, suffix);
    }
    return path;
}

// A journal with unreadable parts stays, under another name, for whoever can make something of it.
static enum status_code put_away(struct store *store, struct status *status)
{
    char *damaged = store->damage ? damaged_path(store->journal_path) : NULL;
    if (store->damage && !damaged)
        return status_set(status, STATUS_MEMORY, "no memory for a path");
    int result = damaged ? rename(store->journal_path, damaged) : unlink(store->journal_path);
    enum status_code code =
        result != 0 ? store_path_errno(status, errno, "cannot remove", store->journal_path) : STATUS_OK;
    free(damaged);
    return code == STATUS_OK ? store_path_sync_folder(store->journal_path, status) : code;
}

enum status_code store_finish(struct store *store, struct status *status)
{
    enum status_code code = store_sync(store, status);
    if (code == STATUS_OK)
        code = store_lock_fence(store->lock, status);
    if (code == STATUS_OK)
        code = check_cover(store, status);
    return code == STATUS_OK ? put_away(store, status) : code;
}
