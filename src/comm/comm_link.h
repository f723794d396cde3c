// SPDX-License-Identifier: MIT
// What the kinds of communicators have in common; private to this layer.
#pragma once
#include "comm.h"
#include <stdint.h>

struct comm_message {
    struct comm_message *next;
    int source;
    uint64_t due; // of the twin: the poll at which it arrives
    size_t size;
    unsigned char data[];
};

// First in, first out. Zero-initialised is empty.
struct comm_queue {
    struct comm_message *head, *tail;
    size_t count;
};
// Appends a copy and returns it, NULL when memory is out.
struct comm_message *comm_queue_put(struct comm_queue *queue, int source, const void *data, size_t size);
// Moves the first message into `ret_message`; *ret_source is -1 when there is none.
enum status_code comm_queue_take(struct comm_queue *queue, struct bytes *ret_message, int *ret_source,
                                 struct status *status) MUST_CHECK;
void comm_queue_fini(struct comm_queue *queue);

struct comm_operations {
    enum status_code (*send)(struct comm *comm, int target, const void *data, size_t size, struct status *status);
    enum status_code (*poll)(struct comm *comm, struct bytes *ret_message, int *ret_source, struct status *status);
    bool (*busy)(const struct comm *comm);
    enum status_code (*close)(struct comm *comm, struct status *status); // frees it too
    void (*abort)(struct comm *comm, int code);
};

// First member of every kind.
struct comm {
    const struct comm_operations *operations;
    int rank, size;
    struct comm_queue self; // messages of this rank to itself
};

enum status_code comm_open_mpi(const char *build, struct comm **ret_comm, struct status *status) MUST_CHECK;
