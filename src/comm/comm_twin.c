// SPDX-License-Identifier: MIT
// Simulated ranks: one queue for each pair, a count of polls as the clock.
#include "comm_twin.h"
#include "base_random.h"
#include "comm_link.h"
#include <stdlib.h>

struct network {
    int ranks, open; // `open` communicators are not closed so far
    uint32_t delay;
    struct random_key key;
    uint64_t polls, draws;
    struct comm_queue queues[]; // (source, target)
};

struct comm_twin {
    struct comm base;
    struct network *network;
};

static struct network *network_of(const struct comm *comm)
{
    return ((const struct comm_twin *)comm)->network;
}

static uint32_t draw(struct network *network, uint32_t bound)
{
    return random_below(network->key, network->draws++, 0, 0, bound);
}

static enum status_code twin_send(struct comm *comm, int target, const void *data, size_t size, struct status *status)
{
    struct network *network = network_of(comm);
    struct comm_message *message =
        comm_queue_put(&network->queues[comm->rank * network->ranks + target], comm->rank, data, size);
    if (message == NULL)
        return status_set(status, STATUS_MEMORY, "no memory for a message of %zu bytes", size);
    message->due = network->polls + (network->delay > 0 ? draw(network, network->delay + 1) : 0);
    return STATUS_OK;
}

static enum status_code twin_poll(struct comm *comm, struct bytes *ret_message, int *ret_source, struct status *status)
{
    struct network *network = network_of(comm);
    struct comm_queue nothing = {0}, *chosen = &nothing;
    uint32_t candidates = 0;
    network->polls++;
    for (int source = 0; source < network->ranks; source++) {
        struct comm_queue *queue = &network->queues[source * network->ranks + comm->rank];
        if (queue->head != NULL && queue->head->due <= network->polls && draw(network, ++candidates) == 0)
            chosen = queue;
    }
    return comm_queue_take(chosen, ret_message, ret_source, status);
}

static bool twin_busy(const struct comm *comm)
{
    return comm_twin_outstanding(comm) > 0;
}

static enum status_code twin_close(struct comm *comm, struct status *status)
{
    (void)status;
    struct network *network = network_of(comm);
    if (--network->open == 0) {
        for (int i = 0; i < network->ranks * network->ranks; i++)
            comm_queue_fini(&network->queues[i]);
        free(network);
    }
    free(comm);
    return STATUS_OK;
}

static void twin_abort(struct comm *comm, int code)
{
    (void)comm;
    (void)code;
}

static const struct comm_operations twin = {twin_send, twin_poll, twin_busy, twin_close, twin_abort};

enum status_code comm_twin_create(int ranks, uint64_t seed, uint32_t delay, struct comm **ret_comms,
                                  struct status *status)
{
    size_t pairs = (size_t)ranks * (size_t)ranks;
    struct network *network = calloc(1, sizeof *network + pairs * sizeof *network->queues);
    struct comm_twin **all = calloc((size_t)ranks, sizeof *all);
    bool complete = network != NULL && all != NULL;
    for (int rank = 0; complete && rank < ranks; rank++) {
        all[rank] = calloc(1, sizeof **all);
        complete = all[rank] != NULL;
        if (complete)
            *all[rank] = (struct comm_twin){{.operations = &twin, .rank = rank, .size = ranks}, network};
    }
    if (complete) {
        network->ranks = network->open = ranks;
        network->delay = delay;
        network->key = random_key(seed, 0, "comm/twin");
    }
    for (int rank = 0; all != NULL && rank < ranks; rank++)
        if (complete)
            ret_comms[rank] = &all[rank]->base;
        else
            free(all[rank]);
    free(all);
    if (complete)
        return STATUS_OK;
    free(network);
    return status_set(status, STATUS_MEMORY, "no memory for %d ranks", ranks);
}

size_t comm_twin_outstanding(const struct comm *comm)
{
    const struct network *network = network_of(comm);
    size_t count = 0;
    for (int i = 0; i < network->ranks * network->ranks; i++)
        count += network->queues[i].count;
    return count;
}
