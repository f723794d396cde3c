// SPDX-License-Identifier: MIT
// Jobs, results and trials that are numbers, for the tests of dispatch.
#pragma once
#include "dispatch_worker.h"
#include <stdint.h>

enum { FAKE_JOBS = 256 };

// Job i has cost[i] and memory[i], and its first failures[i] attempts fail; a job in `refused` is refused. Commits are
// acknowledged after `delay` calls of settled.
struct fake_sweep {
    size_t jobs, taken;
    double cost[FAKE_JOBS], memory[FAKE_JOBS];
    uint32_t failures[FAKE_JOBS], prior[FAKE_JOBS];
    bool refused[FAKE_JOBS];
    size_t grown; // further jobs that appear once all the others are committed
    // What happened:
    unsigned payloads[FAKE_JOBS], commits[FAKE_JOBS], fails[FAKE_JOBS], finals[FAKE_JOBS], settled[FAKE_JOBS];
    uint32_t attempts[FAKE_JOBS]; // of the last failure
    size_t commits_total, finals_total, settled_total, notices;
    char notice[512];
    size_t queue[FAKE_JOBS], queue_count; // not acknowledged so far
    unsigned delay, calls;
    size_t break_commit; // the commit that fails, counted from 1; 0: none
    bool break_settled, break_payload;
};
struct dispatch_source fake_source(struct fake_sweep *sweep);
struct dispatch_sink fake_sink(struct fake_sweep *sweep, bool synchronous);
struct dispatch_watch fake_watch(struct fake_sweep *sweep);

// Runs a job for `polls` polls. The result depends on the sweep: failures[i] counts down over all runners. A runner
// breaks for good at its `breaks`-th job (1: the first; 0: never).
struct fake_runner {
    struct fake_sweep *sweep;
    unsigned polls, left, breaks, started, stopped;
    bool running;
    uint64_t job;
    double seconds; // duration that it reports
};
struct record_runner fake_runner(struct fake_runner *runner);
