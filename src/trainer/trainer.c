// SPDX-License-Identifier: MIT
// The supervisor's calls: a trial in the child, or in this process.
#include "trainer.h"
#include "base_clock.h"
#include "trainer_private.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

static const double slice = 5e-3; // seconds of training in one poll, in this process

enum status_code trainer_create(const struct trainer_options *options, struct trainer **ret_trainer,
                                struct status *status)
{
    enum status_code code = STATUS_OK;
    struct trainer *trainer = calloc(1, sizeof *trainer);
    if (trainer == NULL)
        return status_set(status, STATUS_MEMORY, "no memory for a trainer");
    trainer->command = trainer->report = trainer->output = trainer->epoll = -1;
    trainer->in_process = options->in_process;
    trainer->time_limit = options->time_limit;
    if (options->in_process) {
        *ret_trainer = trainer;
        return STATUS_OK;
    }
    if (options->wrap != NULL && (trainer->wrap = strdup(options->wrap)) == NULL)
        code = status_set(status, STATUS_MEMORY, "no memory for a trainer");
    if (code == STATUS_OK && (trainer->epoll = epoll_create1(EPOLL_CLOEXEC)) < 0)
        code = status_errno(status, errno, "cannot watch a trainer");
    if (code == STATUS_OK)
        code = spawn_child(trainer, status);
    if (code == STATUS_OK)
        *ret_trainer = trainer;
    else
        trainer_destroy(trainer);
    return code;
}

void trainer_destroy(struct trainer *trainer)
{
    if (trainer == NULL)
        return;
    if (trainer->pid > 0)
        reap_child(trainer, trainer->running);
    close_pipes(trainer);
    if (trainer->epoll >= 0)
        close(trainer->epoll);
    job_fini(&trainer->job);
    bytes_fini(&trainer->outgoing);
    bytes_fini(&trainer->incoming);
    bytes_fini(&trainer->record);
    bytes_fini(&trainer->job_bytes);
    free(trainer->wrap);
    free(trainer);
}

// MPI may have bound this process since the child was spawned.
static void follow_affinity(struct trainer *trainer)
{
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0 || CPU_EQUAL(&mine, &trainer->affinity))
        return;
    trainer->affinity = mine;
    sched_setaffinity(trainer->pid, sizeof mine, &mine);
}

static enum status_code start_child(struct trainer *trainer, const void *job, size_t size, struct status *status)
{
    if (trainer->pid > 0 && waitpid(trainer->pid, NULL, WNOHANG) != 0) {
        trainer->pid = 0; // it has died idle
        close_pipes(trainer);
    }
    if (trainer->pid == 0) {
        enum status_code code = spawn_child(trainer, status);
        if (code != STATUS_OK)
            return code;
    }
    follow_affinity(trainer);
    trainer->tail_size = 0;
    bytes_clear(&trainer->outgoing);
    bytes_clear(&trainer->job_bytes);
    bytes_raw(&trainer->job_bytes, job, size);
    frame_put(&trainer->outgoing, FRAME_JOB, job, size);
    if (trainer->outgoing.failed || trainer->job_bytes.failed)
        return status_set(status, STATUS_MEMORY, "no memory for a job of %zu bytes", size);
    flush_commands(trainer);
    return STATUS_OK;
}

enum status_code trainer_start(struct trainer *trainer, const void *job, size_t size, struct status *status)
{
    if (trainer->running)
        return status_set(status, STATUS_INTERNAL, "the trainer is busy");
    enum status_code code = job_decode(job, size, &trainer->job, status);
    if (code == STATUS_OK && !trainer->in_process)
        code = start_child(trainer, job, size, status);
    if (code != STATUS_OK) {
        job_fini(&trainer->job);
        return code;
    }
    trainer->step = trainer->steps = 0;
    trainer->started = clock_now();
    trainer->running = true;
    return STATUS_OK;
}

// A slice of the trial in this process, up to its record.
static enum status_code advance_here(struct trainer *trainer, enum record_run *ret_state, struct status *status)
{
    struct trial_progress progress;
    bool refused = false, done = false;
    enum status_code code = STATUS_OK;
    if (trainer->job.trial == NULL)
        code = job_begin(&trainer->job, &refused, status);
    if (code == STATUS_OK)
        code = job_advance(&trainer->job, slice, &done, status);
    if (code == STATUS_OK) {
        trial_progress(trainer->job.trial, &progress);
        trainer->step = progress.step;
        trainer->steps = progress.steps;
    }
    if (code == STATUS_OK && !done && trainer->time_limit > 0 && clock_now() > trainer->started + trainer->time_limit) {
        code = status_set(status, STATUS_STOPPED, "exceeded the time limit of %g s", trainer->time_limit);
        refused = true; // another attempt would take as long
    }
    bytes_clear(&trainer->record);
    if (code == STATUS_OK && done)
        code = job_record(&trainer->job, &trainer->record, status);
    *ret_state = code != STATUS_OK ? (refused ? RUN_REFUSED : RUN_FAILED) : done ? RUN_DONE : RUN_RUNNING;
    return code;
}

static void poll_here(struct trainer *trainer, struct record_run_event *ret_event)
{
    struct status why = {0};
    enum record_run state = RUN_RUNNING;
    if (advance_here(trainer, &state, &why) != STATUS_OK) {
        struct failure failure = {.reason = why.text, .step = trainer->step};
        bytes_clear(&trainer->record);
        failure_encode(&trainer->job.settings, &failure, &trainer->record);
    }
    *ret_event = (struct record_run_event){.state = state,
                                           .step = trainer->step,
                                           .steps = trainer->steps,
                                           .seconds = clock_now() - trainer->started,
                                           .record = trainer->record.data,
                                           .size = trainer->record.size};
    if (state == RUN_RUNNING)
        return;
    trainer->running = false;
    job_fini(&trainer->job);
}

enum status_code trainer_poll(struct trainer *trainer, struct record_run_event *ret_event, struct status *status)
{
    if (!trainer->running) {
        *ret_event = (struct record_run_event){.state = RUN_IDLE};
        return STATUS_OK;
    }
    if (!trainer->in_process)
        return watch_child(trainer, ret_event, status);
    poll_here(trainer, ret_event);
    return STATUS_OK;
}

void trainer_stop(struct trainer *trainer)
{
    if (!trainer->running)
        return;
    trainer->running = false;
    job_fini(&trainer->job);
    if (trainer->in_process)
        return;
    reap_child(trainer, true);
    close_pipes(trainer);
}

int trainer_fd(const struct trainer *trainer)
{
    return trainer->epoll;
}

int trainer_pid(const struct trainer *trainer)
{
    return (int)trainer->pid;
}

static enum status_code runner_start(void *self, const void *job, size_t size, struct status *status)
{
    return trainer_start(self, job, size, status);
}

static enum status_code runner_poll(void *self, struct record_run_event *ret_event, struct status *status)
{
    return trainer_poll(self, ret_event, status);
}

static void runner_stop(void *self)
{
    trainer_stop(self);
}

static int runner_fd(void *self)
{
    return trainer_fd(self);
}

struct record_runner trainer_runner(struct trainer *trainer)
{
    return (struct record_runner){trainer, runner_start, runner_poll, runner_stop, runner_fd};
}
