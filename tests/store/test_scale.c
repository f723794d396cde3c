// SPDX-License-Identifier: MIT
// Memory and file size of publications at the size of real sweeps, and their processor time beside; every number is
// random, which is the worst case for the compression.
#include "support.h"

#include "base_clock.h"
#include "fixture.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EVALS = 64, LENGTHS = 4, SETTINGS = 10 };

struct cost {
    double seconds, mebibytes; // of the publication
};

// In a process of its own, so that its peak of memory is that of the publication.
static struct cost measure(const struct fixture *fixture)
{
    struct cost cost = {0};
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rusage usage;
        double begun = clock_cpu();
        enum status_code code = store_publish(fixture->path, &fixture->sweep, fixture->grid, NULL, NULL, NULL);
        getrusage(RUSAGE_SELF, &usage);
        cost = (struct cost){clock_cpu() - begun, (double)usage.ru_maxrss / 1024};
        _exit(code != STATUS_OK || write(pipes[1], &cost, sizeof cost) != (ssize_t)sizeof cost);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
    assert_int_equal(read(pipes[0], &cost, sizeof cost), sizeof cost);
    close(pipes[0]);
    close(pipes[1]);
    return cost;
}

static void append_all(const struct fixture *fixture)
{
    struct store *store = fixture_open(fixture);
    struct status status = {0};
    for (size_t i = 0; i < grid_trials(fixture->grid); i++) {
        struct record record;
        fixture_record(grid_trial(fixture->grid, i), EVALS, &record);
        fixture_ok(store_append_result(store, &record, NULL, NULL, &status), &status);
        record_fini(&record);
    }
    fixture_ok(store_sync(store, &status), &status);
    store_close(store);
}

static double file_size(const struct fixture *fixture, const char *suffix)
{
    char path[FIXTURE_PATH];
    struct stat facts;
    assert_int_equal(stat(fixture_file(fixture, suffix, path), &facts), 0);
    return (double)facts.st_size;
}

static void publish_at_size(int64_t replicates, double most_mebibytes)
{
    struct fixture fixture;
    fixture_init(&fixture, &(struct fixture_plan){.snr_count = 5, .replicates = replicates, .lengths_count = LENGTHS});
    assert_int_equal(grid_trials(fixture.grid), SETTINGS * replicates);
    append_all(&fixture);
    struct cost journal = measure(&fixture), file = measure(&fixture);
    double ratio = file_size(&fixture, "") / file_size(&fixture, ".journal");
    print_message(
        "%lld trials: %.2f s and %.0f MiB from the journal, %.2f s and %.0f MiB with a published file; the file "
        "has %.2f times the size of the journal\n",
        (long long)(SETTINGS * replicates), journal.seconds, journal.mebibytes, file.seconds, file.mebibytes, ratio);
#ifdef LGSWEEP_SANITIZE
    most_mebibytes = INFINITY;
#endif
    assert_true(journal.mebibytes < most_mebibytes && file.mebibytes < most_mebibytes);
    assert_true(ratio < 2); // trials and cube
    fixture_fini(&fixture);
}

static void two_thousand_trials_are_published_in_little_memory(void **state)
{
    (void)state;
    publish_at_size(200, 200);
}

// The results themselves are 190 MiB.
static void twenty_thousand_trials_are_published_in_less_than_they_take_twice(void **state)
{
    (void)state;
    if (!getenv("LGSWEEP_LONG"))
        skip(); // half a minute: set LGSWEEP_LONG=1
    publish_at_size(2000, 380);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_thousand_trials_are_published_in_little_memory),
        cmocka_unit_test(twenty_thousand_trials_are_published_in_less_than_they_take_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
