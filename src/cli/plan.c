// SPDX-License-Identifier: MIT
// What a sweep would run, without running it.
#include "base_clock.h"
#include "base_text.h"
#include "capacity.h"
#include "dispatch.h"
#include "store_publish.h"
#include "store_view.h"
#include "task.h"
#include "trainer.h"
#include "trial.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A measurement shall not be noticed: neither its memory nor its time.
#define PROBE_MEMORY  1073741824.0 // bytes
#define PROBE_STEP    1e9          // cost of a step
#define PROBE_SECONDS 0.25         // after which no further pass begins
#define PASS_SECONDS  0.1          // of processor time
#define PASS_SLICE    0.02
#define MOST_SLOWDOWN 2 // by what else the machine does

// Seconds that a run takes besides training.
#define RUN_START 0.3  // ranks and trainers begin, the store is made and published
#define RUN_EACH  3e-4 // a trial is handed out, recorded and published

enum { OUTPUT, WORKERS, LIST };
static const struct cli_option options[] = {
    {"output", 'o', OPTION_TEXT, "STORE.h5", "the store (results/NAME.h5)", 0, 0},
    {"workers", 'n', OPTION_COUNT, "N", "ranks to plan for (the cores of this machine)", 1, 1e6},
    {"list", 'l', OPTION_COUNT, "K", "show the K dearest trials (5)", 0, 1e6},
    {0},
};

enum { NAME_LEAST = 18 };

// Columns that hold every name of an axis, and a gap.
static int name_width(const struct sweep *sweep)
{
    size_t width = NAME_LEAST;
    for (size_t a = 0; a < sweep->axes_count; a++)
        for (size_t c = 0; c < sweep->axes[a].columns_count; c++) {
            const size_t needs = strlen(sweep->axes[a].columns[c].setting->name) + 2;
            width = needs > width ? needs : width;
        }
    return (int)width;
}

static void print_axis(const struct axis *axis, int width)
{
    char text[SETTING_TEXT_SIZE];
    for (size_t c = 0; c < axis->columns_count; c++) {
        const struct axis_column *column = &axis->columns[c];
        printf("  %-*s", width, column->setting->name);
        for (size_t i = 0; i < axis->count && i < 16; i++)
            printf("%s%s", i ? ", " : "", setting_brief(column->setting, column->values[i], text));
        printf("%s%s%s\n", axis->count > 16 ? ", …" : "", axis->columns_count > 1 ? "  together as " : "",
               axis->columns_count > 1 ? axis->name : "");
    }
}

static void print_axes(const struct sweep *sweep)
{
    char text[TEXT_NUMBER_SIZE];
    const int width = name_width(sweep);
    printf("%s: %zu ax%s, %lld replicate%s\n", sweep->name, sweep->axes_count, sweep->axes_count == 1 ? "is" : "es",
           (long long)sweep->replicates, sweep->replicates == 1 ? "" : "s");
    for (size_t a = 0; a < sweep->axes_count; a++)
        print_axis(&sweep->axes[a], width);
    printf("  %-*s", width, "test_length");
    for (size_t i = 0; i < sweep->lengths_count; i++) {
        text_real(sweep->lengths[i].value, text);
        printf("%s%s%s", i ? ", " : "", text, sweep->lengths[i].relative ? "x" : "");
    }
    printf("\n");
}

struct plan {
    size_t *order;
    double *cost, *memory; // of each trial
    double total, dearest_memory;
    size_t to_run, twins, to_run_large; // large: more memory than there is
    struct standing standing;
};

static enum status_code count_trials(const struct cli_sweep *sweep, struct plan *plan, struct status *status)
{
    size_t count = grid_trials(sweep->grid);
    double available = trainer_memory_available();
    plan->order = arena_get(sweep->arena, count, sizeof *plan->order);
    plan->cost = arena_get(sweep->arena, count, sizeof *plan->cost);
    plan->memory = arena_get(sweep->arena, count, sizeof *plan->memory);
    if (!plan->order || !plan->cost || !plan->memory)
        return status_set(status, STATUS_MEMORY, "out of memory for a plan of %zu trials", count);
    for (size_t i = 0; i < count; i++) {
        const struct grid_trial *trial = grid_trial(sweep->grid, i);
        plan->twins += trial->twin;
        if (plan->standing.state[i] != RECORD_PENDING)
            continue;
        double memory = trial_memory(&trial->settings, trial->lengths, trial->lengths_count);
        plan->memory[i] = memory;
        plan->to_run++;
        plan->dearest_memory = fmax(plan->dearest_memory, memory);
        plan->to_run_large += memory > available;
        if (memory > available)
            continue;
        plan->cost[i] = trial_cost(&trial->settings, trial->lengths, trial->lengths_count);
        plan->total += plan->cost[i];
    }
    dispatch_order(plan->cost, count, plan->order);
    return STATUS_OK;
}

// The train length, or where tests cannot have it the shortest that the trial asks for.
static int64_t probe_length(const struct settings *like, const int64_t *lengths)
{
    struct settings_fault fault;
    return settings_length_fault(like, like->task.train_length, &fault) ? lengths[0] : like->task.train_length;
}

static bool is_small(const struct settings *probe, int64_t length)
{
    return trial_memory(probe, &length, 1) <= PROBE_MEMORY &&
           trial_cost(probe, &length, 1) <= PROBE_STEP * (double)trial_steps(probe);
}

// Steps in place of another budget or of epochs.
static void count_steps(struct settings *settings)
{
    settings->train.steps = trial_steps(settings);
    settings->train.budget = BUDGET_STEPS;
}

// As little as shows a trial's speed: evaluated at the end alone, without what binds samples to
// steps, on fewer samples where a step takes long.
static struct settings probe_settings(const struct settings *like, int64_t length)
{
    struct settings settings = *like;
    count_steps(&settings);
    settings.evaluate.points = 1;
    settings.train.accumulation = 1;
    settings.train.warmup = 0;
    for (int64_t samples = 200;; samples /= 2) {
        settings.evaluate.validation_samples = samples;
        settings.evaluate.curve_samples = settings.evaluate.test_samples = samples;
        while (!is_small(&settings, length) && settings.task.samples > samples)
            settings.task.samples /= 2;
        if (samples < 16 || is_small(&settings, length))
            break;
    }
    return settings;
}

// The trial in small, with all its test lengths and about as many evaluations for each step, at no more than `cost`.
static bool miniature(const struct settings *like, const int64_t *lengths, size_t count, double cost,
                      struct settings *ret_small)
{
    struct settings small = *like;
    count_steps(&small);
    small.train.epochs = 0;
    small.train.warmup = 0;
    while (trial_cost(&small, lengths, count) > cost && small.train.steps > 8) {
        small.train.steps /= 2;
        small.evaluate.points = small.evaluate.points > 4 ? small.evaluate.points / 2 : 2;
        if (small.evaluate.test_samples / 2 >= small.evaluate.curve_samples)
            small.evaluate.test_samples /= 2;
    }
    *ret_small = small;
    return trial_cost(&small, lengths, count) <= cost && trial_memory(&small, lengths, count) <= PROBE_MEMORY;
}

// The dearest trial that can be measured at once; NULL where each is too large.
static const struct grid_trial *choose_probe(const struct cli_sweep *sweep, const struct plan *plan)
{
    for (size_t i = 0; i < grid_trials(sweep->grid) && plan->cost[plan->order[i]] > 0; i++) {
        const struct grid_trial *trial = grid_trial(sweep->grid, plan->order[i]);
        const int64_t length = probe_length(&trial->settings, trial->lengths);
        struct settings probe = probe_settings(&trial->settings, length);
        if (is_small(&probe, length))
            return trial;
    }
    return NULL;
}

// Cost units for each second of processor time, which others on the machine do not take from, in one training of at
// most `seconds`; 0 where there is none. A training that ends counts whole, with its data and first weights.
static double pass_rate(const struct settings *settings, const int64_t *lengths, size_t count, double seconds)
{
    const double start = clock_thread();
    struct trial *trial = NULL;
    struct trial_progress progress = {0};
    struct status status = {0};
    bool done = false;
    if (trial_create(settings, lengths, count, &trial, &status))
        return 0;
    const double begun = clock_thread();
    enum status_code code = STATUS_OK;
    while (!done && code == STATUS_OK && clock_thread() - begun < seconds)
        code = trial_advance(trial, PASS_SLICE, &done, &status);
    const double used = clock_thread() - (done ? start : begun);
    trial_progress(trial, &progress);
    trial_destroy(trial);
    const double share = done ? 1 : (double)progress.step / (double)progress.steps;
    double cost = trial_cost(settings, lengths, count);
    for (size_t i = 0; i < count; i++)
        cost -= task_bayes_flops(settings, lengths[i]); // which the record alone needs
    return used > 0 ? share * cost / used : 0;
}

// The best of a few passes, the first of which warms up.
static double best_rate(const struct settings *settings, const int64_t *lengths, size_t count, double seconds)
{
    const double start = clock_now();
    double best = 0;
    do
        best = fmax(best, pass_rate(settings, lengths, count, PASS_SECONDS));
    while (clock_now() - start < seconds);
    return best;
}

// A first look at the speed of steps tells what can be measured like the trial; NaN for what is too large to measure.
static double measure_rate(const struct settings *like, const int64_t *lengths, size_t count)
{
    const int64_t length = probe_length(like, lengths);
    const struct settings probe = probe_settings(like, length);
    struct settings small;
    if (!is_small(&probe, length))
        return NAN;
    const double first = best_rate(&probe, &length, 1, PROBE_SECONDS / 2);
    double rate = 0;
    if (miniature(like, lengths, count, first * PASS_SECONDS, &small))
        rate = best_rate(&small, lengths, count, PROBE_SECONDS / 2);
    rate = rate > 0 ? rate : first;
    return rate > 0 ? rate : NAN;
}

static void print_dearest(const struct cli_sweep *sweep, const struct plan *plan, size_t limit, double rate)
{
    char time[TEXT_NUMBER_SIZE], size[TEXT_NUMBER_SIZE];
    for (size_t i = 0; i < limit && i < grid_trials(sweep->grid) && plan->cost[plan->order[i]] > 0; i++) {
        const struct grid_trial *trial = grid_trial(sweep->grid, plan->order[i]);
        struct bytes text = {0};
        cli_trial_text(&sweep->sweep, &trial->settings, &text);
        double memory = trial_memory(&trial->settings, trial->lengths, trial->lengths_count);
        printf("  %10s %10s  T up to %lld  %s%.*s\n", text_duration(plan->cost[plan->order[i]] / rate, time),
               text_size(memory, size), (long long)trial->lengths[trial->lengths_count - 1],
               trial->twin ? "(twin) " : "", (int)text.size, text.data ? (const char *)text.data : "");
        bytes_fini(&text);
    }
}

// How much longer work takes beside what else the machine does, of which more may be over soon than is to come.
static double slowdown(double workers, double cores)
{
    double load = 0;
    if (getloadavg(&load, 1) != 1)
        return 1;
    return fmin(fmax((load + fmin(workers, cores)) / cores, 1), MOST_SLOWDOWN);
}

static void print_expected(const struct cli *cli, const struct cli_sweep *sweep, const struct plan *plan)
{
    char time[TEXT_NUMBER_SIZE];
    double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    double workers = cli->option[WORKERS].given ? cli->option[WORKERS].number : cores, slow = slowdown(workers, cores);
    size_t limit = cli->option[LIST].given ? (size_t)cli->option[LIST].number : 5;
    const struct grid_trial *probe = choose_probe(sweep, plan);
    double rate = probe ? measure_rate(&probe->settings, probe->lengths, probe->lengths_count) : NAN;
    double dearest = plan->cost[plan->order[0]] / rate;
    double besides = RUN_START + RUN_EACH * (double)(plan->to_run - plan->to_run_large);
    if (plan->to_run == plan->to_run_large)
        return;
    const double seconds = besides + slow * fmax(plan->total / rate / workers, dearest);
    if (isfinite(rate))
        printf("expected: %s%s on %g worker%s of this machine's speed%s\n",
               seconds > TEXT_DURATION_MOST ? "" : "about ", text_duration(seconds, time), workers,
               workers == 1 ? "" : "s", slow > 1.2 ? ", beside its other work" : "");
    else
        printf("expected: not known, each trial is too large to be measured in an instant\n");
    if (limit)
        printf("dearest trials:\n");
    print_dearest(sweep, plan, limit, rate);
}

static void print_plan(const struct cli *cli, const struct cli_sweep *sweep, const struct plan *plan, const char *store)
{
    char size[TEXT_NUMBER_SIZE], available[TEXT_NUMBER_SIZE];
    size_t cells = grid_cell_count(sweep->grid), trials = grid_trials(sweep->grid);
    const struct standing *standing = &plan->standing;
    printf("%zu cell%s, %zu training%s (%zu of them noise-free twins); test lengths share one training\n", cells,
           cells == 1 ? "" : "s", trials, trials == 1 ? "" : "s", plan->twins);
    printf("store %s: %zu done, %zu failed, %zu to run", store, standing->done + standing->diverged, standing->failed,
           plan->to_run);
    if (standing->short_of_lengths)
        printf(" (%zu of them only for test lengths that their results lack)", standing->short_of_lengths);
    if (standing->earlier)
        printf("; besides %zu of earlier sweeps", standing->earlier);
    printf("\n");
    if (!plan->to_run)
        return;
    printf("memory of a trial: at most %s of %s available\n", text_size(plan->dearest_memory, size),
           text_size(trainer_memory_available(), available));
    if (plan->to_run_large)
        cli_warn("%zu trial%s more memory than there is and will be recorded as failed", plan->to_run_large,
                 plan->to_run_large == 1 ? " needs" : "s need");
    print_expected(cli, sweep, plan);
}

// A grid that is too large to expand is still described.
static enum status_code refuse_large(const struct cli_sweep *sweep, struct status *status)
{
    double cells = grid_cells(&sweep->sweep);
    if (cells <= CLI_GRID_LIMIT)
        return STATUS_OK;
    struct settings settings = sweep->sweep.base;
    int64_t length = settings.task.train_length;
    struct settings_fault fault;
    size_t at = 0;
    if (settings_next_fault(&settings, &at, &fault) || settings_length_fault(&settings, length, &fault))
        printf("%.6g cells\n", cells); // the axes make them such as can be trained
    else
        printf("%.6g cells: about %.2g core-hours, at the cost of a trial with the settings outside the axes\n", cells,
               cells * trial_cost(&settings, &length, 1) / measure_rate(&settings, &length, 1) / 3600);
    return status_set(status, STATUS_INVALID,
                      "%.6g trials are more than the limit of %d: take values from the axes above", cells,
                      CLI_GRID_LIMIT);
}

// What the store has, in the published file or the journal; what would keep `run` from it is told at once.
static enum status_code compare_store(const char *path, struct cli_sweep *sweep, struct plan *plan,
                                      struct status *status)
{
    struct store_summary at = {0};
    struct status refusal = {0}, none = {0};
    enum status_code code = standing_init(sweep->grid, sweep->arena, &plan->standing, status);
    if (code || store_journal_summary(path, sweep->arena, &at, NULL, &none) == STATUS_SYSTEM)
        return code;
    if (store_accepts(path, &sweep->sweep, &refusal))
        cli_warn("run refuses this store: %s", refusal.text);
    for (size_t i = 0; i < at.trials_count; i++)
        standing_take(&plan->standing, &at.trials[i]);
    return STATUS_OK;
}

static enum cli_exit run(const struct cli *cli)
{
    struct cli_sweep sweep;
    struct status status = {0};
    struct plan plan = {0};
    char standard[4096];
    const char *path = cli->option[OUTPUT].given ? cli->option[OUTPUT].text : standard;
    enum status_code code = cli_sweep_load(cli->argument[0], 0, &sweep, &status);
    if (code == STATUS_OK) {
        print_axes(&sweep.sweep);
        code = refuse_large(&sweep, &status);
    }
    if (code == STATUS_OK)
        code = cli_sweep_expand(&sweep, CLI_GRID_LIMIT, &status);
    if (code == STATUS_OK) {
        snprintf(standard, sizeof standard, "results/%s.h5", sweep.sweep.name);
        code = compare_store(path, &sweep, &plan, &status);
    }
    if (code == STATUS_OK)
        code = count_trials(&sweep, &plan, &status);
    if (code == STATUS_OK)
        code = capacity_check_rest(&sweep, &plan.standing, plan.memory, trainer_memory_machine(), &status);
    if (code == STATUS_OK)
        print_plan(cli, &sweep, &plan, path);
    cli_sweep_fini(&sweep);
    return code ? cli_fail(&status) : EXIT_DONE;
}

const struct cli_command command_plan = {
    .name = "plan",
    .arguments = "SWEEP.yaml",
    .summary = "what would run: trials, cost, memory, expected time",
    .help = "Expands the grid, compares it with the store, and tells what is left to run, how much memory a\n"
            "trial takes and about how long it all lasts. A grid too large to run is refused with its size.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
