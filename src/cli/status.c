// SPDX-License-Identifier: MIT
// How a run stands, from another terminal: from the journal while a run owns the store, from the store afterwards.
#include "base_clock.h"
#include "base_text.h"
#include "cli.h"
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

static size_t over(const struct store_summary *at)
{
    return at->done + at->diverged + at->failed;
}

static bool complete(const struct store_summary *at)
{
    return at->planned > 0 && over(at) >= at->planned;
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

static void put_json_failures(const struct store_summary *at)
{
    printf("\"failures\":[");
    for (size_t i = 0; i < at->failures_count; i++) {
        const struct store_failure *failure = &at->failures[i];
        char identity[HASH_TEXT_SIZE];
        hash_text(failure->identity, identity);
        printf("%s{\"trial\":\"%s\",\"settings\":", i ? "," : "", identity);
        put_json_text(failure->settings);
        printf(",\"reason\":");
        put_json_text(failure->reason);
        printf(",\"attempts\":%u,\"last_step\":%lld}", failure->attempts, (long long)failure->last_step);
    }
    printf("]");
}

static void print_json(const char *path, const struct store_summary *at)
{
    printf("{\"store\":");
    put_json_text(path);
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
    printf(",\"complete\":%s,\"planned\":%zu,\"done\":%zu,\"diverged\":%zu,\"failed\":%zu,\"journal_bytes\":%llu,"
           "\"published\":%s,",
           complete(at) ? "true" : "false", at->planned, at->done, at->diverged, at->failed,
           (unsigned long long)at->journal_bytes, at->published ? "true" : "false");
    put_json_failures(at);
    printf("}\n");
}

static void print_text(const char *path, const struct store_summary *at)
{
    char size[TEXT_NUMBER_SIZE], ago[TEXT_NUMBER_SIZE];
    printf("%s: sweep %s: %zu of %zu trials over: %zu done, %zu diverged, %zu failed\n", path, at->name, over(at),
           at->planned, at->done, at->diverged, at->failed);
    if (at->owned)
        printf("running on %s, process %lld, since %s%s%s\n", at->owner.host, (long long)at->owner.process,
               at->owner.since, *at->owner.job ? ", job " : "", at->owner.job);
    else
        printf("no run owns it; %s\n", complete(at) ? "complete" : "run the sweep again to go on");
    printf("last written %s ago; journal %s\n", text_duration(clock_wall() - at->changed, ago),
           text_size((double)at->journal_bytes, size));
    if (at->journal_bytes && !at->owned)
        printf("`lgsweep publish %s` brings the store up to date from its journal\n", path);
    if (at->damaged_bytes)
        printf("%llu damaged bytes in the journal are passed over\n", (unsigned long long)at->damaged_bytes);
    for (size_t i = 0; i < at->failures_count; i++)
        printf("failed [%s] after %u attempts at step %lld: %s\n", at->failures[i].settings, at->failures[i].attempts,
               (long long)at->failures[i].last_step, at->failures[i].reason);
}

static enum cli_exit state(const struct store_summary *at)
{
    if (!complete(at))
        return EXIT_STOPPED;
    return at->failed ? EXIT_FAILED : EXIT_DONE;
}

static enum cli_exit look(const struct cli *cli, struct arena *arena, bool *ret_owned)
{
    struct status status = {0};
    struct store_summary at;
    struct bytes warnings = {0};
    const char *path = cli->argument[0];
    *ret_owned = false;
    enum status_code code = store_journal_summary(path, arena, &at, &warnings, &status);
    if (warnings.size && cli->verbose)
        fprintf(stderr, "%.*s", (int)warnings.size, (const char *)warnings.data);
    bytes_fini(&warnings);
    if (code)
        return cli_fail(&status);
    *ret_owned = at.owned;
    if (cli->option[JSON].given)
        print_json(path, &at);
    else if (!cli->quiet)
        print_text(path, &at);
    fflush(stdout);
    return cli->option[EXIT_CODE].given ? state(&at) : EXIT_DONE;
}

static enum cli_exit run(const struct cli *cli)
{
    struct arena *arena = arena_create(1 << 16, 0);
    bool owned = true;
    enum cli_exit code = arena ? EXIT_DONE : cli_usage("out of memory");
    while (arena && owned) {
        arena_reset(arena);
        code = look(cli, arena, &owned);
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
    .help = "Counts of the store's trials, who owns it, and the trials that failed with their reasons. Reads without\n"
            "disturbing a run. Whether a sweep is complete is told here, never by mpirun's exit code.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
