// SPDX-License-Identifier: MIT
// The signals that ask a run to stop: SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, all with the same meaning; but for
// those that were ignored when the program began, as nohup does with SIGHUP.
#pragma once
#include "base_status.h"
#include <signal.h>

// The signals are blocked and read from a file descriptor, so that no handler and no global exists. Open it before
// threads are started, before comm_open and before children are spawned: they inherit the blocked signals (trainers
// ignore them on their own account).
struct dispatch_signals {
    int fd;
    sigset_t before;
    int asked; // signals so far, and the time of the first
    double first;
};
enum status_code dispatch_signals_open(struct dispatch_signals *ret_signals, struct status *status) MUST_CHECK;
void dispatch_signals_close(struct dispatch_signals *signals); // restores the mask; accepts a closed one

// 0: none so far. 1: asked to stop. 2: asked again later than a quarter of a second after the first: leave at once.
int dispatch_signals_asked(struct dispatch_signals *signals);

// Has the kernel end this process (SIGKILL) when its parent ends, so that a rank never outlives its mpirun. `parent` is
// getppid() as it was at the program's start; STATUS_STOPPED when that parent is gone already.
enum status_code dispatch_follow_parent(int parent, struct status *status) MUST_CHECK;
