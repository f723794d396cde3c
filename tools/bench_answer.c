// SPDX-License-Identifier: MIT
#include "base_clock.h"
#include "bench_size.h"
#include <stdio.h>
#include <stdlib.h>

enum { STRETCHES = 9, WARM_TURNS = 3, LINE_SIZE = 64 };

static double seconds_of(void (*turn)(struct bench *bench), struct bench *bench, int turns)
{
    const double start = clock_now();
    for (int i = 0; i < turns; i++)
        turn(bench);
    return (clock_now() - start) / turns;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_answer(void (*turn)(struct bench *bench), struct bench *bench, double figure)
{
    char line[LINE_SIZE];
    double second[STRETCHES];
    printf("ready %.6f\n", figure);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        const int turns = 1 + (int)(atof(line) / STRETCHES / seconds_of(turn, bench, WARM_TURNS));
        for (int i = 0; i < STRETCHES; i++)
            second[i] = seconds_of(turn, bench, turns);
        qsort(second, STRETCHES, sizeof *second, ascending);
        printf("%.6g\n", 1 / second[STRETCHES / 2]);
        fflush(stdout);
    }
}
