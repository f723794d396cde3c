// SPDX-License-Identifier: MIT
// Messages that no worker should send.
#include "desk.h"

#include "base_random.h"
#include <math.h>
#include <string.h>

static void refuses_malformed_messages_and_stays_as_it_was(void **state)
{
    (void)state;
    struct desk desk = {0};
    desk_set_up(&desk, 3);
    assert_int_equal(desk_hello(&desk, 0, "host", 1), STATUS_OK);
    desk_step(&desk, 0);
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
    desk_answer(&desk, 0, RUN_DONE, 1, 1);
    assert_int_equal(desk.sweep.commits_total, 1);
    desk_tear_down(&desk);
}

static void refuses_messages_out_of_place(void **state)
{
    (void)state;
    struct desk desk = {0};
    desk_set_up(&desk, 3);
    assert_int_equal(desk_plain(&desk, 0, DISPATCH_DRAIN), STATUS_INTERNAL); // before hello
    assert_int_equal(desk_hello(&desk, 4, "host", 1), STATUS_INTERNAL);      // no such rank
    assert_int_equal(desk_hello(&desk, -1, "host", 1), STATUS_INTERNAL);
    assert_int_equal(desk_hello(&desk, 0, "host", NAN), STATUS_INTERNAL);
    assert_int_equal(desk_hello(&desk, 0, "host", -1), STATUS_INTERNAL);
    assert_int_equal(desk_hello(&desk, 0, "host", 1), STATUS_OK);
    assert_int_equal(desk_hello(&desk, 0, "host", 1), STATUS_INTERNAL); // twice
    assert_int_equal(desk_hello(&desk, 1, "host", 1), STATUS_OK);
    desk_step(&desk, 0);
    uint64_t slot = desk.sent[0].slot;
    assert_int_equal(desk_result(&desk, 1, slot, 0, RUN_DONE, 1, 1), STATUS_INTERNAL);       // another's job
    assert_int_equal(desk_result(&desk, 0, UINT64_MAX, 0, RUN_DONE, 1, 1), STATUS_INTERNAL); // nobody's
    assert_int_equal(desk_result(&desk, 0, slot, 0, RUN_RUNNING, 1, 1), STATUS_INTERNAL);    // no outcome
    assert_int_equal(desk_result(&desk, 0, slot, 0, RUN_DONE, NAN, 1), STATUS_INTERNAL);     // no duration
    assert_int_equal(desk_progress(&desk, 0, slot, 1, UINT64_MAX, 1, 1), STATUS_INTERNAL);   // no number of steps
    assert_int_equal(desk_progress(&desk, 0, slot + 1, 1, 2, 1, 1), STATUS_INTERNAL);
    assert_int_equal(desk_plain(&desk, 0, DISPATCH_GOODBYE), STATUS_INTERNAL); // not sent away
    assert_int_equal(desk_plain(&desk, 0, DISPATCH_AWAY), STATUS_INTERNAL);    // a coordinator's
    desk_answer(&desk, 0, RUN_DONE, 1, 1);
    assert_int_equal(desk_result(&desk, 0, slot, 0, RUN_DONE, 1, 1), STATUS_INTERNAL); // twice
    assert_int_equal(desk.sweep.commits_total, 1);
    desk_tear_down(&desk);
}

static void refuses_the_acknowledgement_of_what_is_not_being_committed(void **state)
{
    (void)state;
    struct desk desk = {0};
    bool active = false;
    desk_set_up(&desk, 3);
    desk.sink = fake_sink(&desk.sweep, false);
    desk.sweep.queue[desk.sweep.queue_count++] = 2;
    assert_int_equal(dispatch_coordinator_step(desk.coordinator, 0, &active, &desk.status), STATUS_INTERNAL);
    assert_non_null(strstr(desk.status.text, "acknowledged"));
    desk_tear_down(&desk);
}

// The result of rank `rank`'s first job, with up to three bytes changed and the end cut off or lengthened.
static void damage(const struct desk *desk, int rank, struct random_key key, uint64_t draw, struct bytes *ret_message)
{
    size_t sent = 0;
    while (sent + 1 < desk->sent_count && desk->sent[sent].rank != rank)
        sent++;
    bytes_u8(ret_message, DISPATCH_RESULT);
    bytes_u64(ret_message, desk->sent[sent].slot);
    bytes_u8(ret_message, RUN_DONE);
    bytes_f64(ret_message, 1);
    bytes_blob(ret_message, &desk->sent[sent].index, sizeof(uint64_t));
    for (uint32_t i = random_below(key, draw, 0, 0, 4); i > 0; i--)
        ret_message->data[random_below(key, draw, 1, i, (uint32_t)ret_message->size)] =
            (unsigned char)random_below(key, draw, 2, i, 256);
    if (random_below(key, draw, 3, 0, 4) == 0)
        ret_message->size = random_below(key, draw, 4, 0, (uint32_t)ret_message->size);
    else if (random_below(key, draw, 3, 0, 4) == 1)
        bytes_u64(ret_message, draw);
}

// An error or an effect, never a crash, and never two results of one job.
static void survives_damaged_messages(void **state)
{
    (void)state;
    struct random_key key = random_key(1, 0, "test/protocol");
    size_t refused = 0;
    for (uint64_t round = 0; round < 300; round++) {
        struct desk desk = {0};
        desk_set_up(&desk, 200);
        desk_all_say_hello(&desk);
        desk_step(&desk, 0);
        for (uint64_t i = 0; i < 20; i++) {
            struct bytes message = {0};
            int rank = (int)random_below(key, round, 5, (uint32_t)i, 4);
            damage(&desk, rank, key, round * 20 + i, &message);
            desk.status.text[0] = '\0';
            enum status_code code = desk_receive(&desk, rank, 1, &message);
            assert_true((code == STATUS_OK) == (desk.status.text[0] == '\0'));
            refused += code != STATUS_OK;
        }
        for (size_t i = 0; i < 200; i++)
            assert_true(desk.sweep.commits[i] + desk.sweep.finals[i] <= 1);
        desk_tear_down(&desk);
    }
    assert_true(refused > 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_malformed_messages_and_stays_as_it_was),
        cmocka_unit_test(refuses_messages_out_of_place),
        cmocka_unit_test(refuses_the_acknowledgement_of_what_is_not_being_committed),
        cmocka_unit_test(survives_damaged_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
