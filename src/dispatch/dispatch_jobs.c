// SPDX-License-Identifier: MIT
// Which worker gets which job: the source's order, as far as memory and the deadline admit it.
#include "dispatch_state.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t lookahead = 32; // jobs waiting beyond one for each rank, so that a smaller one can go ahead
static const double pocket_within =
    .25; // seconds: a worker that is expected to be idle earlier gets a job in its pocket

static enum status_code grow_slots(struct dispatch_coordinator *c, struct status *status)
{
    size_t count = c->slots_count > 0 ? 2 * c->slots_count : 64;
    struct slot *slots = realloc(c->slots, count * sizeof *slots);
    if (slots != NULL)
        c->slots = slots;
    size_t *waiting = realloc(c->waiting, count * sizeof *waiting);
    if (waiting != NULL)
        c->waiting = waiting;
    if (slots == NULL || waiting == NULL)
        return status_set(status, STATUS_MEMORY, "no memory for %zu trials under way", count);
    memset(&slots[c->slots_count], 0, (count - c->slots_count) * sizeof *slots);
    c->slots_count = count;
    return STATUS_OK;
}

static enum status_code free_slot(struct dispatch_coordinator *c, size_t *ret_slot, struct status *status)
{
    for (size_t i = 0; i < c->slots_count; i++)
        if (c->slots[i].state == SLOT_FREE) {
            *ret_slot = i;
            return STATUS_OK;
        }
    *ret_slot = c->slots_count;
    return grow_slots(c, status);
}

enum status_code jobs_refill(struct dispatch_coordinator *c, struct status *status)
{
    while (c->waiting_count < lookahead + (size_t)c->ranks) {
        size_t slot = 0;
        enum status_code code = free_slot(c, &slot, status);
        if (code != STATUS_OK)
            return code;
        struct dispatch_job job = {0};
        if (!c->source->next(c->source->self, &job))
            return STATUS_OK;
        c->slots[slot] = (struct slot){.state = SLOT_WAITING, .job = job, .reported = NAN};
        c->waiting[c->waiting_count++] = slot;
        c->taken++;
        c->taken_cost += job.cost;
    }
    return STATUS_OK;
}

void jobs_wait(struct dispatch_coordinator *c, size_t slot)
{
    memmove(&c->waiting[1], &c->waiting[0], c->waiting_count * sizeof *c->waiting);
    c->waiting[0] = slot;
    c->waiting_count++;
    c->slots[slot].state = SLOT_WAITING;
    c->slots[slot].step = c->slots[slot].steps = 0;
    c->slots[slot].reported = NAN;
}

// A worker runs one job at a time, so that its largest job is what it needs.
static void recharge(struct dispatch_coordinator *c, struct worker *worker)
{
    double charge = 0;
    for (size_t i = 0; i < worker->count; i++) {
        double memory = c->slots[worker->jobs[i]].job.memory;
        charge = memory > charge ? memory : charge;
    }
    c->hosts[worker->host].charge += charge - worker->charge;
    worker->charge = charge;
}

void jobs_drop_first(struct dispatch_coordinator *c, struct worker *worker, double now)
{
    worker->count--;
    memmove(&worker->jobs[0], &worker->jobs[1], worker->count * sizeof *worker->jobs);
    worker->started = now;
    c->out--;
    recharge(c, worker);
}

void jobs_return_all(struct dispatch_coordinator *c, struct worker *worker)
{
    while (worker->count > 0) {
        c->out--;
        jobs_wait(c, worker->jobs[--worker->count]);
    }
    recharge(c, worker);
}

void jobs_settle(struct dispatch_coordinator *c, struct slot *slot)
{
    c->committing--;
    c->done_cost += slot->job.cost;
    if (slot->failed)
        c->failed++;
    else
        c->done++;
    slot->state = SLOT_FREE;
}

// More than every host has, once all hosts are known: any worker may have it, to refuse it with the reason.
static bool fits_nowhere(const struct dispatch_coordinator *c, const struct dispatch_job *job)
{
    for (int rank = c->first; rank < c->ranks; rank++) {
        const struct worker *worker = &c->workers[rank];
        if (worker->state == WORKER_ABSENT)
            return false;
        if (worker->state == WORKER_READY && job->memory <= c->hosts[worker->host].memory)
            return false;
    }
    return true;
}

static bool admitted(const struct dispatch_coordinator *c, const struct worker *worker, const struct dispatch_job *job,
                     double now)
{
    const struct host *host = &c->hosts[worker->host];
    double charge = job->memory > worker->charge ? job->memory : worker->charge;
    if (host->charge - worker->charge + charge > host->memory && !fits_nowhere(c, job))
        return false;
    return c->timed == 0 || now + expected_seconds(c, job->cost) <= c->options.deadline;
}

static enum status_code hand_out(struct dispatch_coordinator *c, int rank, size_t place, double now,
                                 struct status *status)
{
    struct worker *worker = &c->workers[rank];
    size_t number = c->waiting[place];
    struct slot *slot = &c->slots[number];
    struct bytes payload = {0};
    enum status_code code = c->source->payload(c->source->self, slot->job.index, &payload, status);
    if (code == STATUS_OK && payload.failed)
        code = status_set(status, STATUS_MEMORY, "no memory for the settings of a trial");
    if (code == STATUS_OK) {
        struct dispatch_message message = {
            .kind = DISPATCH_JOB, .job = number, .blob = payload.data, .blob_size = payload.size};
        message_encode(&message, &c->message);
        code = send_message(c, rank, status);
    }
    bytes_fini(&payload);
    if (code != STATUS_OK)
        return code;
    c->waiting_count--;
    memmove(&c->waiting[place], &c->waiting[place + 1], (c->waiting_count - place) * sizeof *c->waiting);
    if (fits_nowhere(c, &slot->job))
        slot->job.memory = 0;
    slot->state = SLOT_OUT;
    slot->rank = rank;
    if (worker->count == 0)
        worker->started = worker->heard = now;
    worker->jobs[worker->count++] = number;
    c->out++;
    recharge(c, worker);
    return STATUS_OK;
}

static bool wants(const struct dispatch_coordinator *c, const struct worker *worker, size_t depth, double now)
{
    if (worker->state != WORKER_READY || worker->count != depth)
        return false;
    if (depth == 0)
        return true;
    double rest = expected_rest(c, &c->slots[worker->jobs[0]], worker->started, now);
    for (size_t i = 1; i < worker->count; i++)
        rest += expected_seconds(c, c->slots[worker->jobs[i]].job.cost);
    return rest < pocket_within;
}

// One more job to each worker that has `depth` of them and wants another.
static enum status_code hand_out_round(struct dispatch_coordinator *c, size_t depth, double now, size_t *ret_count,
                                       struct status *status)
{
    for (int rank = c->first; rank < c->ranks && c->waiting_count > 0; rank++) {
        const struct worker *worker = &c->workers[rank];
        size_t place = 0;
        if (!wants(c, worker, depth, now))
            continue;
        while (place < c->waiting_count && !admitted(c, worker, &c->slots[c->waiting[place]].job, now))
            place++;
        if (place == c->waiting_count)
            continue;
        enum status_code code = hand_out(c, rank, place, now, status);
        if (code != STATUS_OK)
            return code;
        ++*ret_count;
    }
    return STATUS_OK;
}

enum status_code jobs_hand_out(struct dispatch_coordinator *c, double now, size_t *ret_count, struct status *status)
{
    for (size_t depth = 0; depth <= c->options.pocket; depth++) {
        enum status_code code = hand_out_round(c, depth, now, ret_count, status);
        if (code != STATUS_OK)
            return code;
    }
    return STATUS_OK;
}
