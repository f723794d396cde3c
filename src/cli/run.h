// SPDX-License-Identifier: MIT
// The parts of `lgsweep run` on rank 0: what there is to do, where results go, publications, the display.
#pragma once
#include "cli_sweep.h"
#include "dispatch.h"
#include "store.h"
#include "trainer.h"
#include <sys/types.h>

struct run_options {
    const char *store_path;
    bool retry_failed, retrain_unsaved, quiet, verbose;
    double time_limit; // seconds; 0: none
};

// A publication in a child process. `pid` 0: none runs.
struct run_publisher {
    const char *store_path, *sweep_path;
    pid_t pid;
    double begun;
};

struct run_progress {
    bool terminal, quiet;
    double next, interval; // of the plain lines, in seconds since the start
    size_t drawn;          // a bar stands on the terminal's last line
};

// One training to do: some test lengths of a trial of the grid.
struct run_job {
    size_t trial;
    const int64_t *lengths;
    size_t lengths_count;
    double cost, memory;
    uint32_t attempts; // that count against the limit
    uint32_t earlier;  // attempts in earlier runs, all told
};

// A commit that is waiting for its ticket; tickets are acknowledged in order.
struct run_pending {
    uint64_t ticket;
    size_t job;
};

// Trials whose budget, not one of steps, ended before the last step that `save` names.
struct run_unreached {
    int64_t step;        // 0: none is named
    size_t count;        // of this run
    int64_t least, most; // their steps
    size_t earlier;      // done before: those that have no weights of the step
};

struct run {
    struct run_options options;
    struct cli_sweep loaded;
    struct store *store;
    double *need; // bytes of each trial of the grid, at all its lengths
    struct run_job *jobs;
    size_t *order; // by falling cost
    size_t jobs_count, taken;
    size_t known_trials, known_done, known_failed; // of the grid, before this run
    size_t unsaved;                                // of those done, how many lack weights that `save` asks for
    struct run_unreached unreached;
    struct run_pending *pending; // (jobs_count), a queue
    size_t pending_first, pending_count;
    struct run_publisher publisher;
    struct run_progress progress;
    struct status trouble; // the first failed publication: reported, not fatal
    bool new_results;
};

// Loads the sweep, opens the store, lists the jobs. On failure run_fini cleans up.
enum status_code run_init(struct run *run, const char *sweep_path, const struct run_options *options,
                          struct status *status) MUST_CHECK;
void run_fini(struct run *run);

// Whether the weights are there, and the right ones, that jobs (or `all` trials) start from; whether a trial lacks
// weights that it should have left; the folder where jobs leave theirs; and what a job reads and writes, with room for
// one path.
enum status_code run_check_weights(const struct run *run, bool all, struct status *status) MUST_CHECK;
bool run_lacks_saves(const struct run *run, const struct grid_trial *trial);
void run_note_earlier(struct run *run, const struct grid_trial *trial); // for run->unreached: one done before
void run_note_steps(struct run *run, const struct record *record);      // and one that this run has done
enum status_code run_make_folder(const struct run *run, struct status *status) MUST_CHECK;
struct trainer_files run_files(const struct run *run, const struct run_job *job, char path[WEIGHTS_PATH_SIZE]);

struct dispatch_source run_source(struct run *run);
struct dispatch_sink run_sink(struct run *run);
struct dispatch_watch run_watch(struct run *run);

// Starts a publication when one is due, and takes note of one that has ended.
void run_publish_poll(struct run *run, double now);
// Makes the published file complete and empties the journal; STATUS_STOPPED when asked to stop before.
enum status_code run_publish_last(struct run *run, struct dispatch_signals *signals, struct status *status) MUST_CHECK;
void run_publish_stop(struct run *run); // ends a publication without a result

// The display of one moment; and a line on its own, above the bar.
void run_progress_show(struct run_progress *progress, const struct dispatch_figures *figures);
void run_progress_line(struct run_progress *progress, const char *text);
void run_progress_clear(struct run_progress *progress);

// results/NAME.h5, with the folder made when it is missing. From `arena`.
enum status_code run_default_store(const struct sweep *sweep, struct arena *arena, const char **ret_path,
                                   struct status *status) MUST_CHECK;
