// SPDX-License-Identifier: MIT
// Messages over MPI. Receives go through a matched probe and a request of their own, so that a long message of a
// sleeping sender never holds up this rank.
#include "base_clock.h"
#include "base_hash.h"
#include "comm_link.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int message_tag = 1;
static const double close_patience = 5;

struct outgoing {
    struct outgoing *next;
    MPI_Request request;
    unsigned char data[];
};

struct comm_mpi {
    struct comm base;
    MPI_Comm world;
    struct outgoing *sends; // not completed
    bool failed;            // an MPI call has failed: do not finalise
    bool receiving;
    MPI_Request request; // of the message under way
    int source;
    size_t size, capacity;
    unsigned char *incoming;
};

static enum status_code mpi_failed(struct comm_mpi *comm, int error, const char *what, struct status *status)
{
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length = 0;
    comm->failed = true;
    MPI_Error_string(error, text, &length);
    return status_set(status, STATUS_SYSTEM, "MPI cannot %s: %s", what, text);
}

static enum status_code advance_sends(struct comm_mpi *comm, struct status *status)
{
    for (struct outgoing **link = &comm->sends; *link != NULL;) {
        struct outgoing *send = *link;
        int complete = 0;
        int error = MPI_Test(&send->request, &complete, MPI_STATUS_IGNORE);
        if (error != MPI_SUCCESS)
            return mpi_failed(comm, error, "send a message", status);
        if (complete) {
            *link = send->next;
            free(send);
        } else {
            link = &send->next;
        }
    }
    return STATUS_OK;
}

static enum status_code mpi_send(struct comm *base, int target, const void *data, size_t size, struct status *status)
{
    struct comm_mpi *comm = (struct comm_mpi *)base;
    if (target == base->rank)
        return comm_queue_put(&base->self, target, data, size) != NULL
                   ? STATUS_OK
                   : status_set(status, STATUS_MEMORY, "no memory for a message of %zu bytes", size);
    struct outgoing *send = malloc(sizeof *send + size);
    if (send == NULL)
        return status_set(status, STATUS_MEMORY, "no memory for a message of %zu bytes", size);
    if (size > 0)
        memcpy(send->data, data, size);
    int error = MPI_Isend(send->data, (int)size, MPI_BYTE, target, message_tag, comm->world, &send->request);
    if (error != MPI_SUCCESS) {
        free(send);
        return mpi_failed(comm, error, "send a message", status);
    }
    send->next = comm->sends;
    comm->sends = send;
    return advance_sends(comm, status);
}

static bool reserve_incoming(struct comm_mpi *comm, size_t size)
{
    if (size > comm->capacity) {
        free(comm->incoming);
        comm->incoming = malloc(size);
        comm->capacity = comm->incoming != NULL ? size : 0;
    }
    comm->size = size;
    return size <= comm->capacity;
}

static enum status_code begin_receive(struct comm_mpi *comm, struct status *status)
{
    MPI_Message message;
    MPI_Status envelope;
    int arrived = 0, size = 0;
    int error = MPI_Improbe(MPI_ANY_SOURCE, message_tag, comm->world, &arrived, &message, &envelope);
    if (error != MPI_SUCCESS)
        return mpi_failed(comm, error, "look for messages", status);
    if (!arrived)
        return STATUS_OK;
    MPI_Get_count(&envelope, MPI_BYTE, &size);
    if (!reserve_incoming(comm, (size_t)size)) {
        comm->failed = true; // the matched message can neither be received nor put back
        return status_set(status, STATUS_MEMORY, "no memory for a message of %d bytes", size);
    }
    error = MPI_Imrecv(comm->incoming, size, MPI_BYTE, &message, &comm->request);
    if (error != MPI_SUCCESS)
        return mpi_failed(comm, error, "receive a message", status);
    comm->source = envelope.MPI_SOURCE;
    comm->receiving = true;
    return STATUS_OK;
}

static enum status_code end_receive(struct comm_mpi *comm, struct bytes *ret_message, int *ret_source,
                                    struct status *status)
{
    int complete = 0;
    int error = MPI_Test(&comm->request, &complete, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS)
        return mpi_failed(comm, error, "receive a message", status);
    if (!complete)
        return STATUS_OK;
    comm->receiving = false;
    bytes_raw(ret_message, comm->incoming, comm->size);
    if (ret_message->failed)
        return status_set(status, STATUS_MEMORY, "no memory for a message of %zu bytes", comm->size);
    *ret_source = comm->source;
    return STATUS_OK;
}

static enum status_code mpi_poll(struct comm *base, struct bytes *ret_message, int *ret_source, struct status *status)
{
    struct comm_mpi *comm = (struct comm_mpi *)base;
    if (base->self.head != NULL)
        return comm_queue_take(&base->self, ret_message, ret_source, status);
    bytes_clear(ret_message);
    int source = -1;
    enum status_code code = advance_sends(comm, status);
    if (code == STATUS_OK && !comm->receiving)
        code = begin_receive(comm, status);
    if (code == STATUS_OK && comm->receiving)
        code = end_receive(comm, ret_message, &source, status);
    if (code == STATUS_OK)
        *ret_source = source;
    return code;
}

static bool mpi_busy(const struct comm *base)
{
    const struct comm_mpi *comm = (const struct comm_mpi *)base;
    return comm->sends != NULL || comm->receiving;
}

static void mpi_free(struct comm_mpi *comm)
{
    comm_queue_fini(&comm->base.self);
    free(comm->incoming);
    // MPI still reads the buffers of unfinished sends: they are left to the end of the process.
    free(comm);
}

static enum status_code mpi_close(struct comm *base, struct status *status)
{
    struct comm_mpi *comm = (struct comm_mpi *)base;
    enum status_code code = comm->failed
                                ? status_set(status, STATUS_SYSTEM, "MPI has failed before and cannot be left in order")
                                : STATUS_OK;
    double end = clock_now() + close_patience;
    while (code == STATUS_OK && comm->sends != NULL) {
        code = advance_sends(comm, status);
        if (code == STATUS_OK && comm->sends != NULL && clock_now() > end)
            code = status_set(status, STATUS_SYSTEM, "a rank does not take its messages; MPI cannot be left in order");
        if (comm->sends != NULL)
            clock_sleep(50e-6);
    }
    if (code == STATUS_OK) {
        MPI_Comm_free(&comm->world);
        MPI_Finalize();
    }
    mpi_free(comm);
    return code;
}

static void mpi_abort(struct comm *base, int code)
{
    (void)base;
    MPI_Abort(MPI_COMM_WORLD, code);
}

static const struct comm_operations over_mpi = {mpi_send, mpi_poll, mpi_busy, mpi_close, mpi_abort};

// What ranks tell each other at the start. Its size never changes, so that builds of any age can compare.
struct introduction {
    unsigned char build[16];
    char host[64];
};

static enum status_code compare_builds(struct comm_mpi *comm, const char *build, struct status *status)
{
    struct introduction mine = {0};
    struct hash128 hash = hash_128(build, strlen(build));
    memcpy(mine.build, &hash, sizeof mine.build);
    gethostname(mine.host, sizeof mine.host - 1);
    struct introduction *all = calloc((size_t)comm->base.size, sizeof *all);
    if (all == NULL)
        return status_set(status, STATUS_MEMORY, "no memory to compare %d ranks", comm->base.size);
    enum status_code code = STATUS_OK;
    int error = MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, comm->world);
    if (error != MPI_SUCCESS)
        code = mpi_failed(comm, error, "compare the builds of all ranks", status);
    for (int rank = 1; code == STATUS_OK && rank < comm->base.size; rank++)
        if (memcmp(all[rank].build, all[0].build, sizeof all[0].build) != 0)
            code = status_set(status, STATUS_INVALID,
                              "rank %d on %s runs another build of lgsweep than rank 0 on %s; install the same one on "
                              "all hosts",
                              rank, all[rank].host, all[0].host);
    free(all);
    return code;
}

static enum status_code start_mpi(struct comm_mpi *comm, struct status *status)
{
    // Waiting inside MPI (start and end only) leaves the core to others.
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    // The kernel's copy between processes is forbidden in many containers, with a warning for each long message.
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    int level = 0;
    int error = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    if (error != MPI_SUCCESS)
        return mpi_failed(comm, error, "start", status);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    error = MPI_Comm_dup(MPI_COMM_WORLD, &comm->world);
    if (error != MPI_SUCCESS)
        return mpi_failed(comm, error, "start", status);
    MPI_Comm_rank(comm->world, &comm->base.rank);
    MPI_Comm_size(comm->world, &comm->base.size);
    if (level < MPI_THREAD_FUNNELED)
        return status_set(status, STATUS_SYSTEM, "this MPI library does not support threads (MPI_THREAD_FUNNELED)");
    return STATUS_OK;
}

enum status_code comm_open_mpi(const char *build, struct comm **ret_comm, struct status *status)
{
    struct comm_mpi *comm = calloc(1, sizeof *comm);
    if (comm == NULL)
        return status_set(status, STATUS_MEMORY, "no memory for a communicator");
    comm->base.operations = &over_mpi;
    enum status_code code = start_mpi(comm, status);
    if (code == STATUS_OK)
        code = compare_builds(comm, build, status);
    if (code == STATUS_OK) {
        *ret_comm = &comm->base;
        return STATUS_OK;
    }
    if (mpi_close(&comm->base, NULL) != STATUS_OK)
        status_context(status, "MPI cannot be left in order");
    return code;
}
