// SPDX-License-Identifier: MIT
// The coordinator's inside, shared by its source files; private to this layer.
#pragma once
#include "dispatch_worker.h"

enum { POCKET_LIMIT = 63 };

// A job taken from the source and not settled. Its number in the table is its name on the wire.
enum slot_state { SLOT_FREE, SLOT_WAITING, SLOT_OUT, SLOT_COMMITTING };
struct slot {
    enum slot_state state;
    struct dispatch_job job;  // with the attempts of this run added
    bool failed;              // what is being committed is a failure
    int rank;                 // while out
    int64_t step, steps;      // as last reported
    double seconds, reported; // running time in that report, and when it came; `reported` NaN: none so far
};

enum worker_state {
    WORKER_ABSENT, // no hello so far
    WORKER_READY,
    WORKER_AWAY, // has been sent away
    WORKER_GONE, // has said goodbye
};
struct worker {
    enum worker_state state;
    size_t host;
    double heard;                         // time of its last message
    double started;                       // time when its first job began, as far as known
    double charge;                        // memory: the most that one of its jobs needs
    size_t count, jobs[POCKET_LIMIT + 1]; // slots in the order of running: the first runs, the rest is its pocket
};

struct host {
    char *name;
    double memory, charge;
};

struct dispatch_coordinator {
    const struct dispatch_source *source;
    const struct dispatch_sink *sink;
    const struct dispatch_watch *watch;
    struct dispatch_options options;
    dispatch_send *send;
    void *send_self;
    double began, sent_away; // times; `sent_away` NaN before the end
    int first, ranks;
    struct worker *workers; // (ranks), used from `first`
    size_t hosts_count;
    struct host *hosts; // (ranks)
    size_t slots_count;
    struct slot *slots;
    size_t waiting_count, *waiting; // (slots_count) slot numbers in the order of handing out
    size_t out, committing;
    bool draining, sink_failed;
    enum dispatch_end end;
    size_t taken, done, failed, failing, retried; // `failing` counts failures when they come, `failed` when durable
    double taken_cost, done_cost;
    size_t timed; // results with a duration, and the sums over them:
    double timed_cost, timed_seconds;
    struct bytes message;
    struct dispatch_flight *flights; // (ranks)
    char resigned[256];              // the last reason
};

// dispatch_jobs.c
// Takes jobs from the source while few are waiting.
enum status_code jobs_refill(struct dispatch_coordinator *c, struct status *status) MUST_CHECK;
// Hands out what can be: idle workers first, then pockets. Adds to *ret_count.
enum status_code jobs_hand_out(struct dispatch_coordinator *c, double now, size_t *ret_count,
                               struct status *status) MUST_CHECK;
void jobs_wait(struct dispatch_coordinator *c, size_t slot); // puts a job in front of the waiting ones
void jobs_drop_first(struct dispatch_coordinator *c, struct worker *worker,
                     double now); // the worker's first job left it
void jobs_return_all(struct dispatch_coordinator *c, struct worker *worker);
void jobs_settle(struct dispatch_coordinator *c, struct slot *slot);

// dispatch_figures.c
double expected_seconds(const struct dispatch_coordinator *c, double cost); // infinity while nothing is known
double expected_rest(const struct dispatch_coordinator *c, const struct slot *slot, double started, double now);

// dispatch_coordinator.c
enum status_code send_message(struct dispatch_coordinator *c, int rank, struct status *status) MUST_CHECK;
enum status_code send_away(struct dispatch_coordinator *c, int rank, struct status *status) MUST_CHECK;

// dispatch_wire.c
struct dispatch_message {
    enum dispatch_kind kind;
    uint64_t job;
    int64_t step, steps;
    double seconds, memory;
    enum record_run outcome;
    const char *text; // host or reason; not zero-terminated
    size_t text_length;
    const unsigned char *blob; // payload or record
    size_t blob_size;
};
// Views into `data`. STATUS_INTERNAL when it is not exactly one message.
enum status_code message_decode(const void *data, size_t size, struct dispatch_message *ret_message,
                                struct status *status) MUST_CHECK;
// Replaces the content of `bytes`; the fields that the kind has are used.
void message_encode(const struct dispatch_message *message, struct bytes *bytes);
