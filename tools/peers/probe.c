// SPDX-License-Identifier: MIT
// Prints how many turns of a one-addition loop this core makes in a nanosecond, its clock rate where it is quiet. A
// neighbour on the same physical core, or another process on this one, lowers it: figures taken meanwhile compare as
// ratios only.
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(void)
{
    enum { TURNS = 100000000 };
    uint64_t sum = 0;
    double begin = seconds();
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        sum += 1;
        __asm__ volatile("" : "+r"(sum)); // keeps the compiler from adding up
    }
    printf("%.2f\n", TURNS / (seconds() - begin) * 1e-9);
    return sum == TURNS ? 0 : 1;
}
