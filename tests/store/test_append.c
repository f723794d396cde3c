// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_clock.h"
#include "fixture.h"
#include "store_journal.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct fixture fixture;

static int set_up(void **state)
{
    (void)state;
    fixture_init(&fixture, &(struct fixture_plan){.replicates = 20});
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_fini(&fixture);
    return 0;
}

static enum status_code append(struct store *store, size_t at, uint64_t *ret_ticket, struct status *status)
{
    struct record record;
    fixture_record(grid_trial(fixture.grid, at), FIXTURE_EVALS, &record);
    enum status_code code = store_append_result(store, &record, NULL, ret_ticket, status);
    record_fini(&record);
    return code;
}

static off_t journal_size(void)
{
    char path[FIXTURE_PATH];
    struct stat facts;
    assert_int_equal(stat(fixture_file(&fixture, ".journal", path), &facts), 0);
    return facts.st_size;
}

// An acknowledged ticket is on disk: the file is at least that long, whenever one looks.
static void tickets_are_acknowledged_in_order_and_never_before_the_disk(void **state)
{
    (void)state;
    struct status status = {0};
    struct store *store = fixture_open(&fixture);
    uint64_t before = store_synced(store), ticket = before, last = before;
    for (size_t i = 0; i < 100; i++) {
        fixture_ok(append(store, i, &ticket, &status), &status);
        assert_true(ticket > before);
        before = ticket;
        uint64_t synced = store_synced(store);
        assert_true(synced >= last && synced <= ticket && (off_t)synced <= journal_size());
        last = synced;
    }
    fixture_ok(store_sync(store, &status), &status);
    assert_int_equal(store_synced(store), ticket);
    assert_int_equal(journal_size(), ticket);
    fixture_ok(store_health(store, &status), &status);
    store_close(store);
}

static void closing_writes_what_is_queued(void **state)
{
    (void)state;
    struct status status = {0};
    struct store *store = fixture_open(&fixture);
    for (size_t i = 0; i < 30; i++)
        fixture_ok(append(store, i, NULL, &status), &status);
    store_close(store);
    store = fixture_open(&fixture);
    assert_int_equal(store_trials(store), 30);
    store_close(store);
}

static void whoever_lost_the_lock_writes_nothing_more(void **state)
{
    (void)state;
    char path[FIXTURE_PATH];
    struct status status = {0};
    struct store *first = fixture_open(&fixture);
    fixture_append(&fixture, first, 0, 2);
    off_t size = journal_size();
    assert_int_equal(unlink(fixture_file(&fixture, ".lock", path)), 0);
    struct store *second = fixture_open(&fixture);
    if (append(first, 2, NULL, &status) == STATUS_OK)
        assert_int_equal(store_sync(first, &status), STATUS_IN_USE);
    assert_non_null(strstr(status.text, "taken over by process"));
    assert_int_equal(journal_size(), size);
    assert_int_equal(append(first, 3, NULL, &status), STATUS_IN_USE);
    fixture_append(&fixture, second, 2, 4);
    store_close(first);
    store_close(second);
    second = fixture_open(&fixture);
    assert_int_equal(store_trials(second), 4);
    store_close(second);
}

// It was stopped between its look at the lock and its write, and goes on when another has long been at work.
static void a_displaced_owner_spoils_nothing_even_within_a_write(void **state)
{
    (void)state;
    char path[FIXTURE_PATH];
    const struct store_lock_options heartbeat = {.heartbeat = true};
    struct status status = {0};
    struct store *first = NULL, *second = NULL;
    setenv("SLURM_JOB_ID", "17", 1);
    setenv("SLURM_RESTART_COUNT", "0", 1);
    fixture_ok(store_open(fixture.path, &fixture.sweep, fixture.grid, &heartbeat, &first, NULL, &status), &status);
    fixture_append(&fixture, first, 0, 2);
    int stopped = open(fixture_file(&fixture, ".journal", path), O_WRONLY);
    off_t end = journal_size();
    setenv("SLURM_RESTART_COUNT", "1", 1);
    fixture_ok(store_open(fixture.path, &fixture.sweep, fixture.grid, &heartbeat, &second, NULL, &status), &status);
    assert_int_equal(store_trials(second), 2);
    fixture_append(&fixture, second, 2, 4);
    assert_int_equal(pwrite(stopped, "what it still had to write", 26, end), 26);
    close(stopped);
    store_close(first);
    store_close(second);
    second = fixture_open(&fixture);
    assert_int_equal(store_trials(second), 4);
    store_close(second);
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_RESTART_COUNT");
}

static void a_heartbeat_is_kept_while_nothing_is_written(void **state)
{
    (void)state;
    struct status status = {0};
    struct store *store = NULL;
    struct store_owner owner;
    const struct store_lock_options options = {.heartbeat = true, .beat = 0.02};
    fixture_ok(store_open(fixture.path, &fixture.sweep, fixture.grid, &options, &store, NULL, &status), &status);
    assert_true(store_lock_owner(fixture.path, &owner));
    uint64_t first = owner.beat;
    for (int i = 0; i < 200 && owner.beat < first + 3; i++) {
        clock_sleep(0.02);
        assert_true(store_lock_owner(fixture.path, &owner));
    }
    assert_true(owner.beat >= first + 3);
    fixture_append(&fixture, store, 0, 1);
    store_close(store);
}

// Fills the disk in a process of its own: appends until an error comes, tells how many were acknowledged, publishes.
static void fill(int out)
{
    struct status status = {0}, publication = {0};
    struct store *store = fixture_open(&fixture);
    size_t sent = 0, acknowledged = 0;
    while (sent < 120 && append(store, sent++, NULL, &status) == STATUS_OK) {
        if (store_sync(store, &status) != STATUS_OK)
            break;
        acknowledged++;
    }
    bool told =
        status.code == STATUS_FULL && strstr(status.text, ".journal") && append(store, 0, NULL, NULL) == STATUS_FULL;
    enum status_code code = store_publish(fixture.path, &fixture.sweep, fixture.grid, NULL, NULL, &publication);
    bool kept = (code == STATUS_FULL && strstr(publication.text, fixture.folder)) || code == STATUS_OK;
    store_close(store);
    unsigned char answer[3] = {told, (unsigned char)acknowledged, kept};
    // HDF5 on a full disk may fail once more at exit, hence no exit handlers.
    _exit(write(out, answer, sizeof answer) != (ssize_t)sizeof answer);
}

// What a process tells that ran out of space: whether the error was told, how many results were acknowledged, whether
// the publication kept to the rules.
struct answer {
    unsigned char told, acknowledged, kept;
};

static struct answer run_out_of_space(void (*limit)(void))
{
    unsigned char bytes[3] = {0};
    int pipes[2], how = 0;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (limit)
            limit();
        fill(pipes[1]);
    }
    close(pipes[1]);
    ssize_t size = read(pipes[0], bytes, sizeof bytes);
    close(pipes[0]);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
    assert_int_equal(size, sizeof bytes);
    return (struct answer){bytes[0], bytes[1], bytes[2]};
}

// With space again, nothing that was acknowledged is missing, and the sweep goes on.
static void assert_nothing_lost(struct answer answer)
{
    assert_true(answer.told && answer.kept);
    assert_true(answer.acknowledged > 3 && answer.acknowledged < 120);
    assert_int_equal(fixture_count(&fixture, "."), 0);
    struct store *store = fixture_open(&fixture);
    assert_int_equal(store_trials(store), answer.acknowledged);
    store_close(store);
    fixture_run(&fixture);
    struct store_view *view = fixture_view(&fixture);
    assert_int_equal(store_view_rows(view), grid_trials(fixture.grid));
    store_view_close(view);
}

static void limit_files(void)
{
    const struct rlimit limit = {200000, 200000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        _exit(9);
}

static void a_limit_on_file_sizes_loses_nothing(void **state)
{
    (void)state;
    assert_nothing_lost(run_out_of_space(limit_files));
}

static void a_full_disk_loses_nothing(void **state)
{
    (void)state;
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tiny", fixture.folder, "tmpfs", 0, "size=300k") != 0) {
        print_message("skipped: mounting a small file system needs root\n");
        skip();
    }
    struct answer answer = run_out_of_space(NULL);
    assert_int_equal(mount("tiny", fixture.folder, "tmpfs", MS_REMOUNT, "size=30m"), 0);
    assert_nothing_lost(answer);
    umount2(fixture.folder, MNT_DETACH);
}

// Killed at any moment, a writer has lost nothing that it was told is safe.
static void a_killed_writer_loses_nothing_acknowledged(void **state)
{
    (void)state;
    size_t before = 0;
    for (int round = 0; round < 12; round++) {
        int pipes[2];
        unsigned char acknowledged = 0;
        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            struct store *store = fixture_open(&fixture);
            for (size_t i = before; i < grid_trials(fixture.grid); i++) {
                struct status status = {0};
                uint64_t ticket = 0;
                if (append(store, i, &ticket, &status) != STATUS_OK)
                    _exit(1);
                while (store_synced(store) < ticket)
                    sched_yield();
                unsigned char count = (unsigned char)(i + 1);
                if (write(pipes[1], &count, 1) != 1)
                    _exit(1);
            }
            pause();
        }
        close(pipes[1]);
        clock_sleep(0.003 + 0.002 * round);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        while (read(pipes[0], &acknowledged, 1) == 1)
            ;
        close(pipes[0]);
        struct store *store = fixture_open(&fixture);
        assert_true(store_trials(store) >= acknowledged);
        for (size_t i = 0; i < store_trials(store); i++)
            assert_true(
                store_done(store, grid_trial(fixture.grid, i)->identity, grid_trial(fixture.grid, i)->lengths[0]));
        before = store_trials(store);
        store_close(store);
    }
    assert_true(before > 0);
}

static void publications_come_no_sooner_than_twenty_times_their_duration(void **state)
{
    (void)state;
    struct store *store = fixture_open(&fixture);
    double now = clock_now();
    assert_false(store_publish_due(store, now + 1000)); // there is nothing new
    fixture_append(&fixture, store, 0, 1);
    assert_false(store_publish_due(store, now));
    assert_true(store_publish_due(store, now + 10));
    store_publish_begun(store, now + 10);
    assert_false(store_publish_due(store, now + 1000)); // one is running
    fixture_append(&fixture, store, 1, 2);
    store_publish_ended(store, now + 13, true);
    assert_false(store_publish_due(store, now + 13 + 59));
    assert_true(store_publish_due(store, now + 13 + 61)); // the second result came while it ran
    store_publish_begun(store, now + 100);
    store_publish_ended(store, now + 101, false);
    assert_false(store_publish_due(store, now + 101 + 30));
    assert_true(store_publish_due(store, now + 101 + 90));
    store_publish_begun(store, now + 200);
    store_publish_ended(store, now + 201, true);
    assert_false(store_publish_due(store, now + 10000));
    store_close(store);
}

static void a_journal_that_is_not_covered_is_kept(void **state)
{
    (void)state;
    char path[FIXTURE_PATH];
    struct status status = {0};
    struct store *store = fixture_open(&fixture);
    fixture_append(&fixture, store, 0, 2);
    assert_int_equal(store_finish(store, &status), STATUS_SYSTEM); // nothing is published
    fixture_publish(&fixture);
    fixture_append(&fixture, store, 2, 3);
    assert_int_equal(store_finish(store, &status), STATUS_DAMAGED);
    assert_non_null(strstr(status.text, "does not cover"));
    assert_true(fixture_exists(fixture_file(&fixture, ".journal", path)));
    fixture_publish(&fixture);
    fixture_ok(store_finish(store, &status), &status);
    assert_false(fixture_exists(path));
    store_close(store);
}

static void a_run_without_news_leaves_the_published_file_alone(void **state)
{
    (void)state;
    struct status status = {0};
    size_t sizes[2];
    fixture_run(&fixture);
    unsigned char *before = fixture_read(fixture.path, &sizes[0]);
    struct store *store = fixture_open(&fixture);
    fixture_ok(store_finish(store, &status), &status);
    store_close(store);
    unsigned char *after = fixture_read(fixture.path, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(before, after, sizes[0]);
    assert_int_equal(fixture_count(&fixture, ""), 1);
    free(before);
    free(after);
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        UNIT(tickets_are_acknowledged_in_order_and_never_before_the_disk),
        UNIT(closing_writes_what_is_queued),
        UNIT(whoever_lost_the_lock_writes_nothing_more),
        UNIT(a_displaced_owner_spoils_nothing_even_within_a_write),
        UNIT(a_heartbeat_is_kept_while_nothing_is_written),
        UNIT(a_limit_on_file_sizes_loses_nothing),
        UNIT(a_killed_writer_loses_nothing_acknowledged),
        UNIT(publications_come_no_sooner_than_twenty_times_their_duration),
        UNIT(a_journal_that_is_not_covered_is_kept),
        UNIT(a_run_without_news_leaves_the_published_file_alone),
        UNIT(a_full_disk_loses_nothing), // last: it moves to a name space of its own
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
