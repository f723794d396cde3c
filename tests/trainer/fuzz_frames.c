// SPDX-License-Identifier: MIT
// The pipes between supervisor and trainer. The first byte chooses: garbage as it is, or messages that are framed
// here, each from a byte kind and a u16 length, so that what is inside is reached in spite of the checksums.
#include "../../src/trainer/trainer_private.h"
#include "fuzz.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { STREAM_LIMIT = 60000 }; // what a pipe takes without a reader

static void frame_all(const unsigned char *data, size_t size, struct bytes *ret_stream)
{
    while (size >= 3) {
        size_t length = data[1] | (size_t)data[2] << 8;
        length = length < size - 3 ? length : size - 3;
        frame_put(ret_stream, FRAME_READY + data[0] % (FRAME_CRASH + 1), data + 3, length);
        data += 3 + length;
        size -= 3 + length;
    }
}

// The stream in a pipe that has ended.
static int in_a_pipe(const struct bytes *stream)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0 ||
        (stream->size && write(ends[1], stream->data, stream->size) != (ssize_t)stream->size))
        abort();
    close(ends[1]);
    return ends[0];
}

// The child's handlers of its own crashes are taken back, for there may be a fuzzer that has some.
static void as_child(const struct bytes *stream)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction before[sizeof fatal / sizeof *fatal];
    int in = in_a_pipe(stream), out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        sigaction(fatal[i], NULL, &before[i]);
    int code = trainer_main(in, out);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        sigaction(fatal[i], &before[i], NULL);
    if (code != 0 && code != 1)
        abort();
    close(in);
    close(out);
}

static void check_event(const struct trainer *trainer, const struct record_run_event *event)
{
    struct record record = {0};
    if (event->state == RUN_RUNNING)
        return;
    if (record_decode(event->record, event->size, &record, NULL) != STATUS_OK ||
        !hash_equal(record.identity, settings_identity(&trainer->job.settings)))
        abort();
    if ((event->state == RUN_DONE) == (record.status == RECORD_FAILED) || record.status == RECORD_PENDING)
        abort();
    record_fini(&record);
}

// A supervisor whose child has sent the stream and is gone. It has said before that it is there, so that none is
// started in its place.
static void as_supervisor(const struct bytes *stream)
{
    struct trainer trainer = {.pid = 1 << 30, .command = -1, .output = -1, .running = true, .ready = true};
    struct record_run_event event = {.state = RUN_RUNNING};
    settings_defaults(&trainer.job.settings);
    trainer.dead_starts = 100;
    trainer.epoll = epoll_create1(EPOLL_CLOEXEC);
    trainer.report = in_a_pipe(stream);
    struct status status = {0};
    // Its identity is asked for before the job is forgotten.
    struct trainer named = {.job.settings = trainer.job.settings};
    enum status_code code = watch_child(&trainer, &event, &status);
    if (code == STATUS_OK)
        check_event(&named, &event);
    else if (!*status.text)
        abort();
    trainer.pid = 0;
    close_pipes(&trainer);
    close(trainer.epoll);
    job_fini(&trainer.job);
    bytes_fini(&trainer.incoming);
    bytes_fini(&trainer.outgoing);
    bytes_fini(&trainer.record);
}

// A job that has come over MPI, for a trial in this process.
static void as_job(const unsigned char *data, size_t size)
{
    struct trainer_options options = {.in_process = true};
    struct trainer *trainer = NULL;
    struct record_run_event event = {0};
    struct status status = {0};
    if (trainer_create(&options, &trainer, NULL) != STATUS_OK)
        abort();
    if (trainer_start(trainer, data, size, &status) == STATUS_OK)
        (void)!trainer_poll(trainer, &event, &status);
    else if (!*status.text)
        abort();
    trainer_destroy(trainer);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct bytes stream = {0};
    if (size == 0 || size > STREAM_LIMIT)
        return 0;
    if (data[0] % 4 == 3) {
        as_job(data + 1, size - 1);
        return 0;
    }
    if (data[0] % 4 == 0)
        bytes_raw(&stream, data + 1, size - 1);
    else
        frame_all(data + 1, size - 1, &stream);
    if (stream.size <= STREAM_LIMIT) {
        if (data[0] & 4)
            as_child(&stream);
        else
            as_supervisor(&stream);
    }
    bytes_fini(&stream);
    return 0;
}
