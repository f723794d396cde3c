// SPDX-License-Identifier: MIT
// What there is to do, and where results go. Station before: grid_expand, store_open; after: dispatch_coordinate.
#include "base_clock.h"
#include "capacity.h"
#include "run.h"
#include "task_source.h"
#include "trainer.h"
#include "trial.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status_code run_default_store(const struct sweep *sweep, struct arena *arena, const char **ret_path,
                                   struct status *status)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "results/%s.h5", sweep->name);
    if (mkdir("results", 0777) && access("results", W_OK))
        return status_set(status, STATUS_SYSTEM, "cannot make the folder 'results' here; name a store with -o");
    *ret_path = arena_text(arena, path, (size_t)length);
    return *ret_path ? STATUS_OK : status_set(status, STATUS_MEMORY, "out of memory");
}

// The test lengths of a trial that have no result yet.
static enum status_code missing_lengths(struct run *run, const struct grid_trial *trial, struct run_job *ret_job,
                                        struct status *status)
{
    int64_t *lengths = arena_get(run->loaded.arena, trial->lengths_count, sizeof *lengths);
    if (!lengths)
        return status_set(status, STATUS_MEMORY, "out of memory for the list of trials");
    ret_job->lengths = lengths;
    ret_job->lengths_count = 0;
    for (size_t i = 0; i < trial->lengths_count; i++)
        if (!store_done(run->store, trial->identity, trial->lengths[i]))
            lengths[ret_job->lengths_count++] = trial->lengths[i];
    return STATUS_OK;
}

// Before the store is touched: a trial that can never run here is refused, unless an earlier run has done it.
static enum status_code check_memory(struct run *run, struct status *status)
{
    const struct grid *grid = run->loaded.grid;
    const double machine = trainer_memory_machine();
    double most = 0;
    run->need = arena_get(run->loaded.arena, grid_trials(grid), sizeof *run->need);
    if (!run->need)
        return status_set(status, STATUS_MEMORY, "out of memory for the list of %zu trials", grid_trials(grid));
    for (size_t i = 0; i < grid_trials(grid); i++) {
        const struct grid_trial *trial = grid_trial(grid, i);
        run->need[i] = trial_memory(&trial->settings, trial->lengths, trial->lengths_count);
        most = fmax(most, run->need[i]);
    }
    if (most <= machine)
        return STATUS_OK;
    struct standing standing;
    struct store_summary before = {0};
    struct status none;
    if (standing_init(grid, run->loaded.arena, &standing, status))
        return status->code;
    if (store_journal_summary(run->options.store_path, run->loaded.arena, &before, NULL, &none) == STATUS_OK)
        for (size_t i = 0; i < before.trials_count; i++)
            standing_take(&standing, &before.trials[i]);
    return capacity_check_rest(&run->loaded, &standing, run->need, machine, status);
}

static enum status_code list_jobs(struct run *run, struct status *status)
{
    size_t count = grid_trials(run->loaded.grid);
    struct arena *arena = run->loaded.arena;
    run->jobs = arena_get(arena, count, sizeof *run->jobs);
    run->order = arena_get(arena, count, sizeof *run->order);
    run->pending = arena_get(arena, count, sizeof *run->pending);
    double *cost = arena_get(arena, count, sizeof *cost);
    if (!run->jobs || !run->order || !run->pending || !cost)
        return status_set(status, STATUS_MEMORY, "out of memory for the list of %zu trials", count);
    run->known_trials = count;
    for (size_t i = 0; i < count; i++) {
        const struct grid_trial *trial = grid_trial(run->loaded.grid, i);
        struct run_job *job = &run->jobs[run->jobs_count];
        enum record_status known = store_status(run->store, trial->identity);
        *job = (struct run_job){.trial = i};
        if (known == RECORD_FAILED && !run->options.retry_failed) {
            run->known_failed++;
            continue;
        }
        if (missing_lengths(run, trial, job, status))
            return status->code;
        const bool unsaved = job->lengths_count == 0 && run_lacks_saves(run, trial);
        if (unsaved && run->options.retrain_unsaved) {
            job->lengths = trial->lengths;
            job->lengths_count = trial->lengths_count;
        }
        if (job->lengths_count == 0) {
            run->known_done++;
            run->unsaved += unsaved;
            if (known == RECORD_DONE)
                run_note_earlier(run, trial);
            continue;
        }
        job->earlier = store_attempts(run->store, trial->identity);
        job->attempts = known == RECORD_FAILED ? 0 : job->earlier;
        job->cost = trial_cost(&trial->settings, job->lengths, job->lengths_count);
        job->memory = job->lengths_count == trial->lengths_count
                          ? run->need[i]
                          : trial_memory(&trial->settings, job->lengths, job->lengths_count);
        cost[run->jobs_count++] = job->cost;
    }
    dispatch_order(cost, run->jobs_count, run->order);
    return STATUS_OK;
}

// No store yet: then nothing of it should be left by a run that is refused.
static bool is_new(const struct run *run)
{
    char journal[4096];
    return access(run->options.store_path, F_OK) != 0 &&
           snprintf(journal, sizeof journal, "%s.journal", run->options.store_path) < (int)sizeof journal &&
           access(journal, F_OK) != 0;
}

// What store_open says of another file is a number; people look for its name.
static enum status_code tell_of_file(struct run *run, enum status_code code, struct status *status)
{
    struct store_summary before = {0};
    struct sweep sweep;
    struct status none;
    const char *rows = strstr(status->text, "\n  "), *store = run->options.store_path;
    if (code != STATUS_INVALID || !run->loaded.file || (rows && strstr(rows + 1, "\n  ")) ||
        store_journal_summary(store, run->loaded.arena, &before, NULL, &none) != STATUS_OK || !before.sweep_text ||
        config_parse(store, before.sweep_text, before.sweep_text_size, run->loaded.arena, &sweep, NULL, &none) !=
            STATUS_OK ||
        !sweep.base.task.file_hash || sweep.base.task.file_hash == run->loaded.file->hash)
        return code;
    return status_set(status, code,
                      "%s is not the file that %s was made with, or has changed since; put that one back, or begin "
                      "another store with -o",
                      run->loaded.file->path, store);
}

enum status_code run_init(struct run *run, const char *sweep_path, const struct run_options *options,
                          struct status *status)
{
    struct bytes warnings = {0};
    *run = (struct run){.options = *options};
    enum status_code code = cli_sweep_load(sweep_path, CLI_GRID_LIMIT, &run->loaded, status);
    if (code == STATUS_OK && !run->options.store_path)
        code = run_default_store(&run->loaded.sweep, run->loaded.arena, &run->options.store_path, status);
    if (code == STATUS_OK)
        code = check_memory(run, status);
    if (code == STATUS_OK && is_new(run))
        code = run_check_weights(run, true, status);
    if (code == STATUS_OK)
        code = tell_of_file(run,
                            store_open(run->options.store_path, &run->loaded.sweep, run->loaded.grid, NULL, &run->store,
                                       &warnings, status),
                            status);
    cli_print_lines(&warnings);
    bytes_fini(&warnings);
    run->publisher = (struct run_publisher){run->options.store_path, sweep_path, 0, 0};
    run->progress = (struct run_progress){.terminal = cli_is_terminal(STDERR_FILENO), .quiet = options->quiet};
    if (code == STATUS_OK)
        code = list_jobs(run, status);
    if (code == STATUS_OK)
        code = run_check_weights(run, false, status);
    return code ? code : run_make_folder(run, status);
}

void run_fini(struct run *run)
{
    run_publish_stop(run);
    store_close(run->store);
    cli_sweep_fini(&run->loaded);
    *run = (struct run){0};
}

static bool next_job(void *self, struct dispatch_job *ret_job)
{
    struct run *run = self;
    if (run->taken == run->jobs_count)
        return false;
    size_t index = run->order[run->taken++];
    const struct run_job *job = &run->jobs[index];
    *ret_job = (struct dispatch_job){index, job->cost, job->memory, job->attempts};
    return true;
}

static enum status_code payload(void *self, size_t index, struct bytes *ret_payload, struct status *status)
{
    const struct run *run = self;
    const struct run_job *job = &run->jobs[index];
    char path[WEIGHTS_PATH_SIZE];
    const struct trainer_files files = run_files(run, job, path);
    trainer_job_encode(&grid_trial(run->loaded.grid, job->trial)->settings, job->lengths, job->lengths_count, &files,
                       ret_payload);
    return ret_payload->failed ? status_set(status, STATUS_MEMORY, "out of memory for a trial's settings") : STATUS_OK;
}

static void rest(void *self, size_t *ret_count, double *ret_cost)
{
    const struct run *run = self;
    *ret_count = run->jobs_count - run->taken;
    *ret_cost = 0;
    for (size_t i = run->taken; i < run->jobs_count; i++)
        *ret_cost += run->jobs[run->order[i]].cost;
}

struct dispatch_source run_source(struct run *run)
{
    return (struct dispatch_source){run, next_job, payload, rest};
}

static void await(struct run *run, uint64_t ticket, size_t index)
{
    size_t at = (run->pending_first + run->pending_count++) % run->jobs_count;
    run->pending[at] = (struct run_pending){ticket, index};
    run->new_results = true;
}

// A record from a worker, held against the job that it answers.
static enum status_code decode(const struct run *run, size_t index, const void *data, size_t size,
                               struct record *ret_record, struct status *status)
{
    enum status_code code = record_decode(data, size, ret_record, status);
    if (code == STATUS_OK &&
        !hash_equal(ret_record->identity, grid_trial(run->loaded.grid, run->jobs[index].trial)->identity)) {
        record_fini(ret_record);
        code = status_set(status, STATUS_INTERNAL, "a worker answered with the record of another trial");
    }
    return code;
}

static struct store_origin origin(const char *host)
{
    return (struct store_origin){.host = host, .version = LGSWEEP_VERSION, .finished = clock_wall()};
}

// --verbose: a line a trial.
static void report_result(struct run *run, const struct record *record, const char *host)
{
    char identity[HASH_TEXT_SIZE], line[512];
    const struct record_part *training = record_find_part(record, RECORD_TRAINING, 0);
    hash_text(record->identity, identity);
    snprintf(line, sizeof line, "lgsweep: trial %s %s on %s in %.1f s", identity, record_status_names[record->status],
             host, record_real(training, FIELD_TRAIN_SECONDS, 0) + record_real(training, FIELD_EVALUATE_SECONDS, 0));
    run_progress_line(&run->progress, line);
}

static enum status_code commit(void *self, size_t index, const void *data, size_t size, const char *host,
                               struct status *status)
{
    struct run *run = self;
    struct record record = {0};
    struct store_origin from = origin(host);
    uint64_t ticket;
    enum status_code code = decode(run, index, data, size, &record, status);
    if (code == STATUS_OK)
        code = store_append_result(run->store, &record, &from, &ticket, status);
    if (code == STATUS_OK) {
        await(run, ticket, index);
        run_note_steps(run, &record);
    }
    if (code == STATUS_OK && run->options.verbose)
        report_result(run, &record, host);
    record_fini(&record);
    return code;
}

static void report_failure(struct run *run, const struct record *record, bool final)
{
    struct bytes text = {0};
    char line[1024];
    settings_plain(&record->settings, &text);
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] == '\n')
            text.data[i] = ' ';
    snprintf(line, sizeof line, "lgsweep: trial %s (attempt %u, step %lld): %s [%.*s]",
             final ? "failed" : "failed and is tried again", record->attempts, (long long)record->last_step,
             record->reason, (int)(text.size < 500 ? text.size : 500), text.data ? (const char *)text.data : "");
    run_progress_line(&run->progress, line);
    bytes_fini(&text);
}

// Without its file no trial that is left can do better: they stay as they are.
static enum status_code check_file(const struct settings *settings, struct status *status)
{
    struct status why = {0};
    if (task_file_check(settings, &why) == STATUS_OK)
        return STATUS_OK;
    const bool gone = why.code == STATUS_SYSTEM;
    return status_set(status, gone || why.code == STATUS_INVALID ? STATUS_INVALID : why.code,
                      "%s %s while the sweep ran; what is finished is safe, the rest has not been tried: put the file "
                      "back and run the same command to go on, or begin another store with -o",
                      settings->task.path, gone ? "is not there any more, or cannot be read," : "has changed");
}

static enum status_code fail(void *self, size_t index, const void *data, size_t size, const char *host,
                             uint32_t attempts, bool final, struct status *status)
{
    struct run *run = self;
    struct record record = {0};
    struct store_origin from = origin(host);
    uint64_t ticket;
    enum status_code code = decode(run, index, data, size, &record, status);
    if (code)
        return code;
    code = check_file(&record.settings, status);
    if (code) {
        record_fini(&record);
        return code;
    }
    record.attempts = run->jobs[index].earlier + attempts - run->jobs[index].attempts;
    report_failure(run, &record, final);
    if (final)
        code = store_append_failure(run->store, &record, &from, &ticket, status);
    else
        code = store_append_attempt(run->store, record.identity, &ticket, status);
    if (code == STATUS_OK && final)
        await(run, ticket, index);
    record_fini(&record);
    return code;
}

static enum status_code settled(void *self, size_t capacity, size_t *ret_indices, size_t *ret_count,
                                struct status *status)
{
    struct run *run = self;
    uint64_t synced = store_synced(run->store);
    *ret_count = 0;
    while (*ret_count < capacity && run->pending_count && run->pending[run->pending_first].ticket <= synced) {
        ret_indices[(*ret_count)++] = run->pending[run->pending_first].job;
        run->pending_first = (run->pending_first + 1) % run->jobs_count;
        run->pending_count--;
    }
    return store_health(run->store, status);
}

struct dispatch_sink run_sink(struct run *run)
{
    return (struct dispatch_sink){run, commit, fail, settled, -1};
}
