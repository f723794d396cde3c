// SPDX-License-Identifier: MIT
// The worker: one trial at a time through the runner, the next ones in its pocket.
#include "dispatch_worker.h"
#include "dispatch_state.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double report_interval = .5; // seconds

struct pocket_job {
    struct pocket_job *next;
    uint64_t job;
    size_t size;
    unsigned char payload[];
};

struct dispatch_worker {
    const struct record_runner *runner;
    dispatch_send *send;
    void *send_self;
    char host[256], reason[256];
    double memory;
    bool greeted, away, over, running;
    bool idle_for_good; // resigned or draining: jobs that still arrive are dropped
    uint64_t job;       // the running one
    double reported;
    struct pocket_job *pocket; // in the order of arrival
    struct bytes message;
};

static enum status_code send_worker(struct dispatch_worker *worker, const struct dispatch_message *message,
                                    struct status *status)
{
    message_encode(message, &worker->message);
    if (worker->message.failed)
        return status_set(status, STATUS_MEMORY, "no memory for a message");
    return worker->send(worker->send_self, 0, worker->message.data, worker->message.size, status);
}

enum status_code dispatch_worker_create(const struct record_runner *runner, const char *reason, const char *host,
                                        double memory, dispatch_send *send, void *send_self,
                                        struct dispatch_worker **ret_worker, struct status *status)
{
    struct dispatch_worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL)
        return status_set(status, STATUS_MEMORY, "no memory for a worker");
    worker->runner = runner;
    worker->memory = memory;
    worker->send = send;
    worker->send_self = send_self;
    snprintf(worker->host, sizeof worker->host, "%s", host);
    snprintf(worker->reason, sizeof worker->reason, "%s", reason != NULL ? reason : "");
    *ret_worker = worker;
    return STATUS_OK;
}

// Takes the first job out of the pocket; NULL when it is empty.
static struct pocket_job *pocket_take(struct dispatch_worker *worker)
{
    struct pocket_job *job = worker->pocket;
    if (job != NULL)
        worker->pocket = job->next;
    return job;
}

static void drop_all(struct dispatch_worker *worker)
{
    for (struct pocket_job *job; (job = pocket_take(worker)) != NULL;)
        free(job);
    if (worker->runner != NULL)
        worker->runner->stop(worker->runner->self);
    worker->running = false;
}

void dispatch_worker_destroy(struct dispatch_worker *worker)
{
    if (worker == NULL)
        return;
    drop_all(worker);
    bytes_fini(&worker->message);
    free(worker);
}

static enum status_code resign(struct dispatch_worker *worker, const char *reason, struct status *status)
{
    worker->idle_for_good = true;
    drop_all(worker);
    return send_worker(
        worker, &(struct dispatch_message){.kind = DISPATCH_RESIGN, .text = reason, .text_length = strlen(reason)},
        status);
}

static enum status_code put_in_pocket(struct dispatch_worker *worker, const struct dispatch_message *message,
                                      struct status *status)
{
    struct pocket_job *job = malloc(sizeof *job + message->blob_size);
    if (job == NULL)
        return status_set(status, STATUS_MEMORY, "no memory for a job of %zu bytes", message->blob_size);
    *job = (struct pocket_job){.job = message->job, .size = message->blob_size};
    if (message->blob_size > 0)
        memcpy(job->payload, message->blob, message->blob_size);
    struct pocket_job **end = &worker->pocket;
    while (*end != NULL)
        end = &(*end)->next;
    *end = job;
    return STATUS_OK;
}

enum status_code dispatch_worker_receive(struct dispatch_worker *worker, const void *data, size_t size,
                                         struct status *status)
{
    struct dispatch_message message;
    enum status_code code = message_decode(data, size, &message, status);
    if (code != STATUS_OK)
        return status_context(status, "from the coordinator");
    if (worker->away || (message.kind != DISPATCH_JOB && message.kind != DISPATCH_AWAY))
        return status_set(status, STATUS_INTERNAL, "message of kind %d from the coordinator is out of place",
                          (int)message.kind);
    if (message.kind == DISPATCH_AWAY)
        worker->away = true;
    else if (!worker->idle_for_good)
        code = put_in_pocket(worker, &message, status);
    return code;
}

static enum status_code send_result(struct dispatch_worker *worker, const struct record_run_event *event,
                                    struct status *status)
{
    return send_worker(worker,
                       &(struct dispatch_message){.kind = DISPATCH_RESULT,
                                                  .job = worker->job,
                                                  .outcome = event->state,
                                                  .seconds = event->seconds > 0 ? event->seconds : 0,
                                                  .blob = event->record,
                                                  .blob_size = event->size},
                       status);
}

static enum status_code send_progress(struct dispatch_worker *worker, const struct record_run_event *event,
                                      struct status *status)
{
    return send_worker(worker,
                       &(struct dispatch_message){.kind = DISPATCH_PROGRESS,
                                                  .job = worker->job,
                                                  .step = event->step > 0 ? event->step : 0,
                                                  .steps = event->steps > 0 ? event->steps : 0,
                                                  .seconds = event->seconds > 0 ? event->seconds : 0},
                       status);
}

// *ret_active: the trial has ended.
static enum status_code poll_runner(struct dispatch_worker *worker, double now, bool *ret_active, struct status *status)
{
    struct record_run_event event = {0};
    struct status why = {0};
    if (worker->runner->poll(worker->runner->self, &event, &why) != STATUS_OK)
        return resign(worker, why.text, status);
    if (event.state == RUN_RUNNING) {
        if (now < worker->reported + report_interval)
            return STATUS_OK;
        worker->reported = now;
        return send_progress(worker, &event, status);
    }
    *ret_active = true;
    worker->running = false;
    if (event.state == RUN_IDLE)
        return resign(worker, "the trainer lost its trial", status);
    return send_result(worker, &event, status);
}

static enum status_code start_next(struct dispatch_worker *worker, double now, struct status *status)
{
    struct pocket_job *job = pocket_take(worker);
    struct status why = {0};
    worker->job = job->job;
    worker->reported = now;
    worker->running = worker->runner->start(worker->runner->self, job->payload, job->size, &why) == STATUS_OK;
    free(job);
    return worker->running ? STATUS_OK : resign(worker, why.text, status);
}

static enum status_code greet(struct dispatch_worker *worker, struct status *status)
{
    worker->greeted = true;
    enum status_code code = send_worker(worker,
                                        &(struct dispatch_message){.kind = DISPATCH_HELLO,
                                                                   .text = worker->host,
                                                                   .text_length = strlen(worker->host),
                                                                   .memory = worker->memory},
                                        status);
    if (code == STATUS_OK && worker->runner == NULL)
        code = resign(worker, worker->reason, status);
    return code;
}

static enum status_code say_goodbye(struct dispatch_worker *worker, struct status *status)
{
    worker->over = worker->idle_for_good = true;
    drop_all(worker);
    return send_worker(worker, &(struct dispatch_message){.kind = DISPATCH_GOODBYE}, status);
}

enum status_code dispatch_worker_step(struct dispatch_worker *worker, double now, bool *ret_active,
                                      struct status *status)
{
    bool active = false;
    enum status_code code = STATUS_OK;
    if (!worker->greeted)
        code = greet(worker, status);
    if (code == STATUS_OK && worker->running)
        code = poll_runner(worker, now, &active, status);
    if (code == STATUS_OK && worker->away && !worker->over) {
        active = true;
        code = say_goodbye(worker, status);
    }
    if (code == STATUS_OK && !worker->running && worker->pocket != NULL) {
        active = true;
        code = start_next(worker, now, status);
    }
    *ret_active = active;
    return code;
}

enum status_code dispatch_worker_drain(struct dispatch_worker *worker, struct status *status)
{
    if (worker->idle_for_good || !worker->greeted)
        return STATUS_OK;
    worker->idle_for_good = true;
    drop_all(worker);
    return send_worker(worker, &(struct dispatch_message){.kind = DISPATCH_DRAIN}, status);
}

bool dispatch_worker_over(const struct dispatch_worker *worker)
{
    return worker->over;
}

bool dispatch_worker_running(const struct dispatch_worker *worker)
{
    return worker->running;
}
