// SPDX-License-Identifier: MIT
// What a worker's message does to the coordinator.
#include "dispatch_state.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status_code out_of_place(int rank, const struct dispatch_message *message, struct status *status)
{
    return status_set(status, STATUS_INTERNAL, "message of kind %d from rank %d is out of place", (int)message->kind,
                      rank);
}

static enum status_code find_host(struct dispatch_coordinator *c, const struct dispatch_message *message,
                                  size_t *ret_host, struct status *status)
{
    for (size_t i = 0; i < c->hosts_count; i++)
        if (strlen(c->hosts[i].name) == message->text_length &&
            memcmp(c->hosts[i].name, message->text, message->text_length) == 0) {
            *ret_host = i;
            return STATUS_OK;
        }
    char *name = strndup(message->text, message->text_length);
    if (name == NULL)
        return status_set(status, STATUS_MEMORY, "no memory for a host's name");
    c->hosts[c->hosts_count] = (struct host){.name = name, .memory = message->memory};
    *ret_host = c->hosts_count++;
    return STATUS_OK;
}

static enum status_code receive_hello(struct dispatch_coordinator *c, int rank, const struct dispatch_message *message,
                                      struct status *status)
{
    struct worker *worker = &c->workers[rank];
    if (worker->state != WORKER_ABSENT)
        return out_of_place(rank, message, status);
    enum status_code code = find_host(c, message, &worker->host, status);
    if (code != STATUS_OK)
        return code;
    // Ranks of one host see it at different moments: what all of them have is what counts.
    struct host *host = &c->hosts[worker->host];
    host->memory = message->memory < host->memory ? message->memory : host->memory;
    worker->state = WORKER_READY;
    return STATUS_OK;
}

// The job that `rank` runs, when that is the one which the message names.
static struct slot *running_slot(struct dispatch_coordinator *c, int rank, const struct dispatch_message *message)
{
    const struct worker *worker = &c->workers[rank];
    return worker->count > 0 && worker->jobs[0] == message->job ? &c->slots[message->job] : NULL;
}

static enum status_code receive_progress(struct dispatch_coordinator *c, int rank,
                                         const struct dispatch_message *message, double now, struct status *status)
{
    struct slot *slot = running_slot(c, rank, message);
    if (slot == NULL)
        return out_of_place(rank, message, status);
    slot->step = message->step;
    slot->steps = message->steps;
    slot->seconds = message->seconds;
    slot->reported = now;
    return STATUS_OK;
}

static enum status_code sink_result(struct dispatch_coordinator *c, int rank, struct slot *slot,
                                    const struct dispatch_message *message, bool final, struct status *status)
{
    const struct dispatch_sink *sink = c->sink;
    const char *host = c->hosts[c->workers[rank].host].name;
    enum status_code code =
        message->outcome == RUN_DONE
            ? sink->commit(sink->self, slot->job.index, message->blob, message->blob_size, host, status)
            : sink->fail(sink->self, slot->job.index, message->blob, message->blob_size, host, slot->job.attempts,
                         final, status);
    c->sink_failed |= code != STATUS_OK;
    return code;
}

static enum status_code receive_result(struct dispatch_coordinator *c, int rank, const struct dispatch_message *message,
                                       double now, struct status *status)
{
    struct slot *slot = running_slot(c, rank, message);
    if (slot == NULL)
        return out_of_place(rank, message, status);
    jobs_drop_first(c, &c->workers[rank], now);
    if (c->sink_failed) {
        jobs_wait(c, (size_t)message->job);
        return STATUS_OK;
    }
    slot->job.attempts += message->outcome == RUN_FAILED;
    slot->failed = message->outcome != RUN_DONE;
    bool final = message->outcome != RUN_FAILED || slot->job.attempts >= c->options.attempts;
    enum status_code code = sink_result(c, rank, slot, message, final, status);
    if (code != STATUS_OK || !final) {
        c->retried += code == STATUS_OK;
        jobs_wait(c, (size_t)message->job);
        return code;
    }
    if (message->outcome == RUN_DONE) {
        c->timed++;
        c->timed_cost += slot->job.cost;
        c->timed_seconds += message->seconds;
    }
    c->failing += slot->failed;
    slot->state = SLOT_COMMITTING;
    c->committing++;
    if (c->sink->settled == NULL)
        jobs_settle(c, slot);
    if (c->failing > c->options.max_failures)
        dispatch_coordinator_drain(c, DISPATCH_FAILURES);
    return STATUS_OK;
}

static enum status_code receive_resign(struct dispatch_coordinator *c, int rank, const struct dispatch_message *message,
                                       struct status *status)
{
    struct worker *worker = &c->workers[rank];
    char text[512];
    jobs_return_all(c, worker);
    snprintf(c->resigned, sizeof c->resigned, "%.*s", (int)(message->text_length < 250 ? message->text_length : 250),
             message->text);
    snprintf(text, sizeof text, "rank %d on %.128s leaves: %s", rank, c->hosts[worker->host].name, c->resigned);
    if (c->watch != NULL && c->watch->notice != NULL)
        c->watch->notice(c->watch->self, text);
    return worker->state == WORKER_READY ? send_away(c, rank, status) : STATUS_OK;
}

static enum status_code receive_goodbye(struct dispatch_coordinator *c, int rank,
                                        const struct dispatch_message *message, struct status *status)
{
    struct worker *worker = &c->workers[rank];
    if (worker->state != WORKER_AWAY)
        return out_of_place(rank, message, status);
    jobs_return_all(c, worker);
    worker->state = WORKER_GONE;
    return STATUS_OK;
}

enum status_code dispatch_coordinator_receive(struct dispatch_coordinator *c, int rank, const void *data, size_t size,
                                              double now, struct status *status)
{
    struct dispatch_message message;
    enum status_code code = message_decode(data, size, &message, status);
    if (code != STATUS_OK)
        return status_context(status, "from rank %d", rank);
    if (rank < c->first || rank >= c->ranks)
        return out_of_place(rank, &message, status);
    struct worker *worker = &c->workers[rank];
    bool here = worker->state == WORKER_READY || worker->state == WORKER_AWAY;
    if (here != (message.kind != DISPATCH_HELLO))
        return out_of_place(rank, &message, status);
    worker->heard = now;
    switch (message.kind) {
    case DISPATCH_HELLO:
        return receive_hello(c, rank, &message, status);
    case DISPATCH_PROGRESS:
        return receive_progress(c, rank, &message, now, status);
    case DISPATCH_RESULT:
        return receive_result(c, rank, &message, now, status);
    case DISPATCH_DRAIN:
        dispatch_coordinator_drain(c, DISPATCH_STOPPED);
        return STATUS_OK;
    case DISPATCH_RESIGN:
        return receive_resign(c, rank, &message, status);
    case DISPATCH_GOODBYE:
        return receive_goodbye(c, rank, &message, status);
    case DISPATCH_JOB:
    case DISPATCH_AWAY:
        break;
    }
    return out_of_place(rank, &message, status);
}
