// SPDX-License-Identifier: MIT
// A trial's data: a few readable samples, or all of it in a file.
#include "data.h"
#include "base_text.h"
#include "cli_sweep.h"
#include "task_source.h"
#include "train_schedule.h"
#include "trainer.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { SELECT, COUNT, SPLIT, LENGTH, OUTPUT, FORCE };
enum { PRINTED = 4, STREAMED = 10000 }; // samples, unless --count says otherwise
static const struct cli_option options[] = {
    {"select", 's', OPTION_TEXT, "A=V,B=V", "the trial: a value for every axis with more than one", 0, 0},
    {"count", 'n', OPTION_COUNT, "K",
     "samples to print (4); with -o, training samples to write (all; of a stream 10000)", 1, 1e7},
    {"split", 0, OPTION_TEXT, "NAME", "train (default), validation or test", 0, 0},
    {"length", 'l', OPTION_COUNT, "T", "with --split test, length of sequences (the train length)", 1,
     TEST_LENGTH_LIMIT},
    {"output", 'o', OPTION_TEXT, "FILE.npz", "write the training, validation and all test sets for numpy", 0, 0},
    {"force", 'f', OPTION_FLAG, NULL, "write over a FILE.npz that is there", 0, 0},
    {0},
};

static bool is_endless(const struct settings *settings, enum task_split split)
{
    return settings->train.data == DATA_STREAM && split == SPLIT_TRAIN;
}

// Of a stream only: a finite set has its samples whatever training draws from it.
static void print_curriculum(const struct settings *settings)
{
    static const char *const name = "curriculum";
    char text[SETTING_TEXT_SIZE];
    const struct setting *row = setting_find(name, strlen(name));
    if (settings->train.curriculum == CURRICULUM_NONE)
        return;
    printf("%s %s: training begins with sequences of length %" PRId64
           " at most; these are the stream's samples once it has reached train_length = %" PRId64 "\n",
           name, setting_brief(row, setting_get(row, settings), text), train_first_length(settings),
           settings->task.train_length);
}

// Before memory is taken.
static enum status_code check_memory(const struct task_set *set, struct status *status)
{
    char need[TEXT_NUMBER_SIZE], have[TEXT_NUMBER_SIZE];
    const double bytes = (double)task_make_bytes(set, 1), available = trainer_memory_available();
    if (bytes <= available)
        return STATUS_OK;
    return status_set(status, STATUS_MEMORY,
                      "a sequence of %ld tokens needs %s of memory, and %s are available; lower the length",
                      set->tokens, text_size(bytes, need), text_size(available, have));
}

static enum status_code print_set(const struct cli *cli, const struct task_set *set, struct status *status)
{
    const struct settings *settings = set->settings;
    const bool endless = is_endless(settings, set->split);
    long count = cli->option[COUNT].given ? (long)cli->option[COUNT].number : PRINTED;
    count = count < set->samples || endless ? count : set->samples;
    if (check_memory(set, status) != STATUS_OK)
        return status->code;
    printf(endless ? "a stream" : "%ld samples", set->samples);
    printf(" of %s%ld tokens; chance error %g, Bayes error %g\n", set->ragged ? "up to " : "", set->tokens,
           task_set_chance_error(set), task_bayes_error(settings, set->length));
    if (endless)
        print_curriculum(settings);
    return data_print(set, 0, count, status);
}

static enum status_code write_sets(const struct cli *cli, const struct grid_trial *trial,
                                   const struct task_source *source, struct status *status)
{
    const char *path = cli->option[OUTPUT].text;
    struct stat facts;
    const bool endless = is_endless(&trial->settings, SPLIT_TRAIN);
    long count = endless ? STREAMED : (long)trial->settings.task.samples;
    if (cli->option[COUNT].given && (endless || cli->option[COUNT].number < (double)count))
        count = (long)cli->option[COUNT].number;
    if (!cli->option[FORCE].given && stat(path, &facts) == 0 && S_ISREG(facts.st_mode))
        return status_set(status, STATUS_INVALID, "%s is there already; choose another name, or add --force", path);
    enum status_code code = data_write(trial, source, count, path, cli->quiet, status);
    if (code == STATUS_OK && endless && !cli->quiet)
        print_curriculum(&trial->settings);
    return code;
}

static enum status_code show_or_write(const struct cli *cli, const struct grid_trial *trial, enum task_split split,
                                      struct status *status)
{
    const struct settings *settings = &trial->settings;
    const int64_t length =
        cli->option[LENGTH].given ? (int64_t)cli->option[LENGTH].number : settings->task.train_length;
    const struct task_source *source = NULL;
    const bool all = cli->option[OUTPUT].given;
    struct task_set set;
    if (split == SPLIT_TEST && cli_check_length(settings, length, status) != STATUS_OK)
        return status->code;
    struct arena *arena = arena_create(1 << 16, 0);
    if (!arena)
        return status_set(status, STATUS_MEMORY, "out of memory for data");
    const size_t lengths_count = all ? trial->lengths_count : split == SPLIT_TEST;
    enum status_code code =
        task_source_open(settings, all ? trial->lengths : &length, lengths_count, arena, &source, status);
    if (code == STATUS_OK && all)
        code = write_sets(cli, trial, source, status);
    else if (code == STATUS_OK) {
        task_set_init(&set, settings, split, (long)length);
        task_set_from(&set, source);
        code = print_set(cli, &set, status);
    }
    arena_destroy(arena);
    return code;
}

static enum cli_exit run(const struct cli *cli)
{
    struct cli_sweep sweep;
    struct status status = {0};
    const struct grid_trial *choice;
    enum task_split split = SPLIT_TRAIN;
    int64_t length;
    if (cli->option[SPLIT].given && !task_split_named(cli->option[SPLIT].text, &split))
        return cli_usage("data: --split is train, validation or test, not '%s'", cli->option[SPLIT].text);
    if (cli->option[OUTPUT].given && (cli->option[SPLIT].given || cli->option[LENGTH].given))
        return cli_usage("data: -o writes every set; leave out --split and --length");
    if (cli->option[LENGTH].given && split != SPLIT_TEST)
        return cli_usage("data: --length goes with --split test; other sequences have the train length");
    enum status_code code = cli_sweep_load(cli->argument[0], CLI_GRID_LIMIT, &sweep, &status);
    if (code == STATUS_OK)
        code = cli_select(&sweep, cli->option[SELECT].given ? cli->option[SELECT].text : "", &choice, &length, &status);
    if (code == STATUS_OK)
        code = show_or_write(cli, choice, split, &status);
    cli_sweep_fini(&sweep);
    return code ? cli_fail(&status) : EXIT_DONE;
}

const struct cli_command command_data = {
    .name = "data",
    .arguments = "SWEEP.yaml",
    .summary = "a few readable samples of a trial's data, or all of it in a file",
    .help =
        "Prints samples of the trial that --select names, exactly as training sees them: vectors with labels, flips\n"
        "and signal tokens, or tokens with their targets ('.' where one does not count), the labels before noise "
        "where\n"
        "it replaced them, and a '*' at relevant positions; where targets have some of their own, these stand below\n"
        "each other under the target. Of a stream with a curriculum they are those that come once train_length is\n"
        "reached; training begins with shorter ones. With -o it writes them all, for numpy.load and for\n"
        "task: {kind: file, path: FILE.npz}; the names in the file:\n"
        "  train/tokens      (samples, length), or (rows,) with train/offsets where lengths differ\n"
        "  train/vectors     (samples, length, dim), in place of tokens\n"
        "  train/targets     the labels, noise included; train/clean those before noise: flips are where they differ\n"
        "  train/mask        0 where a target does not count\n"
        "  train/relevant    the relevant positions, (samples, k), or of each target (samples, length, k), (rows, k)\n"
        "  validation/…, test/T/… for test sequences of T tokens, vocabulary and classes",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
