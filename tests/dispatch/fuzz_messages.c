// SPDX-License-Identifier: MIT
// Messages between ranks, in any order. The input is a list of turns: a byte that says whose, and for a message its
// length as another byte and its bytes.
#include "fake.h"
#include "fuzz.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANKS = 3,
    JOBS = 12,
    TURN_STEP = RANKS,
    TURN_DRAIN,
    TURN_TO_WORKER,
    TURN_WORKER,
    TURNS
}; // a lower turn is a rank's

struct table {
    struct fake_sweep sweep;
    struct fake_runner runner;
    struct dispatch_coordinator *coordinator;
    struct dispatch_worker *worker;
    double now;
};

static enum status_code swallow(void *self, int target, const void *data, size_t size, struct status *status)
{
    (void)self;
    (void)status;
    if (target < 0 || target >= RANKS || !data || !size)
        abort();
    return STATUS_OK;
}

static void check(struct table *table)
{
    struct dispatch_figures at;
    struct dispatch_summary summary;
    dispatch_coordinator_figures(table->coordinator, table->now, &at);
    dispatch_coordinator_summary(table->coordinator, &summary);
    if (at.total != JOBS || at.done + at.failed + at.in_flight > JOBS || at.flights_count > RANKS || at.workers < 0 ||
        at.workers > RANKS || summary.missing < 0 || summary.missing > RANKS || at.eta < 0)
        abort();
    for (size_t i = 0; i < JOBS; i++)
        if (table->sweep.commits[i] + table->sweep.finals[i] > 1)
            abort();
}

// A message that is refused leaves everything as it was.
static void from_rank(struct table *table, int rank, const unsigned char *data, size_t size)
{
    struct dispatch_figures before, after;
    struct status status = {0};
    dispatch_coordinator_figures(table->coordinator, table->now, &before);
    enum status_code code = dispatch_coordinator_receive(table->coordinator, rank, data, size, table->now, &status);
    dispatch_coordinator_figures(table->coordinator, table->now, &after);
    bool refused = strstr(status.text, "malformed") || strstr(status.text, "out of place");
    if ((code != STATUS_OK && !*status.text) ||
        (refused && (before.in_flight != after.in_flight || before.done != after.done ||
                     before.failed != after.failed || before.workers != after.workers)))
        abort();
}

static void play(struct table *table, int turn, const unsigned char *data, size_t size)
{
    bool active;
    struct status status = {0};
    if (turn < RANKS)
        from_rank(table, turn, data, size);
    else if (turn == TURN_STEP)
        (void)!dispatch_coordinator_step(table->coordinator, table->now += 0.3, &active, &status);
    else if (turn == TURN_DRAIN)
        dispatch_coordinator_drain(table->coordinator, DISPATCH_STOPPED);
    else if (turn == TURN_TO_WORKER)
        (void)!dispatch_worker_receive(table->worker, data, size, &status);
    else
        (void)!dispatch_worker_step(table->worker, table->now += 0.3, &active, &status);
    check(table);
}

// Whatever has been said: asked to stop, it sends everybody away and takes every goodbye.
static void finish(struct table *table)
{
    static const unsigned char hello[17] = {DISPATCH_HELLO}, goodbye[] = {DISPATCH_GOODBYE};
    bool active;
    dispatch_coordinator_drain(table->coordinator, DISPATCH_STOPPED);
    for (int rank = 0; rank < RANKS; rank++)
        (void)!dispatch_coordinator_receive(table->coordinator, rank, hello, sizeof hello, table->now, NULL);
    for (int i = 0; i < 4; i++)
        (void)!dispatch_coordinator_step(table->coordinator, table->now, &active, NULL);
    for (int rank = 0; rank < RANKS; rank++)
        (void)!dispatch_coordinator_receive(table->coordinator, rank, goodbye, sizeof goodbye, table->now, NULL);
    struct dispatch_summary summary;
    dispatch_coordinator_summary(table->coordinator, &summary);
    if (!dispatch_coordinator_over(table->coordinator, table->now) || summary.missing ||
        summary.done + summary.failed + summary.left > JOBS)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct table table = {.sweep = {.jobs = JOBS, .delay = 1}, .runner = {.polls = 2, .sweep = &table.sweep}};
    struct dispatch_source source = fake_source(&table.sweep);
    struct dispatch_sink sink = fake_sink(&table.sweep, false);
    struct dispatch_watch watch = fake_watch(&table.sweep);
    struct dispatch_options options = dispatch_options_standard();
    struct record_runner runner = fake_runner(&table.runner);
    for (size_t i = 0; i < JOBS; i++)
        table.sweep.cost[i] = table.sweep.memory[i] = (double)i;
    table.runner.sweep = &table.sweep;
    if (dispatch_coordinator_create(0, RANKS, &source, &sink, &watch, &options, swallow, NULL, 0, &table.coordinator,
                                    NULL) != STATUS_OK ||
        dispatch_worker_create(&runner, NULL, "host", INFINITY, swallow, NULL, &table.worker, NULL) != STATUS_OK)
        abort();
    while (size > 0) {
        int turn = data[0] % TURNS;
        bool message = (turn < RANKS || turn == TURN_TO_WORKER) && size > 1;
        size_t head = message ? 2 : 1, length = message ? data[1] : 0;
        length = length < size - head ? length : size - head;
        play(&table, turn, data + head, length);
        data += head + length;
        size -= head + length;
    }
    finish(&table);
    dispatch_worker_destroy(table.worker);
    dispatch_coordinator_destroy(table.coordinator);
    return 0;
}
