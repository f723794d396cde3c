// SPDX-License-Identifier: MIT
// How a run stands, from another terminal: from the journal while a run owns the store, from the store afterwards.
#include "base_clock.h"
#include "base_text.h"
#include "cli.h"
#include "standing.h"
#include "store_view.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { WATCH, JSON, EXIT_CODE };
static const struct cli_option options[] = {
    {"watch", 'w', OPTION_FLAG, NULL, "again every two seconds, until no run owns the store", 0, 0},
    {"json", 'j', OPTION_FLAG, NULL, "one JSON object", 0, 0},
    {"exit-code", 'e', OPTION_FLAG, NULL, "tell the state by the exit code: 0 complete, 3 trials failed, 75 to go on",
     0, 0},
    {0},
};

// A store, and the sweep that it was last run with.
struct look {
    const char *path;
    struct store_summary at;
    struct standing standing;
};

static bool complete(const struct look *look)
{
    return look->standing.planned > 0 && standing_over(&look->standing) >= look->standing.planned;
}

// Failures of earlier sweeps are not this one's.
static bool is_ours(const struct look *look, const struct store_failure *failure)
{
    return look->standing.grid && grid_find(look->standing.grid, failure->identity) >= 0;
}

static void put_json_text(const char *text)
{
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c < 0x20)
            printf("\\u%04x", *c);
        else
            putchar(*c);
    putchar('"');
}

static void put_json_failures(const struct look *look)
{
    const char *comma = "";
    printf("\"failures\":[");
    for (size_t i = 0; i < look->at.failures_count; i++) {
        const struct store_failure *failure = &look->at.failures[i];
        char identity[HASH_TEXT_SIZE];
        if (!is_ours(look, failure))
            continue;
        hash_text(failure->identity, identity);
        printf("%s{\"trial\":\"%s\",\"settings\":", comma, identity);
        comma = ",";
        put_json_text(failure->settings);
        printf(",\"reason\":");
        put_json_text(failure->reason);
        printf(",\"attempts\":%u,\"last_step\":%lld}", failure->attempts, (long long)failure->last_step);
    }
    printf("]");
}

static void print_json(const struct look *look)
{
    const struct store_summary *at = &look->at;
    const struct standing *standing = &look->standing;
    printf("{\"store\":");
    put_json_text(look->path);
    printf(",\"sweep\":");
    put_json_text(at->name);
    printf(",\"running\":%s", at->owned ? "true" : "false");
    if (at->owned) {
        printf(",\"owner\":{\"host\":");
        put_json_text(at->owner.host);
        printf(",\"process\":%lld,\"since\":", (long long)at->owner.process);
        put_json_text(at->owner.since);
        printf("}");
    }
    printf(",\"complete\":%s,\"planned\":%zu,\"done\":%zu,\"diverged\":%zu,\"failed\":%zu,\"earlier\":%zu,"
           "\"journal_bytes\":%llu,"
           "\"published\":%s,",
           complete(look) ? "true" : "false", standing->planned, standing->done, standing->diverged, standing->failed,
           standing->earlier, (unsigned long long)at->journal_bytes, at->published ? "true" : "false");
    put_json_failures(look);
    printf("}\n");
}

static void print_failures(const struct look *look)
{
    for (size_t i = 0; i < look->at.failures_count; i++) {
        const struct store_failure *failure = &look->at.failures[i];
        if (is_ours(look, failure))
            printf("failed [%s] after %u attempt%s at step %lld: %s\n", failure->settings, failure->attempts,
                   failure->attempts == 1 ? "" : "s", (long long)failure->last_step, failure->reason);
    }
}

static void print_text(const struct look *look)
{
    const struct store_summary *at = &look->at;
    const struct standing *standing = &look->standing;
    char size[TEXT_NUMBER_SIZE], ago[TEXT_NUMBER_SIZE];
    printf("%s: sweep %s: %zu of %zu trial%s over: %zu done, %zu diverged, %zu failed", look->path, at->name,
           standing_over(standing), standing->planned, standing->planned == 1 ? "" : "s", standing->done,
           standing->diverged, standing->failed);
    if (standing->earlier)
        printf("; besides %zu of earlier sweeps", standing->earlier);
    printf("\n");
    if (at->owned)
        printf("running on %s, process %lld, since %s%s%s\n", at->owner.host, (long long)at->owner.process,
               at->owner.since, *at->owner.job ? ", job " : "", at->owner.job);
    else
        printf("no run owns it; %s\n", complete(look) ? "complete" : "run the sweep again to go on");
    printf("last written %s ago; journal %s\n", text_duration(clock_wall() - at->changed, ago),
           text_size((double)at->journal_bytes, size));
    if (at->journal_bytes && !at->owned)
        printf("`lgsweep publish %s` brings the store up to date from its journal\n", look->path);
    if (at->damaged_bytes)
        printf("%llu damaged bytes in the journal are passed over\n", (unsigned long long)at->damaged_bytes);
    print_failures(look);
}

static enum cli_exit state(const struct look *look)
{
    if (!complete(look))
        return EXIT_STOPPED;
    return look->standing.failed ? EXIT_FAILED : EXIT_DONE;
}

static enum cli_exit look_once(const struct cli *cli, struct arena *arena, bool *ret_owned)
{
    struct status status = {0};
    struct look look = {.path = cli->argument[0]};
    struct cli_sweep sweep;
    struct bytes warnings = {0};
    enum status_code code = standing_read(look.path, arena, &look.at, &sweep, &look.standing, &warnings, &status);
    *ret_owned = code == STATUS_OK && look.at.owned;
    if (cli->verbose)
        cli_print_lines(&warnings);
    bytes_fini(&warnings);
    enum cli_exit state_code = code == STATUS_OK ? state(&look) : EXIT_DONE;
    if (code == STATUS_OK && cli->option[JSON].given)
        print_json(&look);
    else if (code == STATUS_OK && !cli->quiet)
        print_text(&look);
    cli_sweep_fini(&sweep);
    fflush(stdout);
    if (code)
        return cli_fail(&status);
    return cli->option[EXIT_CODE].given ? state_code : EXIT_DONE;
}

static enum cli_exit run(const struct cli *cli)
{
    struct arena *arena = arena_create(1 << 16, 0);
    bool owned = true;
    enum cli_exit code = arena ? EXIT_DONE : cli_usage("out of memory");
    while (arena && owned) {
        arena_reset(arena);
        code = look_once(cli, arena, &owned);
        if (!cli->option[WATCH].given)
            break;
        if (owned)
            clock_sleep(2);
    }
    arena_destroy(arena);
    return code;
}

const struct cli_command command_status = {
    .name = "status",
    .arguments = "STORE.h5",
    .summary = "how a run stands, from another terminal",
    .help = "Counts of the trials of the sweep that the store was last run with, who owns it, and the trials that "
            "failed with their reasons. Reads without\n"
            "disturbing a run. Whether a sweep is complete is told here, never by mpirun's exit code.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
