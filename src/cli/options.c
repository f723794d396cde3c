// SPDX-License-Identifier: MIT
#include "base_text.h"
#include "cli.h"
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct cli_option common[] = {
    {"quiet", 'q', OPTION_FLAG, NULL, "errors only", 0, 0},
    {"verbose", 'v', OPTION_FLAG, NULL, "say more", 0, 0},
    {"help", 'h', OPTION_FLAG, NULL, "this text", 0, 0},
    {0},
};
enum { COMMON_QUIET, COMMON_VERBOSE, COMMON_HELP, COMMON_BASE = 1000 };

static void print_options(const struct cli_option *options)
{
    for (const struct cli_option *o = options; o->name; o++) {
        char left[64], letter[8] = "    ";
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->value ? " " : "", o->value ? o->value : "");
        printf("  %-30s %s\n", left, o->help);
    }
}

void cli_print_help(const struct cli_command *command)
{
    printf("usage: lgsweep %s %s [options]\n\n%s\n\n", command->name, command->arguments, command->help);
    print_options(command->options);
    print_options(common);
}

enum cli_exit cli_usage(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "lgsweep: ");
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    return EXIT_USAGE;
}

// The tables as getopt_long wants them. `val` is the row's index, plus COMMON_BASE for the common ones.
struct getopt_form {
    struct option longs[CLI_OPTIONS + 4];
    char shorts[2 * CLI_OPTIONS + 8];
    size_t count, letters;
};

static void add_options(struct getopt_form *form, const struct cli_option *options, int base)
{
    for (int i = 0; options[i].name; i++) {
        int takes = options[i].type != OPTION_FLAG;
        form->longs[form->count++] = (struct option){options[i].name, takes, NULL, base + i};
        if (options[i].letter) {
            form->shorts[form->letters++] = options[i].letter;
            if (takes)
                form->shorts[form->letters++] = ':';
        }
    }
}

static int index_of_letter(const struct cli_option *options, int letter)
{
    for (int i = 0; options[i].name; i++)
        if (options[i].letter == letter)
            return i;
    return -1;
}

static enum cli_exit refuse_option(const struct cli_command *command, const struct getopt_form *form, const char *word,
                                   bool lacks_value)
{
    if (lacks_value)
        return cli_usage("%s: option '%s' needs a value; see `lgsweep %s --help`", command->name, word, command->name);
    const char *names[CLI_OPTIONS + 4];
    for (size_t i = 0; i < form->count; i++)
        names[i] = form->longs[i].name;
    const char *nearest = strncmp(word, "--", 2) == 0 ? text_nearest(word + 2, names, form->count) : NULL;
    if (nearest)
        return cli_usage("%s: unknown option '%s'; did you mean '--%s'?", command->name, word, nearest);
    return cli_usage("%s: unknown option '%s'; see `lgsweep %s --help`", command->name, word, command->name);
}

static bool take_value(const struct cli_command *command, int index, const char *text, struct cli *cli,
                       enum cli_exit *ret_exit)
{
    const struct cli_option *option = &command->options[index];
    struct cli_value *value = &cli->option[index];
    value->given = true;
    value->text = text;
    if (option->type != OPTION_COUNT && option->type != OPTION_SECONDS)
        return true;
    int64_t whole = 0;
    bool overflow = false, number = text_to_real(text, strlen(text), &value->number);
    if (option->type == OPTION_COUNT)
        number = text_to_int(text, strlen(text), &whole, &overflow);
    if (number && value->number >= option->low && value->number <= option->high)
        return true;
    *ret_exit =
        cli_usage("%s: --%s takes %s from %.15g to %.15g, not '%s'", command->name, option->name,
                  option->type == OPTION_COUNT ? "a whole number" : "a number", option->low, option->high, text);
    return false;
}

static bool take_option(const struct cli_command *command, int code, struct cli *cli, enum cli_exit *ret_exit)
{
    if (code < COMMON_BASE && code >= 32) { // a letter
        int own = index_of_letter(command->options, code);
        code = own >= 0 ? own : COMMON_BASE + index_of_letter(common, code);
    }
    if (code < COMMON_BASE)
        return take_value(command, code, optarg, cli, ret_exit);
    cli->quiet |= code == COMMON_BASE + COMMON_QUIET;
    cli->verbose |= code == COMMON_BASE + COMMON_VERBOSE;
    if (code == COMMON_BASE + COMMON_HELP) {
        cli_print_help(command);
        *ret_exit = EXIT_DONE;
        return false;
    }
    return true;
}

bool cli_parse(const struct cli_command *command, int argc, char **argv, struct cli *ret_cli, enum cli_exit *ret_exit)
{
    struct getopt_form form = {0};
    form.shorts[form.letters++] = ':';
    add_options(&form, command->options, 0);
    add_options(&form, common, COMMON_BASE);
    *ret_cli = (struct cli){.command = command};
    opterr = 0;
    optind = 0;
    argv--; // getopt skips the first word: the command's name stands there
    argc++;
    for (;;) {
        int at = optind ? optind : 1;
        int code = getopt_long(argc, argv, form.shorts, form.longs, NULL);
        if (code == -1)
            break;
        if (code == '?' || code == ':') {
            *ret_exit = refuse_option(command, &form, at < argc ? argv[optind > 1 ? optind - 1 : at] : "", code == ':');
            return false;
        }
        if (!take_option(command, code, ret_cli, ret_exit))
            return false;
    }
    for (; optind < argc && ret_cli->arguments < CLI_ARGUMENTS; optind++)
        ret_cli->argument[ret_cli->arguments++] = argv[optind];
    if (ret_cli->arguments >= command->least && ret_cli->arguments <= command->most && optind == argc)
        return true;
    *ret_exit = cli_usage("%s takes %s; see `lgsweep %s --help`", command->name,
                          *command->arguments ? command->arguments : "no arguments", command->name);
    return false;
}
