// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include "store_owner.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct fixture fixture;
static char path[FIXTURE_PATH];

static int set_up(void **state)
{
    (void)state;
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_RESTART_COUNT");
    fixture_init(&fixture, &(struct fixture_plan){0});
    fixture_file(&fixture, ".lock", path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_fini(&fixture);
    return 0;
}

static void an_owner_is_read_back_from_its_text(void **state)
{
    (void)state;
    char text[OWNER_TEXT_SIZE];
    bool missing;
    struct store_owner owner, read;
    setenv("SLURM_JOB_ID", "99_3", 1);
    setenv("SLURM_RESTART_COUNT", "4", 1);
    store_owner_self(&owner);
    owner.heartbeat = true;
    owner.beat = 12345678901;
    fixture_write(path, text, store_owner_format(&owner, text));
    assert_true(store_owner_read(path, &read, &missing));
    assert_false(missing);
    assert_string_equal(read.host, owner.host);
    assert_string_equal(read.machine, owner.machine);
    assert_int_equal(strlen(owner.machine), 36 + strlen(" pid:[4026531836]"));
    assert_string_equal(read.since, owner.since);
    assert_string_equal(read.job, "99_3");
    assert_string_equal(read.token, owner.token);
    assert_int_equal(read.process, getpid());
    assert_int_equal(read.started, owner.started);
    assert_int_equal(read.restarts, 4);
    assert_true(read.heartbeat);
    assert_int_equal(read.beat, owner.beat);
}

static void the_text_keeps_its_length_from_beat_to_beat(void **state)
{
    (void)state;
    char first[OWNER_TEXT_SIZE], later[OWNER_TEXT_SIZE];
    struct store_owner owner;
    store_owner_self(&owner);
    size_t length = store_owner_format(&owner, first);
    owner.beat = UINT64_MAX;
    assert_int_equal(store_owner_format(&owner, later), length);
    assert_int_equal(strlen(later), length);
    assert_true(strcmp(first, later) != 0);
}

static void no_two_owners_have_one_token(void **state)
{
    (void)state;
    struct store_owner first, second;
    store_owner_self(&first);
    store_owner_self(&second);
    assert_int_equal(strlen(first.token), STORE_TOKEN_SIZE - 1);
    assert_true(strcmp(first.token, second.token) != 0);
}

static void a_text_that_is_not_whole_is_no_owner(void **state)
{
    (void)state;
    char text[OWNER_TEXT_SIZE];
    bool missing;
    struct store_owner owner, read = {.process = -5};
    store_owner_self(&owner);
    size_t length = store_owner_format(&owner, text);
    for (size_t size = 0; size < length; size++) {
        fixture_write(path, text, size);
        assert_false(store_owner_read(path, &read, &missing));
        assert_false(missing);
    }
    assert_int_equal(read.process, -5); // untouched
    unlink(path);
    assert_false(store_owner_read(path, &read, &missing));
    assert_true(missing);
}

static void each_line_is_needed(void **state)
{
    static const char *const lines[] = {"host: ",     "process: ",   "started: ", "since: ", "job: ",
                                        "restarts: ", "heartbeat: ", "beat: ",    "token: ", "end"};
    (void)state;
    char text[OWNER_TEXT_SIZE];
    bool missing;
    struct store_owner owner;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        store_owner_self(&owner);
        size_t length = store_owner_format(&owner, text);
        char *at = strstr(text, lines[i]);
        assert_non_null(at);
        at = i == 7 ? strstr(text, "\nbeat: ") + 1 : at; // not that of heartbeat
        *at = '#';
        fixture_write(path, text, length);
        assert_false(store_owner_read(path, &owner, &missing));
    }
}

static void life_is_told_by_process_and_start(void **state)
{
    (void)state;
    struct store_owner owner;
    store_owner_self(&owner);
    assert_true(owner.started > 0);
    assert_int_equal(store_owner_life(&owner), OWNER_ALIVE);
    owner.started--; // the number was used again by another process
    assert_int_equal(store_owner_life(&owner), OWNER_DEAD);
    owner.started++;
    strcpy(owner.host, "another-host");
    assert_int_equal(store_owner_life(&owner), OWNER_ELSEWHERE);
    store_owner_self(&owner);
    owner.machine[0] ^= 1; // of the same name, or the same before it was started again
    assert_int_equal(store_owner_life(&owner), OWNER_ELSEWHERE);
    store_owner_self(&owner);
    owner.process = 0;
    assert_int_equal(store_owner_life(&owner), OWNER_DEAD);
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        store_owner_self(&owner);
        if (write(pipes[1], &owner, sizeof owner) == (ssize_t)sizeof owner)
            sleep(20);
        _exit(0);
    }
    assert_int_equal(read(pipes[0], &owner, sizeof owner), sizeof owner);
    assert_int_equal(owner.process, child);
    siginfo_t how;
    kill(child, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)child, &how, WEXITED | WNOWAIT), 0);
    assert_int_equal(store_owner_life(&owner), OWNER_DEAD); // nobody has waited for it yet
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(store_owner_life(&owner), OWNER_DEAD);
}

static void only_a_later_run_of_the_same_job_is_requeued(void **state)
{
    static const struct {
        const char *job, *restarts;
        bool requeued;
    } rows[] = {{"7", "3", true}, {"7", "2", false},  {"7", "1", false},  {"8", "3", false},
                {"", "3", false}, {NULL, "3", false}, {"7", NULL, false}, {"7", "x", false}};
    (void)state;
    struct store_owner owner = {.job = "7", .restarts = 2}, jobless = {.job = "", .restarts = 0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsetenv("SLURM_JOB_ID");
        unsetenv("SLURM_RESTART_COUNT");
        if (rows[i].job)
            setenv("SLURM_JOB_ID", rows[i].job, 1);
        if (rows[i].restarts)
            setenv("SLURM_RESTART_COUNT", rows[i].restarts, 1);
        assert_int_equal(store_owner_requeued(&owner), rows[i].requeued);
        assert_false(store_owner_requeued(&jobless));
    }
}

static void a_job_name_cannot_break_the_text(void **state)
{
    (void)state;
    char text[OWNER_TEXT_SIZE];
    bool missing;
    struct store_owner owner, read;
    setenv("SLURM_JOB_ID", "7\nprocess: 1", 1);
    store_owner_self(&owner);
    fixture_write(path, text, store_owner_format(&owner, text));
    assert_true(store_owner_read(path, &read, &missing));
    assert_string_equal(read.job, "7");
    assert_int_equal(read.process, getpid());
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        UNIT(an_owner_is_read_back_from_its_text),
        UNIT(the_text_keeps_its_length_from_beat_to_beat),
        UNIT(no_two_owners_have_one_token),
        UNIT(a_text_that_is_not_whole_is_no_owner),
        UNIT(each_line_is_needed),
        UNIT(life_is_told_by_process_and_start),
        UNIT(only_a_later_run_of_the_same_job_is_requeued),
        UNIT(a_job_name_cannot_break_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
