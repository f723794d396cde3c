// SPDX-License-Identifier: MIT
// Trials in a child process: results, faults, what is left behind.
#include "driver.h"

#include "base_clock.h"
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void trains_many_trials_in_one_child(void **state)
{
    (void)state;
    struct trainer *trainer = open_trainer(false, NULL, 0);
    int pid = trainer_pid(trainer);
    for (int i = 0; i < 50; i++) {
        struct record record = {0};
        assert_int_equal(run_script(trainer, SCRIPT_PLAIN, &record), RUN_DONE);
        assert_int_equal(record.status, RECORD_DONE);
        assert_int_equal(record.settings.train.steps, 5);
        assert_non_null(record_find_part(&record, RECORD_TRAINING, 0));
        record_fini(&record);
        assert_int_equal(trainer_pid(trainer), pid);
    }
    trainer_destroy(trainer);
    assert_false(process_exists(pid));
}

static void brings_large_records_whole(void **state)
{
    (void)state;
    struct trainer *trainer = open_trainer(false, NULL, 0);
    struct record record = {0};
    assert_int_equal(run_script(trainer, SCRIPT_LARGE, &record), RUN_DONE);
    const struct record_part *part = record_find_part(&record, RECORD_TRAINING, 0);
    assert_int_equal(record_size(record_find(part, FIELD_TRAIN_LOSS)), 1 << 20);
    record_fini(&record);
    trainer_destroy(trainer);
}

static void tells_how_far_a_trial_is(void **state)
{
    (void)state;
    struct trainer *trainer = open_trainer(false, NULL, 0);
    struct record_run_event event = {0};
    start_script(trainer, SCRIPT_PLAIN, 60, 20);
    double end = clock_now() + 10;
    while (event.step == 0 && clock_now() < end) {
        assert_int_equal(trainer_poll(trainer, &event, NULL), STATUS_OK);
        clock_sleep(1e-3);
    }
    assert_int_equal(event.state, RUN_RUNNING);
    assert_in_range(event.step, 1, 59);
    assert_int_equal(event.steps, 60);
    assert_true(event.seconds > .1);
    assert_int_equal(await_end(trainer, NULL), RUN_DONE);
    assert_int_equal(trainer_poll(trainer, &event, NULL), STATUS_OK);
    assert_int_equal(event.state, RUN_IDLE);
    trainer_destroy(trainer);
}

// A fault costs its trial alone: the next one succeeds.
static void names_the_end_of_a_trial_that_went_wrong(void **state)
{
    (void)state;
    static const struct {
        enum script script;
        enum record_run run;
        int signal, exit_status;
        int64_t step;
        const char *reason;
    } cases[] = {
        {SCRIPT_ABORT, RUN_FAILED, SIGABRT, 0, 3, "signal 6 (SIGABRT)"},
        {SCRIPT_SEGV, RUN_FAILED, SIGSEGV, 0, 3, "signal 11 (SIGSEGV)"},
        {SCRIPT_OVERFLOW, RUN_FAILED, SIGSEGV, 0, 3, "signal 11 (SIGSEGV)"},
        {SCRIPT_FPE, RUN_FAILED, SIGFPE, 0, 3, "signal 8 (SIGFPE)"},
        {SCRIPT_EXIT, RUN_FAILED, 0, 3, 0, "exit code 3"},
        {SCRIPT_WHINE, RUN_FAILED, SIGABRT, 0, 3, "(SIGABRT): the last words: ?[31m? tensor 7"},
        {SCRIPT_GARBAGE, RUN_FAILED, 0, 0, 0, "no message"},
        {SCRIPT_FOREIGN, RUN_FAILED, 0, 0, 0, "not this trial's"},
        {SCRIPT_FAIL, RUN_FAILED, 0, 0, 3, "the trial cannot go on"},
        {SCRIPT_INVALID, RUN_REFUSED, 0, 0, 0, "do not go together (2 lengths)"},
        {SCRIPT_HUGE, RUN_REFUSED, 0, 0, 0, "needs 888.2 PiB of memory, and "},
    };
    struct trainer *trainer = open_trainer(false, NULL, 0);
    int descriptors = open_descriptors();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record record = {0};
        int pid = trainer_pid(trainer);
        assert_int_equal(run_script(trainer, cases[i].script, &record), cases[i].run);
        assert_int_equal(record.status, RECORD_FAILED);
        assert_int_equal(record.signal, cases[i].signal);
        assert_int_equal(record.exit_status, cases[i].exit_status);
        assert_int_equal(record.last_step, cases[i].step);
        if (strstr(record.reason, cases[i].reason) == NULL)
            fail_msg("'%s' is not in '%s'", cases[i].reason, record.reason);
        assert_int_equal(record.settings.seed, cases[i].script);
        record_fini(&record);
        assert_int_equal(run_script(trainer, SCRIPT_PLAIN, NULL), RUN_DONE);
        assert_true(trainer_pid(trainer) == pid || !process_exists(pid));
        assert_int_equal(open_descriptors(), descriptors);
    }
    trainer_destroy(trainer);
}

static void reports_lack_of_memory_as_a_failure(void **state)
{
    (void)state;
#ifdef LGSWEEP_SANITIZE
    skip(); // the sanitizer's own memory exceeds any limit
#endif
    struct rlimit before, low = {512u << 20, 512u << 20};
    struct record record = {0};
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    low.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_AS, &low), 0);
    struct trainer *trainer = open_trainer(false, NULL, 0);
    assert_true(trainer_memory_available() < 512u << 20);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(run_script(trainer, SCRIPT_HUNGRY, &record), RUN_FAILED);
    assert_non_null(strstr(record.reason, "no memory"));
    record_fini(&record);
    assert_int_equal(run_script(trainer, SCRIPT_PLAIN, NULL), RUN_DONE);
    trainer_destroy(trainer);
}

static void outlives_a_kill_within_and_between_trials(void **state)
{
    (void)state;
    struct trainer *trainer = open_trainer(false, NULL, 0);
    struct record record = {0};
    start_script(trainer, SCRIPT_HANG, 5, 0);
    clock_sleep(.05);
    kill(trainer_pid(trainer), SIGKILL);
    assert_int_equal(await_end(trainer, &record), RUN_FAILED);
    assert_int_equal(record.signal, SIGKILL);
    assert_non_null(strstr(record.reason, "lack of memory"));
    record_fini(&record);
    assert_int_equal(run_script(trainer, SCRIPT_PLAIN, NULL), RUN_DONE);
    int pid = trainer_pid(trainer);
    kill(pid, SIGKILL);
    while (process_exists(pid))
        clock_sleep(1e-3);
    assert_int_equal(run_script(trainer, SCRIPT_PLAIN, NULL), RUN_DONE);
    assert_int_not_equal(trainer_pid(trainer), pid);
    trainer_destroy(trainer);
}

static void stops_a_trial_at_once(void **state)
{
    (void)state;
    struct trainer *trainer = open_trainer(false, NULL, 0);
    struct record_run_event event;
    trainer_stop(trainer); // idle: no effect
    int descriptors = open_descriptors();
    for (int i = 0; i < 5; i++) {
        start_script(trainer, SCRIPT_HANG, 5, 0);
        clock_sleep(.01 * i);
        int pid = trainer_pid(trainer);
        double start = clock_now();
        trainer_stop(trainer);
        assert_true(clock_now() < start + 4);
        assert_false(process_exists(pid));
        assert_int_equal(trainer_poll(trainer, &event, NULL), STATUS_OK);
        assert_int_equal(event.state, RUN_IDLE);
        assert_int_equal(run_script(trainer, SCRIPT_PLAIN, NULL), RUN_DONE);
        assert_int_equal(open_descriptors(), descriptors);
    }
    trainer_destroy(trainer);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // not even a zombie
}

static void ends_a_trial_that_exceeds_its_time(void **state)
{
    (void)state;
    struct trainer *trainer = open_trainer(false, NULL, .2);
    struct record record = {0};
    double start = clock_now();
    assert_int_equal(run_script(trainer, SCRIPT_HANG, &record), RUN_REFUSED);
    assert_true(clock_now() - start > .19);
    assert_non_null(strstr(record.reason, "time limit"));
    assert_int_equal(record.signal, 0);
    record_fini(&record);
    assert_int_equal(run_script(trainer, SCRIPT_PLAIN, NULL), RUN_DONE);
    trainer_destroy(trainer);
}

static void refuses_a_second_trial_and_malformed_jobs(void **state)
{
    (void)state;
    struct trainer *trainer = open_trainer(false, NULL, 0);
    struct status status = {0};
    struct settings settings;
    struct bytes job = {0};
    settings_defaults(&settings);
    trainer_job_encode(&settings, (int64_t[]){4, 8}, 2, NULL, &job);
    for (size_t size = 0; size < job.size; size++)
        assert_int_not_equal(trainer_start(trainer, job.data, size, &status), STATUS_OK);
    start_script(trainer, SCRIPT_HANG, 5, 0);
    assert_int_equal(trainer_start(trainer, job.data, job.size, &status), STATUS_INTERNAL);
    assert_non_null(strstr(status.text, "busy"));
    bytes_fini(&job);
    trainer_destroy(trainer); // kills what runs
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static int all_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trains_many_trials_in_one_child),
        cmocka_unit_test(brings_large_records_whole),
        cmocka_unit_test(tells_how_far_a_trial_is),
        cmocka_unit_test(names_the_end_of_a_trial_that_went_wrong),
        cmocka_unit_test(reports_lack_of_memory_as_a_failure),
        cmocka_unit_test(outlives_a_kill_within_and_between_trials),
        cmocka_unit_test(stops_a_trial_at_once),
        cmocka_unit_test(ends_a_trial_that_exceeds_its_time),
        cmocka_unit_test(refuses_a_second_trial_and_malformed_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int count, char **arguments)
{
    return driver_main(count, arguments, all_tests);
}
