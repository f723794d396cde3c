// SPDX-License-Identifier: MIT
// What a sweep would run, without running it.
#include "base_clock.h"
#include "base_text.h"
#include "cli_sweep.h"
#include "dispatch.h"
#include "run.h"
#include "store_view.h"
#include "trainer.h"
#include "trial.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT, WORKERS, LIST };
static const struct cli_option options[] = {
    {"output", 'o', OPTION_TEXT, "STORE.h5", "the store (results/NAME.h5)", 0, 0},
    {"workers", 'n', OPTION_COUNT, "N", "ranks to plan for (the cores of this machine)", 1, 1e6},
    {"list", 'l', OPTION_COUNT, "K", "show the K dearest trials (5)", 0, 1e6},
    {0},
};

static void print_axis(const struct axis *axis)
{
    char text[SETTING_TEXT_SIZE];
    for (size_t c = 0; c < axis->columns_count; c++) {
        const struct axis_column *column = &axis->columns[c];
        printf("  %-18s", column->setting->name);
        for (size_t i = 0; i < axis->count && i < 16; i++)
            printf("%s%s", i ? ", " : "", setting_text(column->setting, column->values[i], text));
        printf("%s%s%s\n", axis->count > 16 ? ", …" : "", axis->columns_count > 1 ? "  together as " : "",
               axis->columns_count > 1 ? axis->name : "");
    }
}

static void print_axes(const struct sweep *sweep)
{
    char text[TEXT_NUMBER_SIZE];
    printf("%s: %zu axes, %lld replicate%s\n", sweep->name, sweep->axes_count, (long long)sweep->replicates,
           sweep->replicates == 1 ? "" : "s");
    for (size_t a = 0; a < sweep->axes_count; a++)
        print_axis(&sweep->axes[a]);
    printf("  %-18s", "test_length");
    for (size_t i = 0; i < sweep->lengths_count; i++) {
        text_real(sweep->lengths[i].value, text);
        printf("%s%s%s", i ? ", " : "", text, sweep->lengths[i].relative ? "x" : "");
    }
    printf("\n");
}

struct plan {
    size_t *order;
    double *cost;
    double total, dearest_memory;
    size_t to_run, done, failed, twins;
};

static bool needs_run(struct store_view *view, const struct grid_trial *trial, struct plan *plan)
{
    ptrdiff_t row = view ? store_view_find(view, trial->identity) : -1;
    if (row < 0)
        return true;
    enum record_status known = store_view_row(view, (size_t)row)->status;
    plan->failed += known == RECORD_FAILED;
    if (known != RECORD_DONE && known != RECORD_DIVERGED)
        return known != RECORD_FAILED;
    for (size_t i = 0; i < trial->lengths_count; i++)
        if (!store_view_has(view, (size_t)row, trial->lengths[i]))
            return true;
    plan->done++;
    return false;
}

static enum status_code count_trials(const struct cli_sweep *sweep, struct store_view *view, struct plan *plan,
                                     struct status *status)
{
    size_t count = grid_trials(sweep->grid);
    plan->order = arena_get(sweep->arena, count, sizeof *plan->order);
    plan->cost = arena_get(sweep->arena, count, sizeof *plan->cost);
    if (!plan->order || !plan->cost)
        return status_set(status, STATUS_MEMORY, "out of memory for a plan of %zu trials", count);
    for (size_t i = 0; i < count; i++) {
        const struct grid_trial *trial = grid_trial(sweep->grid, i);
        plan->twins += trial->twin;
        if (!needs_run(view, trial, plan))
            continue;
        plan->to_run++;
        plan->cost[i] = trial_cost(&trial->settings, trial->lengths, trial->lengths_count);
        plan->total += plan->cost[i];
        plan->dearest_memory =
            fmax(plan->dearest_memory, trial_memory(&trial->settings, trial->lengths, trial->lengths_count));
    }
    dispatch_order(plan->cost, count, plan->order);
    return STATUS_OK;
}

// Cost units a second on this machine, from up to a tenth of a second of training at `like`.
static double measure_rate(const struct settings *like)
{
    struct settings settings = *like;
    settings.evaluate.points = 1; // at the end alone
    settings.evaluate.validation_samples = settings.evaluate.curve_samples = settings.evaluate.test_samples = 200;
    int64_t length = settings.task.train_length;
    struct trial *trial = NULL;
    struct trial_progress progress = {0};
    struct status status = {0};
    bool done = false;
    if (trial_create(&settings, &length, 1, &trial, &status))
        return NAN;
    double start = clock_now(), seconds = 0;
    while (!done && seconds < 0.1 && trial_advance(trial, 0.02, &done, &status) == STATUS_OK)
        seconds = clock_now() - start;
    trial_progress(trial, &progress);
    trial_destroy(trial);
    double share = done ? 1 : (double)progress.step / (double)progress.steps;
    return share * trial_cost(&settings, &length, 1) / seconds;
}

static void print_dearest(const struct cli_sweep *sweep, const struct plan *plan, size_t limit, double rate)
{
    char time[TEXT_NUMBER_SIZE], size[TEXT_NUMBER_SIZE];
    for (size_t i = 0; i < limit && i < grid_trials(sweep->grid) && plan->cost[plan->order[i]] > 0; i++) {
        const struct grid_trial *trial = grid_trial(sweep->grid, plan->order[i]);
        struct bytes text = {0};
        settings_canonical(&trial->settings, &text);
        for (size_t c = 0; c < text.size; c++)
            if (text.data[c] == '\n')
                text.data[c] = ' ';
        double memory = trial_memory(&trial->settings, trial->lengths, trial->lengths_count);
        printf("  %10s %10s  T up to %lld  %.*s\n", text_duration(plan->cost[plan->order[i]] / rate, time),
               text_size(memory, size), (long long)trial->lengths[trial->lengths_count - 1], (int)text.size,
               text.data ? (const char *)text.data : "");
        bytes_fini(&text);
    }
}

static void print_plan(const struct cli *cli, const struct cli_sweep *sweep, const struct plan *plan, const char *store)
{
    char time[TEXT_NUMBER_SIZE], size[TEXT_NUMBER_SIZE], available[TEXT_NUMBER_SIZE];
    size_t cells = grid_cell_count(sweep->grid), trials = grid_trials(sweep->grid);
    double workers = cli->option[WORKERS].given ? cli->option[WORKERS].number : (double)sysconf(_SC_NPROCESSORS_ONLN);
    printf("%zu cells, %zu trainings (%zu of them noise-free twins); test lengths share one training\n", cells, trials,
           plan->twins);
    printf("store %s: %zu done, %zu failed, %zu to run\n", store, plan->done, plan->failed, plan->to_run);
    printf("memory of a trial: at most %s of %s available\n", text_size(plan->dearest_memory, size),
           text_size(trainer_memory_available(), available));
    if (plan->dearest_memory > trainer_memory_available())
        cli_warn("trials that need more memory than there is will be recorded as failed");
    if (!plan->to_run)
        return;
    double rate = measure_rate(&grid_trial(sweep->grid, plan->order[0])->settings),
           dearest = plan->cost[plan->order[0]] / rate;
    printf("expected: about %s on %g worker%s of this machine's speed\n",
           text_duration(fmax(plan->total / rate / workers, dearest), time), workers, workers == 1 ? "" : "s");
    size_t limit = cli->option[LIST].given ? (size_t)cli->option[LIST].number : 5;
    if (limit)
        printf("dearest trials:\n");
    print_dearest(sweep, plan, limit, rate);
}

// A grid that is too large to expand is still described.
static enum status_code refuse_large(const struct cli_sweep *sweep, struct status *status)
{
    double cells = grid_cells(&sweep->sweep);
    if (cells <= CLI_GRID_LIMIT)
        return STATUS_OK;
    struct settings settings = sweep->sweep.base;
    int64_t length = settings.task.train_length;
    double cost = trial_cost(&settings, &length, 1);
    printf("%.6g cells: about %.2g core-hours, at the cost of a trial with the settings outside the axes\n", cells,
           cells * cost / measure_rate(&settings) / 3600);
    return status_set(status, STATUS_INVALID,
                      "%.6g trials are more than the limit of %d: take values from the axes above", cells,
                      CLI_GRID_LIMIT);
}

static enum status_code open_view(const char *path, struct store_view **ret_view, struct status *status)
{
    return access(path, F_OK) == 0 ? store_view_open(path, ret_view, status) : STATUS_OK;
}

static enum cli_exit run(const struct cli *cli)
{
    struct cli_sweep sweep;
    struct status status = {0};
    struct plan plan = {0};
    struct store_view *view = NULL;
    char path[4096];
    enum status_code code = cli_sweep_load(cli->argument[0], 0, &sweep, &status);
    if (code == STATUS_OK) {
        print_axes(&sweep.sweep);
        code = refuse_large(&sweep, &status);
    }
    if (code == STATUS_OK)
        code = grid_expand(&sweep.sweep, CLI_GRID_LIMIT, &sweep.grid, &status);
    if (code == STATUS_OK) {
        snprintf(path, sizeof path, "results/%s.h5", sweep.sweep.name);
        code = open_view(cli->option[OUTPUT].given ? cli->option[OUTPUT].text : path, &view, &status);
    }
    if (code == STATUS_OK)
        code = count_trials(&sweep, view, &plan, &status);
    if (code == STATUS_OK)
        print_plan(cli, &sweep, &plan, cli->option[OUTPUT].given ? cli->option[OUTPUT].text : path);
    store_view_close(view);
    cli_sweep_fini(&sweep);
    return code ? cli_fail(&status) : EXIT_DONE;
}

const struct cli_command command_plan = {
    .name = "plan",
    .arguments = "SWEEP.yaml",
    .summary = "what would run: trials, cost, memory, expected time",
    .help = "Expands the grid, compares it with the published store, and tells what is left to run, how much memory a\n"
            "trial takes and about how long it all lasts. A grid too large to run is refused with its size.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
