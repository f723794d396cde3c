// SPDX-License-Identifier: MIT
// A sweep from file to store. Read it as the line that a trial takes: config_load, grid_expand, store_open (run_init);
// dispatch_coordinate on rank 0 and dispatch_work on the others; trainer, trial; store_append (run_sink); publication.
#include "run.h"
#include "base_clock.h"
#include "base_text.h"
#include "cli_version.h"
#include "trainer.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OUTPUT,
    TIME_LIMIT,
    TRIAL_LIMIT,
    FAIL_FAST,
    MAX_FAILURES,
    RETRY_FAILED,
    RETRAIN_UNSAVED,
    DEDICATED,
    TRAINER,
    TRAINER_WRAP,
};
static const struct cli_option options[] = {
    {"output", 'o', OPTION_TEXT, "STORE.h5", "the store (results/NAME.h5)", 0, 0},
    {"time-limit", 0, OPTION_SECONDS, "SECONDS", "stop by then, resumable; starts nothing that would last longer", 1,
     1e9},
    {"trial-limit", 0, OPTION_SECONDS, "SECONDS", "a trial that takes longer has failed, without another attempt", 0.1,
     1e9},
    {"fail-fast", 0, OPTION_FLAG, NULL, "stop at the first trial that fails for good", 0, 0},
    {"max-failures", 0, OPTION_COUNT, "K", "stop when more than K trials have failed", 0, 1e9},
    {"retry-failed", 0, OPTION_FLAG, NULL, "try trials again that failed in earlier runs", 0, 0},
    {"retrain-unsaved", 0, OPTION_FLAG, NULL, "train trials again whose weights `save` asks for and are not there", 0,
     0},
    {"dedicated-coordinator", 0, OPTION_FLAG, NULL, "rank 0 only coordinates: for very large runs", 0, 0},
    {"trainer", 0, OPTION_TEXT, "MODE", "child (default), or inline: train in the rank's own process", 0, 0},
    {"trainer-wrap", 0, OPTION_TEXT, "COMMAND", "put before the trainer's command, as in 'gdb --args'", 0, 0},
    {0},
};

static void say(const struct run *run, const char *format, ...) PRINTF_LIKE(2, 3);
static void say(const struct run *run, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!run->options.quiet && cli_takes_line(STDERR_FILENO, 0))
        vfprintf(stderr, format, list);
    va_end(list);
}

static void say_plan(const struct run *run, int ranks)
{
    const int64_t *lengths;
    size_t count = grid_lengths(run->loaded.grid, &lengths);
    say(run, "lgsweep: %s: %zu trials at %zu test length%s, %zu to run", run->loaded.sweep.name, run->known_trials,
        count, count == 1 ? "" : "s", run->jobs_count);
    if (run->known_done)
        say(run, ", %zu done before", run->known_done);
    if (run->known_failed)
        say(run, ", %zu failed before (--retry-failed tries them again)", run->known_failed);
    if (run->unsaved)
        say(run, ", %zu of them without the weights that `save` asks for (--retrain-unsaved trains them again)",
            run->unsaved);
    say(run, "; %d rank%s; store %s\n", ranks, ranks == 1 ? "" : "s", run->options.store_path);
}

static struct dispatch_options dispatch_settings(const struct cli *cli)
{
    struct dispatch_options how = dispatch_options_standard();
    if (cli->option[FAIL_FAST].given)
        how.max_failures = 0;
    else if (cli->option[MAX_FAILURES].given)
        how.max_failures = (size_t)cli->option[MAX_FAILURES].number;
    if (cli->option[TIME_LIMIT].given)
        how.deadline = clock_now() + cli->option[TIME_LIMIT].number;
    how.memory = trainer_memory_available();
    return how;
}

static void say_unreached(const struct run *run)
{
    const struct run_unreached *at = &run->unreached;
    const char *other = "";
    if (at->step == 0)
        return;
    say(run,
        "lgsweep: `save` names step %lld, which budgets of tokens or operations may end before: ", (long long)at->step);
    if (at->count) {
        say(run, "%zu trial%s ended after %lld to %lld steps", at->count, at->count == 1 ? "" : "s",
            (long long)at->least, (long long)at->most);
        other = ", and ";
    }
    if (at->earlier)
        say(run, "%s%zu of earlier runs %s no weights of it", other, at->earlier, at->earlier == 1 ? "has" : "have");
    say(run, "\n");
}

static void say_end(const struct run *run, const struct dispatch_summary *summary, double seconds)
{
    char text[TEXT_NUMBER_SIZE];
    text_duration(seconds, text);
    if (summary->end == DISPATCH_STOPPED)
        say(run, "lgsweep: stopped after %zu trials; nothing finished is lost; run the same command to go on\n",
            summary->done);
    else if (summary->end == DISPATCH_FAILURES)
        say(run, "lgsweep: stopped because %zu trials failed; run with --retry-failed once the cause is mended\n",
            summary->failed);
    else
        say(run, "lgsweep: %zu trial%s in %s; `lgsweep show %s` shows them\n", summary->done,
            summary->done == 1 ? "" : "s", text, run->options.store_path);
    if (summary->end == DISPATCH_COMPLETE && summary->failed + run->known_failed)
        say(run, "lgsweep: %zu failed: `lgsweep status %s` tells why, --retry-failed tries them again\n",
            summary->failed + run->known_failed, run->options.store_path);
}

// A time limit in which nothing was finished, though most of it was there for training, would not be enough the next
// time either: a script that goes on as long as the exit code says resumable must not go on for ever.
static bool limit_too_short(const struct run *run, const struct dispatch_summary *summary,
                            const struct dispatch_options *how, struct dispatch_signals *signals, double start)
{
    return summary->end == DISPATCH_STOPPED && summary->done + summary->failed == 0 && run->options.time_limit > 0 &&
           dispatch_signals_asked(signals) == 0 && how->deadline - start > run->options.time_limit / 2;
}

static enum cli_exit exit_code(const struct run *run, const struct dispatch_summary *summary)
{
    if (summary->end == DISPATCH_STOPPED)
        return EXIT_STOPPED;
    return summary->failed || run->known_failed ? EXIT_FAILED : EXIT_DONE;
}

// Rank 0 with a sweep and a store.
static enum cli_exit coordinate(struct run *run, struct comm *comm, const struct record_runner *runner,
                                struct dispatch_signals *signals, const struct dispatch_options *how, int *ret_missing)
{
    struct status status = {0};
    double start = clock_now();
    struct dispatch_summary summary = {0};
    struct dispatch_source source = run_source(run);
    struct dispatch_sink sink = run_sink(run);
    struct dispatch_watch watch = run_watch(run);
    say_plan(run, comm_size(comm));
    enum status_code code = dispatch_coordinate(comm, &source, &sink, runner, signals, &watch, how, &summary, &status);
    run_progress_clear(&run->progress);
    *ret_missing = summary.missing;
    if (code == STATUS_OK && summary.end != DISPATCH_STOPPED)
        code = run_publish_last(run, signals, &status);
    if (code)
        return cli_fail(&status);
    if (limit_too_short(run, &summary, how, signals, start))
        return cli_usage("no trial was finished within --time-limit, and running trials are not kept; `lgsweep plan` "
                         "tells how long the dearest takes");
    say_unreached(run);
    say_end(run, &summary, clock_now() - start);
    return exit_code(run, &summary);
}

static enum cli_exit lead(const struct cli *cli, struct comm *comm, const struct record_runner *runner,
                          struct dispatch_signals *signals, int *ret_missing)
{
    struct run run;
    struct status status = {0};
    enum cli_exit code;
    struct run_options settings = {cli->option[OUTPUT].text,
                                   cli->option[RETRY_FAILED].given,
                                   cli->option[RETRAIN_UNSAVED].given,
                                   cli->quiet,
                                   cli->verbose,
                                   cli->option[TIME_LIMIT].number};
    struct dispatch_options how = dispatch_settings(cli);
    if (run_init(&run, cli->argument[0], &settings, &status)) {
        struct status ignored = {0};
        code = cli_fail(&status);
        if (dispatch_dismiss(comm, how.patience, ret_missing, &ignored))
            *ret_missing = 1;
    } else
        code = coordinate(&run, comm, cli->option[DEDICATED].given && comm_size(comm) > 1 ? NULL : runner, signals,
                          &how, ret_missing);
    run_fini(&run);
    return code;
}

static void follow(const struct cli *cli, struct comm *comm, const struct record_runner *runner, const char *reason,
                   struct dispatch_signals *signals)
{
    struct status status = {0};
    struct dispatch_options how = dispatch_settings(cli);
    enum status_code code =
        runner ? dispatch_work(comm, runner, signals, &how, &status) : dispatch_resign(comm, reason, &status);
    if (code) // a rank that lost its coordinator: the launcher ends the job
        cli_fail(&status);
}

static void explain_banner(enum cli_exit code)
{
    if (code != EXIT_DONE && comm_launched())
        fprintf(stderr, "lgsweep: exit code %d; what mpirun prints below about an aborted or failed job says no more\n",
                (int)code);
}

// Trainer and communicator, around lead or follow.
static enum cli_exit with_ranks(const struct cli *cli, struct dispatch_signals *signals, int parent,
                                struct trainer *trainer, const char *reason)
{
    struct comm *comm = NULL;
    struct status status = {0};
    struct record_runner runner = {0};
    int missing = 0;
    char build[CLI_BUILD_SIZE];
    enum cli_exit code = EXIT_DONE;
    cli_build_id(build);
    if (trainer)
        runner = trainer_runner(trainer);
    if (comm_open(build, &comm, &status))
        return cli_fail(&status);
    bool leads = comm_rank(comm) == 0;
    if (comm_launched() && dispatch_follow_parent(parent, &status))
        return cli_fail(&status);
    if (leads)
        code = lead(cli, comm, trainer ? &runner : NULL, signals, &missing);
    else
        follow(cli, comm, trainer ? &runner : NULL, reason, signals);
    trainer_destroy(trainer);
    if (leads)
        explain_banner(code);
    if (missing) {
        cli_warn("%d rank%s did not answer; the job is aborted (what is finished is safe)", missing,
                 missing == 1 ? "" : "s");
        comm_abort(comm, code ? (int)code : EXIT_INTERNAL);
    }
    if (comm_close(comm, &status) && leads && code == EXIT_DONE)
        code = cli_fail(&status);
    return code;
}

static enum cli_exit run(const struct cli *cli)
{
    int parent = getppid();
    struct status status = {0};
    struct dispatch_signals signals;
    struct trainer *trainer = NULL;
    const char *mode = cli->option[TRAINER].given ? cli->option[TRAINER].text : "child";
    if (strcmp(mode, "child") != 0 && strcmp(mode, "inline") != 0)
        return cli_usage("run: --trainer is child or inline, not '%s'", mode);
    if (strcmp(mode, "inline") == 0 && cli->option[TRAINER_WRAP].given)
        return cli_usage("run: --trainer-wrap wraps a child's command; with --trainer inline there is none");
    struct trainer_options how = {.in_process = strcmp(mode, "inline") == 0,
                                  .wrap = cli->option[TRAINER_WRAP].text,
                                  .time_limit = cli->option[TRIAL_LIMIT].given ? cli->option[TRIAL_LIMIT].number : 0};
    if (dispatch_signals_open(&signals, &status))
        return cli_fail(&status);
    if (trainer_create(&how, &trainer, &status) && !comm_launched()) {
        dispatch_signals_close(&signals);
        return cli_fail(&status);
    }
    enum cli_exit code = with_ranks(cli, &signals, parent, trainer, status.text);
    dispatch_signals_close(&signals);
    return code;
}

const struct cli_command command_run = {
    .name = "run",
    .arguments = "SWEEP.yaml",
    .summary = "run a sweep, alone or under mpirun or srun; resumes by itself",
    .help = "Trains every trial of the sweep that the store does not have yet and publishes the store. Killed or "
            "stopped at\n"
            "any moment, the same command goes on where it was.\n"
            "  lgsweep run sweeps/quickstart.yaml\n"
            "  mpirun -n 8 lgsweep run sweeps/quickstart.yaml\n"
            "SIGTERM, SIGINT, SIGHUP, SIGUSR1 and SIGUSR2 stop it within a second (exit 75); a second one at once.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
