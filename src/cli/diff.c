// SPDX-License-Identifier: MIT
// Whether stores hold the same science; and one number that stands for it.
#include "cli.h"
#include "store_diff.h"
#include "store_digest.h"
#include <stdio.h>

enum { DIGEST, LIMIT };
static const struct cli_option options[] = {
    {"digest", 0, OPTION_FLAG, NULL, "print a hash of each store's science, and compare nothing", 0, 0},
    {"limit", 'n', OPTION_COUNT, "K", "list at most K differences (20)", 1, 1e6},
    {0},
};

static void print_differences(const struct cli *cli, const struct store_differences *found)
{
    for (size_t i = 0; i < found->count; i++) {
        const struct store_difference *d = &found->list[i];
        printf("%s%s%s%s%s%s%s: %s | %s", cli->arguments > 2 ? cli->argument[d->other] : "",
               cli->arguments > 2 ? ": " : "", d->field, *d->index ? "[" : "", d->index, *d->index ? "]" : "",
               *d->settings ? "" : " ", d->first, d->second);
        printf("%s%s%s\n", *d->settings ? "  (" : "", d->settings, *d->settings ? ")" : "");
    }
    if (found->total > found->count)
        printf("… and %zu more\n", found->total - found->count);
}

static enum cli_exit compare(const struct cli *cli)
{
    struct status status = {0};
    struct store_differences found;
    size_t limit = cli->option[LIMIT].given ? (size_t)cli->option[LIMIT].number : 20;
    struct arena *arena = arena_create(1 << 16, 0);
    if (!arena)
        return cli_usage("out of memory");
    enum status_code code = store_diff(cli->argument, cli->arguments, limit, arena, &found, &status);
    enum cli_exit result = code ? cli_fail(&status) : found.total ? EXIT_DIFFERENT : EXIT_DONE;
    if (code == STATUS_OK) {
        print_differences(cli, &found);
        if (!cli->quiet)
            printf("%zu differences; %zu trials and %zu values compared with %zu other store%s\n", found.total,
                   found.trials, found.values, cli->arguments - 1, cli->arguments == 2 ? "" : "s");
    }
    arena_destroy(arena);
    return result;
}

static enum cli_exit digest(const struct cli *cli)
{
    for (size_t i = 0; i < cli->arguments; i++) {
        struct status status = {0};
        struct hash128 hash;
        char text[HASH_TEXT_SIZE];
        if (store_digest(cli->argument[i], &hash, &status))
            return cli_fail(&status);
        hash_text(hash, text);
        printf("%s  %s\n", text, cli->argument[i]);
    }
    return EXIT_DONE;
}

static enum cli_exit run(const struct cli *cli)
{
    if (cli->option[DIGEST].given)
        return digest(cli);
    if (cli->arguments < 2)
        return cli_usage("diff takes two stores or more; see `lgsweep diff --help`");
    return compare(cli);
}

const struct cli_command command_diff = {
    .name = "diff",
    .arguments = "STORE.h5 OTHER.h5 …",
    .summary = "whether stores hold the same science, bit for bit",
    .help = "Compares every setting and every value by trial, and ignores timings, hosts, order and failure texts.\n"
            "Exit code 0: no difference; 5: differences.",
    .options = options,
    .least = 1,
    .most = CLI_ARGUMENTS,
    .run = run,
};
