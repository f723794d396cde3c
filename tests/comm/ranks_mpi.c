// SPDX-License-Identifier: MIT
// Run by mpirun at several numbers of ranks; the first argument names the case. A failed check aborts all ranks.
#include "base_clock.h"
#include "comm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
    do                                                                                                                 \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: rank failed: %s\n", __FILE__, __LINE__, #condition);                               \
            abort();                                                                                                   \
        }                                                                                                              \
    while (0)

enum { MESSAGES = 40 };

static size_t size_of(int source, int target, uint32_t number)
{
    static const size_t sizes[] = {0, 1, 100, 4096, 5000, 70000, 1 << 20};
    return sizes[((uint32_t)(source + 3 * target) + number) % 7];
}

static void fill(unsigned char *data, size_t size, int source, uint32_t number)
{
    for (size_t i = 0; i < size; i++)
        data[i] = (unsigned char)(i * 7 + (size_t)source * 31 + number);
}

static void check_message(const struct bytes *message, int source, int target, uint32_t number)
{
    static unsigned char expected[1 << 20];
    size_t size = size_of(source, target, number);
    fill(expected, size, source, number);
    CHECK(message->size == size);
    CHECK(size == 0 || memcmp(message->data, expected, size) == 0);
}

// All ranks send to all others and themselves at once, short and long messages mixed; each pair's order must hold.
static void all_to_all(struct comm *comm)
{
    static unsigned char data[1 << 20];
    int ranks = comm_size(comm), me = comm_rank(comm), source = -1;
    uint32_t *next = calloc((size_t)ranks, sizeof *next);
    struct bytes message = {0};
    double end = clock_now() + 60;
    size_t expected = (size_t)ranks * MESSAGES, received = 0;
    for (uint32_t sent = 0; received < expected || sent < MESSAGES || comm_busy(comm);) {
        CHECK(next != NULL && clock_now() < end);
        for (int target = 0; sent < MESSAGES && target < ranks; target++) {
            fill(data, size_of(me, target, sent), me, sent);
            CHECK(comm_send(comm, target, data, size_of(me, target, sent), NULL) == STATUS_OK);
        }
        sent += sent < MESSAGES;
        CHECK(comm_poll(comm, &message, &source, NULL) == STATUS_OK);
        if (source < 0) {
            clock_sleep(100e-6);
            continue;
        }
        check_message(&message, source, me, next[source]++);
        received++;
    }
    CHECK(comm_poll(comm, &message, &source, NULL) == STATUS_OK && source == -1);
    free(next);
    bytes_fini(&message);
}

static int run_all_to_all(void)
{
    struct comm *comm = NULL;
    struct status status = {0};
    CHECK(comm_open("build", &comm, &status) == STATUS_OK);
    CHECK(comm_size(comm) == atoi(getenv("OMPI_COMM_WORLD_SIZE")));
    all_to_all(comm);
    CHECK(comm_close(comm, &status) == STATUS_OK);
    return 0;
}

// Every rank of a mixture is told, names the odd one, and can leave in order.
static int run_mixture(void)
{
    struct comm *comm = NULL;
    struct status status = {0};
    const char *build = strcmp(getenv("OMPI_COMM_WORLD_RANK"), "2") == 0 ? "older" : "newer";
    CHECK(comm_open(build, &comm, &status) == STATUS_INVALID);
    CHECK(comm == NULL && strstr(status.text, "rank 2 on ") != NULL && strstr(status.text, "another build") != NULL);
    return 0;
}

// A rank that leaves by comm_abort takes the others along, which wait for ever otherwise.
static int run_abort(void)
{
    struct comm *comm = NULL;
    CHECK(comm_open("build", &comm, NULL) == STATUS_OK);
    if (comm_rank(comm) == 1)
        comm_abort(comm, 7);
    clock_sleep(60);
    return 0;
}

int main(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "";
    if (strcmp(name, "all-to-all") == 0)
        return run_all_to_all();
    if (strcmp(name, "mixture") == 0)
        return run_mixture();
    if (strcmp(name, "abort") == 0)
        return run_abort();
    return 2;
}
