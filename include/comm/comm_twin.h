// SPDX-License-Identifier: MIT
// Ranks simulated in one process, for tests: the same calls as over MPI, with delays that a seed decides. Messages of
// different senders overtake each other; the order of one sender to one receiver is kept.
#pragma once
#include "comm.h"
#include <stdint.h>

// Fills ret_comms[0 … ranks-1]; each is closed on its own with comm_close. With `delay` 0 a message arrives at the next
// poll; otherwise after up to `delay` polls (of any rank), drawn from `seed`.
enum status_code comm_twin_create(int ranks, uint64_t seed, uint32_t delay, struct comm **ret_comms,
                                  struct status *status) MUST_CHECK;

// Messages that were sent on the network of `comm` and not received so far.
size_t comm_twin_outstanding(const struct comm *comm);
