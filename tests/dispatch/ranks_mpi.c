// SPDX-License-Identifier: MIT
// Whole sweeps over MPI; run by mpirun at several numbers of ranks. The first argument names the case. A failed check
// aborts all ranks.
#include "base_clock.h"
#include "fake.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
    do                                                                                                                 \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: rank failed: %s\n", __FILE__, __LINE__, #condition);                               \
            abort();                                                                                                   \
        }                                                                                                              \
    while (0)

// Trials that last and cost no processor time, as in a child process. A pipe that nobody writes to stands for the
// child.
struct sleeper {
    double seconds, until;
    uint64_t job;
    bool running;
    int pipe[2];
};

static enum status_code start(void *self, const void *job, size_t size, struct status *status)
{
    struct sleeper *sleeper = self;
    if (size != sizeof sleeper->job)
        return status_set(status, STATUS_INTERNAL, "a job of %zu bytes", size);
    memcpy(&sleeper->job, job, size);
    sleeper->running = true;
    sleeper->until = clock_now() + sleeper->seconds;
    return STATUS_OK;
}

static enum status_code look(void *self, struct record_run_event *ret_event, struct status *status)
{
    struct sleeper *sleeper = self;
    (void)status;
    bool over = clock_now() >= sleeper->until;
    *ret_event = (struct record_run_event){.state = !sleeper->running ? RUN_IDLE
                                                    : over            ? RUN_DONE
                                                                      : RUN_RUNNING,
                                           .seconds = sleeper->seconds,
                                           .record = &sleeper->job,
                                           .size = sizeof sleeper->job};
    sleeper->running = sleeper->running && !over;
    return STATUS_OK;
}

static void stop(void *self)
{
    ((struct sleeper *)self)->running = false;
}

static int fd(void *self)
{
    return ((struct sleeper *)self)->pipe[0];
}

struct stage {
    struct comm *comm;
    struct dispatch_signals signals;
    struct sleeper sleeper;
    struct record_runner runner;
    struct fake_sweep sweep;
    struct dispatch_options options;
    struct dispatch_summary summary;
    struct status status;
};

static void set_up(struct stage *stage, size_t jobs, double seconds)
{
    CHECK(dispatch_signals_open(&stage->signals, NULL) == STATUS_OK);
    CHECK(comm_open("build", &stage->comm, NULL) == STATUS_OK);
    stage->sleeper.seconds = seconds;
    CHECK(pipe(stage->sleeper.pipe) == 0);
    stage->runner = (struct record_runner){&stage->sleeper, start, look, stop, fd};
    stage->options = dispatch_options_standard();
    stage->sweep.jobs = jobs;
    for (size_t i = 0; i < jobs; i++)
        stage->sweep.cost[i] = 1;
}

static enum status_code take_part(struct stage *stage, bool rank_0_trains)
{
    struct dispatch_source source = fake_source(&stage->sweep);
    struct dispatch_sink sink = fake_sink(&stage->sweep, false);
    struct dispatch_watch watch = fake_watch(&stage->sweep);
    if (comm_rank(stage->comm) > 0)
        return dispatch_work(stage->comm, &stage->runner, &stage->signals, &stage->options, &stage->status);
    return dispatch_coordinate(stage->comm, &source, &sink, rank_0_trains ? &stage->runner : NULL, &stage->signals,
                               &watch, &stage->options, &stage->summary, &stage->status);
}

static void tear_down(struct stage *stage)
{
    CHECK(stage->summary.missing == 0);
    CHECK(comm_close(stage->comm, NULL) == STATUS_OK);
    dispatch_signals_close(&stage->signals);
}

static void run_sweep(void)
{
    struct stage stage = {0};
    set_up(&stage, 250, 1e-3);
    bool alone = comm_size(stage.comm) == 1;
    CHECK(take_part(&stage, alone || comm_size(stage.comm) == 3) == STATUS_OK); // 2 and 5: a coordinator apart
    if (comm_rank(stage.comm) == 0) {
        CHECK(stage.summary.end == DISPATCH_COMPLETE && stage.summary.done == 250);
        for (size_t i = 0; i < 250; i++)
            CHECK(stage.sweep.settled[i] == 1);
    }
    tear_down(&stage);
}

// Two seconds of waiting for trials cost under 2 % of a core on every rank.
static void run_idle(void)
{
    struct stage stage = {0};
    set_up(&stage, (size_t)3, 2);
    double start = clock_now(), used = clock_cpu();
    CHECK(take_part(&stage, true) == STATUS_OK);
    used = clock_cpu() - used;
    CHECK(used < .02 * (clock_now() - start));
    tear_down(&stage);
}

// A signal to any one rank stops all of them.
static void run_signal(void)
{
    struct stage stage = {0};
    set_up(&stage, 100, 30);
    double start = clock_now();
    if (comm_rank(stage.comm) == comm_size(stage.comm) - 1)
        kill(getpid(), SIGUSR1);
    CHECK(take_part(&stage, true) == STATUS_OK);
    CHECK(clock_now() < start + 1);
    CHECK(comm_rank(stage.comm) > 0 || stage.summary.end == DISPATCH_STOPPED);
    tear_down(&stage);
}

static void run_dismiss(void)
{
    struct stage stage = {0};
    set_up(&stage, 0, 0);
    if (comm_rank(stage.comm) == 0)
        CHECK(dispatch_dismiss(stage.comm, 5, &stage.summary.missing, &stage.status) == STATUS_OK);
    else
        CHECK(take_part(&stage, false) == STATUS_OK);
    tear_down(&stage);
}

static void run_resign(void)
{
    struct stage stage = {0};
    set_up(&stage, 20, 1e-3);
    if (comm_rank(stage.comm) == 1)
        CHECK(dispatch_resign(stage.comm, "no trainer here", &stage.status) == STATUS_OK);
    else
        CHECK(take_part(&stage, true) == STATUS_OK);
    CHECK(comm_rank(stage.comm) > 0 || (stage.summary.done == 20 && stage.sweep.notices == 1 &&
                                        strstr(stage.sweep.notice, "no trainer here") != NULL));
    tear_down(&stage);
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"sweep", run_sweep},
                 {"idle", run_idle},
                 {"signal", run_signal},
                 {"dismiss", run_dismiss},
                 {"resign", run_resign}};
    for (size_t i = 0; count > 1 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(arguments[1], cases[i].name) == 0) {
            cases[i].run();
            return 0;
        }
    return 2;
}
