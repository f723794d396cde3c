// SPDX-License-Identifier: MIT
// The child: reads jobs, trains, writes records. Station before: trainer_start in the supervisor; after: trial_create.
#include "base_clock.h"
#include "trainer_private.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const double report_interval = .2; // seconds between reports, and of one advance at most

static bool write_all(int fd, const void *data, size_t size)
{
    const char *from = data;
    while (size > 0) {
        ssize_t written = write(fd, from, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        from += written;
        size -= (size_t)written;
    }
    return true;
}

// What the crash handler needs. A handler has no arguments of its own: this is the one variable of its kind.
static struct {
    int out;
    volatile sig_atomic_t writing; // in the middle of a frame, where another would be garbage
    volatile int64_t step;
} crash = {.out = -1};

static void report_crash(int number)
{
    unsigned char frame[FRAME_HEADER + 8];
    uint64_t step = (uint64_t)crash.step;
    for (int i = 0; i < 8; i++)
        frame[FRAME_HEADER + i] = (unsigned char)(step >> 8 * i);
    frame_header(FRAME_CRASH, frame + FRAME_HEADER, 8, frame);
    if (crash.out >= 0 && !crash.writing)
        write_all(crash.out, frame, sizeof frame);
    raise(number); // the handler is reset: this one kills
}

// On a stack of its own, so that an overflow of the usual one is reported too. `ret_stack` is freed after the loop.
static void watch_crashes(int out, void **ret_stack)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_handler = report_crash, .sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
    size_t size = (size_t)SIGSTKSZ + 16384;
    *ret_stack = malloc(size);
    if (*ret_stack != NULL)
        sigaltstack(&(stack_t){.ss_sp = *ret_stack, .ss_size = size}, NULL);
    crash.out = out;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        sigaction(fatal[i], &action, NULL);
}

static void unwatch_crashes(void *stack)
{
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    free(stack);
    crash.out = -1;
}

static bool send_frame(int out, enum frame_kind kind, const void *payload, size_t size)
{
    struct bytes frame = {0};
    frame_put(&frame, kind, payload, size);
    crash.writing = 1;
    bool sent = !frame.failed && write_all(out, frame.data, frame.size);
    crash.writing = 0;
    bytes_fini(&frame);
    return sent;
}

static bool send_progress(int out, const struct trial_progress *progress)
{
    struct bytes payload = {0};
    bytes_u64(&payload, (uint64_t)progress->step);
    bytes_u64(&payload, (uint64_t)progress->steps);
    bool sent = send_frame(out, FRAME_PROGRESS, payload.data, payload.size);
    bytes_fini(&payload);
    return sent;
}

static bool send_failure(int out, bool refused, const char *reason)
{
    struct bytes payload = {0};
    bytes_u8(&payload, refused ? RUN_REFUSED : RUN_FAILED);
    bytes_u64(&payload, (uint64_t)crash.step);
    bytes_text(&payload, reason);
    bool sent = send_frame(out, FRAME_FAILURE, payload.data, payload.size);
    bytes_fini(&payload);
    return sent;
}

static bool supervisor_gone(int in)
{
    struct pollfd pipe = {.fd = in, .events = POLLIN | POLLRDHUP};
    return poll(&pipe, 1, 0) > 0 && (pipe.revents & (POLLHUP | POLLRDHUP | POLLERR)) != 0;
}

// *ret_gone: nobody is there to take the result.
static enum status_code train(int in, int out, struct job *job, bool *ret_gone, struct status *status)
{
    double reported = clock_now();
    for (bool done = false; !done;) {
        struct trial_progress progress;
        enum status_code code = job_advance(job, report_interval, &done, status);
        if (code != STATUS_OK)
            return code;
        trial_progress(job->trial, &progress);
        crash.step = progress.step;
        double now = clock_now();
        if (done || now < reported + report_interval)
            continue;
        reported = now;
        if (supervisor_gone(in) || !send_progress(out, &progress)) {
            *ret_gone = true;
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

// False when the supervisor is gone.
static bool run_job(int in, int out, const struct frame *frame)
{
    struct job job = {0};
    struct bytes record = {0};
    struct status status = {0};
    bool refused = false, gone = false;
    crash.step = 0;
    enum status_code code = job_decode(frame->payload, frame->size, &job, &status);
    if (code == STATUS_OK)
        code = job_begin(&job, &refused, &status);
    if (code == STATUS_OK)
        code = train(in, out, &job, &gone, &status);
    if (code == STATUS_OK && !gone)
        code = job_record(&job, &record, &status);
    if (!gone)
        gone = !(code == STATUS_OK ? send_frame(out, FRAME_RECORD, record.data, record.size)
                                   : send_failure(out, refused, status.text));
    bytes_fini(&record);
    job_fini(&job);
    return !gone;
}

// Reads until `incoming` holds a frame. False at the end of the pipe or for garbage.
static bool await_frame(int in, struct bytes *incoming, struct frame *ret_frame, size_t *ret_size)
{
    unsigned char buffer[16384];
    for (;;) {
        if (frame_get(incoming, ret_frame, ret_size, NULL) != STATUS_OK)
            return false;
        if (*ret_size > 0)
            return true;
        ssize_t size = read(in, buffer, sizeof buffer);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return false;
        bytes_raw(incoming, buffer, (size_t)size);
        if (incoming->failed)
            return false;
    }
}

int trainer_main(int in, int out)
{
    struct bytes incoming = {0};
    struct frame frame;
    size_t size = 0;
    void *stack = NULL;
    watch_crashes(out, &stack);
    bool going = send_frame(out, FRAME_READY, NULL, 0);
    while (going && await_frame(in, &incoming, &frame, &size) && frame.kind == FRAME_JOB) {
        going = run_job(in, out, &frame);
        bytes_drop_front(&incoming, size);
    }
    int code = incoming.size > 0 ? 1 : 0; // garbage, or an end within a message
    unwatch_crashes(stack);
    bytes_fini(&incoming);
    return code;
}

// The supervisor tells the child to stop through the pipe, or kills it.
static void ignore_requests(void)
{
    static const int asking[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};
    sigset_t none;
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
        signal(asking[i], SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// Where memory runs out, a trial dies rather than its rank.
static void volunteer_for_death(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    write_all(fd, "800", 3);
    close(fd);
}

int trainer_command(int count, char **arguments)
{
    long parent = count > 0 ? strtol(arguments[0], NULL, 10) : 0; // 0: under a wrapper
    if (fcntl(CHILD_IN, F_GETFD) < 0 || fcntl(CHILD_OUT, F_GETFD) < 0) {
        fputs("lgsweep trainer is started by lgsweep run\n", stderr);
        return 2;
    }
    ignore_requests();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (parent > 0 && getppid() != parent) // it ended before the request
        return 0;
    prctl(PR_SET_NAME, "lgsweep-trainer");
    volunteer_for_death();
    return trainer_main(CHILD_IN, CHILD_OUT);
}
