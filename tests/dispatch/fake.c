// SPDX-License-Identifier: MIT
#include "fake.h"
#include <string.h>

static bool next_job(void *self, struct dispatch_job *ret_job)
{
    struct fake_sweep *sweep = self;
    if (sweep->taken == sweep->jobs && sweep->grown > 0 && sweep->settled_total == sweep->jobs) {
        sweep->jobs++;
        sweep->grown--;
    }
    if (sweep->taken == sweep->jobs)
        return false;
    size_t i = sweep->taken++;
    *ret_job = (struct dispatch_job){i, sweep->cost[i], sweep->memory[i], sweep->prior[i]};
    return true;
}

static enum status_code put_payload(void *self, size_t index, struct bytes *ret_payload, struct status *status)
{
    struct fake_sweep *sweep = self;
    if (sweep->break_payload)
        return status_set(status, STATUS_INVALID, "no payload");
    sweep->payloads[index]++;
    bytes_u64(ret_payload, index);
    return STATUS_OK;
}

static void rest(void *self, size_t *ret_count, double *ret_cost)
{
    const struct fake_sweep *sweep = self;
    *ret_count = sweep->jobs - sweep->taken;
    *ret_cost = 0;
    for (size_t i = sweep->taken; i < sweep->jobs; i++)
        *ret_cost += sweep->cost[i];
}

struct dispatch_source fake_source(struct fake_sweep *sweep)
{
    return (struct dispatch_source){sweep, next_job, put_payload, rest};
}

static void enqueue(struct fake_sweep *sweep, size_t index)
{
    sweep->queue[sweep->queue_count++] = index;
}

static enum status_code commit(void *self, size_t index, const void *record, size_t size, const char *host,
                               struct status *status)
{
    struct fake_sweep *sweep = self;
    uint64_t echoed = 0;
    if (host == NULL || *host == 0)
        return status_set(status, STATUS_INTERNAL, "a record without its host");
    if (++sweep->commits_total == sweep->break_commit)
        return status_set(status, STATUS_FULL, "no space left");
    if (size != sizeof echoed)
        return status_set(status, STATUS_INTERNAL, "a record of %zu bytes", size);
    memcpy(&echoed, record, sizeof echoed);
    if (echoed != index)
        return status_set(status, STATUS_INTERNAL, "the record of another job");
    sweep->commits[index]++;
    enqueue(sweep, index);
    return STATUS_OK;
}

static enum status_code fail(void *self, size_t index, const void *record, size_t size, const char *host,
                             uint32_t attempts, bool final, struct status *status)
{
    struct fake_sweep *sweep = self;
    (void)record;
    (void)size;
    if (host == NULL || *host == 0)
        return status_set(status, STATUS_INTERNAL, "a failure without its host");
    sweep->fails[index]++;
    sweep->attempts[index] = attempts;
    if (!final)
        return STATUS_OK;
    sweep->finals[index]++;
    sweep->finals_total++;
    enqueue(sweep, index);
    return STATUS_OK;
}

static enum status_code settled(void *self, size_t capacity, size_t *ret_indices, size_t *ret_count,
                                struct status *status)
{
    struct fake_sweep *sweep = self;
    *ret_count = 0;
    if (sweep->break_settled && sweep->queue_count > 0)
        return status_set(status, STATUS_FULL, "cannot sync");
    if (sweep->queue_count == 0 || sweep->calls++ < sweep->delay)
        return STATUS_OK;
    sweep->calls = 0;
    while (*ret_count < capacity && sweep->queue_count > 0) {
        size_t index = sweep->queue[--sweep->queue_count];
        sweep->settled[index]++;
        sweep->settled_total++;
        ret_indices[(*ret_count)++] = index;
    }
    return STATUS_OK;
}

struct dispatch_sink fake_sink(struct fake_sweep *sweep, bool synchronous)
{
    return (struct dispatch_sink){sweep, commit, fail, synchronous ? NULL : settled, -1};
}

static void take_notice(void *self, const char *text)
{
    struct fake_sweep *sweep = self;
    sweep->notices++;
    strncpy(sweep->notice, text, sizeof sweep->notice - 1);
}

struct dispatch_watch fake_watch(struct fake_sweep *sweep)
{
    return (struct dispatch_watch){.self = sweep, .notice = take_notice};
}

static enum status_code start(void *self, const void *job, size_t size, struct status *status)
{
    struct fake_runner *runner = self;
    if (runner->running || size != sizeof runner->job)
        return status_set(status, STATUS_INTERNAL, "start out of place");
    if (++runner->started == runner->breaks)
        return status_set(status, STATUS_SYSTEM, "the fake runner is broken");
    memcpy(&runner->job, job, size);
    if (runner->job >= FAKE_JOBS)
        return status_set(status, STATUS_INVALID, "no such job");
    runner->running = true;
    runner->left = runner->polls;
    return STATUS_OK;
}

static enum record_run outcome(struct fake_runner *runner)
{
    struct fake_sweep *sweep = runner->sweep;
    if (sweep->refused[runner->job])
        return RUN_REFUSED;
    if (sweep->failures[runner->job] == 0)
        return RUN_DONE;
    sweep->failures[runner->job]--;
    return RUN_FAILED;
}

static enum status_code poll_runner(void *self, struct record_run_event *ret_event, struct status *status)
{
    struct fake_runner *runner = self;
    (void)status;
    *ret_event = (struct record_run_event){.state = RUN_IDLE};
    if (!runner->running)
        return STATUS_OK;
    *ret_event = (struct record_run_event){
        .state = RUN_RUNNING, .step = runner->polls - runner->left, .steps = runner->polls, .seconds = runner->seconds};
    if (runner->left-- > 0)
        return STATUS_OK;
    runner->running = false;
    ret_event->state = outcome(runner);
    ret_event->record = &runner->job;
    ret_event->size = sizeof runner->job;
    return STATUS_OK;
}

static void stop(void *self)
{
    struct fake_runner *runner = self;
    runner->stopped += runner->running;
    runner->running = false;
}

static int fd(void *self)
{
    (void)self;
    return -1;
}

struct record_runner fake_runner(struct fake_runner *runner)
{
    return (struct record_runner){runner, start, poll_runner, stop, fd};
}
