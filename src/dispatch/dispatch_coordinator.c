// SPDX-License-Identifier: MIT
// The coordinator's life: creation, steps, the end. What messages do to it is in dispatch_receive.c.
#include "dispatch_coordinator.h"
#include "dispatch_state.h"
#include <math.h>
#include <stdlib.h>

enum status_code send_message(struct dispatch_coordinator *c, int rank, struct status *status)
{
    if (c->message.failed)
        return status_set(status, STATUS_MEMORY, "no memory for a message");
    return c->send(c->send_self, rank, c->message.data, c->message.size, status);
}

enum status_code send_away(struct dispatch_coordinator *c, int rank, struct status *status)
{
    message_encode(&(struct dispatch_message){.kind = DISPATCH_AWAY}, &c->message);
    enum status_code code = send_message(c, rank, status);
    if (code == STATUS_OK)
        c->workers[rank].state = WORKER_AWAY;
    return code;
}

enum status_code dispatch_coordinator_create(int first, int ranks, const struct dispatch_source *source,
                                             const struct dispatch_sink *sink, const struct dispatch_watch *watch,
                                             const struct dispatch_options *options, dispatch_send *send,
                                             void *send_self, double now, struct dispatch_coordinator **ret_coordinator,
                                             struct status *status)
{
    struct dispatch_coordinator *c = calloc(1, sizeof *c);
    if (c != NULL) {
        *c = (struct dispatch_coordinator){
            .source = source,
            .sink = sink,
            .watch = watch,
            .options = *options,
            .send = send,
            .send_self = send_self,
            .began = now,
            .sent_away = NAN,
            .first = first,
            .ranks = ranks,
            .workers = calloc((size_t)ranks, sizeof *c->workers),
            .hosts = calloc((size_t)ranks, sizeof *c->hosts),
            .flights = calloc((size_t)ranks, sizeof *c->flights),
        };
        if (c->options.pocket > POCKET_LIMIT)
            c->options.pocket = POCKET_LIMIT;
    }
    if (c == NULL || c->workers == NULL || c->hosts == NULL || c->flights == NULL) {
        dispatch_coordinator_destroy(c);
        return status_set(status, STATUS_MEMORY, "no memory to coordinate %d ranks", ranks);
    }
    *ret_coordinator = c;
    return STATUS_OK;
}

void dispatch_coordinator_destroy(struct dispatch_coordinator *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < c->hosts_count; i++)
        free(c->hosts[i].name);
    free(c->hosts);
    free(c->workers);
    free(c->flights);
    free(c->slots);
    free(c->waiting);
    bytes_fini(&c->message);
    free(c);
}

void dispatch_coordinator_drain(struct dispatch_coordinator *c, enum dispatch_end end)
{
    if (c->draining)
        return;
    c->draining = true;
    c->end = end;
}

static enum status_code settle_index(struct dispatch_coordinator *c, size_t index, struct status *status)
{
    for (size_t i = 0; i < c->slots_count; i++)
        if (c->slots[i].state == SLOT_COMMITTING && c->slots[i].job.index == index) {
            jobs_settle(c, &c->slots[i]);
            return STATUS_OK;
        }
    return status_set(status, STATUS_INTERNAL, "trial %zu was acknowledged and is not being committed", index);
}

static enum status_code take_settled(struct dispatch_coordinator *c, bool *ret_active, struct status *status)
{
    size_t indices[64], count = 0;
    if (c->sink->settled == NULL || c->sink_failed)
        return STATUS_OK;
    do {
        enum status_code code = c->sink->settled(c->sink->self, 64, indices, &count, status);
        for (size_t i = 0; code == STATUS_OK && i < count; i++) {
            code = settle_index(c, indices[i], status);
            *ret_active = true;
        }
        if (code != STATUS_OK) {
            c->sink_failed = true;
            return code;
        }
    } while (count == 64);
    return STATUS_OK;
}

static int count_workers(const struct dispatch_coordinator *c)
{
    int count = 0;
    for (int rank = c->first; rank < c->ranks; rank++)
        count += c->workers[rank].state == WORKER_ABSENT || c->workers[rank].state == WORKER_READY;
    return count;
}

static enum status_code advance(struct dispatch_coordinator *c, double now, bool *ret_active, struct status *status)
{
    size_t handed_out = 0;
    if (now >= c->options.deadline)
        dispatch_coordinator_drain(c, DISPATCH_STOPPED);
    if (c->draining || !isnan(c->sent_away))
        return STATUS_OK;
    enum status_code code = jobs_refill(c, status);
    if (code == STATUS_OK)
        code = jobs_hand_out(c, now, &handed_out, status);
    *ret_active |= handed_out > 0;
    if (code != STATUS_OK || c->out > 0 || c->committing > 0)
        return code;
    if (c->waiting_count == 0)
        c->sent_away = now;
    else if (count_workers(c) == 0)
        return status_set(status, STATUS_SYSTEM, "no rank is left to train the remaining trials%s%s",
                          c->resigned[0] != '\0' ? ": " : "", c->resigned);
    else if (c->timed > 0 && now + expected_seconds(c, c->slots[c->waiting[0]].job.cost) > c->options.deadline)
        dispatch_coordinator_drain(c, DISPATCH_STOPPED);
    return STATUS_OK;
}

enum status_code dispatch_coordinator_step(struct dispatch_coordinator *c, double now, bool *ret_active,
                                           struct status *status)
{
    bool active = false;
    enum status_code code = take_settled(c, &active, status);
    if (code == STATUS_OK)
        code = advance(c, now, &active, status);
    if (code != STATUS_OK)
        dispatch_coordinator_drain(c, DISPATCH_STOPPED);
    if (c->draining && isnan(c->sent_away))
        c->sent_away = now;
    for (int rank = c->first; !isnan(c->sent_away) && rank < c->ranks; rank++)
        if (c->workers[rank].state == WORKER_READY) {
            enum status_code sent = send_away(c, rank, code == STATUS_OK ? status : NULL);
            code = code == STATUS_OK ? sent : code;
            active = true;
        }
    *ret_active = active;
    return code;
}

bool dispatch_coordinator_over(const struct dispatch_coordinator *c, double now)
{
    if (isnan(c->sent_away) || (c->committing > 0 && !c->sink_failed))
        return false;
    for (int rank = c->first; rank < c->ranks; rank++)
        if (c->workers[rank].state != WORKER_GONE)
            return now > c->sent_away + c->options.patience;
    return true;
}
