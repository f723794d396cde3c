// SPDX-License-Identifier: MIT
// Station before: store_append_result; after: store_view_open.
#include "store_publish.h"
#include "base_text.h"
#include "store_lock.h"
#include "store_path.h"
#include "store_seal.h"
#include "store_write.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

// Beside the values: names, attributes, coordinates.
enum { OVERHEAD_BYTES = 1 << 18 };

// The journal needs the rest of the space, so a publication that might fill the disk is not begun.
static enum status_code check_space(const struct plan *plan, const char *target, struct status *status)
{
    struct statvfs facts;
    char *folder = store_path_folder(target);
    if (!folder)
        return status_set(status, STATUS_MEMORY, "no memory for a path");
    bool known = statvfs(folder, &facts) == 0;
    free(folder);
    double need = store_plan_bytes(plan) * (plan->has_cube ? 2 : 1) + OVERHEAD_BYTES;
    double room = known ? (double)facts.f_bavail * (double)facts.f_frsize : need;
    char need_text[TEXT_NUMBER_SIZE], room_text[TEXT_NUMBER_SIZE];
    if (room >= need)
        return STATUS_OK;
    return status_set(status, STATUS_FULL,
                      "%s needs up to %s while it is published, and its file system has %s left; free some space and "
                      "run again: what is finished is safe in the journal",
                      plan->path, text_size(need, need_text), text_size(room, room_text));
}

static enum status_code write_all(struct writing *writing)
{
    enum status_code code = store_write_root(writing);
    if (code == STATUS_OK)
        code = store_write_leading(writing);
    if (code == STATUS_OK)
        code = store_write_trials(writing);
    if (code == STATUS_OK)
        code = store_write_columns(writing);
    if (code == STATUS_OK)
        code = store_write_derived(writing);
    if (code == STATUS_OK)
        code = store_write_run(writing);
    return code;
}

static enum status_code write_file(struct plan *plan, const char *temporary,
                                   const struct store_publish_options *options, struct status *status)
{
    struct writing writing = {.h5 = {temporary, status}, .plan = plan, .options = options};
    enum status_code code = store_fill_init(plan, &writing.fill, status);
    if (code == STATUS_OK)
        code = store_h5_create(&writing.h5, &writing.file);
    if (code != STATUS_OK) {
        store_fill_fini(&writing.fill);
        return code;
    }
    code = write_all(&writing);
    // A full disk may show at the close alone, and the first error is the one to tell.
    struct status closing = {0};
    const struct h5 h5 = {temporary, code == STATUS_OK ? status : &closing};
    enum status_code closed = store_h5_close(&h5, writing.file);
    store_fill_fini(&writing.fill);
    code = code == STATUS_OK ? closed : code;
    return code == STATUS_OK ? store_seal_put(temporary, status) : code;
}

static enum status_code put_in_place(const struct plan *plan, const char *temporary, const char *target,
                                     const char *token, struct status *status)
{
    int held = -1;
    enum status_code code = store_path_sync_file(temporary, status);
    if (code == STATUS_OK && token)
        code = store_lock_hold(plan->path, token, &held, status);
    if (code == STATUS_OK && rename(temporary, target) != 0)
        code = store_path_errno(status, errno, "cannot replace", target);
    if (held >= 0)
        close(held);
    return code == STATUS_OK ? store_path_sync_folder(target, status) : code;
}

static enum status_code publish(struct plan *plan, const struct store_publish_options *options, struct status *status)
{
    char *target = store_path_target(plan->path);
    char *temporary = target ? store_path_temporary(target, getpid()) : NULL;
    enum status_code code = temporary ? STATUS_OK : status_set(status, STATUS_MEMORY, "no memory for a path");
    if (code == STATUS_OK) {
        store_path_remove_stale(target);
        unlink(temporary); // of a process that had this number before
        code = check_space(plan, target, status);
    }
    if (code == STATUS_OK) {
        code = write_file(plan, temporary, options, status);
        if (code == STATUS_OK)
            code = put_in_place(plan, temporary, target, options->token, status);
        if (code != STATUS_OK)
            unlink(temporary);
    }
    free(temporary);
    free(target);
    return code;
}

// A limit on the size of files shall be an error of a write, not the end of the process.
static void hold_size_signal(sigset_t *ret_before)
{
    sigset_t size;
    sigemptyset(&size);
    sigaddset(&size, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &size, ret_before);
}

static void release_size_signal(const sigset_t *before)
{
    const struct timespec now = {0};
    sigset_t size;
    sigemptyset(&size);
    sigaddset(&size, SIGXFSZ);
    if (!sigismember(before, SIGXFSZ))
        while (sigtimedwait(&size, NULL, &now) > 0)
            ;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

enum status_code store_publish(const char *path, const struct sweep *sweep, const struct grid *grid,
                               const struct store_publish_options *options, struct bytes *ret_warnings,
                               struct status *status)
{
    static const struct store_publish_options standard = {0};
    struct plan plan = {0};
    sigset_t before;
    hold_size_signal(&before);
    enum status_code code = store_plan_create(path, sweep, grid, &plan, ret_warnings, status);
    if (code == STATUS_OK)
        code = publish(&plan, options ? options : &standard, status);
    store_plan_fini(&plan);
    release_size_signal(&before);
    return code;
}

enum status_code store_accepts(const char *path, const struct sweep *sweep, struct status *status)
{
    struct store_sources sources = {0};
    enum status_code code = store_sources_open(path, NUMERICS, &sources, NULL, status);
    if (code == STATUS_OK && sources.sweep.name)
        code = store_sweep_check(&sources.sweep, sweep, path, status);
    store_sources_close(&sources);
    return code;
}

enum status_code store_sweep_text(const char *path, struct bytes *ret_text, struct status *status)
{
    struct store_sources sources = {0};
    enum status_code code = store_sources_open(path, 0, &sources, NULL, status);
    if (code != STATUS_OK)
        return code;
    if (!sources.sweep.name) {
        code = status_set(status, STATUS_INVALID, "%s: there is no such store, nor a journal that describes its sweep",
                          path);
    } else {
        bytes_raw(ret_text, sources.sweep.text, sources.sweep.text_size);
        bytes_u8(ret_text, 0);
        if (ret_text->failed)
            code = status_set(status, STATUS_MEMORY, "no memory for the sweep of %s", path);
        else
            ret_text->size--;
    }
    store_sources_close(&sources);
    return code;
}
