// SPDX-License-Identifier: MIT
// Shared by the sources of this layer: frames on the pipes, a job under way, the supervisor's state.
#pragma once
#include "record.h"
#include "trainer.h"
#include "trial.h"
#include <sched.h>
#include <sys/types.h>

// Descriptors of the child.
enum { CHILD_IN = 3, CHILD_OUT = 4 };

// trainer_frame.c. A frame: u32 magic, u32 kind, u64 size, u64 XXH3-64 of the payload; then the payload.
enum frame_kind {
    FRAME_READY = 1, // child: nothing
    FRAME_JOB,       // supervisor: trainer_job_encode
    FRAME_PROGRESS,  // child: u64 step, u64 steps
    FRAME_RECORD,    // child: record_encode
    FRAME_FAILURE,   // child: u8 enum record_run, u64 step, text reason
    FRAME_CRASH,     // child, from its signal handler: u64 step
};
enum { FRAME_HEADER = 24 };
struct frame {
    enum frame_kind kind;
    const unsigned char *payload; // a view into what was read
    size_t size;
};
// The header alone; allocates nothing, so that a signal handler may call it.
void frame_header(enum frame_kind kind, const void *payload, size_t size, unsigned char ret_header[FRAME_HEADER]);
void frame_put(struct bytes *bytes, enum frame_kind kind, const void *payload, size_t size);
// The frame at the start of `bytes`; *ret_size is its size there, 0 while it is incomplete. STATUS_DAMAGED for anything
// that no frame begins with, and for a wrong checksum.
enum status_code frame_get(const struct bytes *bytes, struct frame *ret_frame, size_t *ret_size,
                           struct status *status) MUST_CHECK;

// trainer_job.c
struct job {
    struct settings settings;
    struct arena *texts; // of the settings
    size_t lengths_count;
    int64_t *lengths;
    char *init, *store; // "" for none
    size_t saves_count;
    int64_t *saves;
    struct trial *trial; // NULL until job_begin
};
enum status_code job_decode(const void *data, size_t size, struct job *ret_job, struct status *status) MUST_CHECK;
void job_fini(struct job *job); // accepts a zeroed one
// Checks the memory, creates the trial and reads the weights that it starts from. *ret_refused: no other attempt can
// succeed.
enum status_code job_begin(struct job *job, bool *ret_refused, struct status *status) MUST_CHECK;
// trial_advance, and saves weights where they are asked for.
enum status_code job_advance(struct job *job, double seconds, bool *ret_done, struct status *status) MUST_CHECK;
// trainer_weights.c
enum status_code job_read_weights(struct job *job, struct status *status) MUST_CHECK;
enum status_code job_save_weights(struct job *job, bool done, struct status *status) MUST_CHECK;
// Appends the record of a finished trial.
enum status_code job_record(const struct job *job, struct bytes *ret_record, struct status *status) MUST_CHECK;

// A failed trial's record, appended. `reason` is cut to what a record holds.
struct failure {
    const char *reason;
    int exit_status, signal;
    int64_t step;
};
void failure_encode(const struct settings *settings, const struct failure *failure, struct bytes *ret_record);

enum { TAIL_SIZE = 512 };
struct trainer {
    bool in_process;
    char *wrap;
    double time_limit;
    pid_t pid;                          // 0: no child
    int command, report, output, epoll; // -1: closed
    bool ready;                         // this child has said so
    int dead_starts;                    // children in a row that ended before
    cpu_set_t affinity;                 // as last set or inherited
    struct bytes outgoing, incoming, record;
    char tail[TAIL_SIZE]; // the last of the child's output during this trial
    size_t tail_size;
    bool running;
    double started;
    struct job job;
    struct bytes job_bytes; // to be sent again to a child that never started
    int64_t step, steps;
};

// trainer_spawn.c
enum status_code spawn_child(struct trainer *trainer, struct status *status) MUST_CHECK;
// Ends the child, by closing its command pipe or at once (`kill_it`), and waits for it. Returns its wait status. The
// other pipes stay open, to read what is in them.
int reap_child(struct trainer *trainer, bool kill_it);
void close_pipes(struct trainer *trainer);
void close_watched(const struct trainer *trainer, int *fd); // a report or output pipe

// trainer_watch.c: the supervisor's look at the child.
enum status_code watch_child(struct trainer *trainer, struct record_run_event *ret_event,
                             struct status *status) MUST_CHECK;
void flush_commands(struct trainer *trainer);
