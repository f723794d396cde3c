// SPDX-License-Identifier: MIT
// A published file with some of its bytes changed. The first byte of the input tells whether its seal is cut off before
// (odd), as by a program that has edited the file; then follow changes, each a u24 offset and what to add to the byte.
//
// Without the seal such a file reaches the HDF5 library, and 1.10.8 fails on damage to a global heap, which has no
// checksum: H5HG_read copies beyond its end, and its reading from the file may go on for ever. So a child process reads
// it, which may die of that, but of nothing else.
#include "support.h"

#include "fixture.h"
#include "fuzz.h"
#include "store_digest.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SEAL_SIZE = 32, CHANGE_SIZE = 4 };

struct published {
    struct fixture fixture;
    unsigned char *data, *copy;
    size_t size;
    struct hash128 digest;
};

// The address sanitizer, where there is one, says nothing of what the library copies.
const char *__asan_default_suppressions(void);
const char *__asan_default_suppressions(void)
{
    return "interceptor_via_lib:libhdf5\n";
}

static void make(struct published *published)
{
    static const struct fixture_plan plan = {.snr_count = 1, .zip = true};
    struct record record;
    struct status status = {0};
    struct fixture *fixture = &published->fixture;
    fixture_init(fixture, &plan);
    struct store *store = fixture_open(fixture);
    fixture_record(grid_trial(fixture->grid, 0), FIXTURE_EVALS, &record);
    fixture_add_novel(&record, 2, 3);
    fixture_ok(store_append_result(store, &record, NULL, NULL, &status), &status);
    record_fini(&record);
    fixture_failure(grid_trial(fixture->grid, 1), &record);
    fixture_ok(store_append_failure(store, &record, NULL, NULL, &status), &status);
    fixture_append(fixture, store, 2, grid_trials(fixture->grid));
    fixture_publish(fixture);
    store_close(store);
    published->data = fixture_read(fixture->path, &published->size);
    published->copy = malloc(published->size);
    fixture_ok(store_digest(fixture->path, &published->digest, &status), &status);
}

// Made once for a whole run of the fuzzer; its folder is removed at the end.
static struct published the_published;

__attribute__((destructor)) static void clean_up(void)
{
    if (!the_published.data)
        return;
    free(the_published.data);
    free(the_published.copy);
    fixture_fini(&the_published.fixture);
}

enum { CHILD_PATIENCE = 5, PROMISE_BROKEN = 99 }; // seconds; exit code

static int read_all(const char *path)
{
    struct store_view *view = NULL;
    struct hash128 digest;
    struct status status = {0};
    if (store_view_open(path, &view, &status) != STATUS_OK)
        return *status.text ? 0 : PROMISE_BROKEN;
    const struct record_table *table = store_view_table(view);
    for (size_t i = 0; table && i < record_fields_count; i++)
        (void)(record_fields[i].part == RECORD_TRAINING ? table->training : table->test)(table->self,
                                                                                         record_fields[i].id);
    store_view_close(view);
    return store_digest(path, &digest, &status) == STATUS_OK || *status.text ? 0 : PROMISE_BROKEN;
}

static void read_in_child(const char *path)
{
    int how = 0;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        alarm(CHILD_PATIENCE);
        _exit(read_all(path));
    }
    pid_t reaped;
    do
        reaped = waitpid(child, &how, 0);
    while (reaped < 0 && errno == EINTR); // a fuzzer's timer
    if (child < 0 || reaped != child || (WIFEXITED(how) && WEXITSTATUS(how) != 0))
        abort();
}

static void check_sealed(const struct published *published, bool changed)
{
    struct hash128 digest;
    struct status status = {0};
    enum status_code code = store_digest(published->fixture.path, &digest, &status);
    if (changed ? code == STATUS_OK || !*status.text : code != STATUS_OK || !hash_equal(digest, published->digest))
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct published *published = &the_published;
    if (!published->data)
        make(published);
    if (size == 0)
        return 0;
    bool sealed = data[0] % 2 == 0;
    size_t kept = sealed ? published->size : published->size - SEAL_SIZE;
    memcpy(published->copy, published->data, published->size);
    for (size_t at = 1; at + CHANGE_SIZE <= size; at += CHANGE_SIZE) {
        size_t offset = data[at] | (size_t)data[at + 1] << 8 | (size_t)data[at + 2] << 16;
        published->copy[offset % kept] += data[at + 3];
    }
    fixture_write(published->fixture.path, published->copy, kept);
    // With another magic there is no seal.
    if (sealed && memcmp(published->copy + kept - SEAL_SIZE, published->data + kept - SEAL_SIZE, 8) == 0)
        check_sealed(published, memcmp(published->copy, published->data, kept) != 0);
    else
        read_in_child(published->fixture.path);
    return 0;
}
