// SPDX-License-Identifier: MIT
// The coordinator as a state machine: messages and the time go in, messages come out through a function. No clock, no
// MPI, no processes; the loop around it is dispatch_coordinate.
//
// Each worker says hello, is given jobs, answers each with a result, is sent away once, and says goodbye as its last
// message. A worker is given a job beyond the one it runs (its pocket) only when the running ones are expected to be
// over soon, so that nobody waits and no trial is bound to a rank for long.
//
// Termination. A job is waiting, handed out, being committed, or settled. A handed-out job comes back by a result, by
// its worker's resignation or goodbye; a failed attempt goes back to waiting at most `attempts` times; a commit is
// acknowledged or fails the sweep. So as long as one worker lives every job gets settled, and without workers, while
// draining or after an error nothing is handed out any more. Then each worker that has said hello is sent away, once,
// and nothing is sent to it afterwards; its goodbye follows, and nothing follows that. Since messages of a pair keep
// their order, all of both directions have been received when the last goodbye has: no message is outstanding. A
// rank that does not answer within `patience` is counted as missing, and that end is not claimed.
#pragma once
#include "dispatch.h"

typedef enum status_code dispatch_send(void *self, int target, const void *data, size_t size, struct status *status);

struct dispatch_coordinator;

// Workers are the ranks first … ranks-1. `source`, `sink` and `watch` (may be NULL) must outlive it.
enum status_code dispatch_coordinator_create(int first, int ranks, const struct dispatch_source *source,
                                             const struct dispatch_sink *sink, const struct dispatch_watch *watch,
                                             const struct dispatch_options *options, dispatch_send *send,
                                             void *send_self, double now, struct dispatch_coordinator **ret_coordinator,
                                             struct status *status) MUST_CHECK;
void dispatch_coordinator_destroy(struct dispatch_coordinator *coordinator); // accepts NULL

// A message from `rank`. STATUS_INTERNAL for one that is malformed or out of place, and the state is then unchanged; or
// the sink's error, after which the sink is not called any more.
enum status_code dispatch_coordinator_receive(struct dispatch_coordinator *coordinator, int rank, const void *data,
                                              size_t size, double now, struct status *status) MUST_CHECK;

// Takes acknowledgements from the sink, hands out jobs, sends workers away when the end has come. *ret_active:
// something happened.
enum status_code dispatch_coordinator_step(struct dispatch_coordinator *coordinator, double now, bool *ret_active,
                                           struct status *status) MUST_CHECK;

// Nothing is handed out from now on, and running trials are dropped.
void dispatch_coordinator_drain(struct dispatch_coordinator *coordinator, enum dispatch_end end);

// All is settled or given up and every worker has left, or patience is over.
bool dispatch_coordinator_over(const struct dispatch_coordinator *coordinator, double now);

// `flights` of the figures are valid until the next call.
void dispatch_coordinator_figures(struct dispatch_coordinator *coordinator, double now,
                                  struct dispatch_figures *ret_figures);
void dispatch_coordinator_summary(const struct dispatch_coordinator *coordinator, struct dispatch_summary *ret_summary);
