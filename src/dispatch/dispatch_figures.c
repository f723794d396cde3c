// SPDX-License-Identifier: MIT
// Expected durations from the costs and durations so far, and what is shown of them.
#include "dispatch_state.h"
#include <math.h>

static const double silence = 30;  // seconds
static const size_t eta_least = 3; // results before an ETA is shown

double expected_seconds(const struct dispatch_coordinator *c, double cost)
{
    if (c->timed == 0)
        return INFINITY;
    if (!(c->timed_cost > 0) || !(cost >= 0))
        return c->timed_seconds / (double)c->timed;
    return cost * (c->timed_seconds / c->timed_cost);
}

// Of a running job: its own pace where it has reported steps, else the pace of those before it.
double expected_rest(const struct dispatch_coordinator *c, const struct slot *slot, double started, double now)
{
    double rest = expected_seconds(c, slot->job.cost) - (now - started);
    if (slot->step > 0 && slot->steps > 0)
        rest = slot->seconds * ((double)slot->steps / (double)slot->step - 1) - (now - slot->reported);
    return rest > 0 ? rest : 0;
}

static double share_done(const struct slot *slot)
{
    return slot->steps > 0 && slot->step <= slot->steps ? (double)slot->step / (double)slot->steps : 0;
}

static void count_flights(struct dispatch_coordinator *c, double now, struct dispatch_figures *figures,
                          double *ret_rest)
{
    for (int rank = c->first; rank < c->ranks; rank++) {
        const struct worker *worker = &c->workers[rank];
        figures->workers += worker->state == WORKER_READY;
        if (worker->count == 0)
            continue;
        figures->silent += now - worker->heard > silence;
        const struct slot *slot = &c->slots[worker->jobs[0]];
        double rest = expected_rest(c, slot, worker->started, now);
        *ret_rest = rest > *ret_rest ? rest : *ret_rest;
        figures->done_cost += slot->job.cost * share_done(slot);
        c->flights[figures->flights_count++] = (struct dispatch_flight){
            .index = slot->job.index,
            .rank = rank,
            .step = slot->step,
            .steps = slot->steps,
            .seconds = isnan(slot->reported) ? now - worker->started : slot->seconds + (now - slot->reported),
        };
    }
}

void dispatch_coordinator_figures(struct dispatch_coordinator *c, double now, struct dispatch_figures *ret_figures)
{
    size_t rest_count = 0;
    double rest_cost = 0, longest = 0;
    c->source->rest(c->source->self, &rest_count, &rest_cost);
    struct dispatch_figures figures = {
        .total = c->taken + rest_count,
        .done = c->done,
        .failed = c->failed,
        .retried = c->retried,
        .in_flight = c->out,
        .total_cost = c->taken_cost + rest_cost,
        .done_cost = c->done_cost,
        .elapsed = now - c->began,
        .eta = NAN,
        .draining = c->draining,
        .flights = c->flights,
    };
    count_flights(c, now, &figures, &longest);
    if (c->timed >= eta_least && c->timed_cost > 0 && figures.workers > 0) {
        double all = expected_seconds(c, figures.total_cost - figures.done_cost) / figures.workers;
        figures.eta = all > longest ? all : longest;
    }
    *ret_figures = figures;
}

void dispatch_coordinator_summary(const struct dispatch_coordinator *c, struct dispatch_summary *ret_summary)
{
    size_t rest_count = 0;
    double rest_cost = 0;
    c->source->rest(c->source->self, &rest_count, &rest_cost);
    bool complete = rest_count == 0 && c->taken == c->done + c->failed; // perhaps in spite of a request to stop
    struct dispatch_summary summary = {
        .end = complete && c->end == DISPATCH_STOPPED ? DISPATCH_COMPLETE : c->end,
        .done = c->done,
        .failed = c->failed,
        .retried = c->retried,
        .left = c->taken - c->done - c->failed,
    };
    for (int rank = c->first; rank < c->ranks; rank++)
        summary.missing += c->workers[rank].state != WORKER_GONE;
    *ret_summary = summary;
}
