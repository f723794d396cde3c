// SPDX-License-Identifier: MIT
#include "support.h"

#include "cli.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT, COUNT, SECONDS, FLAG };
static const struct cli_option options[] = {
    {"output", 'o', OPTION_TEXT, "FILE", "a file", 0, 0},
    {"count", 'n', OPTION_COUNT, "K", "a number", 1, 9},
    {"seconds", 0, OPTION_SECONDS, "S", "seconds", 0.5, 60},
    {"flag", 'f', OPTION_FLAG, NULL, "a flag", 0, 0},
    {0},
};

static enum cli_exit nothing(const struct cli *cli)
{
    (void)cli;
    return EXIT_DONE;
}

static const struct cli_command command = {.name = "sample",
                                           .arguments = "A [B]",
                                           .summary = "s",
                                           .help = "h",
                                           .options = options,
                                           .least = 1,
                                           .most = 2,
                                           .run = nothing};

enum { WORDS = 8 };
struct parsed {
    struct cli cli;
    bool runs;
    enum cli_exit code;
    char errors[1024];
};

// Parses words with stderr in a pipe, as the command line does behind the command's name.
static void parse(struct parsed *ret, const char *const *words)
{
    char *argv[WORDS + 2] = {"lgsweep", "sample"};
    int count = 0, ends[2], kept = dup(STDERR_FILENO);
    for (; words[count]; count++)
        argv[count + 2] = (char *)words[count];
    *ret = (struct parsed){.code = EXIT_DONE};
    assert_int_equal(pipe(ends), 0);
    fflush(stderr);
    dup2(ends[1], STDERR_FILENO);
    ret->runs = cli_parse(&command, count, argv + 2, &ret->cli, &ret->code);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(ends[1]);
    ssize_t size = read(ends[0], ret->errors, sizeof ret->errors - 1);
    ret->errors[size > 0 ? size : 0] = 0;
    close(ends[0]);
}

static void takes_options_in_any_order(void **state)
{
    static const char *const forms[][WORDS] = {
        {"a", "--output", "x", "-n", "3", "--seconds=1.5", "-f", NULL},
        {"-fn3", "--seconds", "1.5", "-ox", "a", NULL},
        {"--outp=x", "a", "--count", "3", "--sec", "1.5", "--flag", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct parsed got;
        parse(&got, forms[i]);
        assert_true(got.runs);
        assert_string_equal(got.cli.option[OUTPUT].text, "x");
        assert_int_equal((int)got.cli.option[COUNT].number, 3);
        assert_true(got.cli.option[SECONDS].number == 1.5);
        assert_true(got.cli.option[FLAG].given);
        assert_int_equal(got.cli.arguments, 1);
        assert_string_equal(got.cli.argument[0], "a");
    }
}

static void knows_the_common_options(void **state)
{
    struct parsed got;
    (void)state;
    parse(&got, (const char *const[]){"a", "-q", NULL});
    assert_true(got.runs && got.cli.quiet && !got.cli.verbose);
    parse(&got, (const char *const[]){"a", "--verbose", NULL});
    assert_true(got.runs && got.cli.verbose && !got.cli.quiet);
}

static void leaves_what_is_not_given(void **state)
{
    struct parsed got;
    (void)state;
    parse(&got, (const char *const[]){"a", "b", NULL});
    assert_true(got.runs);
    assert_false(got.cli.option[OUTPUT].given || got.cli.option[FLAG].given);
    assert_null(got.cli.option[OUTPUT].text);
    assert_int_equal(got.cli.arguments, 2);
}

static void takes_words_behind_two_dashes(void **state)
{
    struct parsed got;
    (void)state;
    parse(&got, (const char *const[]){"--", "--output", NULL});
    assert_true(got.runs);
    assert_string_equal(got.cli.argument[0], "--output");
}

static void refuses_bad_words_with_the_remedy(void **state)
{
    static const struct {
        const char *words[WORDS], *says;
    } rows[] = {
        {{NULL}, "sample takes A [B]"},
        {{"a", "b", "c", NULL}, "sample takes A [B]"},
        {{"a", "--ouptut", "x", NULL}, "did you mean '--output'?"},
        {{"a", "--zzzzzzzz", NULL}, "unknown option '--zzzzzzzz'; see `lgsweep sample --help`"},
        {{"a", "-z", NULL}, "unknown option '-z'"},
        {{"a", "--output", NULL}, "option '--output' needs a value"},
        {{"a", "-n", "0", NULL}, "--count takes a whole number from 1 to 9, not '0'"},
        {{"a", "-n", "2.5", NULL}, "not '2.5'"},
        {{"a", "-n", "x", NULL}, "not 'x'"},
        {{"a", "-n", "99999999999999999999", NULL}, "whole number from 1 to 9"},
        {{"a", "--seconds", "0.1", NULL}, "a number from 0.5 to 60"},
        {{"a", "--seconds", "nan", NULL}, "a number from 0.5 to 60"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct parsed got;
        parse(&got, rows[i].words);
        assert_false(got.runs);
        assert_int_equal(got.code, EXIT_USAGE);
        if (!strstr(got.errors, rows[i].says))
            fail_msg("row %zu: '%s' lacks '%s'", i, got.errors, rows[i].says);
    }
}

static void maps_every_status_to_its_exit_code(void **state)
{
    static const struct {
        enum status_code status;
        enum cli_exit code;
    } rows[] = {
        {STATUS_OK, EXIT_DONE},           {STATUS_INTERNAL, EXIT_INTERNAL}, {STATUS_INVALID, EXIT_USAGE},
        {STATUS_SYSTEM, EXIT_USAGE},      {STATUS_MEMORY, EXIT_USAGE},      {STATUS_IN_USE, EXIT_IN_USE},
        {STATUS_DAMAGED, EXIT_DIFFERENT}, {STATUS_FULL, EXIT_STOPPED},      {STATUS_STOPPED, EXIT_STOPPED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(cli_exit_code(rows[i].status), rows[i].code);
}

static void has_sound_tables(void **state)
{
    (void)state;
    for (size_t c = 0; cli_commands[c]; c++) {
        const struct cli_command *row = cli_commands[c];
        size_t count = 0;
        assert_ptr_equal(cli_find_command(row->name), row);
        assert_true(row->run && row->summary && row->help && row->arguments && row->least <= row->most);
        assert_true(row->most <= CLI_ARGUMENTS);
        for (const struct cli_option *o = row->options; o->name; o++, count++) {
            assert_non_null(o->help);
            assert_true((o->type == OPTION_FLAG) == (o->value == NULL));
            assert_true(o->type == OPTION_FLAG || o->type == OPTION_TEXT || o->low < o->high);
            assert_null(strchr("qvh", o->letter ? o->letter : ' '));
        }
        assert_true(count <= CLI_OPTIONS);
    }
    assert_null(cli_find_command("nothing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_options_in_any_order),
        cmocka_unit_test(knows_the_common_options),
        cmocka_unit_test(leaves_what_is_not_given),
        cmocka_unit_test(takes_words_behind_two_dashes),
        cmocka_unit_test(refuses_bad_words_with_the_remedy),
        cmocka_unit_test(maps_every_status_to_its_exit_code),
        cmocka_unit_test(has_sound_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
