// SPDX-License-Identifier: MIT
// A store in the terminal. Station before: store_publish.
#include "show.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TRIAL, ROWS, LIST };
static const struct cli_option options[] = {
    {"trial", 't', OPTION_TEXT, "IDENTITY", "one trial whole: settings, curves, events (the first digits suffice)", 0,
     0},
    {"rows", 'r', OPTION_TEXT, "AXIS", "the axis that runs down the tables (the numeric one with the most values)", 0,
     0},
    {"list", 'l', OPTION_FLAG, NULL, "one line a trial: identity, status, settings", 0, 0},
    {0},
};

enum { NAME_LEAST = 18 };

// Columns that hold every name of an axis, and a gap.
static int name_width(const struct show *show)
{
    size_t width = NAME_LEAST;
    for (size_t a = 0; a < show->axes_count; a++)
        width = strlen(show->axes[a].name) + 2 > width ? strlen(show->axes[a].name) + 2 : width;
    return (int)width;
}

// The next of a row's values, on a line of its own below the first where none is left in this one.
static void print_value(const char *value, bool first, int width, int *left)
{
    *left -= (int)strlen(value) + 2;
    if (*left < 0 && !first) {
        printf(",\n  %*s%s", width, "", value);
        *left = SHOW_COLUMNS - 4 - width - (int)strlen(value);
    } else
        printf("%s%s", first ? "" : ", ", value);
}

static void print_axis(const struct store_axis *axis, int width)
{
    char value[128];
    int left = SHOW_COLUMNS - 2 - width;
    printf("  %-*s", width, axis->name);
    for (size_t i = 0; i < axis->count; i++)
        print_value(show_value(axis, i, value, sizeof value), i == 0, width, &left);
    printf("\n");
}

static void print_lengths(const struct show *show, int width)
{
    char value[32];
    int left = SHOW_COLUMNS - 2 - width;
    printf("  %-*s", width, "test_length");
    for (size_t t = 0; t < show->lengths_count; t++) {
        snprintf(value, sizeof value, "%lld", (long long)show->lengths[t]);
        print_value(value, t == 0, width, &left);
    }
    printf("\n");
}

void show_overview(const struct show *show)
{
    const int width = name_width(show);
    size_t count[RECORD_STATUSES] = {0}, twins = 0, rows = store_view_rows(show->view);
    for (size_t row = 0; row < rows; row++) {
        count[store_view_row(show->view, row)->status]++;
        twins += store_view_row(show->view, row)->twin;
    }
    printf(
        "%s: sweep %s: %zu trial%s (%zu of them noise-free twins): %zu done, %zu diverged, %zu failed; published %s\n",
        store_view_path(show->view), store_view_name(show->view), rows, rows == 1 ? "" : "s", twins, count[RECORD_DONE],
        count[RECORD_DIVERGED], count[RECORD_FAILED], store_view_published(show->view));
    const struct standing *standing = &show->standing;
    size_t over = standing_over(standing);
    if (standing->earlier)
        printf("%zu of these are of earlier sweeps\n", standing->earlier);
    if (over < standing->planned)
        printf(
            "incomplete: %zu of %zu trials of this sweep are over here; `lgsweep status %s` tells how its run stands\n",
            over, standing->planned, store_view_path(show->view));
    for (size_t a = 0; a < show->axes_count; a++)
        print_axis(&show->axes[a], width);
    printf("  %-*s%zu\n", width, "replicates", show->replicates);
    print_lengths(show, width);
}

static void print_list(const struct show *show)
{
    for (size_t row = 0; row < store_view_rows(show->view); row++) {
        const struct store_row *at = store_view_row(show->view, row);
        char name[HASH_TEXT_SIZE];
        struct bytes text = {0};
        hash_text(at->identity, name);
        cli_trial_text(&show->sweep.sweep, &at->settings, &text);
        printf("%s %-8s %s%.*s\n", name, record_status_names[at->status], at->twin ? "(twin) " : "", (int)text.size,
               text.data ? (const char *)text.data : "");
        bytes_fini(&text);
    }
}

static enum status_code print(const struct cli *cli, const struct show *show, struct status *status)
{
    if (cli->option[TRIAL].given)
        return show_trial(show, cli->option[TRIAL].text, status);
    if (cli->option[LIST].given) {
        print_list(show);
        return STATUS_OK;
    }
    show_overview(show);
    if (store_view_rows(show->view) == 0) {
        printf("no trial is finished yet\n");
        return STATUS_OK;
    }
    show_phases(show);
    show_compare(show);
    show_map(show);
    show_letters(show);
    return STATUS_OK;
}

// Where nothing is published, a journal may be there.
static void explain_absence(const char *path, struct status *status)
{
    struct store_summary at;
    struct status none = {0};
    struct arena *arena = arena_create(1 << 16, 0);
    if (arena && access(path, F_OK) != 0 && store_journal_summary(path, arena, &at, NULL, &none) == STATUS_OK &&
        !at.published)
        status_set(status, STATUS_INVALID, "%s is not published yet; %s%s%s", path,
                   at.owned ? "the run that owns it does so soon, `lgsweep status " : "`lgsweep publish ", path,
                   at.owned ? "` tells how it stands" : "` builds it from its journal");
    arena_destroy(arena);
}

static enum cli_exit run(const struct cli *cli)
{
    struct show show;
    struct status status = {0};
    enum status_code code = show_init(cli->argument[0], cli->option[ROWS].text, &show, &status);
    if (code == STATUS_OK)
        code = print(cli, &show, &status);
    else if (code == STATUS_SYSTEM)
        explain_absence(cli->argument[0], &status);
    show_fini(&show);
    return code ? cli_fail(&status) : EXIT_DONE;
}

const struct cli_command command_show = {
    .name = "show",
    .arguments = "STORE.h5",
    .summary = "a store in the terminal: verdict map, encodings side by side, events",
    .help = "Prints what the store holds: events of training, the choices of each axis of names side by side, and the "
            "map of\n"
            "verdicts and test errors over test length, with intervals over replicates.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
