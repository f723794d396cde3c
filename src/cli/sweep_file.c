// SPDX-License-Identifier: MIT
#include "sweep_file.h"
#include "task_source.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { INDENT_LIMIT = 32 };

static const struct setting *row_of(const char *name)
{
    return setting_find(name, strlen(name));
}

static enum status_code refuse(const struct sweep *sweep, struct source_place place, const char *message,
                               enum status_code code, struct status *status)
{
    struct bytes text = {0};
    sweep_describe(sweep, place, message, &text);
    status_set(status, code, "%.*s", (int)text.size, text.data ? (const char *)text.data : message);
    bytes_fini(&text);
    return code;
}

static enum status_code refuse_setting(const struct sweep *sweep, const char *name, const char *message,
                                       enum status_code code, struct status *status)
{
    struct source_place place = sweep->places[setting_index(row_of(name))];
    if (!place.line)
        place = sweep->places[setting_index(row_of("path"))];
    return refuse(sweep, place, message, code, status);
}

static const struct axis_column *axis_of(const struct sweep *sweep, const char *name, size_t *ret_count)
{
    for (size_t a = 0; a < sweep->axes_count; a++)
        for (size_t c = 0; c < sweep->axes[a].columns_count; c++)
            if (strcmp(sweep->axes[a].columns[c].setting->name, name) == 0) {
                *ret_count = sweep->axes[a].count;
                return &sweep->axes[a].columns[c];
            }
    return NULL;
}

static bool reads_file(const struct sweep *sweep)
{
    size_t count = 0;
    const struct axis_column *tasks = axis_of(sweep, "task", &count);
    for (size_t i = 0; tasks && i < count; i++)
        if (tasks->values[i].choice == TASK_FILE)
            return true;
    return !tasks && sweep->base.task.kind == TASK_FILE;
}

// Puts the hash into the text at `at`, and takes what comes of it where that says the same of the file.
static enum status_code insert_hash(struct cli_sweep *loaded, size_t at, const char *before, const char *after,
                                    bool *ret_done, struct status *status)
{
    struct sweep *sweep = &loaded->sweep, again;
    struct bytes text = {0};
    char line[64];
    const int length = snprintf(line, sizeof line, "file_hash: %" PRIu64, loaded->file->hash);
    bytes_raw(&text, sweep->text, at);
    bytes_raw(&text, before, strlen(before));
    bytes_raw(&text, line, (size_t)length);
    bytes_raw(&text, after, strlen(after));
    bytes_raw(&text, sweep->text + at, sweep->text_size - at);
    bytes_u8(&text, 0);
    enum status_code code =
        text.failed
            ? status_set(status, STATUS_MEMORY, "out of memory for the sweep of %s", sweep->path)
            : config_parse(sweep->path, (const char *)text.data, text.size - 1, loaded->arena, &again, NULL, status);
    bytes_fini(&text);
    *ret_done = code == STATUS_OK && again.base.task.file_hash == loaded->file->hash;
    if (*ret_done) {
        sweep->text = again.text;
        sweep->text_size = again.text_size;
    }
    return code == STATUS_INVALID ? STATUS_OK : code;
}

// Where the last line begins that has more than a comment.
static size_t last_line(const struct sweep *sweep)
{
    for (size_t end = sweep->text_size;;) {
        size_t begin = end;
        while (begin > 0 && sweep->text[begin - 1] != '\n')
            begin--;
        const char first = sweep->text[begin + strspn(sweep->text + begin, " \t\r")];
        if (begin == 0 || (first && first != '\n' && first != '#'))
            return begin;
        end = begin - 1;
    }
}

// Spaces before the first key.
static int first_indent(const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t indent = strspn(line, " ");
        if (!strchr("#\n\r%", line[indent]) && strncmp(line, "---", 3) != 0)
            return indent < INDENT_LIMIT ? (int)indent : 0;
    }
    return 0;
}

// The text with the line that a store needs, where it has none: at the end, where places that errors show stay as they
// are, or before what closes it: "..." or the brace of "{task: …}".
static enum status_code add_hash(struct cli_sweep *loaded, struct status *status)
{
    const struct sweep *sweep = &loaded->sweep;
    const char *const text = sweep->text;
    const size_t size = sweep->text_size, last = last_line(sweep);
    size_t close = last + strcspn(text + last, "\n");
    while (close > last && text[close] != '}')
        close--;
    const int indent = first_indent(text);
    char line[INDENT_LIMIT + 2];
    snprintf(line, sizeof line, "%s%*s", size && text[size - 1] != '\n' ? "\n" : "", indent, "");
    const struct {
        size_t at;
        const char *before, *after;
    } ways[] = {{size, line, "\n"}, {last, line, "\n"}, {close, ", ", ""}, {close, "", ""}};
    bool done = false;
    enum status_code code = STATUS_OK;
    for (size_t i = 0; code == STATUS_OK && !done && i < sizeof ways / sizeof *ways; i++)
        code = insert_hash(loaded, ways[i].at, ways[i].before, ways[i].after, &done, status);
    if (code != STATUS_OK || done)
        return code;
    char message[160];
    snprintf(message, sizeof message,
             "a store keeps the file's hash with its sweep, and finds no place for it here; write at the top level "
             "file_hash: %" PRIu64,
             loaded->file->hash);
    return refuse_setting(sweep, "path", message, STATUS_INVALID, status);
}

static enum status_code check_axes(const struct sweep *sweep, struct status *status)
{
    static const char *const single[] = {"path", "file_hash"};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        size_t count;
        char message[96];
        const struct axis_column *axis = axis_of(sweep, single[i], &count);
        snprintf(message, sizeof message, "%s is no axis: a sweep reads one file; make a sweep for each", single[i]);
        if (axis)
            return refuse(sweep, axis->place, message, STATUS_INVALID, status);
    }
    return STATUS_OK;
}

// The largest value that any cell has.
static int64_t most(const struct sweep *sweep, const char *name)
{
    size_t count = 0;
    const struct axis_column *axis = axis_of(sweep, name, &count);
    int64_t value = axis ? 0 : setting_get(row_of(name), &sweep->base).i;
    for (size_t i = 0; axis && i < count; i++)
        value = axis->values[i].i > value ? axis->values[i].i : value;
    return value;
}

// What all cells together use of the file.
static enum status_code find_need(const struct sweep *sweep, struct arena *arena, struct task_file_need *ret_need,
                                  struct status *status)
{
    size_t count = 1;
    const struct axis_column *axis = axis_of(sweep, "train_length", &count);
    int64_t *lengths = arena_get(arena, count * sweep->lengths_count, sizeof *lengths);
    if (!lengths)
        return status_set(status, STATUS_MEMORY, "out of memory for the sweep of %s", sweep->path);
    for (size_t i = 0; i < count * sweep->lengths_count; i++) {
        const int64_t train_length = axis ? axis->values[i / sweep->lengths_count].i : sweep->base.task.train_length;
        lengths[i] = test_length_tokens(sweep->lengths[i % sweep->lengths_count], train_length);
    }
    *ret_need = (struct task_file_need){most(sweep, "samples"), most(sweep, "validation_samples"),
                                        most(sweep, "test_samples"), count * sweep->lengths_count, lengths};
    return STATUS_OK;
}

static void warn_strays(const struct sweep *sweep, const struct task_file *file)
{
    struct bytes warnings = {0};
    for (size_t i = 0; i < file->strays_count; i++) {
        const struct task_file_stray *stray = &file->strays[i];
        char message[512];
        snprintf(message, sizeof message, "warning: nothing reads the array '%s' of %s%s%s%s", stray->name, file->path,
                 stray->nearest ? "; did you mean '" : "", stray->nearest ? stray->nearest : "",
                 stray->nearest ? "'?" : "");
        sweep_describe(sweep, sweep->places[setting_index(row_of("path"))], message, &warnings);
    }
    cli_print_lines(&warnings);
    bytes_fini(&warnings);
}

// Defaults, which are of data that are made, would train on a part of a file, and on labels that it does not have.
static enum status_code check_written(const struct sweep *sweep, const struct task_file *file, struct status *status)
{
    const bool samples = sweep->places[setting_index(row_of("samples"))].line;
    const bool noise = sweep->places[setting_index(row_of("noise_rate"))].line;
    char message[320], all[96] = "";
    if (samples && noise)
        return STATUS_OK;
    if (!samples)
        snprintf(all, sizeof all, "samples: %" PRId64 ", as many training sequences as the file has%s",
                 file->sets[0].in_file, noise ? "" : ", and ");
    snprintf(message, sizeof message, "task file has no default of %s; write %s%s",
             samples ? "noise_rate"
             : noise ? "samples"
                     : "samples and noise_rate",
             all, noise ? "" : "noise_rate: 0 (or the share of the file's labels to replace)");
    return refuse_setting(sweep, "task", message, STATUS_INVALID, status);
}

enum status_code sweep_file_resolve(struct cli_sweep *loaded, struct status *status)
{
    struct sweep *sweep = &loaded->sweep;
    const uint64_t wanted = sweep->base.task.file_hash;
    if (!reads_file(sweep))
        return STATUS_OK;
    enum status_code code = check_axes(sweep, status);
    if (code != STATUS_OK || !*sweep->base.task.path) // what is missing, the grid's checks say
        return code;
    loaded->file = arena_get(loaded->arena, 1, sizeof *loaded->file);
    if (!loaded->file)
        return status_set(status, STATUS_MEMORY, "out of memory for the sweep of %s", sweep->path);
    struct task_file_need need;
    code = find_need(sweep, loaded->arena, &need, status);
    if (code != STATUS_OK)
        return code;
    code = task_file_look(sweep->base.task.path, &need, loaded->arena, loaded->file, status);
    if (code != STATUS_OK) {
        const struct status why = *status;
        return refuse_setting(sweep, "path", why.text, why.code, status);
    }
    if (wanted && wanted != loaded->file->hash) {
        char message[160];
        snprintf(message, sizeof message,
                 "file_hash is %" PRIu64 ", but that of the file is %" PRIu64
                 "; put the right file there, or remove it",
                 wanted, loaded->file->hash);
        return refuse_setting(sweep, "file_hash", message, STATUS_INVALID, status);
    }
    warn_strays(sweep, loaded->file);
    code = check_written(sweep, loaded->file, status);
    if (code != STATUS_OK)
        return code;
    task_file_tell(loaded->file, &sweep->base);
    return wanted ? STATUS_OK : add_hash(loaded, status);
}

// Where the sweep asks for a test length that comes to `tokens`.
static struct source_place length_place(const struct sweep *sweep, int64_t tokens, int64_t train_length)
{
    for (size_t i = 0; i < sweep->lengths_count; i++)
        if (test_length_tokens(sweep->lengths[i], train_length) == tokens && sweep->lengths[i].place.line)
            return sweep->lengths[i].place;
    return sweep->places[setting_index(row_of("path"))];
}

enum status_code sweep_file_check(const struct cli_sweep *loaded, struct status *status)
{
    const struct sweep *sweep = &loaded->sweep;
    for (size_t i = 0; loaded->file && i < grid_trials(loaded->grid); i++) {
        const struct grid_trial *trial = grid_trial(loaded->grid, i);
        struct task_file_fault fault;
        if (trial->settings.task.kind != TASK_FILE ||
            !task_file_fault(loaded->file, &trial->settings, trial->lengths, trial->lengths_count, &fault))
            continue;
        if (fault.blamed)
            return refuse_setting(sweep, fault.blamed, fault.why.text, fault.why.code, status);
        return refuse(sweep, length_place(sweep, trial->lengths[fault.place], trial->settings.task.train_length),
                      fault.why.text, fault.why.code, status);
    }
    return STATUS_OK;
}
