// SPDX-License-Identifier: MIT
// The loops around the state machines: messages, signals, sleep. Station before: grid_expand; after: trainer_start on
// the workers, store_append on rank 0.
#include "base_clock.h"
#include "dispatch.h"
#include "dispatch_state.h"
#include <math.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// MPI cannot wake a sleeper: the sleep is an eighth of the time since something last happened, within these bounds. The
// longest is what an idle rank may wait for its first job; it costs well under 1 % of a core.
static const double shortest_sleep = 50e-6, longest_sleep = 4e-3;
static const double busy_sleep = 100e-6;   // while a long message is under way
static const double figures_interval = .1; // seconds
enum { MESSAGES_AT_ONCE = 64 };

struct loop {
    struct comm *comm;
    struct dispatch_coordinator *coordinator; // NULL on other ranks
    struct dispatch_worker *worker;           // NULL on a coordinator that does not train
    const struct record_runner *runner;
    struct dispatch_signals *signals;
    int sink_fd;
    double active; // when something last happened
    struct bytes message;
};

static enum status_code send_over(void *self, int target, const void *data, size_t size, struct status *status)
{
    return comm_send(self, target, data, size, status);
}

static enum status_code deliver(struct loop *loop, int source, double now, struct status *status)
{
    bool to_worker = loop->message.size > 0 && loop->message.data[0] >= DISPATCH_JOB;
    if (to_worker && loop->worker != NULL && source == 0)
        return dispatch_worker_receive(loop->worker, loop->message.data, loop->message.size, status);
    if (!to_worker && loop->coordinator != NULL)
        return dispatch_coordinator_receive(loop->coordinator, source, loop->message.data, loop->message.size, now,
                                            status);
    return status_set(status, STATUS_INTERNAL, "message from rank %d is not for this one", source);
}

// *ret_broken: communication itself has failed.
static enum status_code take_messages(struct loop *loop, double now, bool *ret_broken, struct status *status)
{
    for (int i = 0; i < MESSAGES_AT_ONCE; i++) {
        int source = -1;
        enum status_code code = comm_poll(loop->comm, &loop->message, &source, status);
        *ret_broken = code != STATUS_OK;
        if (code != STATUS_OK || source < 0)
            return code;
        loop->active = now;
        code = deliver(loop, source, now, status);
        if (code != STATUS_OK)
            return code;
    }
    return STATUS_OK;
}

static void sleep_until_news(const struct loop *loop)
{
    bool running = loop->worker != NULL && dispatch_worker_running(loop->worker);
    int runner_fd = running ? loop->runner->fd(loop->runner->self) : -1;
    if (running && runner_fd < 0) // poll itself trains
        return;
    double seconds = (clock_now() - loop->active) / 8;
    seconds = seconds < shortest_sleep ? shortest_sleep : seconds > longest_sleep ? longest_sleep : seconds;
    if (comm_busy(loop->comm) && seconds > busy_sleep)
        seconds = busy_sleep;
    struct pollfd fds[3] = {{.fd = runner_fd, .events = POLLIN},
                            {.fd = loop->sink_fd, .events = POLLIN},
                            {.fd = loop->signals != NULL ? loop->signals->fd : -1, .events = POLLIN}};
    ppoll(fds, 3, &(struct timespec){.tv_nsec = (long)(seconds * 1e9)}, NULL);
}

static enum status_code step_worker(struct loop *loop, double now, int asked, struct status *status)
{
    bool active = false;
    enum status_code code = dispatch_worker_step(loop->worker, now, &active, status);
    if (code == STATUS_OK && asked > 0)
        code = dispatch_worker_drain(loop->worker, status);
    if (active)
        loop->active = now;
    return code;
}

static enum status_code step_coordinator(struct loop *loop, double now, int asked, struct status *status)
{
    bool active = false;
    if (asked > 0)
        dispatch_coordinator_drain(loop->coordinator, DISPATCH_STOPPED);
    enum status_code code = dispatch_coordinator_step(loop->coordinator, now, &active, status);
    if (active)
        loop->active = now;
    return code;
}

// One turn of all that this rank is. *ret_broken: going on is pointless.
static enum status_code turn(struct loop *loop, double now, bool *ret_broken, struct status *status)
{
    int asked = loop->signals != NULL ? dispatch_signals_asked(loop->signals) : 0;
    if (asked > 1) {
        *ret_broken = true;
        return status_set(status, STATUS_STOPPED, "asked to stop twice");
    }
    enum status_code code = take_messages(loop, now, ret_broken, status);
    if (code == STATUS_OK && loop->coordinator != NULL)
        code = step_coordinator(loop, now, asked, status);
    if (code == STATUS_OK && loop->worker != NULL)
        code = step_worker(loop, now, asked, status);
    return code;
}

static void show_figures(struct loop *loop, const struct dispatch_watch *watch, double now)
{
    struct dispatch_figures figures;
    if (watch == NULL || watch->figures == NULL)
        return;
    dispatch_coordinator_figures(loop->coordinator, now, &figures);
    watch->figures(watch->self, &figures);
}

// Runs until the end. The first error drains; it is returned when all have left.
static enum status_code coordinate(struct loop *loop, const struct dispatch_watch *watch, struct status *status)
{
    enum status_code code = STATUS_OK;
    bool broken = false;
    double now = clock_now(), shown = now;
    loop->active = now;
    while (!broken && !(dispatch_coordinator_over(loop->coordinator, now) &&
                        (loop->worker == NULL || dispatch_worker_over(loop->worker)))) {
        enum status_code turned = turn(loop, now, &broken, code == STATUS_OK ? status : NULL);
        if (code == STATUS_OK && turned != STATUS_OK) {
            code = turned;
            dispatch_coordinator_drain(loop->coordinator, DISPATCH_STOPPED);
        }
        if (now > shown + figures_interval) {
            show_figures(loop, watch, now);
            shown = now;
        }
        sleep_until_news(loop);
        now = clock_now();
    }
    show_figures(loop, watch, now);
    return code;
}

static enum status_code create_worker(struct loop *loop, const char *reason, double memory, struct status *status)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return dispatch_worker_create(loop->runner, reason, host, memory, send_over, loop->comm, &loop->worker, status);
}

enum status_code dispatch_coordinate(struct comm *comm, const struct dispatch_source *source,
                                     const struct dispatch_sink *sink, const struct record_runner *runner,
                                     struct dispatch_signals *signals, const struct dispatch_watch *watch,
                                     const struct dispatch_options *options, struct dispatch_summary *ret_summary,
                                     struct status *status)
{
    struct loop loop = {.comm = comm, .runner = runner, .signals = signals, .sink_fd = sink->fd};
    int first = runner != NULL ? 0 : 1;
    enum status_code code = dispatch_coordinator_create(first, comm_size(comm), source, sink, watch, options, send_over,
                                                        comm, clock_now(), &loop.coordinator, status);
    if (code == STATUS_OK && runner != NULL)
        code = create_worker(&loop, NULL, options->memory, status);
    if (code == STATUS_OK)
        code = coordinate(&loop, watch, status);
    if (loop.coordinator != NULL)
        dispatch_coordinator_summary(loop.coordinator, ret_summary);
    else
        *ret_summary = (struct dispatch_summary){.end = DISPATCH_STOPPED, .missing = comm_size(comm) - first};
    dispatch_worker_destroy(loop.worker);
    dispatch_coordinator_destroy(loop.coordinator);
    bytes_fini(&loop.message);
    return code;
}

static enum status_code work(struct loop *loop, const char *reason, double memory, struct status *status)
{
    bool broken = false;
    loop->sink_fd = -1;
    loop->active = clock_now();
    enum status_code code = create_worker(loop, reason, memory, status);
    while (code == STATUS_OK && !dispatch_worker_over(loop->worker)) {
        code = turn(loop, clock_now(), &broken, status);
        if (code == STATUS_OK && !dispatch_worker_over(loop->worker))
            sleep_until_news(loop);
    }
    dispatch_worker_destroy(loop->worker);
    bytes_fini(&loop->message);
    return code;
}

enum status_code dispatch_work(struct comm *comm, const struct record_runner *runner, struct dispatch_signals *signals,
                               const struct dispatch_options *options, struct status *status)
{
    struct loop loop = {.comm = comm, .runner = runner, .signals = signals};
    return work(&loop, NULL, options->memory, status);
}

enum status_code dispatch_resign(struct comm *comm, const char *reason, struct status *status)
{
    struct loop loop = {.comm = comm};
    return work(&loop, reason, 0, status);
}

static bool no_job(void *self, struct dispatch_job *ret_job)
{
    (void)self;
    (void)ret_job;
    return false;
}

static void no_rest(void *self, size_t *ret_count, double *ret_cost)
{
    (void)self;
    *ret_count = 0;
    *ret_cost = 0;
}

enum status_code dispatch_dismiss(struct comm *comm, double patience, int *ret_missing, struct status *status)
{
    const struct dispatch_source source = {.next = no_job, .rest = no_rest};
    const struct dispatch_sink sink = {.fd = -1};
    struct dispatch_options options = dispatch_options_standard();
    struct dispatch_summary summary = {0};
    options.patience = patience;
    enum status_code code = dispatch_coordinate(comm, &source, &sink, NULL, NULL, NULL, &options, &summary, status);
    if (code == STATUS_OK)
        *ret_missing = summary.missing;
    return code;
}

struct dispatch_options dispatch_options_standard(void)
{
    return (struct dispatch_options){
        .attempts = 3, .max_failures = SIZE_MAX, .pocket = 8, .deadline = INFINITY, .patience = 5, .memory = INFINITY};
}
