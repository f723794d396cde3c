// SPDX-License-Identifier: MIT
// Simulated ranks.
#include "support.h"

#include "comm_twin.h"
#include <string.h>

enum { RANKS = 4, MESSAGES = 50 };

static void close_all(struct comm **comms, int ranks)
{
    for (int rank = 0; rank < ranks; rank++)
        assert_int_equal(comm_close(comms[rank], NULL), STATUS_OK);
}

// Sends MESSAGES numbered messages from every rank to rank 0, itself included, then receives them all; ret_order holds
// the senders in the order of arrival. Returns the number of polls that it took.
static size_t gather(uint64_t seed, uint32_t delay, int *ret_order)
{
    struct comm *comms[RANKS];
    struct bytes message = {0};
    size_t polls = 0, received = 0;
    uint32_t next[RANKS] = {0};
    assert_int_equal(comm_twin_create(RANKS, seed, delay, comms, NULL), STATUS_OK);
    for (uint32_t i = 0; i < MESSAGES; i++)
        for (int rank = 0; rank < RANKS; rank++)
            assert_int_equal(comm_send(comms[rank], 0, &i, sizeof i, NULL), STATUS_OK);
    assert_int_equal(comm_twin_outstanding(comms[0]), MESSAGES * RANKS);
    assert_true(comm_busy(comms[1]));
    while (received < MESSAGES * RANKS) {
        int source = -1;
        assert_true(polls++ < 100000);
        assert_int_equal(comm_poll(comms[0], &message, &source, NULL), STATUS_OK);
        if (source < 0)
            continue;
        assert_int_equal(message.size, sizeof(uint32_t));
        assert_memory_equal(message.data, &next[source], sizeof(uint32_t));
        next[source]++;
        ret_order[received++] = source;
    }
    assert_int_equal(comm_twin_outstanding(comms[0]), 0);
    assert_false(comm_busy(comms[1]));
    bytes_fini(&message);
    close_all(comms, RANKS);
    return polls;
}

static void keeps_the_order_of_each_sender(void **state)
{
    (void)state;
    int order[MESSAGES * RANKS];
    for (uint64_t seed = 0; seed < 20; seed++)
        gather(seed, 7, order);
}

static void arrives_at_the_next_poll_without_delay(void **state)
{
    (void)state;
    int order[MESSAGES * RANKS];
    assert_int_equal(gather(1, 0, order), MESSAGES * RANKS);
}

static void mixes_senders_as_the_seed_says(void **state)
{
    (void)state;
    int first[MESSAGES * RANKS], again[MESSAGES * RANKS], other[MESSAGES * RANKS];
    gather(1, 7, first);
    gather(1, 7, again);
    gather(2, 7, other);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
}

static void reaches_the_addressed_rank_alone(void **state)
{
    (void)state;
    struct comm *comms[RANKS];
    struct bytes message = {0};
    assert_int_equal(comm_twin_create(RANKS, 3, 0, comms, NULL), STATUS_OK);
    assert_int_equal(comm_send(comms[1], 2, "hello", 5, NULL), STATUS_OK);
    for (int rank = 0; rank < RANKS; rank++) {
        int source = -1;
        assert_int_equal(comm_rank(comms[rank]), rank);
        assert_int_equal(comm_size(comms[rank]), RANKS);
        assert_int_equal(comm_poll(comms[rank], &message, &source, NULL), STATUS_OK);
        assert_int_equal(source, rank == 2 ? 1 : -1);
        assert_int_equal(message.size, rank == 2 ? 5 : 0);
    }
    bytes_fini(&message);
    close_all(comms, RANKS);
}

static void frees_messages_that_nobody_received(void **state)
{
    (void)state;
    struct comm *comms[2];
    assert_int_equal(comm_twin_create(2, 3, 5, comms, NULL), STATUS_OK);
    assert_int_equal(comm_send(comms[1], 0, "lost", 4, NULL), STATUS_OK);
    assert_int_equal(comm_send(comms[0], 0, "lost", 4, NULL), STATUS_OK);
    close_all(comms, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_order_of_each_sender),      cmocka_unit_test(arrives_at_the_next_poll_without_delay),
        cmocka_unit_test(mixes_senders_as_the_seed_says),      cmocka_unit_test(reaches_the_addressed_rank_alone),
        cmocka_unit_test(frees_messages_that_nobody_received),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
