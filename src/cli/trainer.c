// SPDX-License-Identifier: MIT
// The child process of `run` that trains. Station before: trainer_create; after: trial_create.
#include "trainer.h"
#include "cli.h"

static enum cli_exit run(const struct cli *cli)
{
    return (enum cli_exit)trainer_command((int)cli->arguments, (char **)cli->argument);
}

static const struct cli_option options[] = {{0}};

const struct cli_command command_trainer = {
    .name = "trainer",
    .arguments = "",
    .summary = "the child process of run that trains",
    .help = "Reads jobs from a pipe and writes records to another; started by run.",
    .options = options,
    .least = 0,
    .most = CLI_ARGUMENTS,
    .hidden = true,
    .run = run,
};
