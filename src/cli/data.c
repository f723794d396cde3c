// SPDX-License-Identifier: MIT
// A few samples of a trial's data in readable form.
#include "base_text.h"
#include "cli_sweep.h"
#include "task.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SELECT, COUNT, SPLIT, LENGTH };
static const struct cli_option options[] = {
    {"select", 's', OPTION_TEXT, "A=V,B=V", "the trial: a value for every axis with more than one", 0, 0},
    {"count", 'n', OPTION_COUNT, "K", "samples to print (4)", 1, 1e6},
    {"split", 0, OPTION_TEXT, "NAME", "train (default), validation or test", 0, 0},
    {"length", 'l', OPTION_COUNT, "T", "length of test sequences (the train length)", 1, 65536},
    {0},
};

static bool is_relevant(const struct batch *batch, long sample, long position)
{
    for (long i = 0; i < batch->relevant_count; i++)
        if (batch->relevant[sample * batch->relevant_count + i] == position)
            return true;
    return false;
}

enum { SHOWN_TOKENS = 12, SHOWN_COORDINATES = 6, SHOWN_SYMBOLS = 20 };

static void print_vector(const float *vector, long dim)
{
    double square = 0;
    for (long c = 0; c < dim; c++)
        square += (double)vector[c] * (double)vector[c];
    printf("norm %7.3f  [", sqrt(square));
    for (long c = 0; c < dim && c < SHOWN_COORDINATES; c++)
        printf("%s%7.3f", c ? " " : "", (double)vector[c]);
    printf("%s]\n", dim > SHOWN_COORDINATES ? " …" : "");
}

static void print_vectors(const struct batch *batch, long sample)
{
    for (long t = 0; t < batch->length && t < SHOWN_TOKENS; t++) {
        printf("  %s token %-5ld ", is_relevant(batch, sample, t) ? "signal" : "      ", t);
        print_vector(batch->vectors + (sample * batch->length + t) * batch->dim, batch->dim);
    }
    if (batch->length <= SHOWN_TOKENS)
        return;
    printf("         … %ld more tokens; signal at", batch->length - SHOWN_TOKENS);
    for (long i = 0; i < batch->relevant_count; i++)
        printf(" %d", batch->relevant[sample * batch->relevant_count + i]);
    printf("\n");
}

// `count` integers, below each other over all rows, the last where they are many.
static void print_row(const char *name, const int32_t *row, long count)
{
    printf("  %-8s", name);
    for (long t = 0; t < count && t < SHOWN_SYMBOLS; t++)
        printf(" %4d", row[t]);
    if (count > SHOWN_SYMBOLS)
        printf("  … %ld more, the last %d", count - SHOWN_SYMBOLS, row[count - 1]);
    printf("\n");
}

static void print_tokens(const struct batch *batch, long sample)
{
    const int32_t *targets = batch->targets + sample * batch->positions,
                  *clean = batch->clean + sample * batch->positions;
    long replaced = 0;
    for (long t = 0; t < batch->positions; t++)
        replaced += targets[t] != clean[t];
    print_row("tokens", batch->tokens + sample * batch->length, batch->length);
    print_row(batch->positions > 1 ? "targets" : "target", targets, batch->positions);
    if (batch->relevant_count)
        print_row("relevant", batch->relevant + sample * batch->relevant_count, batch->relevant_count);
    if (replaced) {
        print_row("clean", clean, batch->positions);
        printf("  %ld of %ld target%s replaced by label noise\n", replaced, batch->positions,
               batch->positions == 1 ? "" : "s");
    }
}

static void print_sample(const struct batch *batch, long first, long sample)
{
    if (!batch->binary) {
        printf("sample %ld\n", first + sample);
    } else {
        const int given = batch->targets[sample * batch->positions], clean = batch->clean[sample * batch->positions];
        printf("sample %ld  label %+d%s\n", first + sample, 2 * given - 1,
               given != clean ? "  (flipped: the clean label is the opposite)" : "");
    }
    if (batch->tokens)
        print_tokens(batch, sample);
    else
        print_vectors(batch, sample);
}

static enum status_code print_data(const struct cli *cli, const struct grid_trial *trial, enum task_split split,
                                   struct status *status)
{
    long length = (long)trial->settings.task.train_length;
    if (split == SPLIT_TEST && cli->option[LENGTH].given)
        length = (long)cli->option[LENGTH].number;
    struct task_set set;
    task_set_init(&set, &trial->settings, split, length);
    long count = cli->option[COUNT].given ? (long)cli->option[COUNT].number : 4;
    count = count < set.samples ? count : set.samples;
    struct arena *arena = arena_create(1 << 20, 0);
    if (!arena)
        return status_set(status, STATUS_MEMORY, "out of memory for %ld samples", count);
    printf("%ld samples of %ld tokens; chance error %g, Bayes error %g\n", set.samples, set.length,
           task_chance_error(&trial->settings, length), task_bayes_error(&trial->settings, length));
    enum status_code code = STATUS_OK;
    for (long i = 0; code == STATUS_OK && i < count; i++) {
        struct batch batch;
        arena_reset(arena);
        code = task_make(&set, i, 1, arena, &batch, status);
        if (code == STATUS_OK)
            print_sample(&batch, i, 0);
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
    enum status_code code = cli_sweep_load(cli->argument[0], CLI_GRID_LIMIT, &sweep, &status);
    if (code == STATUS_OK)
        code = cli_select(&sweep, cli->option[SELECT].given ? cli->option[SELECT].text : "", &choice, &length, &status);
    if (code == STATUS_OK)
        code = print_data(cli, choice, split, &status);
    cli_sweep_fini(&sweep);
    return code ? cli_fail(&status) : EXIT_DONE;
}

const struct cli_command command_data = {
    .name = "data",
    .arguments = "SWEEP.yaml",
    .summary = "a few readable samples of a trial's data",
    .help =
        "Prints samples of the trial that --select names, exactly as training sees them: vectors with labels, flips\n"
        "and signal tokens, or tokens with their targets and those that label noise replaced.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
