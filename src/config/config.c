// SPDX-License-Identifier: MIT
#include "config.h"
#include "config_build.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// The file's name without folder and extension.
static const char *default_name(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return arena_text(arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static void set_defaults(struct build *build)
{
    static const struct test_length train_length = {.value = 1, .relative = true};
    struct sweep *sweep = build->sweep;
    settings_defaults(&sweep->base);
    sweep->replicates = 1;
    sweep->twins = true;
    sweep->lengths = &train_length;
    sweep->lengths_count = 1;
    sweep->name = default_name(build->report->arena, sweep->path);
    build->axes = report_get(build->report, settings_count, sizeof *build->axes);
    build->places = report_get(build->report, settings_count, sizeof *build->places);
    build->broken = report_get(build->report, settings_count, sizeof *build->broken);
    sweep->axes = build->axes;
    sweep->places = build->places;
    build->report->no_memory |= !sweep->name;
}

enum status_code config_parse(const char *path, const char *text, size_t size, struct arena *arena,
                              struct sweep *ret_sweep, struct bytes *ret_warnings, struct status *status)
{
    struct sweep sweep = {.text_size = size};
    struct report report = {.arena = arena, .source = &sweep, .warnings = ret_warnings};
    struct build build = {.report = &report, .sweep = &sweep};
    sweep.path = arena_text(arena, path, strlen(path));
    sweep.text = sweep.path ? arena_text(arena, text, size) : NULL;
    if (!sweep.text)
        return status_set(status, STATUS_MEMORY, "%s: out of memory while reading the sweep file", path);
    if (size > CONFIG_MAX_BYTES)
        report_error(&report, (struct source_place){0}, "larger than %d bytes: this is no sweep file",
                     CONFIG_MAX_BYTES);
    set_defaults(&build);
    struct node *root = report_failed(&report) ? NULL : tree_read(&report, sweep.text, size);
    if (root)
        sweep_read(&build, root);
    enum status_code code = report_status(&report, status);
    if (code == STATUS_OK)
        *ret_sweep = sweep;
    return code;
}

// Reads to the end, or one byte beyond the limit.
static enum status_code read_file(int file, const char *path, char *buffer, size_t *ret_size, struct status *status)
{
    size_t size = 0;
    while (size < CONFIG_MAX_BYTES + 1) {
        ssize_t got = read(file, buffer + size, CONFIG_MAX_BYTES + 1 - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return status_errno(status, errno, "cannot read the sweep file '%s'", path);
        if (got == 0)
            break;
        size += (size_t)got;
    }
    *ret_size = size;
    return STATUS_OK;
}

enum status_code config_load(const char *path, struct arena *arena, struct sweep *ret_sweep, struct bytes *ret_warnings,
                             struct status *status)
{
    size_t size = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return status_errno(status, errno, "cannot open the sweep file '%s'", path);
    struct arena *scratch = arena_create(CONFIG_MAX_BYTES + 1, 0);
    char *buffer = scratch ? arena_get(scratch, CONFIG_MAX_BYTES + 1, 1) : NULL;
    enum status_code code = buffer ? read_file(file, path, buffer, &size, status)
                                   : status_set(status, STATUS_MEMORY, "%s: out of memory", path);
    if (code == STATUS_OK)
        code = config_parse(path, buffer, size, arena, ret_sweep, ret_warnings, status);
    arena_destroy(scratch);
    close(file);
    return code;
}
