// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_clock.h"
#include "fixture.h"
#include "store_lock.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct fixture fixture;

static int set_up(void **state)
{
    (void)state;
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_RESTART_COUNT");
    fixture_init(&fixture, &(struct fixture_plan){0});
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_fini(&fixture);
    return 0;
}

static struct store_lock *take(const struct store_lock_options *options)
{
    struct store_lock *lock = NULL;
    struct status status = {0};
    fixture_ok(store_lock_acquire(fixture.path, options, &lock, NULL, &status), &status);
    return lock;
}

static void assert_taken(const struct store_lock_options *options, const char *fragment)
{
    struct store_lock *lock = NULL;
    struct status status = {0};
    assert_int_equal(store_lock_acquire(fixture.path, options, &lock, NULL, &status), STATUS_IN_USE);
    assert_null(lock);
    if (!strstr(status.text, fragment))
        fail_msg("'%s' is not in: %s", fragment, status.text);
}

static void the_second_opener_learns_host_process_and_start(void **state)
{
    (void)state;
    char host[256], process[64];
    struct store_owner owner;
    setenv("SLURM_JOB_ID", "4711", 1);
    struct store_lock *lock = take(NULL);
    assert_int_equal(gethostname(host, sizeof host), 0);
    snprintf(process, sizeof process, "process %d on ", (int)getpid());
    assert_true(store_lock_owner(fixture.path, &owner));
    assert_int_equal(owner.process, getpid());
    assert_taken(NULL, host);
    assert_taken(NULL, process);
    assert_taken(NULL, owner.since);
    assert_taken(NULL, "job 4711");
    store_lock_release(lock);
    unsetenv("SLURM_JOB_ID");
}

static void a_released_lock_leaves_nothing(void **state)
{
    (void)state;
    struct store_owner owner;
    for (int i = 0; i < 3; i++) {
        store_lock_release(take(NULL));
        assert_int_equal(fixture_count(&fixture, ""), 0);
        assert_false(store_lock_owner(fixture.path, &owner));
    }
    store_lock_release(NULL);
}

// Forks a process that takes the lock and is killed; returns once it is dead.
static void die_with_the_lock(const struct store_lock_options *options)
{
    int pipes[2];
    char byte = 0;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct store_lock *lock = NULL;
        enum status_code code = store_lock_acquire(fixture.path, options, &lock, NULL, NULL);
        byte = (char)code;
        if (write(pipes[1], &byte, 1) != 1)
            _exit(1);
        pause();
        _exit(0);
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    close(pipes[0]);
    assert_int_equal(byte, STATUS_OK);
    assert_taken(options, "process");
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void the_lock_of_a_dead_process_is_taken_over(void **state)
{
    (void)state;
    struct store_owner owner;
    die_with_the_lock(NULL);
    assert_false(store_lock_owner(fixture.path, &owner));
    store_lock_release(take(NULL));
}

static void a_heartbeat_of_a_dead_process_is_taken_over_at_once(void **state)
{
    (void)state;
    struct store_owner owner;
    const struct store_lock_options heartbeat = {.heartbeat = true};
    die_with_the_lock(&heartbeat);
    assert_false(store_lock_owner(fixture.path, &owner));
    double begun = clock_now();
    store_lock_release(take(&heartbeat));
    assert_true(clock_now() - begun < 8);
}

static int refusal;

static int refuse(int fd, int command, struct flock *lock)
{
    (void)fd;
    (void)command;
    (void)lock;
    errno = refusal;
    return -1;
}

static void file_systems_without_locks_get_a_heartbeat_and_one_warning(void **state)
{
    static const int refusals[] = {ENOLCK, ENOSYS, EINVAL, EOPNOTSUPP, 524, EIO};
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct store_lock *lock = NULL;
        struct status status = {0};
        struct bytes warnings = {0};
        const struct store_lock_options options = {.lock_call = refuse};
        refusal = refusals[i];
        fixture_ok(store_lock_acquire(fixture.path, &options, &lock, &warnings, &status), &status);
        bytes_u8(&warnings, 0);
        assert_non_null(strstr((char *)warnings.data, "heartbeat"));
        assert_ptr_equal(strchr((char *)warnings.data, '\n'), strrchr((char *)warnings.data, '\n'));
        assert_true(store_lock_interval(lock) > 0);
        assert_taken(&options, "process");
        assert_taken(NULL, "process"); // also for one that can lock
        store_lock_release(lock);
        assert_int_equal(fixture_count(&fixture, ""), 0);
        bytes_fini(&warnings);
    }
}

// The text of the lock file as another host would have written it.
static void become_elsewhere(void)
{
    char path[FIXTURE_PATH], host[256];
    size_t size;
    fixture_file(&fixture, ".lock", path);
    unsigned char *text = fixture_read(path, &size);
    text[size] = '\0';
    assert_int_equal(gethostname(host, sizeof host), 0);
    char *at = strstr((char *)text, host);
    assert_non_null(at);
    memset(at, '~', strlen(host));
    fixture_write(path, text, size);
    free(text);
}

static void a_heartbeat_elsewhere_is_watched_before_it_is_taken(void **state)
{
    (void)state;
    const struct store_lock_options heartbeat = {.heartbeat = true, .patience = 0.5};
    struct store_lock *first = take(&heartbeat);
    become_elsewhere();
    double begun = clock_now();
    struct store_lock *second = take(&heartbeat);
    assert_true(clock_now() - begun >= 0.5);
    struct status status = {0};
    assert_int_equal(store_lock_fence(first, &status), STATUS_IN_USE);
    assert_non_null(strstr(status.text, "taken over"));
    assert_int_equal(store_lock_beat(first, &status), STATUS_IN_USE);
    fixture_ok(store_lock_fence(second, &status), &status);
    assert_true(store_lock_displaced(second) && !store_lock_displaced(first));
    store_lock_release(first); // must not remove the second's file
    int held = -1;
    fixture_ok(store_lock_hold(fixture.path, store_lock_token(second), &held, &status), &status);
    close(held);
    store_lock_release(second);
}

static void a_heart_that_beats_keeps_its_store(void **state)
{
    (void)state;
    const struct store_lock_options heartbeat = {.heartbeat = true, .patience = 1};
    struct store_lock *first = take(&heartbeat);
    become_elsewhere();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int i = 0; i < 100; i++) {
            clock_sleep(0.05);
            // The token is found, whatever host the text names; the beat writes this host's name back.
            if (store_lock_beat(first, NULL) != STATUS_OK)
                _exit(1);
            become_elsewhere();
        }
        _exit(0);
    }
    assert_taken(&heartbeat, "remove");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    store_lock_release(first);
}

static void a_lock_elsewhere_without_a_heartbeat_is_respected(void **state)
{
    (void)state;
    const struct store_lock_options heartbeat = {.heartbeat = true, .patience = 0.2};
    struct store_lock *first = take(NULL);
    become_elsewhere();
    assert_taken(&heartbeat, "remove");
    store_lock_release(first);
}

// What the publication of a killed run does: it may be about to rename when the next run begins.
static void nobody_takes_over_between_a_publications_check_and_its_rename(void **state)
{
    (void)state;
    const struct store_lock_options options = {.patience = 0.3};
    char path[FIXTURE_PATH], text[2048], token[STORE_TOKEN_SIZE] = "";
    struct store_lock *next = NULL;
    struct status status = {0};
    int held = -1;
    size_t size = 0;
    die_with_the_lock(NULL);
    unsigned char *read = fixture_read(fixture_file(&fixture, ".lock", path), &size);
    snprintf(text, sizeof text, "%.*s", (int)size, read);
    free(read);
    assert_int_equal(sscanf(strstr(text, "token: "), "token: %32s", token), 1);
    fixture_ok(store_lock_hold(fixture.path, token, &held, &status), &status);
    assert_true(held >= 0);
    assert_int_equal(store_lock_acquire(fixture.path, &options, &next, NULL, &status), STATUS_IN_USE);
    close(held);
    next = take(&options);
    assert_false(store_lock_displaced(next));
    assert_int_equal(store_lock_hold(fixture.path, token, &held, &status), STATUS_IN_USE);
    assert_non_null(strstr(status.text, "taken over"));
    fixture_ok(store_lock_hold(fixture.path, store_lock_token(next), &held, &status), &status);
    close(held);
    store_lock_release(next);
    assert_int_equal(store_lock_hold(fixture.path, token, &held, &status), STATUS_IN_USE);
    assert_non_null(strstr(status.text, "is gone"));
}

static void one_store_has_one_lock_by_whatever_link(void **state)
{
    (void)state;
    char link[FIXTURE_PATH], path[FIXTURE_PATH];
    struct store_lock *other = NULL;
    struct status status = {0};
    struct store_owner owner;
    assert_int_equal(symlink(strrchr(fixture.path, '/') + 1, fixture_file(&fixture, ".link", link)), 0);
    struct store_lock *lock = NULL;
    fixture_ok(store_lock_acquire(link, NULL, &lock, NULL, &status), &status); // there is no store yet
    assert_true(fixture_exists(fixture_file(&fixture, ".lock", path)));
    assert_int_equal(store_lock_acquire(fixture.path, NULL, &other, NULL, &status), STATUS_IN_USE);
    assert_true(store_lock_owner(link, &owner) && store_lock_owner(fixture.path, &owner));
    store_lock_release(lock);
    assert_false(fixture_exists(path));
}

static void a_requeued_job_takes_its_own_lock_over(void **state)
{
    static const struct {
        const char *job, *restarts;
        bool taken;
    } rows[] = {{"17", "2", true}, {"17", "1", false}, {"17", "0", false}, {"18", "2", false}, {"", "2", false}};
    (void)state;
    for (int heartbeat = 0; heartbeat < 2; heartbeat++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            const struct store_lock_options options = {.heartbeat = heartbeat, .patience = 0.1};
            struct status status = {0};
            setenv("SLURM_JOB_ID", "17", 1);
            setenv("SLURM_RESTART_COUNT", "1", 1);
            struct store_lock *first = take(&options), *second = NULL;
            setenv("SLURM_JOB_ID", rows[i].job, 1);
            setenv("SLURM_RESTART_COUNT", rows[i].restarts, 1);
            enum status_code code = store_lock_acquire(fixture.path, &options, &second, NULL, &status);
            assert_int_equal(code, rows[i].taken ? STATUS_OK : STATUS_IN_USE);
            assert_int_equal(store_lock_fence(first, &status), rows[i].taken ? STATUS_IN_USE : STATUS_OK);
            store_lock_release(first);
            store_lock_release(second);
        }
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_RESTART_COUNT");
}

static void a_vanished_lock_file_stops_its_owner(void **state)
{
    (void)state;
    char path[FIXTURE_PATH];
    struct status status = {0};
    struct store_lock *first = take(NULL);
    assert_int_equal(unlink(fixture_file(&fixture, ".lock", path)), 0);
    assert_int_equal(store_lock_fence(first, &status), STATUS_IN_USE);
    struct store_lock *second = take(NULL);
    assert_int_equal(store_lock_fence(first, &status), STATUS_IN_USE);
    store_lock_release(first);
    fixture_ok(store_lock_fence(second, &status), &status);
    store_lock_release(second);
}

static void an_unfinished_text_counts_as_a_dead_owner_in_the_end(void **state)
{
    (void)state;
    char path[FIXTURE_PATH];
    const struct store_lock_options heartbeat = {.heartbeat = true, .patience = 0.1};
    fixture_write(fixture_file(&fixture, ".lock", path), "lgsweep lock 1\nhost: ", 21);
    store_lock_release(take(&heartbeat));
    fixture_write(path, "", 0);
    store_lock_release(take(NULL));
}

static void a_folder_that_cannot_be_written_is_an_error_of_the_system(void **state)
{
    (void)state;
    struct store_lock *lock = NULL;
    struct status status = {0};
    assert_int_equal(store_lock_acquire("/nonexistent/folder/s.h5", NULL, &lock, NULL, &status), STATUS_SYSTEM);
    assert_non_null(strstr(status.text, "/nonexistent/folder/s.h5.lock"));
    assert_non_null(strstr(status.text, "No such file or directory"));
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        UNIT(the_second_opener_learns_host_process_and_start),
        UNIT(a_released_lock_leaves_nothing),
        UNIT(the_lock_of_a_dead_process_is_taken_over),
        UNIT(a_heartbeat_of_a_dead_process_is_taken_over_at_once),
        UNIT(file_systems_without_locks_get_a_heartbeat_and_one_warning),
        UNIT(a_heartbeat_elsewhere_is_watched_before_it_is_taken),
        UNIT(a_heart_that_beats_keeps_its_store),
        UNIT(a_lock_elsewhere_without_a_heartbeat_is_respected),
        UNIT(nobody_takes_over_between_a_publications_check_and_its_rename),
        UNIT(one_store_has_one_lock_by_whatever_link),
        UNIT(a_requeued_job_takes_its_own_lock_over),
        UNIT(a_vanished_lock_file_stops_its_owner),
        UNIT(an_unfinished_text_counts_as_a_dead_owner_in_the_end),
        UNIT(a_folder_that_cannot_be_written_is_an_error_of_the_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
