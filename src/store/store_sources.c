// SPDX-License-Identifier: MIT
#include "store_sources.h"
#include "store_path.h"
#include "store_view_private.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum status_code index_row(struct store_sources *sources, size_t row, int64_t *room, struct status *status)
{
    const struct store_view *view = sources->view;
    const struct store_row *is = store_view_row(view, row);
    struct index_source source = {
        .identity = is->identity,
        .status = is->status,
        .trained = store_view_trained(view, row),
        .twin = is->twin,
        .attempts = is->attempts,
        .source = INDEX_PUBLISHED,
        .row = row,
        .lengths = room,
    };
    for (size_t i = 0; i < view->lengths_count; i++)
        if (view->test_layout[row * view->lengths_count + i])
            room[source.lengths_count++] = view->lengths[i];
    return store_index_add(sources->index, &source, status);
}

static enum status_code index_view(struct store_sources *sources, struct status *status)
{
    enum status_code code = STATUS_OK;
    int64_t *room = calloc(sources->view->lengths_count + 1, sizeof *room);
    if (!room)
        return status_set(status, STATUS_MEMORY, "no memory for the index of the store");
    for (size_t row = 0; row < store_view_rows(sources->view) && code == STATUS_OK; row++)
        code = index_row(sources, row, room, status);
    free(room);
    return code;
}

static enum status_code sweep_of_view(const struct store_view *view, struct store_sweep *ret_sweep,
                                      struct status *status)
{
    enum status_code code = store_sweep_init(ret_sweep, status);
    if (code != STATUS_OK)
        return code;
    ret_sweep->base = view->fixed;
    if (!settings_keep(&ret_sweep->base, ret_sweep->texts))
        return status_set(status, STATUS_MEMORY, "no memory for the settings of %s", view->path);
    for (size_t i = 0; i < settings_count; i++)
        ret_sweep->is_axis[i] = !store_h5_has_attribute(view->file, settings_table[i].name);
    ret_sweep->planned = view->planned;
    ret_sweep->text_size = strlen(view->sweep_text);
    ret_sweep->name = strdup(view->name);
    ret_sweep->text = strdup(view->sweep_text);
    if (!ret_sweep->name || !ret_sweep->text)
        return status_set(status, STATUS_MEMORY, "no memory for the sweep of %s", view->path);
    return STATUS_OK;
}

static enum status_code open_view(struct store_sources *sources, const char *path, uint32_t numerics,
                                  struct status *status)
{
    enum status_code code = store_view_open(path, &sources->view, status);
    if (code != STATUS_OK)
        return code;
    uint32_t written = store_view_numerics(sources->view);
    if (numerics && written != numerics)
        return status_set(status, STATUS_INVALID,
                          "%s: results of numerics %" PRIu32 ", and this program computes numerics %" PRIu32
                          "; go on with the lgsweep that began it, or begin another store with -o",
                          path, written, numerics);
    code = sweep_of_view(sources->view, &sources->sweep, status);
    return code == STATUS_OK ? index_view(sources, status) : code;
}

static enum status_code take_sweep(struct store_sources *sources, const struct store_entry *entry,
                                   struct status *status)
{
    struct store_sweep sweep = {0};
    enum status_code code = store_sweep_decode(entry->payload, entry->size, &sweep, status);
    if (code != STATUS_OK)
        return code;
    store_sweep_fini(&sources->sweep);
    sources->sweep = sweep;
    sources->sweep_in_journal = true;
    return STATUS_OK;
}

static enum status_code replay(struct store_sources *sources, const char *path, struct bytes *warnings,
                               struct status *status)
{
    for (;;) {
        struct store_entry entry;
        bool found = false;
        enum status_code code = store_journal_next(sources->journal, &entry, &found, warnings, status);
        if (code != STATUS_OK || !found)
            return code;
        code = entry.kind == STORE_SWEEP ? take_sweep(sources, &entry, status)
                                         : store_index_entry(sources->index, &entry, status);
        if (code != STATUS_OK)
            return status_context(status, "%s.journal", path);
    }
}

enum status_code store_sources_open(const char *path, uint32_t numerics, struct store_sources *ret_sources,
                                    struct bytes *warnings, struct status *status)
{
    struct store_sources sources = {0};
    enum status_code code = store_index_create(&sources.index, status);
    if (code == STATUS_OK)
        code = store_journal_open(path, numerics, &sources.journal, status);
    if (code == STATUS_OK && store_path_exists(path))
        code = open_view(&sources, path, numerics, status);
    if (code == STATUS_OK && sources.journal)
        code = replay(&sources, path, warnings, status);
    if (code != STATUS_OK) {
        store_sources_close(&sources);
        return code;
    }
    *ret_sources = sources;
    return STATUS_OK;
}

void store_sources_close(struct store_sources *sources)
{
    store_view_close(sources->view);
    store_journal_close(sources->journal);
    store_index_destroy(sources->index);
    store_sweep_fini(&sources->sweep);
    *sources = (struct store_sources){0};
}
