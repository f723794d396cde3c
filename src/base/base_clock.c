// SPDX-License-Identifier: MIT
#include "base_clock.h"
#include <errno.h>
#include <time.h>

static double seconds_of(clockid_t id)
{
    struct timespec time = {0};
    clock_gettime(id, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double clock_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double clock_cpu(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

double clock_thread(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double clock_wall(void)
{
    return seconds_of(CLOCK_REALTIME);
}

void clock_sleep(double seconds)
{
    if (!(seconds > 0))
        return;
    double whole = seconds < 1e9 ? seconds : 1e9;
    struct timespec left = {.tv_sec = (time_t)whole};
    left.tv_nsec = (long)(1e9 * (whole - (double)left.tv_sec));
    while (nanosleep(&left, &left) && errno == EINTR)
        continue;
}
