// SPDX-License-Identifier: MIT
// The first station of every command: name → row of the table → its run function.
#include "base_isa.h"
#include "base_text.h"
#include "cli.h"
#include "cli_version.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>

const struct cli_command *const cli_commands[] = {
    &command_run,  &command_plan, &command_trial,    &command_data,    &command_predict, &command_status,
    &command_show, &command_diff, &command_describe, &command_trainer, &command_publish, NULL,
};

const struct cli_command *cli_find_command(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0)
            return cli_commands[i];
    return NULL;
}

void cli_print_overview(void)
{
    printf("lgsweep maps where Transformers generalise beyond the length they were trained on.\n\n"
           "usage: lgsweep COMMAND [options]\n"
           "       mpirun -n N lgsweep run SWEEP.yaml\n\n");
    for (size_t i = 0; cli_commands[i]; i++)
        if (!cli_commands[i]->hidden)
            printf("  %-9s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    printf(
        "\n`lgsweep COMMAND --help` explains one command; `lgsweep --version` lists everything that is linked.\n"
        "Exit codes: 0 done, 1 internal, 2 usage, sweep file or unusable store, 3 some trials failed, 4 store in use,\n"
        "5 differences or damage found, 75 stopped early and resumable.\n");
}

static enum cli_exit unknown_command(const char *name)
{
    const char *names[32];
    size_t count = 0;
    for (size_t i = 0; cli_commands[i]; i++)
        if (!cli_commands[i]->hidden)
            names[count++] = cli_commands[i]->name;
    const char *nearest = text_nearest(name, names, count);
    if (nearest)
        return cli_usage("unknown command '%s'; did you mean '%s'?", name, nearest);
    return cli_usage("unknown command '%s'; `lgsweep --help` lists them", name);
}

enum cli_exit cli_main(int argc, char **argv)
{
    if (argc < 2) {
        cli_print_overview();
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    bool help = strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0;
    if (help && argc > 2 && cli_find_command(argv[2])) {
        cli_print_help(cli_find_command(argv[2]));
        return EXIT_DONE;
    }
    if (help) {
        cli_print_overview();
        return EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        cli_print_version();
        return EXIT_DONE;
    }
    const struct cli_command *command = cli_find_command(name);
    if (!command)
        return unknown_command(name);
    struct cli cli;
    enum cli_exit code;
    if (!cli_parse(command, argc - 2, argv + 2, &cli, &code))
        return code;
    struct status status = {0};
    if (isa_check(&status))
        return cli_fail(&status);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // a write beyond the limit then fails with an error that says so
    return command->run(&cli);
}
