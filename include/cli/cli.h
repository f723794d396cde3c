// SPDX-License-Identifier: MIT
// The command line: one row a subcommand, one row an option; parsing, --help and suggestions come from the tables.
// This layer alone prints and chooses exit codes.
#pragma once
#include "base_arena.h"
#include "base_bytes.h"
#include "base_status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Exit codes of every command.
enum cli_exit {
    EXIT_DONE = 0,
    EXIT_INTERNAL = 1,
    EXIT_USAGE = 2,     // usage, sweep file, unusable store
    EXIT_FAILED = 3,    // some trials failed
    EXIT_IN_USE = 4,    // another process owns the store
    EXIT_DIFFERENT = 5, // diff: differences; damage found
    EXIT_STOPPED = 75,  // stopped early and resumable: signal, time limit, full disk
};
enum cli_exit cli_exit_code(enum status_code code);

enum cli_option_type { OPTION_FLAG, OPTION_TEXT, OPTION_COUNT, OPTION_SECONDS };

// One option: `--name`, perhaps `-letter`. Values land in the parsed struct at the same index as the row.
struct cli_option {
    const char *name;
    char letter; // 0: none
    enum cli_option_type type;
    const char *value; // "FILE", as shown in help; NULL for a flag
    const char *help;
    double low, high; // range of a number
};

struct cli_value {
    bool given;
    const char *text;
    double number;
};

enum { CLI_OPTIONS = 16, CLI_ARGUMENTS = 64 };

// What a command gets: its options in the order of its table, then the common ones apart.
struct cli {
    const struct cli_command *command;
    struct cli_value option[CLI_OPTIONS];
    const char *argument[CLI_ARGUMENTS];
    size_t arguments;
    bool quiet, verbose;
};

struct cli_command {
    const char *name;
    const char *arguments;            // "SWEEP.yaml", for the usage line
    const char *summary;              // one line
    const char *help;                 // what it does, output, exit codes
    const struct cli_option *options; // ended by a NULL name
    size_t least, most;               // number of arguments
    bool hidden;
    enum cli_exit (*run)(const struct cli *cli);
};

extern const struct cli_command *const cli_commands[]; // NULL-terminated, in the order of --help

enum cli_exit cli_main(int argc, char **argv);

// Fills `ret_cli` from the words behind the command's name; `common` options (--help, --quiet, --verbose) are known to
// every command. Prints help and returns false with *ret_exit where nothing is to be run.
bool cli_parse(const struct cli_command *command, int argc, char **argv, struct cli *ret_cli, enum cli_exit *ret_exit);
void cli_print_help(const struct cli_command *command);
void cli_print_overview(void);
const struct cli_command *cli_find_command(const char *name); // NULL when unknown

// "lgsweep: " and the text to stderr, each line; returns the exit code of `status`.
enum cli_exit cli_fail(const struct status *status);
enum cli_exit cli_usage(const char *format, ...) PRINTF_LIKE(1, 2);
void cli_warn(const char *format, ...) PRINTF_LIKE(1, 2);
// Lines that a layer collected, to stderr as they are.
void cli_print_lines(const struct bytes *lines);

// Whether stream `fd` takes a line within so many milliseconds: neither a pipe that nobody reads nor a stopped terminal
// shall hold up a run. What cannot be printed is left out.
bool cli_takes_line(int fd, int milliseconds);
// Whether stream `fd` is a terminal on which colours and cursor movement are welcome (NO_COLOR, TERM=dumb honoured).
bool cli_is_terminal(int fd);
int cli_columns(void); // width of the terminal, 80 where unknown

extern const struct cli_command command_run, command_plan, command_trial, command_data, command_predict, command_status,
    command_show, command_diff, command_describe, command_trainer, command_publish;
