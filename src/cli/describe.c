// SPDX-License-Identifier: MIT
// The reference of settings and of stored variables, printed from the tables that the program itself uses.
#include "analyse.h"
#include "cli.h"
#include "record_fields.h"
#include "spec_settings.h"
#include <stdio.h>
#include <string.h>

// Keys of a sweep file that are no settings.
static const struct key {
    const char *name, *help;
} keys[] = {
    {"sweep", "name of the sweep, after which its store is called; default the name of the file"},
    {"replicates", "how often each setting is repeated, with other draws; default 1"},
    {"twins", "true, false: whether each trial with noise is run without it as well; default true"},
    {"grid", "axes: settings with the values to combine, as in {snr: [1, 4], train_length: [8, 16]}"},
    {"zip", "named blocks of settings that move together, as in {case: {width: [32, 64], heads: [2, 4]}}"},
    {"exclude", "a list of combinations to leave out, as in - {snr: 1, test_length: 16x}"},
    {"save", "weights: those after the last step are written; {weights: [0, 100, last]}: those of these steps"},
    {"init", "weights to start from, as in {from: results/pretrained.h5, step: last, with: {train_length: 8}}"},
    {"test_length", "in evaluate or grid: tokens, or a multiple of the train length such as 4x; default 1x"},
};
enum { KEYS = sizeof keys / sizeof keys[0] };

// Columns that hold every name of a setting or key.
static int name_width(void)
{
    size_t width = 0;
    for (size_t i = 0; i < settings_count + KEYS; i++) {
        const char *name = i < settings_count ? settings_table[i].name : keys[i - settings_count].name;
        width = strlen(name) > width ? strlen(name) : width;
    }
    return (int)width;
}

static void describe_key(const struct key *key)
{
    printf("  %-*s %s\n", name_width(), key->name, key->help);
}

// A count or, below 1, a share of one.
static bool is_share(const struct setting *row)
{
    return row->type == SETTING_REAL && strcmp(row->unit, "steps") == 0 && row->standard.r > 0 && row->standard.r < 1;
}

static void describe_setting(const struct setting *row)
{
    char domain[SETTING_DOMAIN_SIZE], standard[SETTING_TEXT_SIZE];
    bool inside = row->type != SETTING_INT || (double)row->standard.i >= row->low;
    bool empty = row->type == SETTING_TEXT && !*row->standard.text;
    printf("  %-*s %s; default %s", name_width(), row->name, setting_domain(row, domain, sizeof domain),
           empty    ? "empty"
           : inside ? setting_text(row, row->standard, standard)
                    : "the replicate");
    if (!empty && row->unit && strcmp(row->unit, "1") != 0)
        printf("%s %s", is_share(row) ? " of the" : "", row->unit);
    printf("\n  %*s %s\n", name_width(), "", row->help);
}

static void describe_settings(void)
{
    for (int section = 0; section < SECTIONS; section++) {
        printf("%s%s\n", section ? section_names[section] : "top level", section ? ":" : "");
        for (size_t i = 0; i < settings_count; i++)
            if ((int)settings_table[i].section == section && !settings_table[i].assigned)
                describe_setting(&settings_table[i]);
        printf("\n");
    }
    printf("besides, at the top level\n");
    for (size_t i = 0; i < KEYS; i++)
        describe_key(&keys[i]);
}

// Across trials: the same for all replicates.
static void describe_derived(const struct record_derived *row)
{
    printf("  %s(test_length) [%s]  %s\n      %s", row->name, row->unit, row->long_name, row->help);
    for (int i = 0; row->flags && row->flags[i]; i++)
        printf("%s%d %s", i ? ", " : ": ", i, row->flags[i]);
    printf("\n");
}

static void describe_fields(void)
{
    for (size_t i = 0; i < record_fields_count; i++) {
        const struct record_field *row = &record_fields[i];
        printf("  %s(%s", row->name, row->part == RECORD_TEST ? "test_length" : "");
        for (int d = 0; d < 4 && row->dimension[d]; d++)
            printf("%s%s", d || row->part == RECORD_TEST ? ", " : "", row->dimension[d]);
        printf(") [%s]  %s\n      %s\n", row->unit, row->long_name, row->help);
    }
    struct record_derived derived;
    for (size_t i = 0; analyse_variable(i, &derived); i++)
        describe_derived(&derived);
}

static bool describe_one(const char *name)
{
    const struct setting *setting = setting_find(name, strlen(name));
    const struct record_field *field = record_field_by_name(name);
    if (setting)
        describe_setting(setting);
    if (field)
        printf("  %s [%s]  %s\n      %s\n", field->name, field->unit, field->long_name, field->help);
    struct record_derived derived;
    bool found = setting || field;
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(keys[i].name, name) == 0) {
            describe_key(&keys[i]);
            found = true;
        }
    for (size_t i = 0; !found && analyse_variable(i, &derived); i++)
        if ((found = strcmp(derived.name, name) == 0))
            describe_derived(&derived);
    return found;
}

static enum cli_exit run(const struct cli *cli)
{
    const char *topic = cli->arguments ? cli->argument[0] : "settings";
    if (strcmp(topic, "settings") == 0)
        describe_settings();
    else if (strcmp(topic, "variables") == 0)
        describe_fields();
    else if (!describe_one(topic)) {
        const char *nearest = setting_nearest(topic, SECTION_SWEEP, true);
        return cli_usage("describe: nothing is called '%s'%s%s%s", topic, nearest ? "; did you mean '" : "",
                         nearest ? nearest : "", nearest ? "'?" : "");
    }
    return EXIT_DONE;
}

static const struct cli_option options[] = {{0}};

const struct cli_command command_describe = {
    .name = "describe",
    .arguments = "[settings | variables | NAME]",
    .summary = "the reference: settings of a sweep file, variables of a store",
    .help =
        "Prints every setting with its range and default, or every variable of a store with its definition, or the\n"
        "one that is named.",
    .options = options,
    .least = 0,
    .most = 1,
    .run = run,
};
