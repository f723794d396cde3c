// SPDX-License-Identifier: MIT
// The sweep over ranks: rank 0 coordinates (and works too), every other rank works. src/cli/run.c in short:
//
//     parent = getppid(); dispatch_signals_open; trainer_create    before comm_open: the trainer is spawned without MPI
//     comm_open; under a launcher dispatch_follow_parent(parent)
//     other ranks:  dispatch_work(comm, trainer_runner(trainer), &signals, &options, …)
//                   (dispatch_resign(comm, reason, …) where trainer_create has failed)
//     rank 0:       config_load, grid_expand, store_open           where one fails: dispatch_dismiss(comm, …)
//                   dispatch_coordinate(comm, &source, &sink, runner, &signals, &watch, &options, &summary, …)
//     summary.missing > 0: comm_abort, else trainer_destroy and comm_close
//
// After comm_open nothing is collective. Jobs and records are opaque bytes here.
#pragma once
#include "base_bytes.h"
#include "base_status.h"
#include "comm.h"
#include "dispatch_signals.h"
#include "record_runner.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dispatch_job {
    size_t index;      // names the job in all calls
    double cost;       // in any unit, the same for all jobs
    double memory;     // bytes
    uint32_t attempts; // failed attempts in earlier runs
};

// Where jobs come from, in the order in which they are to start: dearest first (dispatch_order). It may grow while the
// sweep runs: `next` is asked again after each result, and the sweep is over once it has nothing and all else is
// settled.
struct dispatch_source {
    void *self;
    bool (*next)(void *self, struct dispatch_job *ret_job); // false: nothing now
    // Appends the bytes for the runner; called once for each attempt.
    enum status_code (*payload)(void *self, size_t index, struct bytes *ret_payload, struct status *status);
    void (*rest)(void *self, size_t *ret_count, double *ret_cost); // known, and not yet taken by next
};

// Where results go. A failure of any of these ends the sweep with its status; what is settled is kept.
struct dispatch_sink {
    void *self;
    // The record of a trial that is done or diverged; copied before return. `host` is where it was trained.
    enum status_code (*commit)(void *self, size_t index, const void *record, size_t size, const char *host,
                               struct status *status);
    // The record of a failed attempt, the `attempts`-th in all runs together. `final`: it is the trial's result.
    enum status_code (*fail)(void *self, size_t index, const void *record, size_t size, const char *host,
                             uint32_t attempts, bool final, struct status *status);
    // Indices whose commit or final fail has become durable since the last call, at most `capacity`. NULL: commit and
    // fail return when they are durable.
    enum status_code (*settled)(void *self, size_t capacity, size_t *ret_indices, size_t *ret_count,
                                struct status *status);
    int fd; // readable when settled has news, read by settled itself; -1 for none
};

struct dispatch_flight {
    size_t index;
    int rank;
    int64_t step, steps; // 0 of 0 before the first report
    double seconds;      // since it was handed to the rank's trainer, as far as known
};

// How things stand. Counts are of this run. The cost of trials under way counts as done by their share of steps.
struct dispatch_figures {
    size_t total, done, failed, retried, in_flight; // total grows with the source
    double total_cost, done_cost;
    double elapsed; // seconds
    double eta;     // seconds to the end; NaN until a few trials are done
    int workers;    // ranks at work now
    int silent;     // of them, with a trial and without a sign of life for half a minute
    bool draining;
    size_t flights_count;
    const struct dispatch_flight *flights; // running trials by rank, without those that wait in a worker's pocket
};

// For the caller's display; either may be NULL. `figures` is called several times a second, and once at the end.
struct dispatch_watch {
    void *self;
    void (*figures)(void *self, const struct dispatch_figures *figures);
    void (*notice)(void *self, const char *text); // one line: a rank that leaves early and why
};

struct dispatch_options {
    uint32_t attempts;   // of a trial, before it counts as failed
    size_t max_failures; // drain when more trials than that have failed for good: 0 is fail-fast, SIZE_MAX no limit
    size_t pocket;       // at most so many trials wait in a worker's pocket
    double deadline;     // clock_now() at which to drain, and beyond which no trial is started that is expected to last
    double patience;     // seconds to wait for workers at the end
    double memory;       // bytes that trials on this rank's host may use together
};
struct dispatch_options dispatch_options_standard(void); // 3, no limit, 8, no deadline, 5 s, no limit

enum dispatch_end {
    DISPATCH_COMPLETE, // every job is settled
    DISPATCH_STOPPED,  // a signal or the deadline; resumable
    DISPATCH_FAILURES, // more than max_failures
};
struct dispatch_summary {
    enum dispatch_end end;
    size_t done, failed, retried; // settled: durable
    size_t left;                  // taken from the source and not settled
    int missing;                  // ranks that did not say goodbye: do not comm_close, comm_abort
};

// Runs the sweep on rank 0. `runner` NULL: a coordinator that does not train. On failure, of the sink for instance, the
// workers have been sent away as well, and *ret_summary tells how far it went.
enum status_code dispatch_coordinate(struct comm *comm, const struct dispatch_source *source,
                                     const struct dispatch_sink *sink, const struct record_runner *runner,
                                     struct dispatch_signals *signals, const struct dispatch_watch *watch,
                                     const struct dispatch_options *options, struct dispatch_summary *ret_summary,
                                     struct status *status) MUST_CHECK;

// Works until the coordinator sends this rank away. A runner that fails is reported to the coordinator, which goes on
// without this rank; that is not an error here.
enum status_code dispatch_work(struct comm *comm, const struct record_runner *runner, struct dispatch_signals *signals,
                               const struct dispatch_options *options, struct status *status) MUST_CHECK;

// For a rank other than 0 that cannot work: tells the coordinator, waits to be sent away.
enum status_code dispatch_resign(struct comm *comm, const char *reason, struct status *status) MUST_CHECK;

// For rank 0 when there is nothing to coordinate (an unreadable sweep file): sends all others away. *ret_missing as in
// struct dispatch_summary.
enum status_code dispatch_dismiss(struct comm *comm, double patience, int *ret_missing,
                                  struct status *status) MUST_CHECK;

// The numbers 0 … count-1 by falling cost; equal costs keep their order. NaN sorts last.
void dispatch_order(const double *cost, size_t count, size_t *ret_order);
