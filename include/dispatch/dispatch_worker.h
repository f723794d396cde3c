// SPDX-License-Identifier: MIT
// The worker as a state machine, and the messages that it exchanges with the coordinator.
#pragma once
#include "dispatch_coordinator.h"

struct dispatch_worker;

// Says hello at its first step, as a worker on `host`, whose trials may use `memory` bytes together. `runner` must
// outlive it; NULL: a worker that resigns with `reason`.
enum status_code dispatch_worker_create(const struct record_runner *runner, const char *reason, const char *host,
                                        double memory, dispatch_send *send, void *send_self,
                                        struct dispatch_worker **ret_worker, struct status *status) MUST_CHECK;
void dispatch_worker_destroy(struct dispatch_worker *worker); // stops the runner; accepts NULL

// A message from the coordinator; STATUS_INTERNAL when it is malformed or out of place.
enum status_code dispatch_worker_receive(struct dispatch_worker *worker, const void *data, size_t size,
                                         struct status *status) MUST_CHECK;

// Polls the runner, sends results at once and progress twice a second, starts the next job from the pocket.
enum status_code dispatch_worker_step(struct dispatch_worker *worker, double now, bool *ret_active,
                                      struct status *status) MUST_CHECK;

// This rank was asked to stop: drops what it runs and asks the coordinator to drain.
enum status_code dispatch_worker_drain(struct dispatch_worker *worker, struct status *status) MUST_CHECK;

bool dispatch_worker_over(const struct dispatch_worker *worker); // has said goodbye
bool dispatch_worker_running(const struct dispatch_worker *worker);

// Wire form: one byte kind, then the fields, little-endian.
enum dispatch_kind {
    DISPATCH_HELLO = 1, // worker: text host, f64 memory
    DISPATCH_PROGRESS,  // worker: u64 job, u64 step, u64 steps, f64 seconds
    DISPATCH_RESULT,    // worker: u64 job, u8 enum record_run, f64 seconds, blob record
    DISPATCH_DRAIN,     // worker: this rank was asked to stop
    DISPATCH_RESIGN,    // worker: text reason; it drops its jobs
    DISPATCH_GOODBYE,   // worker: its last message
    DISPATCH_JOB = 64,  // coordinator: u64 job, blob payload
    DISPATCH_AWAY,      // coordinator: its last message; drop what runs and leave
};
