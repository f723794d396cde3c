// SPDX-License-Identifier: MIT
// One trial in the foreground: no MPI, no store.
#include "trial.h"
#include "base_clock.h"
#include "base_text.h"
#include "capacity.h"
#include "trainer.h"
#include <stdio.h>

enum { SELECT };
static const struct cli_option options[] = {
    {"select", 's', OPTION_TEXT, "A=V,B=V", "the trial: a value for every axis with more than one", 0, 0},
    {0},
};

static void print_header(const struct trial_progress *at)
{
    printf("%9s %10s %10s %10s  test error at T =", "step", "loss", "train_err", "valid_err");
    for (size_t i = 0; i < at->lengths_count; i++)
        printf(" %7lld", (long long)at->lengths[i]);
    printf("\n");
}

static void print_line(const struct trial_progress *at)
{
    printf("%9lld %10.5f %10.4f %10.4f                   ", (long long)at->step, at->train_loss, at->train_error,
           at->validation_error);
    for (size_t i = 0; i < at->lengths_count; i++)
        printf(" %7.4f", at->test_error[i]);
    printf("\n");
    fflush(stdout);
}

static void print_event(const struct record_part *part, enum record_field_id id)
{
    char text[TEXT_NUMBER_SIZE];
    double value = record_real(part, id, 0);
    text_real(value, text);
    printf("  %-10s %s\n", record_field_by_id(id)->name, value == value ? text : "does not occur");
}

static void print_result(const struct record *record)
{
    const struct record_part *training = record_find_part(record, RECORD_TRAINING, 0);
    printf("%s\n", record_status_names[record->status]);
    for (enum record_field_id id = FIELD_T_FIT; id <= FIELD_T_STABLE; id++)
        print_event(training, id);
    for (size_t p = 0; p < record->parts_count; p++)
        if (record->parts[p].kind == RECORD_TEST)
            printf("  T = %-6lld test error %.4f on %.0f sequences\n", (long long)record->parts[p].test_length,
                   record_real(&record->parts[p], FIELD_FINAL_TEST_ERROR, 0),
                   record_real(&record->parts[p], FIELD_FINAL_TEST_COUNT, 0));
}

static enum status_code run_trial(const struct grid_trial *choice, const int64_t *lengths, size_t lengths_count,
                                  struct status *status)
{
    struct trial *trial = NULL;
    struct record record = {0};
    struct trial_progress progress;
    double start = clock_now();
    bool done = false, first = true;
    enum status_code code = trial_create(&choice->settings, lengths, lengths_count, &trial, status);
    while (code == STATUS_OK && !done) {
        code = trial_advance(trial, 0, &done, status);
        trial_progress(trial, &progress);
        if (first)
            print_header(&progress);
        if (code == STATUS_OK && progress.evaluated)
            print_line(&progress);
        first = false;
    }
    if (code == STATUS_OK)
        code = trial_record(trial, &record, status);
    if (code == STATUS_OK) {
        char text[TEXT_NUMBER_SIZE];
        print_result(&record);
        printf("  %s\n", text_duration(clock_now() - start, text));
    }
    record_fini(&record);
    trial_destroy(trial);
    return code;
}

static enum cli_exit run(const struct cli *cli)
{
    struct cli_sweep sweep;
    struct status status = {0};
    const struct grid_trial *choice;
    int64_t length = 0;
    struct bytes canonical = {0};
    enum status_code code = cli_sweep_load(cli->argument[0], CLI_GRID_LIMIT, &sweep, &status);
    if (code == STATUS_OK)
        code = cli_select(&sweep, cli->option[SELECT].given ? cli->option[SELECT].text : "", &choice, &length, &status);
    if (code == STATUS_OK) {
        const struct capacity_trial trial = {&choice->settings, length ? &length : choice->lengths,
                                             length ? 1 : choice->lengths_count};
        code = capacity_check(&sweep.sweep, &trial, trainer_memory_machine(), &status);
    }
    if (code == STATUS_OK) {
        char identity[HASH_TEXT_SIZE];
        hash_text(choice->identity, identity);
        cli_settings_text(&sweep.sweep, &choice->settings, &canonical);
        printf("trial %s\n%.*s", identity, (int)canonical.size, (const char *)canonical.data);
        code = run_trial(choice, length ? &length : choice->lengths, length ? 1 : choice->lengths_count, &status);
    }
    bytes_fini(&canonical);
    cli_sweep_fini(&sweep);
    return code ? cli_fail(&status) : EXIT_DONE;
}

const struct cli_command command_trial = {
    .name = "trial",
    .arguments = "SWEEP.yaml",
    .summary = "one trial in the foreground, with its curves",
    .help = "Trains one trial of the sweep and prints a line at each evaluation, then events and test errors.\n"
            "No MPI and no store. Every axis with more than one value has to be named in --select, but for replicate\n"
            "(0) and test_length (all).\n"
            "  lgsweep trial sweeps/quickstart.yaml --select snr=64,encoding=rope,noise_rate=0.2",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
