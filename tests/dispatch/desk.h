// SPDX-License-Identifier: MIT
// A coordinator of four ranks whose messages are caught, and the messages that its workers would send.
#pragma once
#include "support.h"

#include "fake.h"

enum { SENT = 512 };

struct desk {
    struct fake_sweep sweep;
    struct dispatch_source source;
    struct dispatch_sink sink;
    struct dispatch_watch watch;
    struct dispatch_options options;
    struct dispatch_coordinator *coordinator;
    struct {
        int rank;
        enum dispatch_kind kind;
        uint64_t slot, index;
    } sent[SENT];
    size_t sent_count;
    struct status status;
};

void desk_set_up(struct desk *desk, size_t jobs);
enum status_code desk_receive(struct desk *desk, int rank, double now, struct bytes *message);
enum status_code desk_hello(struct desk *desk, int rank, const char *host, double memory);
enum status_code desk_result(struct desk *desk, int rank, uint64_t slot, uint64_t index, enum record_run outcome,
                             double seconds, double now);
enum status_code desk_progress(struct desk *desk, int rank, uint64_t slot, uint64_t step, uint64_t steps,
                               double seconds, double now);
enum status_code desk_plain(struct desk *desk, int rank, enum dispatch_kind kind);
void desk_step(struct desk *desk, double now);
// The number of messages of a kind to a rank (-1: any) so far.
size_t desk_count(const struct desk *desk, int rank, enum dispatch_kind kind);
// Answers the `n`-th job that was sent.
void desk_answer(struct desk *desk, size_t n, enum record_run outcome, double seconds, double now);
void desk_all_say_hello(struct desk *desk);
void desk_all_leave(struct desk *desk);
void desk_tear_down(struct desk *desk);
