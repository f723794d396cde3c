// SPDX-License-Identifier: MIT
// What the child inherits and what it survives; the same trials without a child.
#include "driver.h"

#include "base_clock.h"
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void inspect(struct trainer *trainer, char *ret_text, size_t size)
{
    struct record record = {0};
    assert_int_equal(run_script(trainer, SCRIPT_INSPECT, &record), RUN_FAILED);
    assert_true(strlen(record.reason) < size);
    strcpy(ret_text, record.reason);
    record_fini(&record);
}

static void block_requests(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR1);
    sigprocmask(how, &set, NULL);
}

static void gives_the_child_clean_surroundings(void **state)
{
    (void)state;
    char text[256];
    int leak = open("/dev/null", O_RDONLY); // without O_CLOEXEC, as libraries do
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    setenv("PMIX_RANK", "0", 1);
    setenv("SLURM_PROCID", "0", 1);
    setenv("LGSWEEP_KEPT", "kept", 1);
    block_requests(SIG_BLOCK);
    struct trainer *trainer = open_trainer(false, NULL, 0);
    inspect(trainer, text, sizeof text);
    assert_non_null(strstr(text, "launcher=no kept=kept ignored=5 blocked=0 death=9 "));
    assert_non_null(strstr(text, " fds=5 "));
    if (strstr(text, " oom=-") == NULL) // the file is absent from some systems
        assert_non_null(strstr(text, " oom=800 "));
    trainer_destroy(trainer);
    block_requests(SIG_UNBLOCK);
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("PMIX_RANK");
    unsetenv("SLURM_PROCID");
    close(leak);
}

static void follows_the_affinity_of_its_rank(void **state)
{
    (void)state;
    cpu_set_t all, one;
    char text[256];
    int first = 0;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    struct trainer *trainer = open_trainer(false, NULL, 0);
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0); // after the spawn, as MPI may do
    inspect(trainer, text, sizeof text);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_non_null(strstr(text, "cpus=1"));
    trainer_destroy(trainer);
}

static void ignores_requests_to_stop(void **state)
{
    (void)state;
    static const int asking[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};
    struct trainer *trainer = open_trainer(false, NULL, 0);
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) // before it has come so far as to ignore them, too
        kill(trainer_pid(trainer), asking[i]);
    start_script(trainer, SCRIPT_PLAIN, 10, 10);
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
        kill(trainer_pid(trainer), asking[i]);
    assert_int_equal(await_end(trainer, NULL), RUN_DONE);
    trainer_destroy(trainer);
}

// A supervisor in a process of its own, which tells its trainer's number and goes on as `script` says.
static pid_t fork_supervisor(enum script script, int *ret_trainer)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t supervisor = fork();
    assert_true(supervisor >= 0);
    if (supervisor == 0) {
        struct trainer *trainer = open_trainer(false, NULL, 0);
        int pid = trainer_pid(trainer);
        start_script(trainer, script, 1000, 10);
        clock_sleep(.1);
        if (write(ends[1], &pid, sizeof pid) == sizeof pid)
            clock_sleep(60);
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], ret_trainer, sizeof *ret_trainer), sizeof *ret_trainer);
    close(ends[0]);
    return supervisor;
}

static void dies_with_its_supervisor(void **state)
{
    (void)state;
    static const enum script scripts[] = {SCRIPT_PLAIN, SCRIPT_HANG};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        int trainer = 0;
        pid_t supervisor = fork_supervisor(scripts[i], &trainer);
        assert_true(process_exists(trainer));
        kill(supervisor, SIGKILL);
        waitpid(supervisor, NULL, 0);
        assert_true(process_ends(trainer));
    }
}

static void runs_under_a_wrapper(void **state)
{
    (void)state;
    char text[256];
    struct trainer *trainer = open_trainer(false, "env 'LGSWEEP_KEPT=wrapped up'", 0);
    inspect(trainer, text, sizeof text);
    assert_non_null(strstr(text, "kept=wrapped up "));
    trainer_destroy(trainer);
}

static void says_that_a_trainer_does_not_start(void **state)
{
    (void)state;
    struct status status = {0};
    struct trainer *trainer = NULL;
    struct record_run_event event = {.state = RUN_RUNNING};
    int descriptors = open_descriptors();
    struct trainer_options missing = {.wrap = "/no/such/program --args"}, unbalanced = {.wrap = "env 'a"};
    assert_int_equal(trainer_create(&missing, &trainer, &status), STATUS_SYSTEM);
    assert_non_null(strstr(status.text, "/no/such/program"));
    assert_non_null(strstr(status.text, "--trainer inline"));
    assert_int_equal(trainer_create(&unbalanced, &trainer, &status), STATUS_SYSTEM);
    assert_null(trainer);
    trainer = open_trainer(false, "false", 0); // a program that ends at once
    start_script(trainer, SCRIPT_PLAIN, 5, 0);
    enum status_code code = STATUS_OK;
    double end = clock_now() + 10;
    while (code == STATUS_OK && event.state == RUN_RUNNING && clock_now() < end)
        code = trainer_poll(trainer, &event, &status);
    assert_int_equal(code, STATUS_SYSTEM);
    assert_non_null(strstr(status.text, "does not start: the trainer ended with exit code 1"));
    trainer_destroy(trainer);
    assert_int_equal(open_descriptors(), descriptors);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void trains_in_this_process_with_the_same_outcomes(void **state)
{
    (void)state;
    static const struct {
        enum script script;
        enum record_run run;
        int64_t step;
        const char *reason;
    } cases[] = {
        {SCRIPT_PLAIN, RUN_DONE, 0, ""},
        {SCRIPT_FAIL, RUN_FAILED, 3, "the trial cannot go on"},
        {SCRIPT_INVALID, RUN_REFUSED, 0, "do not go together"},
        {SCRIPT_HUGE, RUN_REFUSED, 0, "of memory, and "},
    };
    struct trainer *trainer = open_trainer(true, NULL, 0);
    assert_int_equal(trainer_fd(trainer), -1);
    assert_int_equal(trainer_pid(trainer), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record record = {0};
        assert_int_equal(run_script(trainer, cases[i].script, &record), cases[i].run);
        assert_int_equal(record.last_step, cases[i].run == RUN_DONE ? record.last_step : cases[i].step);
        assert_non_null(strstr(record.reason, cases[i].reason));
        record_fini(&record);
    }
    start_script(trainer, SCRIPT_PLAIN, 100, 1);
    struct record_run_event event;
    assert_int_equal(trainer_poll(trainer, &event, NULL), STATUS_OK);
    assert_int_equal(event.state, RUN_RUNNING);
    assert_int_equal(event.steps, 100);
    trainer_stop(trainer);
    assert_int_equal(run_script(trainer, SCRIPT_PLAIN, NULL), RUN_DONE);
    start_script(trainer, SCRIPT_PLAIN, 100, 1);
    trainer_destroy(trainer);
}

static void limits_time_in_this_process_too(void **state)
{
    (void)state;
    struct trainer *trainer = open_trainer(true, NULL, .05);
    struct record record = {0};
    start_script(trainer, SCRIPT_PLAIN, 1000, 5);
    assert_int_equal(await_end(trainer, &record), RUN_REFUSED);
    assert_non_null(strstr(record.reason, "time limit"));
    record_fini(&record);
    trainer_destroy(trainer);
}

static void leaves_at_the_end_of_its_pipe_and_at_garbage(void **state)
{
    (void)state;
    static const struct {
        const char *input;
        int code;
    } cases[] = {{"", 0}, {"short", 1}, {"something that is longer than a header", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int in[2], out[2];
        assert_int_equal(pipe(in), 0);
        assert_int_equal(pipe(out), 0);
        assert_int_equal(write(in[1], cases[i].input, strlen(cases[i].input)), strlen(cases[i].input));
        close(in[1]);
        pid_t child = fork(); // it sets handlers, which should not stay
        assert_true(child >= 0);
        if (child == 0)
            _exit(trainer_main(in[0], out[1]));
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), cases[i].code);
        close(in[0]);
        close(out[0]);
        close(out[1]);
    }
}

static void finds_some_memory(void **state)
{
    (void)state;
    double available = trainer_memory_available();
    assert_true(available > 1 << 20);
    assert_true(isfinite(available) && available < 1e15);
    assert_true(trainer_memory_machine() >= available && trainer_memory_machine() < 1e15);
}

static int all_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_child_clean_surroundings),
        cmocka_unit_test(follows_the_affinity_of_its_rank),
        cmocka_unit_test(ignores_requests_to_stop),
        cmocka_unit_test(dies_with_its_supervisor),
        cmocka_unit_test(runs_under_a_wrapper),
        cmocka_unit_test(says_that_a_trainer_does_not_start),
        cmocka_unit_test(trains_in_this_process_with_the_same_outcomes),
        cmocka_unit_test(limits_time_in_this_process_too),
        cmocka_unit_test(leaves_at_the_end_of_its_pipe_and_at_garbage),
        cmocka_unit_test(finds_some_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int count, char **arguments)
{
    return driver_main(count, arguments, all_tests);
}
