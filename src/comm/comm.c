// SPDX-License-Identifier: MIT
// The common part of communicators, and the one of a single rank without MPI.
#include "comm.h"
#include "comm_link.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct comm_message *comm_queue_put(struct comm_queue *queue, int source, const void *data, size_t size)
{
    struct comm_message *message = malloc(sizeof *message + size);
    if (message == NULL)
        return NULL;
    *message = (struct comm_message){.source = source, .size = size};
    if (size > 0)
        memcpy(message->data, data, size);
    if (queue->tail != NULL)
        queue->tail->next = message;
    else
        queue->head = message;
    queue->tail = message;
    queue->count++;
    return message;
}

static void queue_drop(struct comm_queue *queue)
{
    struct comm_message *message = queue->head;
    queue->head = message->next;
    if (queue->head == NULL)
        queue->tail = NULL;
    queue->count--;
    free(message);
}

enum status_code comm_queue_take(struct comm_queue *queue, struct bytes *ret_message, int *ret_source,
                                 struct status *status)
{
    bytes_clear(ret_message);
    const struct comm_message *message = queue->head;
    if (message == NULL) {
        *ret_source = -1;
        return STATUS_OK;
    }
    bytes_raw(ret_message, message->data, message->size);
    if (ret_message->failed)
        return status_set(status, STATUS_MEMORY, "no memory for a message of %zu bytes", message->size);
    *ret_source = message->source;
    queue_drop(queue);
    return STATUS_OK;
}

void comm_queue_fini(struct comm_queue *queue)
{
    while (queue->head != NULL)
        queue_drop(queue);
}

static enum status_code alone_send(struct comm *comm, int target, const void *data, size_t size, struct status *status)
{
    if (comm_queue_put(&comm->self, target, data, size) == NULL)
        return status_set(status, STATUS_MEMORY, "no memory for a message of %zu bytes", size);
    return STATUS_OK;
}

static enum status_code alone_poll(struct comm *comm, struct bytes *ret_message, int *ret_source, struct status *status)
{
    return comm_queue_take(&comm->self, ret_message, ret_source, status);
}

static bool alone_busy(const struct comm *comm)
{
    (void)comm;
    return false;
}

static enum status_code alone_close(struct comm *comm, struct status *status)
{
    (void)status;
    comm_queue_fini(&comm->self);
    free(comm);
    return STATUS_OK;
}

static void alone_abort(struct comm *comm, int code)
{
    (void)comm;
    (void)code;
}

static const struct comm_operations alone = {alone_send, alone_poll, alone_busy, alone_close, alone_abort};

static enum status_code open_alone(struct comm **ret_comm, struct status *status)
{
    struct comm *comm = calloc(1, sizeof *comm);
    if (comm == NULL)
        return status_set(status, STATUS_MEMORY, "no memory for a communicator");
    comm->operations = &alone;
    comm->size = 1;
    *ret_comm = comm;
    return STATUS_OK;
}

bool comm_launched(void)
{
    static const char *const marks[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (getenv(marks[i]) != NULL)
            return true;
    return false;
}

// srun names the number of its tasks; within a batch script without srun the variable is absent.
static enum status_code check_srun(const struct comm *comm, struct status *status)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    if (comm->size > 1 || tasks == NULL || strtol(tasks, NULL, 10) <= 1 || getenv("OMPI_COMM_WORLD_SIZE") != NULL)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "srun started %s tasks that do not find each other; use `srun --mpi=pmix` or mpirun", tasks);
}

enum status_code comm_open(const char *build, struct comm **ret_comm, struct status *status)
{
    struct comm *comm = NULL;
    enum status_code code = comm_launched() ? comm_open_mpi(build, &comm, status) : open_alone(&comm, status);
    if (code != STATUS_OK)
        return code;
    code = check_srun(comm, status);
    if (code != STATUS_OK) {
        if (comm_close(comm, NULL) != STATUS_OK)
            status_context(status, "MPI cannot be left in order");
        return code;
    }
    *ret_comm = comm;
    return STATUS_OK;
}

enum status_code comm_close(struct comm *comm, struct status *status)
{
    return comm == NULL ? STATUS_OK : comm->operations->close(comm, status);
}

void comm_abort(struct comm *comm, int code)
{
    comm->operations->abort(comm, code);
    _exit(code);
}

int comm_rank(const struct comm *comm)
{
    return comm->rank;
}

int comm_size(const struct comm *comm)
{
    return comm->size;
}

enum status_code comm_send(struct comm *comm, int target, const void *data, size_t size, struct status *status)
{
    if (target < 0 || target >= comm->size)
        return status_set(status, STATUS_INTERNAL, "message to rank %d of %d", target, comm->size);
    if (size > COMM_MESSAGE_LIMIT)
        return status_set(status, STATUS_INTERNAL, "message of %zu bytes exceeds the limit of %d", size,
                          COMM_MESSAGE_LIMIT);
    return comm->operations->send(comm, target, data, size, status);
}

enum status_code comm_poll(struct comm *comm, struct bytes *ret_message, int *ret_source, struct status *status)
{
    return comm->operations->poll(comm, ret_message, ret_source, status);
}

bool comm_busy(const struct comm *comm)
{
    return comm->operations->busy(comm);
}
