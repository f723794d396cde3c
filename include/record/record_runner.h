// SPDX-License-Identifier: MIT
// How one trial at a time is run, as functions: trainer fills this in and dispatch calls it, so that neither knows the
// other. Jobs and records are bytes here.
#pragma once
#include "base_status.h"
#include <stddef.h>
#include <stdint.h>

enum record_run {
    RUN_IDLE,    // nothing is running
    RUN_RUNNING, // a trial is under way
    RUN_DONE,    // the trial is over: its record says done or diverged
    RUN_FAILED,  // it crashed, ran out of memory or time: another attempt may succeed
    RUN_REFUSED, // it cannot be run here with any number of attempts: its settings, or its need of memory
};

// `record` is an encoded record after RUN_DONE, RUN_FAILED (status failed, with the reason) and RUN_REFUSED; it stays
// valid until the next call for the same runner. `step` is the last one known.
struct record_run_event {
    enum record_run state;
    int64_t step, steps;
    double seconds; // since the trial's start
    const void *record;
    size_t size;
};

// Failure of start or poll means that this runner cannot run any trial; the text says why.
struct record_runner {
    void *self;
    // Begins a trial; only while idle. `job` is copied.
    enum status_code (*start)(void *self, const void *job, size_t size, struct status *status);
    // What has happened, without waiting. After a final state the runner is idle again.
    enum status_code (*poll)(void *self, struct record_run_event *ret_event, struct status *status);
    // Ends the running trial at once, without a result; no effect while idle.
    void (*stop)(void *self);
    // Readable when poll has news; -1 when there is none, and poll itself advances the trial by a few milliseconds.
    int (*fd)(void *self);
};
