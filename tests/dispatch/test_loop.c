// SPDX-License-Identifier: MIT
// The loops with one rank and no MPI, and the signals that stop them.
#include "support.h"

#include "base_clock.h"
#include "fake.h"
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct stage {
    struct fake_sweep sweep;
    struct fake_runner fake;
    struct record_runner runner;
    struct comm *comm;
    struct dispatch_signals signals;
    struct dispatch_watch watch;
    struct dispatch_options options;
    struct dispatch_summary summary;
    struct status status;
    int signal; // sent to this process at each look at the figures; 0: none
    size_t shown;
    struct dispatch_figures last;
};

static void show(void *self, const struct dispatch_figures *figures)
{
    struct stage *stage = self;
    stage->last = *figures;
    stage->shown++;
    if (stage->signal != 0)
        kill(getpid(), stage->signal);
}

static void set_up(struct stage *stage, size_t jobs, unsigned polls)
{
    assert_int_equal(dispatch_signals_open(&stage->signals, NULL), STATUS_OK);
    assert_int_equal(comm_open("build", &stage->comm, NULL), STATUS_OK);
    stage->sweep.jobs = jobs;
    for (size_t i = 0; i < jobs; i++)
        stage->sweep.cost[i] = 1;
    stage->fake = (struct fake_runner){.sweep = &stage->sweep, .polls = polls, .seconds = 1e-3};
    stage->runner = fake_runner(&stage->fake);
    stage->watch = (struct dispatch_watch){stage, show, NULL};
    stage->options = dispatch_options_standard();
}

static enum status_code coordinate(struct stage *stage, bool trains)
{
    struct dispatch_source source = fake_source(&stage->sweep);
    struct dispatch_sink sink = fake_sink(&stage->sweep, false);
    return dispatch_coordinate(stage->comm, &source, &sink, trains ? &stage->runner : NULL, &stage->signals,
                               &stage->watch, &stage->options, &stage->summary, &stage->status);
}

static void tear_down(struct stage *stage)
{
    assert_int_equal(comm_close(stage->comm, NULL), STATUS_OK);
    dispatch_signals_close(&stage->signals);
}

static void one_rank_coordinates_and_works(void **state)
{
    (void)state;
    struct stage stage = {0};
    set_up(&stage, 200, 3);
    assert_int_equal(coordinate(&stage, true), STATUS_OK);
    assert_int_equal(stage.summary.end, DISPATCH_COMPLETE);
    assert_int_equal(stage.summary.done, 200);
    assert_int_equal(stage.summary.missing, 0);
    assert_true(stage.shown >= 1);
    assert_int_equal(stage.last.done, 200);
    tear_down(&stage);
}

static void nothing_to_do_ends_at_once(void **state)
{
    (void)state;
    struct stage stage = {0};
    int missing = 1;
    set_up(&stage, 0, 0);
    assert_int_equal(coordinate(&stage, true), STATUS_OK);
    assert_int_equal(stage.summary.end, DISPATCH_COMPLETE);
    assert_int_equal(dispatch_dismiss(stage.comm, 1, &missing, NULL), STATUS_OK);
    assert_int_equal(missing, 0);
    tear_down(&stage);
}

static void fails_without_anyone_to_work(void **state)
{
    (void)state;
    struct stage stage = {0};
    set_up(&stage, 3, 0);
    assert_int_equal(coordinate(&stage, false), STATUS_SYSTEM);
    assert_int_equal(stage.summary.left, 3);
    tear_down(&stage);
}

static void returns_the_first_error_of_the_sink(void **state)
{
    (void)state;
    struct stage stage = {0};
    set_up(&stage, 20, 2);
    stage.sweep.break_commit = 5;
    assert_int_equal(coordinate(&stage, true), STATUS_FULL);
    assert_non_null(strstr(stage.status.text, "no space left"));
    assert_int_equal(stage.summary.missing, 0);
    assert_true(stage.summary.done <= 4);
    tear_down(&stage);
}

static void every_request_to_stop_drains_sooner_than_patience_ends(void **state)
{
    (void)state;
    static const int asking[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) {
        struct stage stage = {.signal = asking[i]};
        signal(asking[i], SIG_DFL); // nohup ignores SIGHUP, and what is ignored stays so
        set_up(&stage, 5, UINT32_MAX);
        double start = clock_now();
        assert_int_equal(coordinate(&stage, true), STATUS_OK);
        assert_true(clock_now() < start + 4);
        assert_int_equal(stage.summary.end, DISPATCH_STOPPED);
        assert_int_equal(stage.summary.left, 5);
        assert_int_equal(stage.fake.stopped, 1);
        tear_down(&stage);
    }
}

static void the_deadline_drains(void **state)
{
    (void)state;
    struct stage stage = {0};
    set_up(&stage, 5, UINT32_MAX);
    double start = clock_now();
    stage.options.deadline = start + .2;
    assert_int_equal(coordinate(&stage, true), STATUS_OK);
    assert_true(clock_now() >= start + .2 && clock_now() < start + 4);
    assert_int_equal(stage.summary.end, DISPATCH_STOPPED);
    tear_down(&stage);
}

// A commit that is never acknowledged keeps the first request from ending the run; the second ends it.
static void a_second_request_leaves_at_once(void **state)
{
    (void)state;
    struct stage stage = {.signal = SIGTERM};
    set_up(&stage, 1, 0);
    stage.sweep.delay = UINT32_MAX;
    double start = clock_now();
    assert_int_equal(coordinate(&stage, true), STATUS_STOPPED);
    assert_true(clock_now() > start + .25 && clock_now() < start + 4);
    assert_int_equal(stage.summary.left, 1);
    tear_down(&stage);
}

static void signals_count_once_within_the_grace_and_leave_no_trace(void **state)
{
    (void)state;
    struct dispatch_signals signals;
    sigset_t before, after;
    sigprocmask(SIG_BLOCK, NULL, &before);
    assert_int_equal(dispatch_signals_open(&signals, NULL), STATUS_OK);
    assert_int_equal(dispatch_signals_asked(&signals), 0);
    kill(getpid(), SIGUSR1);
    assert_int_equal(dispatch_signals_asked(&signals), 1);
    kill(getpid(), SIGTERM); // from the launcher, about the same matter
    assert_int_equal(dispatch_signals_asked(&signals), 1);
    clock_sleep(.3);
    kill(getpid(), SIGTERM);
    assert_int_equal(dispatch_signals_asked(&signals), 2);
    assert_int_equal(dispatch_signals_asked(&signals), 2);
    dispatch_signals_close(&signals);
    dispatch_signals_close(&signals);
    sigprocmask(SIG_BLOCK, NULL, &after);
    assert_int_equal(sigismember(&before, SIGTERM), sigismember(&after, SIGTERM));
}

// The middle process stands for mpirun.
static void follows_its_parent_into_the_end(void **state)
{
    (void)state;
    int ends[2];
    pid_t rank = 0;
    assert_int_equal(pipe(ends), 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t launcher = fork();
    if (launcher == 0) {
        pid_t parent = getpid();
        rank = fork();
        if (rank != 0) {
            clock_sleep(60);
            _exit(1);
        }
        rank = getpid();
        if (dispatch_follow_parent(parent, NULL) == STATUS_OK && write(ends[1], &rank, sizeof rank) == sizeof rank)
            clock_sleep(60);
        _exit(1);
    }
    assert_int_equal(read(ends[0], &rank, sizeof rank), sizeof rank);
    kill(launcher, SIGKILL);
    int status = 0;
    assert_int_equal(waitpid(launcher, NULL, 0), launcher);
    assert_int_equal(waitpid(rank, &status, 0), rank); // ours since its parent's death
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    close(ends[0]);
    close(ends[1]);
}

static void notices_that_its_parent_is_gone_already(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0)
        _exit(dispatch_follow_parent(getppid() + 1, NULL) == STATUS_STOPPED ? 0 : 1);
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rank_coordinates_and_works),
        cmocka_unit_test(nothing_to_do_ends_at_once),
        cmocka_unit_test(fails_without_anyone_to_work),
        cmocka_unit_test(returns_the_first_error_of_the_sink),
        cmocka_unit_test(every_request_to_stop_drains_sooner_than_patience_ends),
        cmocka_unit_test(the_deadline_drains),
        cmocka_unit_test(a_second_request_leaves_at_once),
        cmocka_unit_test(signals_count_once_within_the_grace_and_leave_no_trace),
        cmocka_unit_test(follows_its_parent_into_the_end),
        cmocka_unit_test(notices_that_its_parent_is_gone_already),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
