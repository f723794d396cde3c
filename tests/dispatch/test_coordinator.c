// SPDX-License-Identifier: MIT
// The coordinator, message by message.
#include "support.h"

#include "fake.h"
#include <math.h>
#include <string.h>

enum { SENT = 512 };

// A coordinator of four ranks whose messages are caught.
struct desk {
    struct fake_sweep sweep;
    struct dispatch_source source;
    struct dispatch_sink sink;
    struct dispatch_watch watch;
    struct dispatch_options options;
    struct dispatch_coordinator *coordinator;
    struct {
        int rank;
        enum dispatch_kind kind;
        uint64_t slot, index;
    } sent[SENT];
    size_t sent_count;
    struct status status;
};

static enum status_code catch_message(void *self, int target, const void *data, size_t size, struct status *status)
{
    struct desk *desk = self;
    struct bytes_reader reader = bytes_reader(data, size);
    (void)status;
    assert_true(desk->sent_count < SENT);
    desk->sent[desk->sent_count].rank = target;
    desk->sent[desk->sent_count].kind = (enum dispatch_kind)bytes_read_u8(&reader);
    if (desk->sent[desk->sent_count].kind == DISPATCH_JOB) {
        size_t payload = 0;
        desk->sent[desk->sent_count].slot = bytes_read_u64(&reader);
        memcpy(&desk->sent[desk->sent_count].index, bytes_read_blob(&reader, &payload), sizeof(uint64_t));
        assert_int_equal(payload, sizeof(uint64_t));
    }
    assert_int_equal(bytes_left(&reader), 0);
    desk->sent_count++;
    return STATUS_OK;
}

static void set_up(struct desk *desk, size_t jobs)
{
    desk->sweep.jobs = jobs;
    for (size_t i = 0; i < jobs; i++)
        if (desk->sweep.cost[i] == 0)
            desk->sweep.cost[i] = 10;
    desk->source = fake_source(&desk->sweep);
    desk->sink = fake_sink(&desk->sweep, true);
    desk->watch = fake_watch(&desk->sweep);
    if (desk->options.attempts == 0)
        desk->options = dispatch_options_standard();
    assert_int_equal(dispatch_coordinator_create(0, 4, &desk->source, &desk->sink, &desk->watch, &desk->options,
                                                 catch_message, desk, 0, &desk->coordinator, NULL),
                     STATUS_OK);
}

static enum status_code receive(struct desk *desk, int rank, double now, struct bytes *message)
{
    enum status_code code =
        dispatch_coordinator_receive(desk->coordinator, rank, message->data, message->size, now, &desk->status);
    bytes_fini(message);
    return code;
}

static enum status_code hello(struct desk *desk, int rank, const char *host, double memory)
{
    struct bytes message = {0};
    bytes_u8(&message, DISPATCH_HELLO);
    bytes_blob(&message, host, strlen(host));
    bytes_f64(&message, memory);
    return receive(desk, rank, 0, &message);
}

static enum status_code result(struct desk *desk, int rank, uint64_t slot, uint64_t index, enum record_run outcome,
                               double seconds, double now)
{
    struct bytes message = {0};
    bytes_u8(&message, DISPATCH_RESULT);
    bytes_u64(&message, slot);
    bytes_u8(&message, (uint8_t)outcome);
    bytes_f64(&message, seconds);
    bytes_blob(&message, &index, sizeof index);
    return receive(desk, rank, now, &message);
}

static enum status_code progress(struct desk *desk, int rank, uint64_t slot, uint64_t step, uint64_t steps,
                                 double seconds, double now)
{
    struct bytes message = {0};
    bytes_u8(&message, DISPATCH_PROGRESS);
    bytes_u64(&message, slot);
    bytes_u64(&message, step);
    bytes_u64(&message, steps);
    bytes_f64(&message, seconds);
    return receive(desk, rank, now, &message);
}

static enum status_code plain(struct desk *desk, int rank, enum dispatch_kind kind)
{
    struct bytes message = {0};
    bytes_u8(&message, (uint8_t)kind);
    return receive(desk, rank, 0, &message);
}

static void step(struct desk *desk, double now)
{
    bool active = false;
    assert_int_equal(dispatch_coordinator_step(desk->coordinator, now, &active, &desk->status), STATUS_OK);
}

// The number of messages of a kind to a rank (-1: any) so far.
static size_t count_sent(const struct desk *desk, int rank, enum dispatch_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < desk->sent_count; i++)
        count += desk->sent[i].kind == kind && (rank < 0 || desk->sent[i].rank == rank);
    return count;
}

// Answers the `n`-th job that was sent.
static void answer(struct desk *desk, size_t n, enum record_run outcome, double seconds, double now)
{
    assert_int_equal(result(desk, desk->sent[n].rank, desk->sent[n].slot, desk->sent[n].index, outcome, seconds, now),
                     STATUS_OK);
}

static void all_say_hello(struct desk *desk)
{
    for (int rank = 0; rank < 4; rank++)
        assert_int_equal(hello(desk, rank, "host", INFINITY), STATUS_OK);
}

static void all_leave(struct desk *desk)
{
    for (int rank = 0; rank < 4; rank++)
        assert_int_equal(plain(desk, rank, DISPATCH_GOODBYE), STATUS_OK);
    assert_true(dispatch_coordinator_over(desk->coordinator, 0));
}

static void tear_down(struct desk *desk)
{
    dispatch_coordinator_destroy(desk->coordinator);
}

static void hands_out_in_the_order_of_the_source(void **state)
{
    (void)state;
    struct desk desk = {0};
    set_up(&desk, 10);
    step(&desk, 0);
    assert_int_equal(desk.sent_count, 0);
    all_say_hello(&desk);
    step(&desk, 0);
    assert_int_equal(desk.sent_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(desk.sent[i].rank, i);
        assert_int_equal(desk.sent[i].index, i);
    }
    answer(&desk, 2, RUN_DONE, 1000, 100);
    step(&desk, 100);
    assert_int_equal(desk.sent_count, 5);
    assert_int_equal(desk.sent[4].rank, 2);
    assert_int_equal(desk.sent[4].index, 4);
    tear_down(&desk);
}

static void fills_a_pocket_only_when_the_running_trial_ends_soon(void **state)
{
    (void)state;
    struct desk desk = {0};
    set_up(&desk, 50);
    all_say_hello(&desk);
    step(&desk, 0);
    answer(&desk, 3, RUN_DONE, 10, 10); // trials take 10 s
    step(&desk, 10);
    // The others are due by their cost; rank 3 has just got its second.
    for (int rank = 0; rank < 3; rank++)
        assert_true(count_sent(&desk, rank, DISPATCH_JOB) > 1);
    assert_int_equal(count_sent(&desk, 3, DISPATCH_JOB), 2);
    step(&desk, 19.7);
    assert_int_equal(count_sent(&desk, 3, DISPATCH_JOB), 2);
    step(&desk, 19.8);
    assert_int_equal(count_sent(&desk, 3, DISPATCH_JOB), 3);
    step(&desk, 19.9); // the one in the pocket will take 10 s
    assert_int_equal(count_sent(&desk, 3, DISPATCH_JOB), 3);
    tear_down(&desk);
}

static void believes_reported_steps_more_than_costs(void **state)
{
    (void)state;
    struct desk desk = {0};
    set_up(&desk, 50);
    all_say_hello(&desk);
    step(&desk, 0);
    // Rank 0 is slow: a tenth of its steps after 10 s, where 10 s was to be expected for all.
    assert_int_equal(progress(&desk, 0, desk.sent[0].slot, 10, 100, 9.9, 9.9), STATUS_OK);
    answer(&desk, 3, RUN_DONE, 10, 10);
    step(&desk, 10);
    assert_int_equal(count_sent(&desk, 0, DISPATCH_JOB), 1);
    assert_int_equal(count_sent(&desk, 1, DISPATCH_JOB), 2);
    tear_down(&desk);
}

static void gives_tiny_trials_in_handfuls_up_to_the_limit(void **state)
{
    (void)state;
    struct desk desk = {.options = dispatch_options_standard()};
    desk.options.pocket = 5;
    set_up(&desk, 100);
    all_say_hello(&desk);
    step(&desk, 0);
    answer(&desk, 0, RUN_DONE, 1e-3, 1e-3);
    step(&desk, 1e-3);
    assert_int_equal(count_sent(&desk, 0, DISPATCH_JOB), 7); // one answered, one running, five in the pocket
    assert_int_equal(count_sent(&desk, 1, DISPATCH_JOB), 6);
    tear_down(&desk);
}

static void admits_by_the_memory_of_each_host(void **state)
{
    (void)state;
    struct desk desk = {0};
    static const double memory[] = {7, 6, 3, 2, 50};
    memcpy(desk.sweep.memory, memory, sizeof memory);
    set_up(&desk, 5);
    assert_int_equal(hello(&desk, 0, "small", 10), STATUS_OK);
    assert_int_equal(hello(&desk, 1, "small", 11), STATUS_OK); // the least counts
    assert_int_equal(hello(&desk, 2, "small", 12), STATUS_OK);
    step(&desk, 0);
    // 7 and 3 go together; 6, 2 and 50 do not fit beside them, and there may be a larger host.
    assert_int_equal(desk.sent_count, 2);
    assert_int_equal(desk.sent[0].index, 0);
    assert_int_equal(desk.sent[1].index, 2);
    assert_int_equal(hello(&desk, 3, "large", 50), STATUS_OK);
    step(&desk, 0);
    assert_int_equal(desk.sent_count, 3);
    assert_int_equal(desk.sent[2].rank, 3);
    assert_int_equal(desk.sent[2].index, 1);
    answer(&desk, 0, RUN_DONE, 1, 1);
    answer(&desk, 2, RUN_DONE, 1, 1);
    step(&desk, 1);
    assert_int_equal(count_sent(&desk, 3, DISPATCH_JOB), 2);
    assert_int_equal(desk.sweep.payloads[3], 1);
    assert_int_equal(desk.sweep.payloads[4], 1);
    tear_down(&desk);
}

static void gives_a_trial_that_fits_nowhere_to_anyone_to_be_refused(void **state)
{
    (void)state;
    struct desk desk = {0};
    desk.sweep.memory[0] = 1000;
    set_up(&desk, 2);
    for (int rank = 0; rank < 3; rank++)
        assert_int_equal(hello(&desk, rank, "host", 10), STATUS_OK);
    step(&desk, 0);
    assert_int_equal(desk.sweep.payloads[0], 0); // the last rank may have more
    assert_int_equal(desk.sweep.payloads[1], 1);
    assert_int_equal(hello(&desk, 3, "other", 20), STATUS_OK);
    step(&desk, 0);
    assert_int_equal(desk.sweep.payloads[0], 1);
    answer(&desk, 1, RUN_REFUSED, 0, 0);
    assert_int_equal(desk.sweep.finals[0], 1);
    assert_int_equal(desk.sweep.attempts[0], 0);
    tear_down(&desk);
}

static void tries_a_failed_trial_again_up_to_the_limit(void **state)
{
    (void)state;
    struct desk desk = {0};
    desk.sweep.prior[1] = 2; // from earlier runs
    set_up(&desk, 2);
    all_say_hello(&desk);
    step(&desk, 0);
    answer(&desk, 1, RUN_FAILED, 0, 0);
    assert_int_equal(desk.sweep.finals[1], 1);
    assert_int_equal(desk.sweep.attempts[1], 3);
    for (uint32_t attempt = 1; attempt <= 3; attempt++) {
        answer(&desk, desk.sent[desk.sent_count - 1].index == 0 ? desk.sent_count - 1 : 0, RUN_FAILED, 0, 0);
        assert_int_equal(desk.sweep.attempts[0], attempt);
        assert_int_equal(desk.sweep.finals[0], attempt == 3);
        step(&desk, 0);
    }
    all_leave(&desk);
    struct dispatch_summary summary;
    dispatch_coordinator_summary(desk.coordinator, &summary);
    assert_int_equal(summary.end, DISPATCH_COMPLETE);
    assert_int_equal(summary.failed, 2);
    assert_int_equal(summary.retried, 2);
    tear_down(&desk);
}

static void stops_beyond_the_limit_of_failures(void **state)
{
    (void)state;
    for (size_t limit = 0; limit < 3; limit++) {
        struct desk desk = {.options = dispatch_options_standard()};
        struct dispatch_summary summary;
        desk.options.max_failures = limit;
        desk.options.attempts = 1;
        set_up(&desk, 50);
        all_say_hello(&desk);
        step(&desk, 0);
        for (size_t i = 0; i <= limit; i++) {
            assert_int_equal(count_sent(&desk, -1, DISPATCH_AWAY), 0);
            answer(&desk, i, RUN_FAILED, 0, 0);
            step(&desk, 0);
        }
        assert_int_equal(count_sent(&desk, -1, DISPATCH_AWAY), 4);
        all_leave(&desk);
        dispatch_coordinator_summary(desk.coordinator, &summary);
        assert_int_equal(summary.end, DISPATCH_FAILURES);
        assert_int_equal(summary.failed, limit + 1);
        tear_down(&desk);
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
    set_up(&desk, 6);
    all_say_hello(&desk);
    step(&desk, 0);
    for (size_t i = 0; i < 4; i++)
        answer(&desk, i, RUN_DONE, 60, 60);
    step(&desk, 60); // 60 s each: only the short one is over by then
    assert_int_equal(desk.sweep.payloads[4], 0);
    assert_int_equal(desk.sweep.payloads[5], 1);
    answer(&desk, 4, RUN_DONE, 20, 80);
    step(&desk, 80);
    all_leave(&desk);
    dispatch_coordinator_summary(desk.coordinator, &summary);
    assert_int_equal(summary.end, DISPATCH_STOPPED);
    assert_int_equal(summary.done, 5);
    assert_int_equal(summary.left, 1);
    tear_down(&desk);
}

static void drains_at_the_deadline(void **state)
{
    (void)state;
    struct desk desk = {.options = dispatch_options_standard()};
    desk.options.deadline = 100;
    set_up(&desk, 6);
    all_say_hello(&desk);
    step(&desk, 99);
    assert_int_equal(count_sent(&desk, -1, DISPATCH_AWAY), 0);
    step(&desk, 100);
    assert_int_equal(count_sent(&desk, -1, DISPATCH_AWAY), 4);
    tear_down(&desk);
}

static void takes_results_that_were_on_their_way_when_it_drained(void **state)
{
    (void)state;
    struct desk desk = {0};
    struct dispatch_summary summary;
    set_up(&desk, 6);
    all_say_hello(&desk);
    step(&desk, 0);
    dispatch_coordinator_drain(desk.coordinator, DISPATCH_STOPPED);
    step(&desk, 0);
    answer(&desk, 0, RUN_DONE, 1, 1);
    assert_int_equal(progress(&desk, 1, desk.sent[1].slot, 1, 2, 1, 1), STATUS_OK);
    step(&desk, 1);
    assert_int_equal(count_sent(&desk, -1, DISPATCH_JOB), 4);
    all_leave(&desk);
    dispatch_coordinator_summary(desk.coordinator, &summary);
    assert_int_equal(summary.done, 1);
    assert_int_equal(summary.left, 5);
    tear_down(&desk);
}

static void is_complete_when_the_request_to_stop_came_too_late(void **state)
{
    (void)state;
    struct desk desk = {0};
    struct dispatch_summary summary;
    set_up(&desk, 1);
    all_say_hello(&desk);
    step(&desk, 0);
    assert_int_equal(plain(&desk, 2, DISPATCH_DRAIN), STATUS_OK);
    step(&desk, 0);
    answer(&desk, 0, RUN_DONE, 1, 1);
    all_leave(&desk);
    dispatch_coordinator_summary(desk.coordinator, &summary);
    assert_int_equal(summary.end, DISPATCH_COMPLETE);
    tear_down(&desk);
}

static void gives_up_silent_ranks_after_patience(void **state)
{
    (void)state;
    struct desk desk = {0};
    struct dispatch_summary summary;
    set_up(&desk, 0);
    assert_int_equal(hello(&desk, 0, "host", 1), STATUS_OK);
    step(&desk, 0);
    assert_int_equal(count_sent(&desk, -1, DISPATCH_AWAY), 1);
    assert_int_equal(plain(&desk, 0, DISPATCH_GOODBYE), STATUS_OK);
    assert_int_equal(hello(&desk, 1, "host", 1), STATUS_OK); // late, and sent away at once
    step(&desk, 1);
    assert_int_equal(count_sent(&desk, 1, DISPATCH_AWAY), 1);
    assert_int_equal(plain(&desk, 1, DISPATCH_GOODBYE), STATUS_OK);
    assert_false(dispatch_coordinator_over(desk.coordinator, 4.9));
    assert_true(dispatch_coordinator_over(desk.coordinator, 5.1));
    dispatch_coordinator_summary(desk.coordinator, &summary);
    assert_int_equal(summary.missing, 2);
    tear_down(&desk);
}

static void foresees_the_end_once_a_few_are_done(void **state)
{
    (void)state;
    struct desk desk = {0};
    struct dispatch_figures figures;
    set_up(&desk, 12); // cost 10 each
    desk.sweep.cost[0] = 100;
    all_say_hello(&desk);
    step(&desk, 0);
    for (size_t i = 1; i < 4; i++) {
        dispatch_coordinator_figures(desk.coordinator, 10, &figures);
        assert_true(isnan(figures.eta));
        answer(&desk, i, RUN_DONE, 10, 10);
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
    assert_int_equal(progress(&desk, 0, desk.sent[0].slot, 90, 100, 10, 10), STATUS_OK);
    dispatch_coordinator_figures(desk.coordinator, 10, &figures);
    assert_float_equal(figures.eta, (210 - 30 - 90) / 4., 1e-9);
    assert_int_equal(figures.flights[0].step, 90);
    dispatch_coordinator_figures(desk.coordinator, 50, &figures);
    assert_int_equal(figures.silent, 1);
    tear_down(&desk);
}

static void refuses_malformed_messages_and_stays_as_it_was(void **state)
{
    (void)state;
    struct desk desk = {0};
    set_up(&desk, 3);
    assert_int_equal(hello(&desk, 0, "host", 1), STATUS_OK);
    step(&desk, 0);
    struct bytes whole = {0};
    bytes_u8(&whole, DISPATCH_RESULT);
    bytes_u64(&whole, desk.sent[0].slot);
    bytes_u8(&whole, RUN_DONE);
    bytes_f64(&whole, 1);
    bytes_blob(&whole, &desk.sent[0].index, sizeof desk.sent[0].index);
    for (size_t size = 0; size < whole.size; size++)
        assert_int_equal(dispatch_coordinator_receive(desk.coordinator, 0, whole.data, size, 0, &desk.status),
                         STATUS_INTERNAL);
    bytes_u8(&whole, 0);
    assert_int_equal(dispatch_coordinator_receive(desk.coordinator, 0, whole.data, whole.size, 0, &desk.status),
                     STATUS_INTERNAL);
    assert_non_null(strstr(desk.status.text, "rank 0"));
    for (unsigned kind = 0; kind < 256; kind++) {
        whole.data[0] = (unsigned char)kind;
        if (kind != DISPATCH_RESULT)
            assert_int_not_equal(dispatch_coordinator_receive(desk.coordinator, 0, whole.data, whole.size, 0, NULL),
                                 STATUS_OK);
    }
    bytes_fini(&whole);
    assert_int_equal(desk.sweep.commits_total, 0);
    answer(&desk, 0, RUN_DONE, 1, 1);
    assert_int_equal(desk.sweep.commits_total, 1);
    tear_down(&desk);
}

static void refuses_messages_out_of_place(void **state)
{
    (void)state;
    struct desk desk = {0};
    set_up(&desk, 3);
    assert_int_equal(plain(&desk, 0, DISPATCH_DRAIN), STATUS_INTERNAL); // before hello
    assert_int_equal(hello(&desk, 4, "host", 1), STATUS_INTERNAL);      // no such rank
    assert_int_equal(hello(&desk, -1, "host", 1), STATUS_INTERNAL);
    assert_int_equal(hello(&desk, 0, "host", NAN), STATUS_INTERNAL);
    assert_int_equal(hello(&desk, 0, "host", -1), STATUS_INTERNAL);
    assert_int_equal(hello(&desk, 0, "host", 1), STATUS_OK);
    assert_int_equal(hello(&desk, 0, "host", 1), STATUS_INTERNAL); // twice
    assert_int_equal(hello(&desk, 1, "host", 1), STATUS_OK);
    step(&desk, 0);
    uint64_t slot = desk.sent[0].slot;
    assert_int_equal(result(&desk, 1, slot, 0, RUN_DONE, 1, 1), STATUS_INTERNAL);       // another's job
    assert_int_equal(result(&desk, 0, UINT64_MAX, 0, RUN_DONE, 1, 1), STATUS_INTERNAL); // nobody's
    assert_int_equal(result(&desk, 0, slot, 0, RUN_RUNNING, 1, 1), STATUS_INTERNAL);    // no outcome
    assert_int_equal(result(&desk, 0, slot, 0, RUN_DONE, NAN, 1), STATUS_INTERNAL);     // no duration
    assert_int_equal(progress(&desk, 0, slot, 1, UINT64_MAX, 1, 1), STATUS_INTERNAL);   // no number of steps
    assert_int_equal(progress(&desk, 0, slot + 1, 1, 2, 1, 1), STATUS_INTERNAL);
    assert_int_equal(plain(&desk, 0, DISPATCH_GOODBYE), STATUS_INTERNAL); // not sent away
    assert_int_equal(plain(&desk, 0, DISPATCH_AWAY), STATUS_INTERNAL);    // a coordinator's
    answer(&desk, 0, RUN_DONE, 1, 1);
    assert_int_equal(result(&desk, 0, slot, 0, RUN_DONE, 1, 1), STATUS_INTERNAL); // twice
    assert_int_equal(desk.sweep.commits_total, 1);
    tear_down(&desk);
}

static void refuses_the_acknowledgement_of_what_is_not_being_committed(void **state)
{
    (void)state;
    struct desk desk = {0};
    bool active = false;
    set_up(&desk, 3);
    desk.sink = fake_sink(&desk.sweep, false);
    desk.sweep.queue[desk.sweep.queue_count++] = 2;
    assert_int_equal(dispatch_coordinator_step(desk.coordinator, 0, &active, &desk.status), STATUS_INTERNAL);
    assert_non_null(strstr(desk.status.text, "acknowledged"));
    tear_down(&desk);
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
        cmocka_unit_test(refuses_malformed_messages_and_stays_as_it_was),
        cmocka_unit_test(refuses_messages_out_of_place),
        cmocka_unit_test(refuses_the_acknowledgement_of_what_is_not_being_committed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
