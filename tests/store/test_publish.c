// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include "store_diff.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Every trial's record read from the published file is the one that was appended.
static void assert_lossless(const struct fixture *fixture, uint32_t evals)
{
    struct store_view *view = fixture_view(fixture);
    struct status status = {0};
    assert_int_equal(store_view_rows(view), grid_trials(fixture->grid));
    for (size_t i = 0; i < grid_trials(fixture->grid); i++) {
        struct record made, stored;
        fixture_record(grid_trial(fixture->grid, i), evals, &made);
        ptrdiff_t row = store_view_find(view, made.identity);
        assert_int_equal(row, i); // the grid's order
        fixture_ok(store_view_record(view, (size_t)row, &stored, &status), &status);
        fixture_assert_same(&made, &stored);
        record_fini(&made);
        record_fini(&stored);
    }
    store_view_close(view);
}

static void records_come_back_as_they_were(void **state)
{
    static const struct fixture_plan plans[] = {
        {0},
        {.twins = true},
        {.lengths_axis = true, .lengths_count = 3},
        {.zip = true, .replicates = 1},
        {.exclude = true, .twins = true},
        {.no_axes = true, .replicates = 1, .lengths_count = 1},
        {.snr_count = 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        struct fixture fixture;
        char journal[FIXTURE_PATH];
        fixture_init(&fixture, &plans[i]);
        fixture_run(&fixture);
        assert_false(fixture_exists(fixture_file(&fixture, ".journal", journal)));
        assert_lossless(&fixture, FIXTURE_EVALS);
        fixture_run(&fixture); // from the published file alone
        assert_lossless(&fixture, FIXTURE_EVALS);
        fixture_fini(&fixture);
    }
}

static void append_one(const struct fixture *fixture, struct store *store, const struct record *record)
{
    struct status status = {0};
    (void)fixture;
    if (record->status == RECORD_FAILED)
        fixture_ok(store_append_failure(store, record, NULL, NULL, &status), &status);
    else
        fixture_ok(store_append_result(store, record, NULL, NULL, &status), &status);
    fixture_ok(store_sync(store, &status), &status);
}

static void assert_stored(const struct fixture *fixture, const struct record *made)
{
    struct status status = {0};
    struct record stored;
    struct store_view *view = fixture_view(fixture);
    ptrdiff_t row = store_view_find(view, made->identity);
    assert_true(row >= 0);
    fixture_ok(store_view_record(view, (size_t)row, &stored, &status), &status);
    fixture_assert_same(made, &stored);
    record_fini(&stored);
    store_view_close(view);
}

static void numbers_of_evaluations_may_differ_between_trials(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, &(struct fixture_plan){0});
    struct store *store = fixture_open(&fixture);
    struct record made[4];
    for (uint32_t i = 0; i < 4; i++) {
        fixture_record(grid_trial(fixture.grid, i), 3 * i, &made[i]); // none at all, too
        append_one(&fixture, store, &made[i]);
        fixture_publish(&fixture); // so that rows of the older file are padded anew
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_stored(&fixture, &made[i]);
        record_fini(&made[i]);
    }
    store_close(store);
    fixture_fini(&fixture);
}

static void unknown_fields_survive_publications(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, &(struct fixture_plan){0});
    struct store *store = fixture_open(&fixture);
    struct record made[3];
    static const uint32_t extents[3][2] = {{2, 3}, {4, 1}, {0, 5}};
    for (uint32_t i = 0; i < 3; i++) {
        fixture_record(grid_trial(fixture.grid, i), FIXTURE_EVALS, &made[i]);
        fixture_add_novel(&made[i], extents[i][0], extents[i][1]);
        append_one(&fixture, store, &made[i]);
    }
    for (int publication = 0; publication < 3; publication++) {
        fixture_publish(&fixture);
        for (uint32_t i = 0; i < 3; i++)
            assert_stored(&fixture, &made[i]);
    }
    for (uint32_t i = 0; i < 3; i++)
        record_fini(&made[i]);
    store_close(store);
    fixture_fini(&fixture);
}

static void failures_keep_their_facts_until_a_result_comes(void **state)
{
    (void)state;
    struct fixture fixture;
    struct status status = {0};
    fixture_init(&fixture, &(struct fixture_plan){0});
    struct store *store = fixture_open(&fixture);
    struct record failure, result;
    fixture_failure(grid_trial(fixture.grid, 2), &failure);
    fixture_record(grid_trial(fixture.grid, 2), FIXTURE_EVALS, &result);
    fixture_ok(store_append_attempt(store, failure.identity, NULL, &status), &status);
    append_one(&fixture, store, &failure);
    fixture_publish(&fixture);
    assert_stored(&fixture, &failure);
    append_one(&fixture, store, &result);
    fixture_publish(&fixture);
    assert_stored(&fixture, &result);
    append_one(&fixture, store, &failure); // too late
    fixture_publish(&fixture);
    assert_stored(&fixture, &result);
    record_fini(&failure);
    record_fini(&result);
    store_close(store);
    fixture_fini(&fixture);
}

// The same results in another order and over several publications, with little memory.
static void equal_results_make_equal_stores(void **state)
{
    static const struct fixture_plan plan = {.twins = true, .lengths_axis = true};
    (void)state;
    struct fixture straight, crooked;
    struct status status = {0};
    struct store_differences found;
    fixture_init(&straight, &plan);
    fixture_init(&crooked, &plan);
    fixture_run(&straight);
    size_t count = grid_trials(crooked.grid);
    struct store *store = fixture_open(&crooked);
    const struct store_publish_options little = {.memory = 1000};
    for (size_t i = 0; i < count; i++) {
        size_t at = (i * 17 + 5) % count; // 17 is coprime to the number of trials
        fixture_append(&crooked, store, at, at + 1);
        fixture_append(&crooked, store, at, at + 1); // a double
        if (i % 11 == 3) {
            fixture_ok(store_publish(crooked.path, &crooked.sweep, crooked.grid, &little, NULL, &status), &status);
            store_close(store);
            store = fixture_open(&crooked);
        }
    }
    store_close(store);
    fixture_run(&crooked);
    const char *paths[] = {straight.path, crooked.path};
    fixture_ok(store_diff(paths, 2, 10, straight.arena, &found, &status), &status);
    assert_int_equal(found.total, 0);
    assert_int_equal(found.trials, count);
    assert_true(found.values > 1000 * count / 10);
    struct store_view *views[2] = {fixture_view(&straight), fixture_view(&crooked)};
    for (size_t i = 0; i < count; i++)
        assert_true(hash_equal(store_view_row(views[0], i)->identity, store_view_row(views[1], i)->identity));
    store_view_close(views[0]);
    store_view_close(views[1]);
    fixture_fini(&straight);
    fixture_fini(&crooked);
}

static void an_extended_sweep_adds_to_its_store(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, &(struct fixture_plan){.snr_count = 2, .lengths_count = 1, .replicates = 1});
    fixture_run(&fixture);
    fixture_replan(&fixture, &(struct fixture_plan){.snr_count = 5, .lengths_count = 3, .replicates = 3});
    fixture_run(&fixture);
    assert_lossless(&fixture, FIXTURE_EVALS);
    // Reordered and cut down: nothing is lost, and rows that the grid has no more come last.
    fixture_replan(&fixture,
                   &(struct fixture_plan){.snr_count = 3, .lengths_count = 2, .replicates = 2, .reversed = true});
    fixture_run(&fixture);
    struct store_view *view = fixture_view(&fixture);
    assert_int_equal(store_view_rows(view), 5 * 2 * 3);
    assert_true(isinf(store_view_row(view, 0)->settings.task.snr));
    assert_true(store_view_row(view, 12)->settings.task.snr != INFINITY ||
                store_view_row(view, 12)->settings.replicate == 2);
    const int64_t *lengths;
    assert_int_equal(store_view_lengths(view, &lengths), 3);
    assert_int_equal(store_view_cube_lengths(view, &lengths), 2);
    store_view_close(view);
    fixture_replan(&fixture, &(struct fixture_plan){.snr_count = 5, .lengths_count = 3, .replicates = 3});
    struct store *store = fixture_open(&fixture);
    for (size_t i = 0; i < grid_trials(fixture.grid); i++)
        for (size_t j = 0; j < 3; j++)
            assert_true(
                store_done(store, grid_trial(fixture.grid, i)->identity, grid_trial(fixture.grid, i)->lengths[j]));
    store_close(store);
    fixture_fini(&fixture);
}

static void publication_needs_the_owners_token(void **state)
{
    (void)state;
    struct fixture fixture;
    struct status status = {0};
    fixture_init(&fixture, &(struct fixture_plan){0});
    struct store *store = fixture_open(&fixture);
    fixture_append(&fixture, store, 0, 2);
    const struct store_publish_options stranger = {.token = "00000000000000000000000000000000"};
    const struct store_publish_options child = {.token = store_token(store)};
    assert_int_equal(store_publish(fixture.path, &fixture.sweep, fixture.grid, &stranger, NULL, &status),
                     STATUS_IN_USE);
    assert_false(fixture_exists(fixture.path));
    fixture_ok(store_publish(fixture.path, &fixture.sweep, fixture.grid, &child, NULL, &status), &status);
    assert_true(fixture_exists(fixture.path));
    assert_int_equal(fixture_count(&fixture, "."), 0); // no temporary file is left
    store_close(store);
    fixture_fini(&fixture);
}

static void leftovers_of_dead_publications_are_removed(void **state)
{
    (void)state;
    struct fixture fixture;
    char dead[FIXTURE_PATH], alive[FIXTURE_PATH];
    fixture_init(&fixture, &(struct fixture_plan){0});
    snprintf(dead, sizeof dead, "%s/.测试 s.h5.tmp-%d", fixture.folder, 4194304 + 7); // beyond any process number
    snprintf(alive, sizeof alive, "%s/.测试 s.h5.tmp-%d", fixture.folder, (int)getppid());
    fixture_write(dead, "x", 1);
    fixture_write(alive, "x", 1);
    fixture_run(&fixture);
    assert_false(fixture_exists(dead));
    assert_true(fixture_exists(alive));
    fixture_fini(&fixture);
}

static void a_link_keeps_leading_to_its_store(void **state)
{
    (void)state;
    struct fixture fixture;
    char real[FIXTURE_PATH];
    struct stat facts;
    fixture_init(&fixture, &(struct fixture_plan){0});
    fixture_run(&fixture);
    snprintf(real, sizeof real, "%s/real.h5", fixture.folder);
    assert_int_equal(rename(fixture.path, real), 0);
    assert_int_equal(symlink("real.h5", fixture.path), 0);
    fixture_run(&fixture);
    fixture_publish(&fixture);
    assert_int_equal(lstat(fixture.path, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_lossless(&fixture, FIXTURE_EVALS);
    fixture_fini(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_back_as_they_were),
        cmocka_unit_test(numbers_of_evaluations_may_differ_between_trials),
        cmocka_unit_test(unknown_fields_survive_publications),
        cmocka_unit_test(failures_keep_their_facts_until_a_result_comes),
        cmocka_unit_test(equal_results_make_equal_stores),
        cmocka_unit_test(an_extended_sweep_adds_to_its_store),
        cmocka_unit_test(publication_needs_the_owners_token),
        cmocka_unit_test(leftovers_of_dead_publications_are_removed),
        cmocka_unit_test(a_link_keeps_leading_to_its_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
