// SPDX-License-Identifier: MIT
#include "desk.h"
#include <math.h>
#include <string.h>

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

void desk_set_up(struct desk *desk, size_t jobs)
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

enum status_code desk_receive(struct desk *desk, int rank, double now, struct bytes *message)
{
    enum status_code code =
        dispatch_coordinator_receive(desk->coordinator, rank, message->data, message->size, now, &desk->status);
    bytes_fini(message);
    return code;
}

enum status_code desk_hello(struct desk *desk, int rank, const char *host, double memory)
{
    struct bytes message = {0};
    bytes_u8(&message, DISPATCH_HELLO);
    bytes_blob(&message, host, strlen(host));
    bytes_f64(&message, memory);
    return desk_receive(desk, rank, 0, &message);
}

enum status_code desk_result(struct desk *desk, int rank, uint64_t slot, uint64_t index, enum record_run outcome,
                             double seconds, double now)
{
    struct bytes message = {0};
    bytes_u8(&message, DISPATCH_RESULT);
    bytes_u64(&message, slot);
    bytes_u8(&message, (uint8_t)outcome);
    bytes_f64(&message, seconds);
    bytes_blob(&message, &index, sizeof index);
    return desk_receive(desk, rank, now, &message);
}

enum status_code desk_progress(struct desk *desk, int rank, uint64_t slot, uint64_t step, uint64_t steps,
                               double seconds, double now)
{
    struct bytes message = {0};
    bytes_u8(&message, DISPATCH_PROGRESS);
    bytes_u64(&message, slot);
    bytes_u64(&message, step);
    bytes_u64(&message, steps);
    bytes_f64(&message, seconds);
    return desk_receive(desk, rank, now, &message);
}

enum status_code desk_plain(struct desk *desk, int rank, enum dispatch_kind kind)
{
    struct bytes message = {0};
    bytes_u8(&message, (uint8_t)kind);
    return desk_receive(desk, rank, 0, &message);
}

void desk_step(struct desk *desk, double now)
{
    bool active = false;
    assert_int_equal(dispatch_coordinator_step(desk->coordinator, now, &active, &desk->status), STATUS_OK);
}

size_t desk_count(const struct desk *desk, int rank, enum dispatch_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < desk->sent_count; i++)
        count += desk->sent[i].kind == kind && (rank < 0 || desk->sent[i].rank == rank);
    return count;
}

void desk_answer(struct desk *desk, size_t n, enum record_run outcome, double seconds, double now)
{
    assert_int_equal(
        desk_result(desk, desk->sent[n].rank, desk->sent[n].slot, desk->sent[n].index, outcome, seconds, now),
        STATUS_OK);
}

void desk_all_say_hello(struct desk *desk)
{
    for (int rank = 0; rank < 4; rank++)
        assert_int_equal(desk_hello(desk, rank, "host", INFINITY), STATUS_OK);
}

void desk_all_leave(struct desk *desk)
{
    for (int rank = 0; rank < 4; rank++)
        assert_int_equal(desk_plain(desk, rank, DISPATCH_GOODBYE), STATUS_OK);
    assert_true(dispatch_coordinator_over(desk->coordinator, 0));
}

void desk_tear_down(struct desk *desk)
{
    dispatch_coordinator_destroy(desk->coordinator);
}
