// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_clock.h"
#include "fixture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct fixture fixture;
static struct arena *arena;

static int set_up(void **state)
{
    (void)state;
    fixture_init(&fixture, &(struct fixture_plan){0});
    arena = arena_create(1 << 12, 0);
    return arena ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    arena_destroy(arena);
    fixture_fini(&fixture);
    return 0;
}

static struct store_summary summarise(void)
{
    struct store_summary summary;
    struct status status = {0};
    fixture_ok(store_journal_summary(fixture.path, arena, &summary, NULL, &status), &status);
    return summary;
}

// Two failures, two results, one attempt; counted by hand.
static struct store *make_progress(void)
{
    struct status status = {0};
    struct store *store = fixture_open(&fixture);
    for (size_t i = 3; i < 5; i++) {
        struct record failure;
        fixture_failure(grid_trial(fixture.grid, i), &failure);
        fixture_ok(store_append_failure(store, &failure, NULL, NULL, &status), &status);
        record_fini(&failure);
    }
    fixture_ok(store_append_attempt(store, grid_trial(fixture.grid, 6)->identity, NULL, &status), &status);
    fixture_append(&fixture, store, 0, 2);
    return store;
}

// Each trial once, with the sweep's text to tell which are its own.
static void assert_trials(const struct store_summary *summary)
{
    size_t results = 0;
    assert_int_equal(summary->trials_count, 5);
    for (size_t i = 0; i < summary->trials_count; i++) {
        const struct store_trial *trial = &summary->trials[i];
        ptrdiff_t index = grid_find(fixture.grid, trial->identity);
        bool result = trial->status == RECORD_DONE || trial->status == RECORD_DIVERGED;
        assert_true(index >= 0);
        assert_true(result == (index < 2));
        assert_int_equal(trial->lengths_count, result ? grid_trial(fixture.grid, (size_t)index)->lengths_count : 0);
        for (size_t t = 0; t < trial->lengths_count; t++)
            assert_int_equal(trial->lengths[t], grid_trial(fixture.grid, (size_t)index)->lengths[t]);
        results += result;
    }
    assert_int_equal(results, 2);
    assert_int_equal(summary->sweep_text_size, fixture.sweep.text_size);
    assert_memory_equal(summary->sweep_text, fixture.sweep.text, fixture.sweep.text_size);
}

static void assert_progress(const struct store_summary *summary)
{
    assert_string_equal(summary->name, "tiny");
    assert_int_equal(summary->planned, 12);
    assert_int_equal(summary->done + summary->diverged, 2);
    assert_int_equal(summary->failed, 2);
    assert_int_equal(summary->attempted, 1);
    assert_int_equal(summary->parts, 4);
    assert_int_equal(summary->failures_count, 2);
    assert_trials(summary);
    assert_true(hash_compare(&summary->failures[0].identity, &summary->failures[1].identity) < 0);
    for (size_t i = 0; i < 2; i++) {
        const struct store_failure *failure = &summary->failures[i];
        ptrdiff_t trial = grid_find(fixture.grid, failure->identity);
        assert_true(trial == 3 || trial == 4);
        assert_int_equal(failure->attempts, 3);
        assert_int_equal(failure->signal, 9);
        assert_int_equal(failure->last_step, 40);
        assert_non_null(strstr(failure->reason, "signal 9"));
        assert_non_null(strstr(failure->settings, trial == 3 ? "encoding=rope, noise_rate=0.25" : "noise_rate=0.25"));
        assert_null(strchr(failure->settings, '\n'));
    }
}

static void progress_is_told_from_the_journal_while_a_run_owns_it(void **state)
{
    (void)state;
    struct store *store = make_progress();
    struct store_summary summary = summarise();
    assert_progress(&summary);
    assert_true(summary.owned);
    assert_int_equal(summary.owner.process, getpid());
    assert_false(summary.published);
    assert_true(summary.journal_bytes > 5000);
    assert_true(clock_wall() - summary.changed < 60);
    fixture_append(&fixture, store, 2, 3); // and the run is not disturbed
    store_close(store);
}

static void progress_is_the_same_from_journal_and_published_file(void **state)
{
    (void)state;
    struct status status = {0};
    store_close(make_progress());
    fixture_publish(&fixture);
    struct store_summary summary = summarise(); // both
    assert_progress(&summary);
    assert_true(summary.published && !summary.owned);
    struct store *store = fixture_open(&fixture);
    fixture_publish(&fixture);
    fixture_ok(store_finish(store, &status), &status);
    store_close(store);
    summary = summarise(); // the published file alone
    assert_progress(&summary);
    assert_int_equal(summary.journal_bytes, 0);
}

static void a_torn_tail_is_no_damage_and_a_hole_is(void **state)
{
    (void)state;
    char path[FIXTURE_PATH];
    size_t size;
    store_close(make_progress());
    unsigned char *journal = fixture_read(fixture_file(&fixture, ".journal", path), &size);
    fixture_write(path, journal, size - 3);
    struct store_summary summary = summarise();
    assert_int_equal(summary.damaged_bytes, 0);
    assert_int_equal(summary.done + summary.diverged, 1);
    memset(journal + size / 2, 0, 16); // in the first result
    fixture_write(path, journal, size);
    summary = summarise();
    assert_true(summary.damaged_bytes > 0);
    assert_int_equal(summary.done + summary.diverged, 1);
    free(journal);
}

static void nothing_is_an_error(void **state)
{
    (void)state;
    struct store_summary summary;
    struct status status = {0};
    assert_int_equal(store_journal_summary(fixture.path, arena, &summary, NULL, &status), STATUS_SYSTEM);
    assert_non_null(strstr(status.text, fixture.path));
}

static void a_run_that_has_just_begun_has_a_summary(void **state)
{
    (void)state;
    struct store *store = fixture_open(&fixture);
    struct store_summary summary = summarise();
    assert_int_equal(summary.done + summary.diverged + summary.failed + summary.attempted + summary.failures_count, 0);
    assert_int_equal(summary.planned, 12);
    assert_true(summary.owned);
    store_close(store);
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        UNIT(progress_is_told_from_the_journal_while_a_run_owns_it),
        UNIT(progress_is_the_same_from_journal_and_published_file),
        UNIT(a_torn_tail_is_no_damage_and_a_hole_is),
        UNIT(nothing_is_an_error),
        UNIT(a_run_that_has_just_begun_has_a_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
