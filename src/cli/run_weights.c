// SPDX-License-Identifier: MIT
// The weights that trials of a sweep start from and leave.
#include "run.h"
#include "task.h"
#include "trial.h"
#include "weights.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Where a trial's weights come from; false for fresh draws, or a path that is too long.
struct origin {
    struct hash128 identity;
    int64_t step;
    char path[WEIGHTS_PATH_SIZE];
};

static bool find_origin(const struct sweep *sweep, const struct settings *settings, struct origin *ret_origin)
{
    return sweep_source(sweep, settings, &ret_origin->identity, &ret_origin->step) &&
           weights_path(sweep->init.from, ret_origin->identity, ret_origin->step, ret_origin->path);
}

struct trainer_files run_files(const struct run *run, const struct run_job *job, char path[WEIGHTS_PATH_SIZE])
{
    const struct sweep *sweep = &run->loaded.sweep;
    struct origin origin;
    const bool starts = find_origin(sweep, &grid_trial(run->loaded.grid, job->trial)->settings, &origin);
    if (starts)
        memcpy(path, origin.path, sizeof origin.path);
    return (struct trainer_files){.init = starts ? path : NULL,
                                  .store = sweep->saves_count > 0 ? run->options.store_path : NULL,
                                  .saves_count = sweep->saves_count,
                                  .saves = sweep->saves};
}

static bool note_is(const char *path, const char *key, const char *want)
{
    struct bytes value = {0};
    struct status ignored;
    const bool same = weights_read_note(path, key, &value, &ignored) == STATUS_OK && value.size == strlen(want) &&
                      memcmp(value.data, want, value.size) == 0;
    bytes_fini(&value);
    return same;
}

// Whether the file is of that trial and step, by these numerics, and fits the model.
static enum status_code check_file(const struct origin *origin, const struct settings *settings, struct status *status)
{
    char identity[HASH_TEXT_SIZE], step[24] = "", numerics[16];
    struct batch_shape shape;
    hash_text(origin->identity, identity);
    if (origin->step != STEP_LAST)
        snprintf(step, sizeof step, "%" PRId64, origin->step);
    snprintf(numerics, sizeof numerics, "%d", NUMERICS);
    task_shape(settings, &shape);
    struct nn_sketch sketch =
        nn_sketch(settings, &shape, (long)settings_tokens(settings, false, settings->task.train_length));
    enum status_code code = sketch.model ? weights_check(sketch.model, origin->path, status)
                                         : status_set(status, STATUS_MEMORY, "no memory to look at weights");
    nn_sketch_fini(&sketch);
    if (code == STATUS_OK &&
        (!note_is(origin->path, "trial", identity) || (*step && !note_is(origin->path, "step", step))))
        code = status_set(status, STATUS_DAMAGED, "%s holds the weights of another trial or step", origin->path);
    if (code == STATUS_OK && !note_is(origin->path, "numerics", numerics))
        code = status_set(status, STATUS_INVALID, "%s is of other numerics than %d: train it again with this version",
                          origin->path, NUMERICS);
    return code;
}

static enum status_code refuse(const struct sweep *sweep, const char *message, enum status_code code,
                               struct status *status)
{
    struct bytes text = {0};
    sweep_describe(sweep, sweep->init.place, message, &text);
    status_set(status, code, "%.*s", (int)text.size, text.data ? (const char *)text.data : message);
    bytes_fini(&text);
    return code;
}

static enum status_code lacks(const struct sweep *sweep, const struct settings *settings, const char *path,
                              size_t missing, struct status *status)
{
    char message[WEIGHTS_PATH_SIZE + 512];
    struct bytes trial = {0};
    cli_trial_text(sweep, settings, &trial);
    snprintf(message, sizeof message,
             "%zu trial%s no weights to start from, the first of them %.*s: %s is missing. Run the sweep of %s with "
             "`save` (and --retrain-unsaved, if it ran without), and name in 'with' every setting in which its trials "
             "differ from these",
             missing, missing == 1 ? " has" : "s have", (int)(trial.size < 300 ? trial.size : 300),
             trial.data ? (const char *)trial.data : "", path, sweep->init.from);
    bytes_fini(&trial);
    return refuse(sweep, message, STATUS_INVALID, status);
}

enum status_code run_check_weights(const struct run *run, bool all, struct status *status)
{
    const struct sweep *sweep = &run->loaded.sweep;
    const struct settings *blamed = NULL;
    struct origin origin, first;
    struct status why;
    size_t missing = 0;
    for (size_t i = 0; i < (all ? grid_trials(run->loaded.grid) : run->jobs_count); i++) {
        const struct settings *settings = &grid_trial(run->loaded.grid, all ? i : run->jobs[i].trial)->settings;
        if (!find_origin(sweep, settings, &origin))
            continue;
        if (access(origin.path, R_OK) == 0) {
            if (check_file(&origin, settings, &why) != STATUS_OK)
                return refuse(sweep, why.text, why.code, status);
        } else if (missing++ == 0) {
            blamed = settings;
            first = origin;
        }
    }
    return missing > 0 ? lacks(sweep, blamed, first.path, missing, status) : STATUS_OK;
}

bool run_lacks_saves(const struct run *run, const struct grid_trial *trial)
{
    const struct sweep *sweep = &run->loaded.sweep;
    const int64_t steps = trial_steps(&trial->settings); // at least so many
    char path[WEIGHTS_PATH_SIZE];
    for (size_t i = 0; i < sweep->saves_count; i++) {
        const int64_t step = sweep->saves[i] == STEP_LAST ? settings_last_step(&trial->settings) : sweep->saves[i];
        if (step <= steps && weights_path(run->options.store_path, trial->identity, step, path) &&
            access(path, F_OK) != 0)
            return true;
    }
    return false;
}

// The last step that `save` names where the number of a trial's steps is known afterwards only; else 0.
static int64_t awaited_step(const struct run *run, const struct settings *settings)
{
    const struct sweep *sweep = &run->loaded.sweep;
    int64_t step = 0;
    for (size_t i = 0; i < sweep->saves_count && settings_last_step(settings) == STEP_LAST; i++)
        step = sweep->saves[i] > step ? sweep->saves[i] : step;
    return step;
}

void run_note_earlier(struct run *run, const struct grid_trial *trial)
{
    const int64_t step = awaited_step(run, &trial->settings);
    char path[WEIGHTS_PATH_SIZE];
    if (step <= trial_steps(&trial->settings) || !weights_path(run->options.store_path, trial->identity, step, path) ||
        access(path, F_OK) == 0)
        return;
    run->unreached.step = step;
    run->unreached.earlier++;
}

void run_note_steps(struct run *run, const struct record *record)
{
    struct run_unreached *unreached = &run->unreached;
    const int64_t step = awaited_step(run, &record->settings);
    const struct record_part *training = record_find_part(record, RECORD_TRAINING, 0);
    const struct record_value *steps = record_find(training, FIELD_STEP);
    if (record->status != RECORD_DONE || !steps || record_size(steps) == 0)
        return;
    const int64_t last = (int64_t)record_element(steps, record_size(steps) - 1);
    if (last >= step)
        return;
    unreached->step = step;
    unreached->least = unreached->count == 0 || last < unreached->least ? last : unreached->least;
    unreached->most = last > unreached->most ? last : unreached->most;
    unreached->count++;
}

// What a trainer left that was killed while it wrote.
static void remove_stale(const char *folder)
{
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char path[WEIGHTS_PATH_SIZE];
        if (strstr(entry->d_name, ".safetensors.tmp-") &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            unlink(path);
    }
    if (entries)
        closedir(entries);
}

enum status_code run_make_folder(const struct run *run, struct status *status)
{
    char folder[WEIGHTS_PATH_SIZE];
    if (run->loaded.sweep.saves_count == 0 || run->jobs_count == 0)
        return STATUS_OK;
    if (!weights_folder(run->options.store_path, folder))
        return status_set(status, STATUS_INVALID, "the path of the weights of %.200s… is too long",
                          run->options.store_path);
    struct stat facts;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return status_errno(status, errno, "cannot make the folder %s for weights", folder);
    if (stat(folder, &facts) != 0 || !S_ISDIR(facts.st_mode) || access(folder, W_OK | X_OK) != 0)
        return status_set(status, STATUS_INVALID,
                          "weights go into the folder %s, which is none that can be written; "
                          "move it away or change its permissions",
                          folder);
    remove_stale(folder);
    return STATUS_OK;
}
