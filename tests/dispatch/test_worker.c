// SPDX-License-Identifier: MIT
// The worker, message by message; and the order of jobs.
#include "support.h"

#include "fake.h"
#include <math.h>
#include <string.h>

enum { SENT = 64 };

struct bench {
    struct fake_sweep sweep;
    struct fake_runner runner;
    struct record_runner interface;
    struct dispatch_worker *worker;
    struct bytes sent[SENT];
    size_t sent_count;
    struct status status;
};

static enum status_code catch_message(void *self, int target, const void *data, size_t size, struct status *status)
{
    struct bench *bench = self;
    (void)status;
    assert_int_equal(target, 0);
    assert_true(bench->sent_count < SENT);
    bytes_raw(&bench->sent[bench->sent_count++], data, size);
    return STATUS_OK;
}

static void set_up(struct bench *bench, const char *reason)
{
    bench->runner.sweep = &bench->sweep;
    bench->interface = fake_runner(&bench->runner);
    assert_int_equal(dispatch_worker_create(reason == NULL ? &bench->interface : NULL, reason, "here", 12,
                                            catch_message, bench, &bench->worker, NULL),
                     STATUS_OK);
}

static void tear_down(struct bench *bench)
{
    dispatch_worker_destroy(bench->worker);
    for (size_t i = 0; i < bench->sent_count; i++)
        bytes_fini(&bench->sent[i]);
}

static bool step(struct bench *bench, double now)
{
    bool active = false;
    assert_int_equal(dispatch_worker_step(bench->worker, now, &active, &bench->status), STATUS_OK);
    return active;
}

static enum status_code give(struct bench *bench, uint64_t slot, uint64_t index)
{
    struct bytes message = {0};
    bytes_u8(&message, DISPATCH_JOB);
    bytes_u64(&message, slot);
    bytes_blob(&message, &index, sizeof index);
    enum status_code code = dispatch_worker_receive(bench->worker, message.data, message.size, &bench->status);
    bytes_fini(&message);
    return code;
}

static enum status_code send_away(struct bench *bench)
{
    return dispatch_worker_receive(bench->worker, &(unsigned char){DISPATCH_AWAY}, 1, &bench->status);
}

// The kind of the n-th message, and its job where it has one.
static int kind_of(const struct bench *bench, size_t n)
{
    assert_true(n < bench->sent_count);
    return bench->sent[n].data[0];
}

static uint64_t job_of(const struct bench *bench, size_t n)
{
    struct bytes_reader reader = bytes_reader(bench->sent[n].data + 1, bench->sent[n].size - 1);
    return bytes_read_u64(&reader);
}

static void says_hello_with_host_and_memory(void **state)
{
    (void)state;
    struct bench bench = {0};
    size_t length = 0;
    set_up(&bench, NULL);
    step(&bench, 0);
    step(&bench, 1);
    assert_int_equal(bench.sent_count, 1);
    struct bytes_reader reader = bytes_reader(bench.sent[0].data, bench.sent[0].size);
    assert_int_equal(bytes_read_u8(&reader), DISPATCH_HELLO);
    assert_memory_equal(bytes_read_blob(&reader, &length), "here", 4);
    assert_int_equal(length, 4);
    assert_true(bytes_read_f64(&reader) == 12);
    tear_down(&bench);
}

static void runs_its_pocket_in_order_and_answers_at_once(void **state)
{
    (void)state;
    struct bench bench = {.runner = {.polls = 2}};
    set_up(&bench, NULL);
    step(&bench, 0);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(give(&bench, 10 + i, i), STATUS_OK);
    step(&bench, 0.1); // starts
    for (size_t i = 0; i < 3; i++) {
        step(&bench, 0.1);
        step(&bench, 0.1);
        assert_int_equal(bench.sent_count, 1 + i);
        assert_true(step(&bench, 0.1)); // ends, and starts the next
        assert_int_equal(bench.sent_count, 2 + i);
        assert_int_equal(kind_of(&bench, 1 + i), DISPATCH_RESULT);
        assert_int_equal(job_of(&bench, 1 + i), 10 + i);
        assert_int_equal(dispatch_worker_running(bench.worker), i < 2);
    }
    assert_false(step(&bench, 0.1));
    tear_down(&bench);
}

static void reports_progress_twice_a_second_at_most(void **state)
{
    (void)state;
    struct bench bench = {.runner = {.polls = 1000}};
    set_up(&bench, NULL);
    step(&bench, 0);
    assert_int_equal(give(&bench, 10, 0), STATUS_OK);
    for (int i = 0; i < 200; i++)
        step(&bench, i * .01); // 2 s
    assert_int_equal(bench.sent_count, 1 + 3);
    for (size_t i = 1; i < bench.sent_count; i++)
        assert_int_equal(kind_of(&bench, i), DISPATCH_PROGRESS);
    struct bytes_reader reader = bytes_reader(bench.sent[3].data + 9, bench.sent[3].size - 9);
    assert_in_range(bytes_read_u64(&reader), 140, 155);
    assert_int_equal(bytes_read_u64(&reader), 1000);
    tear_down(&bench);
}

static void drops_everything_when_sent_away(void **state)
{
    (void)state;
    struct bench bench = {.runner = {.polls = 1000}};
    set_up(&bench, NULL);
    step(&bench, 0);
    assert_int_equal(give(&bench, 10, 0), STATUS_OK);
    assert_int_equal(give(&bench, 11, 1), STATUS_OK);
    step(&bench, 0);
    assert_true(dispatch_worker_running(bench.worker));
    assert_int_equal(send_away(&bench), STATUS_OK);
    step(&bench, 0);
    assert_true(dispatch_worker_over(bench.worker));
    assert_int_equal(bench.runner.stopped, 1);
    step(&bench, 1);
    assert_int_equal(bench.sent_count, 2);
    assert_int_equal(kind_of(&bench, 1), DISPATCH_GOODBYE);
    assert_int_equal(dispatch_worker_drain(bench.worker, NULL), STATUS_OK);
    assert_int_equal(bench.sent_count, 2); // nothing follows the goodbye
    tear_down(&bench);
}

static void asks_for_a_drain_once_and_takes_no_more_jobs(void **state)
{
    (void)state;
    struct bench bench = {.runner = {.polls = 1000}};
    set_up(&bench, NULL);
    step(&bench, 0);
    assert_int_equal(give(&bench, 10, 0), STATUS_OK);
    step(&bench, 0);
    assert_int_equal(dispatch_worker_drain(bench.worker, NULL), STATUS_OK);
    assert_int_equal(dispatch_worker_drain(bench.worker, NULL), STATUS_OK);
    assert_int_equal(give(&bench, 11, 1), STATUS_OK); // it was on its way
    step(&bench, 0);
    assert_int_equal(bench.runner.started, 1);
    assert_int_equal(bench.runner.stopped, 1);
    assert_int_equal(bench.sent_count, 2);
    assert_int_equal(kind_of(&bench, 1), DISPATCH_DRAIN);
    tear_down(&bench);
}

static void resigns_with_the_reason_of_its_runner(void **state)
{
    (void)state;
    struct bench bench = {.runner = {.breaks = 1}};
    set_up(&bench, NULL);
    step(&bench, 0);
    assert_int_equal(give(&bench, 10, 0), STATUS_OK);
    step(&bench, 0);
    assert_int_equal(kind_of(&bench, 1), DISPATCH_RESIGN);
    assert_non_null(memmem(bench.sent[1].data, bench.sent[1].size, "the fake runner is broken", 25));
    assert_false(dispatch_worker_over(bench.worker)); // until it is sent away
    assert_int_equal(send_away(&bench), STATUS_OK);
    step(&bench, 0);
    assert_true(dispatch_worker_over(bench.worker));
    tear_down(&bench);
}

static void resigns_at_once_without_a_runner(void **state)
{
    (void)state;
    struct bench bench = {0};
    set_up(&bench, "cannot start the trainer");
    step(&bench, 0);
    assert_int_equal(bench.sent_count, 2);
    assert_int_equal(kind_of(&bench, 0), DISPATCH_HELLO);
    assert_int_equal(kind_of(&bench, 1), DISPATCH_RESIGN);
    tear_down(&bench);
}

static void refuses_malformed_messages(void **state)
{
    (void)state;
    struct bench bench = {0};
    unsigned char noise[32];
    set_up(&bench, NULL);
    step(&bench, 0);
    memset(noise, 0xff, sizeof noise);
    for (unsigned kind = 0; kind < 256; kind++) {
        noise[0] = (unsigned char)kind;
        assert_int_equal(dispatch_worker_receive(bench.worker, noise, sizeof noise, &bench.status), STATUS_INTERNAL);
    }
    assert_int_equal(dispatch_worker_receive(bench.worker, NULL, 0, &bench.status), STATUS_INTERNAL);
    assert_int_equal(dispatch_worker_receive(bench.worker, &(unsigned char){DISPATCH_DRAIN}, 1, &bench.status),
                     STATUS_INTERNAL); // a worker's
    assert_int_equal(send_away(&bench), STATUS_OK);
    assert_int_equal(send_away(&bench), STATUS_INTERNAL); // twice
    assert_int_equal(give(&bench, 1, 1), STATUS_INTERNAL);
    tear_down(&bench);
}

static void orders_dearest_first_and_equals_as_they_came(void **state)
{
    (void)state;
    static const double cost[] = {1, 5, NAN, 5, 0, INFINITY, 1};
    static const size_t expected[] = {5, 1, 3, 0, 6, 4, 2};
    size_t order[7];
    dispatch_order(cost, 7, order);
    assert_memory_equal(order, expected, sizeof expected);
    dispatch_order(cost, 1, order);
    assert_int_equal(order[0], 0);
    dispatch_order(NULL, 0, order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_hello_with_host_and_memory),
        cmocka_unit_test(runs_its_pocket_in_order_and_answers_at_once),
        cmocka_unit_test(reports_progress_twice_a_second_at_most),
        cmocka_unit_test(drops_everything_when_sent_away),
        cmocka_unit_test(asks_for_a_drain_once_and_takes_no_more_jobs),
        cmocka_unit_test(resigns_with_the_reason_of_its_runner),
        cmocka_unit_test(resigns_at_once_without_a_runner),
        cmocka_unit_test(refuses_malformed_messages),
        cmocka_unit_test(orders_dearest_first_and_equals_as_they_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
