// SPDX-License-Identifier: MIT
// A trial in a child process without MPI: a trial that crashes, runs out of memory or hangs costs itself alone. The
// child is this same program, `lgsweep trainer`; it is reused for many trials and spawned again when it has died.
#pragma once
#include "base_bytes.h"
#include "base_status.h"
#include "record_runner.h"
#include "spec_settings.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trainer;

struct trainer_options {
    bool in_process;   // train in this process, in slices of a few milliseconds (but whole evaluations), for systems
                       // that forbid children
    const char *wrap;  // command put in front of the child's ("gdb --args"), split like in a shell; NULL for none. A
                       // wrapped child keeps the terminal: its output is not captured
    double time_limit; // seconds that one trial may take; 0: no limit
};

// Spawns the child, before comm_open where possible. The child gets: this process's affinity; its environment without
// the variables of launchers (OMPI_, PMIX_, PMI_, SLURM_, …); no descriptor but its pipes; stdout and stderr into a
// pipe whose tail goes into the reason of a failure; a raised oom_score_adj. It ignores the signals that ask a run to
// stop, and ends with its parent (PR_SET_PDEATHSIG, and end-of-file on its command pipe). The thread that calls this
// must outlive it.
enum status_code trainer_create(const struct trainer_options *options, struct trainer **ret_trainer,
                                struct status *status) MUST_CHECK;
void trainer_destroy(struct trainer *trainer); // ends the child and waits for it; accepts NULL

// start, poll, stop and fd over `trainer`, for dispatch; and the same by name. See record_runner.h.
struct record_runner trainer_runner(struct trainer *trainer);
enum status_code trainer_start(struct trainer *trainer, const void *job, size_t size, struct status *status) MUST_CHECK;
enum status_code trainer_poll(struct trainer *trainer, struct record_run_event *ret_event,
                              struct status *status) MUST_CHECK;
void trainer_stop(struct trainer *trainer);
int trainer_fd(const struct trainer *trainer);
int trainer_pid(const struct trainer *trainer); // of the child, 0 for none

// Weights that a job reads and writes, by the paths of spec_sweep.h. All zero: none.
struct trainer_files {
    const char *init;     // file of the weights to start from, or NULL
    const char *store;    // path of the store beside which weights are saved
    size_t saves_count;   // steps, as in struct sweep
    const int64_t *saves; // (saves_count)
};

// A job's bytes: settings, test lengths (distinct, ascending), files (NULL: none).
void trainer_job_encode(const struct settings *settings, const int64_t *lengths, size_t lengths_count,
                        const struct trainer_files *files, struct bytes *bytes);

// Bytes that new trials can use on this machine: what is available, within the limits of the control group and of the
// process. Infinity when nothing is known.
double trainer_memory_available(void);
// Bytes that this machine, or the control group, has in all: what needs more can never run here. Infinity when nothing
// is known.
double trainer_memory_machine(void);

// What `lgsweep trainer …` runs: `arguments` are those behind the word trainer. Returns the exit code.
int trainer_command(int count, char **arguments);

// The child's loop: reads jobs from `in` and writes progress and records to `out` until `in` ends. Returns the exit
// code.
int trainer_main(int in, int out);
