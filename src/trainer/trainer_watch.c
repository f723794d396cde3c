// SPDX-License-Identifier: MIT
// The supervisor's look at a child that trains: its messages, its output, its death.
#include "base_clock.h"
#include "base_text.h"
#include "trainer_private.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEAD_STARTS = 3 };

void flush_commands(struct trainer *trainer)
{
    while (trainer->command >= 0 && trainer->outgoing.size > 0) {
        ssize_t sent =
            send(trainer->command, trainer->outgoing.data, trainer->outgoing.size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0) // full: later; gone: the report pipe says so
            return;
        bytes_drop_front(&trainer->outgoing, (size_t)sent);
    }
}

static void keep_tail(struct trainer *trainer, const char *text, size_t size)
{
    if (size >= TAIL_SIZE) {
        text += size - TAIL_SIZE;
        size = TAIL_SIZE;
    }
    size_t kept = trainer->tail_size + size > TAIL_SIZE ? TAIL_SIZE - size : trainer->tail_size;
    memmove(trainer->tail, trainer->tail + trainer->tail_size - kept, kept);
    memcpy(trainer->tail + kept, text, size);
    trainer->tail_size = kept + size;
}

// Reads what there is, at most `limit` bytes. False once the pipe has ended.
static bool read_some(int fd, struct bytes *into, size_t limit)
{
    char buffer[16384];
    for (size_t total = 0; total < limit;) {
        ssize_t size = read(fd, buffer, sizeof buffer);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return errno == EAGAIN;
        if (size == 0)
            return false;
        bytes_raw(into, buffer, (size_t)size);
        total += (size_t)size;
    }
    return true;
}

static void read_output(struct trainer *trainer)
{
    struct bytes text = {0};
    if (trainer->output < 0)
        return;
    bool open = read_some(trainer->output, &text, 1 << 20);
    if (text.size > 0 && !text.failed)
        keep_tail(trainer, (const char *)text.data, text.size);
    bytes_fini(&text);
    if (!open)
        close_watched(trainer, &trainer->output);
}

// The reason, and the last line of the output as printable text behind it.
static void describe(const struct trainer *trainer, const char *what, char *ret_text, size_t size)
{
    size_t end = trainer->tail_size, start;
    int length = snprintf(ret_text, size, "%s", what);
    while (end > 0 && (unsigned char)trainer->tail[end - 1] <= ' ')
        end--;
    for (start = end; start > 0 && trainer->tail[start - 1] != '\n';)
        start--;
    if (start == end || length < 0 || (size_t)length + 3 >= size)
        return;
    length += snprintf(ret_text + length, size - (size_t)length, ": ");
    for (size_t i = start; i < end && (size_t)length + 1 < size; i++)
        ret_text[length++] = trainer->tail[i] >= ' ' && trainer->tail[i] <= '~' ? trainer->tail[i] : '?';
    ret_text[length] = '\0';
}

static enum status_code end_trial(struct trainer *trainer, enum record_run state, struct record_run_event *ret_event,
                                  struct status *status)
{
    if (trainer->record.failed)
        return status_set(status, STATUS_MEMORY, "no memory for a record");
    *ret_event = (struct record_run_event){.state = state,
                                           .step = trainer->step,
                                           .steps = trainer->steps,
                                           .seconds = clock_now() - trainer->started,
                                           .record = trainer->record.data,
                                           .size = trainer->record.size};
    trainer->running = false;
    job_fini(&trainer->job);
    return STATUS_OK;
}

static enum status_code end_failed(struct trainer *trainer, enum record_run state, const struct failure *failure,
                                   struct record_run_event *ret_event, struct status *status)
{
    bytes_clear(&trainer->record);
    failure_encode(&trainer->job.settings, failure, &trainer->record);
    return end_trial(trainer, state, ret_event, status);
}

static void name_death(int wait_status, char *ret_text, size_t size)
{
    if (!WIFSIGNALED(wait_status)) {
        snprintf(ret_text, size, "the trainer ended with exit code %d", WEXITSTATUS(wait_status));
        return;
    }
    int number = WTERMSIG(wait_status);
    const char *name = sigabbrev_np(number);
    snprintf(ret_text, size, "the trainer was killed by signal %d (SIG%s)%s", number, name != NULL ? name : "?",
             number == SIGKILL ? ", perhaps for lack of memory" : "");
}

// A child that never came as far as its first message says nothing about the trial: another one gets the job.
static enum status_code start_again(struct trainer *trainer, const char *reason, struct status *status)
{
    if (++trainer->dead_starts >= DEAD_STARTS)
        return status_set(status, STATUS_SYSTEM, "the trainer does not start: %s", reason);
    enum status_code code = spawn_child(trainer, status);
    if (code == STATUS_OK) {
        frame_put(&trainer->outgoing, FRAME_JOB, trainer->job_bytes.data, trainer->job_bytes.size);
        flush_commands(trainer);
    }
    return code;
}

// Ends the child, or has seen it end, and tells why. `what` NULL: its own end is the reason.
static enum status_code bury(struct trainer *trainer, const char *what, struct record_run_event *ret_event,
                             struct status *status)
{
    char death[160], reason[256];
    bool started = trainer->ready;
    int wait_status = reap_child(trainer, what != NULL);
    read_output(trainer);
    close_pipes(trainer);
    name_death(wait_status, death, sizeof death);
    describe(trainer, what != NULL ? what : death, reason, sizeof reason);
    if (!started && what == NULL)
        return start_again(trainer, reason, status);
    struct failure failure = {.reason = reason,
                              .exit_status = what == NULL && WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 0,
                              .signal = what == NULL && WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0,
                              .step = trainer->step};
    return end_failed(trainer, RUN_FAILED, &failure, ret_event, status);
}

// A record must be whole and of this very trial: the coordinator relies on it.
static bool record_fits(const struct trainer *trainer, const struct frame *frame)
{
    struct record record = {0};
    bool fits = record_decode(frame->payload, frame->size, &record, NULL) == STATUS_OK &&
                (record.status == RECORD_DONE || record.status == RECORD_DIVERGED) &&
                hash_equal(record.identity, settings_identity(&trainer->job.settings));
    record_fini(&record);
    return fits;
}

static enum status_code take_failure(struct trainer *trainer, const struct frame *frame,
                                     struct record_run_event *ret_event, struct status *status)
{
    struct bytes_reader reader = bytes_reader(frame->payload, frame->size);
    char reason[256];
    size_t length = 0;
    enum record_run state = bytes_read_u8(&reader) == RUN_REFUSED ? RUN_REFUSED : RUN_FAILED;
    struct failure failure = {.reason = reason, .step = (int64_t)bytes_read_u64(&reader)};
    const char *text = bytes_read_text(&reader, &length);
    snprintf(reason, sizeof reason, "%.*s", (int)(length < 255 ? length : 255), text != NULL ? text : "");
    return end_failed(trainer, state, &failure, ret_event, status);
}

static enum status_code take_frame(struct trainer *trainer, const struct frame *frame,
                                   struct record_run_event *ret_event, struct status *status)
{
    struct bytes_reader reader = bytes_reader(frame->payload, frame->size);
    switch (frame->kind) {
    case FRAME_READY:
        trainer->ready = true;
        trainer->dead_starts = 0;
        return STATUS_OK;
    case FRAME_PROGRESS:
        trainer->step = (int64_t)bytes_read_u64(&reader);
        trainer->steps = (int64_t)bytes_read_u64(&reader);
        return STATUS_OK;
    case FRAME_CRASH:
        trainer->step = (int64_t)bytes_read_u64(&reader);
        return STATUS_OK;
    case FRAME_FAILURE:
        return take_failure(trainer, frame, ret_event, status);
    case FRAME_RECORD:
        if (!record_fits(trainer, frame))
            return bury(trainer, "the trainer sent a record that is not this trial's", ret_event, status);
        bytes_clear(&trainer->record);
        bytes_raw(&trainer->record, frame->payload, frame->size);
        return end_trial(trainer, RUN_DONE, ret_event, status);
    case FRAME_JOB:
        break;
    }
    return bury(trainer, "the trainer sent a job", ret_event, status);
}

static enum status_code take_frames(struct trainer *trainer, struct record_run_event *ret_event, struct status *status)
{
    struct frame frame;
    size_t size = 0, at = 0;
    enum status_code code = STATUS_OK;
    while (trainer->running && trainer->pid > 0 && at < trainer->incoming.size) {
        struct bytes rest = {.data = trainer->incoming.data + at, .size = trainer->incoming.size - at};
        struct status why = {0};
        if (frame_get(&rest, &frame, &size, &why) != STATUS_OK)
            return bury(trainer, why.text, ret_event, status);
        if (size == 0)
            break;
        at += size;
        code = take_frame(trainer, &frame, ret_event, status);
        if (code != STATUS_OK)
            return code;
    }
    bytes_drop_front(&trainer->incoming, at);
    return code;
}

static enum status_code check_end(struct trainer *trainer, bool ended, struct record_run_event *ret_event,
                                  struct status *status)
{
    char reason[96], limit[TEXT_NUMBER_SIZE];
    double now = clock_now();
    if (ended)
        return bury(trainer, NULL, ret_event, status);
    if (trainer->time_limit > 0 && now > trainer->started + trainer->time_limit) {
        snprintf(reason, sizeof reason, "exceeded the time limit of %s", text_duration(trainer->time_limit, limit));
        enum status_code code = bury(trainer, reason, ret_event, status);
        if (code == STATUS_OK)
            ret_event->state = RUN_REFUSED; // another attempt would take as long
        return code;
    }
    return STATUS_OK;
}

enum status_code watch_child(struct trainer *trainer, struct record_run_event *ret_event, struct status *status)
{
    *ret_event = (struct record_run_event){.state = RUN_RUNNING,
                                           .step = trainer->step,
                                           .steps = trainer->steps,
                                           .seconds = clock_now() - trainer->started};
    flush_commands(trainer);
    read_output(trainer);
    bool ended = !read_some(trainer->report, &trainer->incoming, 16 << 20);
    if (trainer->incoming.failed)
        return status_set(status, STATUS_MEMORY, "no memory for the trainer's messages");
    enum status_code code = take_frames(trainer, ret_event, status);
    if (code == STATUS_OK && trainer->running)
        code = check_end(trainer, ended, ret_event, status);
    return code;
}
