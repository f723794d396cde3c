// SPDX-License-Identifier: MIT
// Byte messages between ranks: over MPI, within one process without MPI, or (comm_twin.h) between simulated ranks.
// Messages of one sender to one receiver arrive in the order in which they were sent. Nothing here waits, but for
// comm_open and comm_close. One thread uses a communicator.
#pragma once
#include "base_bytes.h"
#include "base_status.h"
#include <stdbool.h>
#include <stddef.h>

struct comm;

enum { COMM_MESSAGE_LIMIT = 1 << 30 }; // bytes of one message

// True when a launcher (mpirun, or srun with PMIx) started this process as one of its ranks. Reads the environment
// only.
bool comm_launched(void);

// Under a launcher: initialises MPI (threads: funneled) and compares `build` on all ranks, STATUS_INVALID on each where
// two differ. Otherwise: one rank and no MPI, whose start costs 0.4 s. STATUS_INVALID also when srun started several
// tasks that do not find each other, with the option that mends it. Children are best spawned before.
enum status_code comm_open(const char *build, struct comm **ret_comm, struct status *status) MUST_CHECK;

// Waits until all sends have completed, then finalises MPI together with the other ranks. When sends do not complete
// within some seconds, or `comm` has failed before, MPI is left as it is and an error returned: the caller then leaves
// with a non-zero code, and the launcher ends the job. Frees `comm` in any case; accepts NULL.
enum status_code comm_close(struct comm *comm, struct status *status) MUST_CHECK;

// Ends all ranks of the job and this process at once with exit code `code`. The last resort: a rank does not answer.
_Noreturn void comm_abort(struct comm *comm, int code);

int comm_rank(const struct comm *comm);
int comm_size(const struct comm *comm);

// Sends a copy of `data` to `target`, this rank included. Returns at once; delivery goes on in later calls.
enum status_code comm_send(struct comm *comm, int target, const void *data, size_t size,
                           struct status *status) MUST_CHECK;

// Receives at most one message from any rank into `ret_message`, replacing its content. *ret_source is the sender, or
// -1 when there was none; `ret_message` is then empty. Also drives unfinished sends.
enum status_code comm_poll(struct comm *comm, struct bytes *ret_message, int *ret_source,
                           struct status *status) MUST_CHECK;

// True while a send or a receive has begun and not completed: poll again soon rather than sleep.
bool comm_busy(const struct comm *comm);
