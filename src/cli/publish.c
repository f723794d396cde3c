// SPDX-License-Identifier: MIT
// The published file from journal and older file: run's child process, and by hand after a run was stopped.
#include "analyse.h"
#include "cli_sweep.h"
#include "cli_version.h"
#include "store.h"
#include "store_publish.h"
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>

enum { SWEEP, TOKEN };
static const struct cli_option options[] = {
    {"sweep", 0, OPTION_TEXT, "PATH", "the sweep file's path, for messages (its text is in the journal)", 0, 0},
    {"token", 0, OPTION_TEXT, "TOKEN", "given by the run that owns the store", 0, 0},
    {0},
};

static enum status_code load(const char *store_path, const char *sweep_path, struct cli_sweep *ret_sweep,
                             struct status *status)
{
    struct bytes text = {0};
    *ret_sweep = (struct cli_sweep){0};
    enum status_code code = store_sweep_text(store_path, &text, status);
    if (code == STATUS_OK)
        code = cli_sweep_parse(sweep_path, (const char *)text.data, text.size, ret_sweep, status);
    bytes_fini(&text);
    return code;
}

static enum status_code publish(const char *path, const struct cli_sweep *sweep, const char *token,
                                struct status *status)
{
    char libraries[1024];
    cli_libraries(libraries, sizeof libraries);
    const struct store_note notes[] = {{"version", LGSWEEP_VERSION}, {"libraries", libraries}};
    struct store_publish_options how = {token, analyse_verdicts, sizeof notes / sizeof *notes, notes, 0};
    struct bytes warnings = {0};
    enum status_code code = store_publish(path, &sweep->sweep, sweep->grid, &how, &warnings, status);
    if (!token)
        cli_print_lines(&warnings);
    bytes_fini(&warnings);
    return code;
}

// By hand: owns the store for the while, and empties the journal.
static enum status_code publish_alone(const char *path, const struct cli_sweep *sweep, struct status *status)
{
    struct store *store = NULL;
    struct bytes warnings = {0};
    enum status_code code = store_open(path, &sweep->sweep, sweep->grid, NULL, &store, &warnings, status);
    if (code == STATUS_OK)
        code = publish(path, sweep, store_token(store), status);
    if (code == STATUS_OK)
        code = store_finish(store, status);
    cli_print_lines(&warnings);
    bytes_fini(&warnings);
    store_close(store);
    return code;
}

static enum cli_exit run(const struct cli *cli)
{
    struct cli_sweep sweep;
    struct status status = {0};
    const char *path = cli->argument[0], *token = cli->option[TOKEN].text;
    if (token)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    enum status_code code = load(path, cli->option[SWEEP].given ? cli->option[SWEEP].text : path, &sweep, &status);
    if (code == STATUS_OK)
        code = token ? publish(path, &sweep, token, &status) : publish_alone(path, &sweep, &status);
    cli_sweep_fini(&sweep);
    return code ? cli_fail(&status) : EXIT_DONE;
}

const struct cli_command command_publish = {
    .name = "publish",
    .arguments = "STORE.h5",
    .summary = "bring a store up to date from the journal of a stopped run",
    .help = "Builds STORE.h5 anew from itself and its journal and empties the journal. `run` does this by itself, "
            "while it\n"
            "goes and at its end; by hand it serves to look at a run that was stopped.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
