// SPDX-License-Identifier: MIT
// The coordinator, message by message.
#include "desk.h"

#include <math.h>
#include <string.h>

static void hands_out_in_the_order_of_the_source(void **state)
{
    (void)state;
    struct desk desk = {0};
    desk_set_up(&desk, 10);
    desk_step(&desk, 0);
    assert_int_equal(desk.sent_count, 0);
    desk_all_say_hello(&desk);
    desk_step(&desk, 0);
    assert_int_equal(desk.sent_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(desk.sent[i].rank, i);
        assert_int_equal(desk.sent[i].index, i);
    }
    desk_answer(&desk, 2, RUN_DONE, 1000, 100);
    desk_step(&desk, 100);
    assert_int_equal(desk.sent_count, 5);
    assert_int_equal(desk.sent[4].rank, 2);
    assert_int_equal(desk.sent[4].index, 4);
    desk_tear_down(&desk);
}

static void fills_a_pocket_only_when_the_running_trial_ends_soon(void **state)
{
    (void)state;
    struct desk desk = {0};
    desk_set_up(&desk, 50);
    desk_all_say_hello(&desk);
    desk_step(&desk, 0);
    desk_answer(&desk, 3, RUN_DONE, 10, 10); // trials take 10 s
    desk_step(&desk, 10);
    // The others are due by their cost; rank 3 has just got its second.
    for (int rank = 0; rank < 3; rank++)
        assert_true(desk_count(&desk, rank, DISPATCH_JOB) > 1);
    assert_int_equal(desk_count(&desk, 3, DISPATCH_JOB), 2);
    desk_step(&desk, 19.7);
    assert_int_equal(desk_count(&desk, 3, DISPATCH_JOB), 2);
    desk_step(&desk, 19.8);
    assert_int_equal(desk_count(&desk, 3, DISPATCH_JOB), 3);
    desk_step(&desk, 19.9); // the one in the pocket will take 10 s
    assert_int_equal(desk_count(&desk, 3, DISPATCH_JOB), 3);
    desk_tear_down(&desk);
}

static void believes_reported_steps_more_than_costs(void **state)
{
    (void)state;
    struct desk desk = {0};
    desk_set_up(&desk, 50);
    desk_all_say_hello(&desk);
    desk_step(&desk, 0);
    // Rank 0 is slow: a tenth of its steps after 10 s, where 10 s was to be expected for all.
    assert_int_equal(desk_progress(&desk, 0, desk.sent[0].slot, 10, 100, 9.9, 9.9), STATUS_OK);
    desk_answer(&desk, 3, RUN_DONE, 10, 10);
    desk_step(&desk, 10);
    assert_int_equal(desk_count(&desk, 0, DISPATCH_JOB), 1);
    assert_int_equal(desk_count(&desk, 1, DISPATCH_JOB), 2);
    desk_tear_down(&desk);
}

static void gives_tiny_trials_in_handfuls_up_to_the_limit(void **state)
{
    (void)state;
    struct desk desk = {.options = dispatch_options_standard()};
    desk.options.pocket = 5;
    desk_set_up(&desk, 100);
    desk_all_say_hello(&desk);
    desk_step(&desk, 0);
    desk_answer(&desk, 0, RUN_DONE, 1e-3, 1e-3);
    desk_step(&desk, 1e-3);
    assert_int_equal(desk_count(&desk, 0, DISPATCH_JOB), 7); // one answered, one running, five in the pocket
    assert_int_equal(desk_count(&desk, 1, DISPATCH_JOB), 6);
    desk_tear_down(&desk);
}

static void admits_by_the_memory_of_each_host(void **state)
{
    (void)state;
    struct desk desk = {0};
    static const double memory[] = {7, 6, 3, 2, 50};
    memcpy(desk.sweep.memory, memory, sizeof memory);
    desk_set_up(&desk, 5);
    assert_int_equal(desk_hello(&desk, 0, "small", 10), STATUS_OK);
    assert_int_equal(desk_hello(&desk, 1, "small", 11), STATUS_OK); // the least counts
    assert_int_equal(desk_hello(&desk, 2, "small", 12), STATUS_OK);
    desk_step(&desk, 0);
    // 7 and 3 go together; 6, 2 and 50 do not fit beside them, and there may be a larger host.
    assert_int_equal(desk.sent_count, 2);
    assert_int_equal(desk.sent[0].index, 0);
    assert_int_equal(desk.sent[1].index, 2);
    assert_int_equal(desk_hello(&desk, 3, "large", 50), STATUS_OK);
    desk_step(&desk, 0);
    assert_int_equal(desk.sent_count, 3);
    assert_int_equal(desk.sent[2].rank, 3);
    assert_int_equal(desk.sent[2].index, 1);
    desk_answer(&desk, 0, RUN_DONE, 1, 1);
    desk_answer(&desk, 2, RUN_DONE, 1, 1);
    desk_step(&desk, 1);
    assert_int_equal(desk_count(&desk, 3, DISPATCH_JOB), 2);
    assert_int_equal(desk.sweep.payloads[3], 1);
    assert_int_equal(desk.sweep.payloads[4], 1);
    desk_tear_down(&desk);
}

static void gives_a_trial_that_fits_nowhere_to_anyone_to_be_refused(void **state)
{
    (void)state;
    struct desk desk = {0};
    desk.sweep.memory[0] = 1000;
    desk_set_up(&desk, 2);
    for (int rank = 0; rank < 3; rank++)
        assert_int_equal(desk_hello(&desk, rank, "host", 10), STATUS_OK);
    desk_step(&desk, 0);
    assert_int_equal(desk.sweep.payloads[0], 0); // the last rank may have more
    assert_int_equal(desk.sweep.payloads[1], 1);
    assert_int_equal(desk_hello(&desk, 3, "other", 20), STATUS_OK);
    desk_step(&desk, 0);
    assert_int_equal(desk.sweep.payloads[0], 1);
    desk_answer(&desk, 1, RUN_REFUSED, 0, 0);
    assert_int_equal(desk.sweep.finals[0], 1);
    assert_int_equal(desk.sweep.attempts[0], 0);
    desk_tear_down(&desk);
}

static void tries_a_failed_trial_again_up_to_the_limit(void **state)
{
    (void)state;
    struct desk desk = {0};
    desk.sweep.prior[1] = 2; // from earlier runs
    desk_set_up(&desk, 2);
    desk_all_say_hello(&desk);
    desk_step(&desk, 0);
    desk_answer(&desk, 1, RUN_FAILED, 0, 0);
    assert_int_equal(desk.sweep.finals[1], 1);
    assert_int_equal(desk.sweep.attempts[1], 3);
    for (uint32_t attempt = 1; attempt <= 3; attempt++) {
        desk_answer(&desk, desk.sent[desk.sent_count - 1].index == 0 ? desk.sent_count - 1 : 0, RUN_FAILED, 0, 0);
        assert_int_equal(desk.sweep.attempts[0], attempt);
        assert_int_equal(desk.sweep.finals[0], attempt == 3);
        desk_step(&desk, 0);
    }
    desk_all_leave(&desk);
    struct dispatch_summary summary;
    dispatch_coordinator_summary(desk.coordinator, &summary);
    assert_int_equal(summary.end, DISPATCH_COMPLETE);
    assert_int_equal(summary.failed, 2);
    assert_int_equal(summary.retried, 2);
    desk_tear_down(&desk);
}

static void stops_beyond_the_limit_of_failures(void **state)
{
    (void)state;
    for (size_t limit = 0; limit < 3; limit++) {
        struct desk desk = {.options = dispatch_options_standard()};
        struct dispatch_summary summary;
        desk.options.max_failures = limit;
        desk.options.attempts = 1;
        desk_set_up(&desk, 50);
        desk_all_say_hello(&desk);
        desk_step(&desk, 0);
        for (size_t i = 0; i <= limit; i++) {
            assert_int_equal(desk_count(&desk, -1, DISPATCH_AWAY), 0);
            desk_answer(&desk, i, RUN_FAILED, 0, 0);
            desk_step(&desk, 0);
        }
        assert_int_equal(desk_count(&desk, -1, DISPATCH_AWAY), 4);
        desk_all_leave(&desk);
        dispatch_coordinator_summary(desk.coordinator, &summary);
        assert_int_equal(summary.end, DISPATCH_FAILURES);
        assert_int_equal(summary.failed, limit + 1);
        desk_tear_down(&desk);
    }
}

static void starts_nothing_that_would_outlast_the_deadline(void **state)
{
    (void)state;
    struct desk desk = {.options = dispatch_options_standard()};
    struct dispatch_summary summary;
    desk.options.deadline = 100;
    for (size_t i = 0; i < 6; i++)
        desk.sweep.cost[i] = i < 5 ? 60 : 20;
    desk_set_up(&desk, 6);
    desk_all_say_hello(&desk);
    desk_step(&desk, 0);
    for (size_t i = 0; i < 4; i++)
        desk_answer(&desk, i, RUN_DONE, 60, 60);
    desk_step(&desk, 60); // 60 s each: only the short one is over by then
    assert_int_equal(desk.sweep.payloads[4], 0);
    assert_int_equal(desk.sweep.payloads[5], 1);
    desk_answer(&desk, 4, RUN_DONE, 20, 80);
    desk_step(&desk, 80);
    desk_all_leave(&desk);
    dispatch_coordinator_summary(desk.coordinator, &summary);
    assert_int_equal(summary.end, DISPATCH_STOPPED);
    assert_int_equal(summary.done, 5);
    assert_int_equal(summary.left, 1);
    desk_tear_down(&desk);
}

static void drains_at_the_deadline(void **state)
{
    (void)state;
    struct desk desk = {.options = dispatch_options_standard()};
    desk.options.deadline = 100;
    desk_set_up(&desk, 6);
    desk_all_say_hello(&desk);
    desk_step(&desk, 99);
    assert_int_equal(desk_count(&desk, -1, DISPATCH_AWAY), 0);
    desk_step(&desk, 100);
    assert_int_equal(desk_count(&desk, -1, DISPATCH_AWAY), 4);
    desk_tear_down(&desk);
}

static void takes_results_that_were_on_their_way_when_it_drained(void **state)
{
    (void)state;
    struct desk desk = {0};
    struct dispatch_summary summary;
    desk_set_up(&desk, 6);
    desk_all_say_hello(&desk);
    desk_step(&desk, 0);
    dispatch_coordinator_drain(desk.coordinator, DISPATCH_STOPPED);
    desk_step(&desk, 0);
    desk_answer(&desk, 0, RUN_DONE, 1, 1);
    assert_int_equal(desk_progress(&desk, 1, desk.sent[1].slot, 1, 2, 1, 1), STATUS_OK);
    desk_step(&desk, 1);
    assert_int_equal(desk_count(&desk, -1, DISPATCH_JOB), 4);
    desk_all_leave(&desk);
    dispatch_coordinator_summary(desk.coordinator, &summary);
    assert_int_equal(summary.done, 1);
    assert_int_equal(summary.left, 5);
    desk_tear_down(&desk);
}

static void is_complete_when_the_request_to_stop_came_too_late(void **state)
{
    (void)state;
    struct desk desk = {0};
    struct dispatch_summary summary;
    desk_set_up(&desk, 1);
    desk_all_say_hello(&desk);
    desk_step(&desk, 0);
    assert_int_equal(desk_plain(&desk, 2, DISPATCH_DRAIN), STATUS_OK);
    desk_step(&desk, 0);
    desk_answer(&desk, 0, RUN_DONE, 1, 1);
    desk_all_leave(&desk);
    dispatch_coordinator_summary(desk.coordinator, &summary);
    assert_int_equal(summary.end, DISPATCH_COMPLETE);
    desk_tear_down(&desk);
}

static void gives_up_silent_ranks_after_patience(void **state)
{
    (void)state;
    struct desk desk = {0};
    struct dispatch_summary summary;
    desk_set_up(&desk, 0);
    assert_int_equal(desk_hello(&desk, 0, "host", 1), STATUS_OK);
    desk_step(&desk, 0);
    assert_int_equal(desk_count(&desk, -1, DISPATCH_AWAY), 1);
    assert_int_equal(desk_plain(&desk, 0, DISPATCH_GOODBYE), STATUS_OK);
    assert_int_equal(desk_hello(&desk, 1, "host", 1), STATUS_OK); // late, and sent away at once
    desk_step(&desk, 1);
    assert_int_equal(desk_count(&desk, 1, DISPATCH_AWAY), 1);
    assert_int_equal(desk_plain(&desk, 1, DISPATCH_GOODBYE), STATUS_OK);
    assert_false(dispatch_coordinator_over(desk.coordinator, 4.9));
    assert_true(dispatch_coordinator_over(desk.coordinator, 5.1));
    dispatch_coordinator_summary(desk.coordinator, &summary);
    assert_int_equal(summary.missing, 2);
    desk_tear_down(&desk);
}

static void foresees_the_end_once_a_few_are_done(void **state)
{
    (void)state;
    struct desk desk = {0};
    struct dispatch_figures figures;
    desk_set_up(&desk, 12); // cost 10 each
    desk.sweep.cost[0] = 100;
    desk_all_say_hello(&desk);
    desk_step(&desk, 0);
    for (size_t i = 1; i < 4; i++) {
        dispatch_coordinator_figures(desk.coordinator, 10, &figures);
        assert_true(isnan(figures.eta));
        desk_answer(&desk, i, RUN_DONE, 10, 10);
    }
    dispatch_coordinator_figures(desk.coordinator, 10, &figures);
    assert_int_equal(figures.total, 12);
    assert_int_equal(figures.done, 3);
    assert_int_equal(figures.in_flight, 1);
    assert_int_equal(figures.workers, 4);
    assert_float_equal(figures.total_cost, 210, 1e-9);
    assert_float_equal(figures.done_cost, 30, 1e-9);
    assert_float_equal(figures.eta, 90, 1e-9); // the long one, not (100 + 8 * 10) / 4
    assert_int_equal(figures.flights_count, 1);
    assert_int_equal(figures.flights[0].index, 0);
    assert_float_equal(figures.flights[0].seconds, 10, 1e-9);
    assert_int_equal(desk_progress(&desk, 0, desk.sent[0].slot, 90, 100, 10, 10), STATUS_OK);
    dispatch_coordinator_figures(desk.coordinator, 10, &figures);
    assert_float_equal(figures.eta, (210 - 30 - 90) / 4., 1e-9);
    assert_int_equal(figures.flights[0].step, 90);
    dispatch_coordinator_figures(desk.coordinator, 50, &figures);
    assert_int_equal(figures.silent, 1);
    desk_tear_down(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hands_out_in_the_order_of_the_source),
        cmocka_unit_test(fills_a_pocket_only_when_the_running_trial_ends_soon),
        cmocka_unit_test(believes_reported_steps_more_than_costs),
        cmocka_unit_test(gives_tiny_trials_in_handfuls_up_to_the_limit),
        cmocka_unit_test(admits_by_the_memory_of_each_host),
        cmocka_unit_test(gives_a_trial_that_fits_nowhere_to_anyone_to_be_refused),
        cmocka_unit_test(tries_a_failed_trial_again_up_to_the_limit),
        cmocka_unit_test(stops_beyond_the_limit_of_failures),
        cmocka_unit_test(starts_nothing_that_would_outlast_the_deadline),
        cmocka_unit_test(drains_at_the_deadline),
        cmocka_unit_test(takes_results_that_were_on_their_way_when_it_drained),
        cmocka_unit_test(is_complete_when_the_request_to_stop_came_too_late),
        cmocka_unit_test(gives_up_silent_ranks_after_patience),
        cmocka_unit_test(foresees_the_end_once_a_few_are_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
