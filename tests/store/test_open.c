// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fixture fixture;

static int set_up(void **state)
{
    (void)state;
    fixture_init(&fixture, &(struct fixture_plan){0});
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_fini(&fixture);
    return 0;
}

static bool trial_done(const struct store *store, size_t at)
{
    const struct grid_trial *trial = grid_trial(fixture.grid, at);
    bool all = true, any = false;
    for (size_t i = 0; i < trial->lengths_count; i++) {
        bool done = store_done(store, trial->identity, trial->lengths[i]);
        all = all && done;
        any = any || done;
    }
    assert_true(all == any);
    return all;
}

static size_t count_done(const struct store *store)
{
    size_t count = 0;
    for (size_t i = 0; i < grid_trials(fixture.grid); i++)
        count += trial_done(store, i);
    return count;
}

static void a_new_store_has_nothing_done(void **state)
{
    (void)state;
    struct store *store = fixture_open(&fixture);
    assert_int_equal(count_done(store), 0);
    assert_int_equal(store_trials(store), 0);
    assert_int_equal(store_status(store, (struct hash128){1, 2}), RECORD_PENDING);
    assert_int_equal(store_attempts(store, (struct hash128){1, 2}), 0);
    assert_false(fixture_exists(fixture.path));
    store_close(store);
    store_close(NULL);
}

static void what_is_done_stays_done_from_journal_and_published_file(void **state)
{
    (void)state;
    struct store *store = fixture_open(&fixture);
    fixture_append(&fixture, store, 0, 3);
    assert_int_equal(count_done(store), 3);
    store_close(store);
    store = fixture_open(&fixture); // from the journal
    assert_int_equal(count_done(store), 3);
    fixture_publish(&fixture);
    fixture_append(&fixture, store, 3, 5);
    store_close(store);
    store = fixture_open(&fixture); // from both
    assert_int_equal(count_done(store), 5);
    assert_int_equal(store_trials(store), 5);
    store_close(store);
    fixture_run(&fixture);
    assert_int_equal(fixture_count(&fixture, ""), 1); // the published file alone
    store = fixture_open(&fixture);
    assert_int_equal(count_done(store), grid_trials(fixture.grid));
    store_close(store);
}

static void a_length_alone_is_not_the_trial(void **state)
{
    (void)state;
    struct status status = {0};
    struct record record;
    struct store *store = fixture_open(&fixture);
    const struct grid_trial *trial = grid_trial(fixture.grid, 0);
    fixture_record(trial, 3, &record);
    struct record_part test = record.parts[--record.parts_count];
    fixture_ok(store_append_result(store, &record, NULL, NULL, &status), &status);
    assert_true(store_done(store, trial->identity, trial->lengths[0]));
    assert_false(store_done(store, trial->identity, trial->lengths[1]));
    record.parts[record.parts_count++] = test;
    fixture_ok(store_append_result(store, &record, NULL, NULL, &status), &status);
    assert_true(store_done(store, trial->identity, trial->lengths[1]));
    assert_int_equal(store_trials(store), 1);
    record_fini(&record);
    store_close(store);
}

static void attempts_and_failures_survive_restarts(void **state)
{
    (void)state;
    struct status status = {0};
    struct record failure;
    const struct grid_trial *first = grid_trial(fixture.grid, 0), *second = grid_trial(fixture.grid, 1);
    struct store *store = fixture_open(&fixture);
    fixture_ok(store_append_attempt(store, first->identity, NULL, &status), &status);
    fixture_ok(store_append_attempt(store, first->identity, NULL, &status), &status);
    fixture_failure(second, &failure);
    fixture_ok(store_append_failure(store, &failure, NULL, NULL, &status), &status);
    for (int opened = 0; opened < 4; opened++) {
        assert_int_equal(store_attempts(store, first->identity), 2);
        assert_int_equal(store_status(store, first->identity), RECORD_PENDING);
        assert_int_equal(store_attempts(store, second->identity), 3);
        assert_int_equal(store_status(store, second->identity), RECORD_FAILED);
        assert_false(trial_done(store, 1));
        if (opened == 1) // then from the published file, and then from that alone
            fixture_publish(&fixture);
        if (opened == 2)
            fixture_ok(store_finish(store, &status), &status);
        store_close(store);
        store = fixture_open(&fixture);
    }
    store_close(store);
    record_fini(&failure);
}

static void results_and_failures_are_told_apart(void **state)
{
    (void)state;
    struct status status = {0};
    struct record record, failure;
    struct store *store = fixture_open(&fixture);
    fixture_record(grid_trial(fixture.grid, 0), 3, &record);
    fixture_failure(grid_trial(fixture.grid, 0), &failure);
    assert_int_equal(store_append_failure(store, &record, NULL, NULL, &status), STATUS_INTERNAL);
    assert_int_equal(store_append_result(store, &failure, NULL, NULL, &status), STATUS_INTERNAL);
    record.numerics++;
    assert_int_equal(store_append_result(store, &record, NULL, NULL, &status), STATUS_INVALID);
    record_fini(&record);
    record_fini(&failure);
    store_close(store);
}

// Offsets of all kinds: at and around the entries' ends, and a stride that is prime to everything.
static void a_journal_cut_anywhere_resumes_with_its_whole_entries(void **state)
{
    (void)state;
    char path[FIXTURE_PATH];
    struct status status = {0};
    size_t size, ends[4] = {0}, whole = 0;
    struct store *store = fixture_open(&fixture);
    for (size_t i = 0; i < 4; i++) {
        struct record record;
        uint64_t ticket;
        fixture_record(grid_trial(fixture.grid, i), 1, &record);
        fixture_ok(store_append_result(store, &record, NULL, &ticket, &status), &status);
        ends[i] = (size_t)ticket;
        record_fini(&record);
    }
    store_close(store);
    unsigned char *journal = fixture_read(fixture_file(&fixture, ".journal", path), &size);
    assert_int_equal(size, ends[3]);
    for (size_t cut = 0; cut <= size; cut += cut + 1 == ends[whole < 4 ? whole : 3] || cut < 40 ? 1 : 211) {
        for (whole = 0; whole < 4 && ends[whole] <= cut;)
            whole++;
        fixture_write(path, journal, cut);
        store = fixture_open(&fixture);
        assert_int_equal(count_done(store), whole);
        fixture_append(&fixture, store, 0, 4); // and goes on from there
        store_close(store);
        store = fixture_open(&fixture);
        assert_int_equal(count_done(store), 4);
        store_close(store);
    }
    free(journal);
}

static void a_dropped_tail_is_reported(void **state)
{
    (void)state;
    char path[FIXTURE_PATH];
    struct status status = {0};
    struct bytes warnings = {0};
    size_t size;
    struct store *store = fixture_open(&fixture);
    fixture_append(&fixture, store, 0, 1);
    store_close(store);
    unsigned char *journal = fixture_read(fixture_file(&fixture, ".journal", path), &size);
    fixture_write(path, journal, size - 5);
    fixture_ok(store_open(fixture.path, &fixture.sweep, fixture.grid, NULL, &store, &warnings, &status), &status);
    bytes_u8(&warnings, 0);
    assert_non_null(strstr((char *)warnings.data, "was dropped"));
    assert_non_null(strstr((char *)warnings.data, path));
    store_close(store);
    bytes_fini(&warnings);
    free(journal);
}

static void damage_in_the_middle_keeps_the_rest_and_the_journal(void **state)
{
    (void)state;
    char path[FIXTURE_PATH];
    struct status status = {0};
    size_t size;
    struct store *store = fixture_open(&fixture);
    fixture_append(&fixture, store, 0, 3);
    store_close(store);
    unsigned char *journal = fixture_read(fixture_file(&fixture, ".journal", path), &size);
    memset(journal + size / 2, 0, 100);
    fixture_write(path, journal, size);
    free(journal);
    store = fixture_open(&fixture);
    assert_int_equal(count_done(store), 2);
    fixture_append(&fixture, store, 0, grid_trials(fixture.grid));
    fixture_publish(&fixture);
    fixture_ok(store_finish(store, &status), &status);
    store_close(store);
    assert_false(fixture_exists(path));
    assert_true(fixture_exists(fixture_file(&fixture, ".journal.damaged", path)));
    store = fixture_open(&fixture);
    assert_int_equal(count_done(store), grid_trials(fixture.grid));
    store_close(store);
}

static void the_sweeps_text_is_that_of_the_last_run(void **state)
{
    (void)state;
    static const char *const texts[] = {"sweep: one\n", "sweep: one # longer\n", "sweep: two\n"};
    struct status status = {0};
    struct bytes text = {0};
    assert_int_equal(store_sweep_text(fixture.path, &text, &status), STATUS_INVALID);
    for (size_t i = 0; i < 3; i++) {
        fixture_replan(&fixture, &(struct fixture_plan){.text = texts[i]});
        struct store *store = fixture_open(&fixture);
        bytes_clear(&text);
        fixture_ok(store_sweep_text(fixture.path, &text, &status), &status);
        assert_string_equal((char *)text.data, texts[i]);
        assert_int_equal(text.size, strlen(texts[i]));
        store_close(store);
        if (i == 1)
            fixture_run(&fixture);
    }
    bytes_fini(&text);
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        UNIT(a_new_store_has_nothing_done),
        UNIT(what_is_done_stays_done_from_journal_and_published_file),
        UNIT(a_length_alone_is_not_the_trial),
        UNIT(attempts_and_failures_survive_restarts),
        UNIT(results_and_failures_are_told_apart),
        UNIT(a_journal_cut_anywhere_resumes_with_its_whole_entries),
        UNIT(a_dropped_tail_is_reported),
        UNIT(damage_in_the_middle_keeps_the_rest_and_the_journal),
        UNIT(the_sweeps_text_is_that_of_the_last_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
