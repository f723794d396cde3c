// SPDX-License-Identifier: MIT
// bench_forward LENGTH: forward passes a second of size small over 8 sequences of LENGTH tokens, as a contender of
// tools/peers/race.py; its figure is the MiB that such a pass, logits included, takes at its peak beyond a model at
// hand.
#include "base_isa.h"
#include "bench_size.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 8, SHORT = 8, LINE_SIZE = 256 };

static void turn(struct bench *bench)
{
    nn_predict(bench->model, &bench->batch, &(struct nn_outputs){.logits = bench->logits});
}

// The line `name` of /proc/self/status in MiB; 0 where there is none.
static double memory(const char *name)
{
    char line[LINE_SIZE];
    double kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            kilobytes = atof(line + strlen(name));
    if (file)
        fclose(file);
    return kilobytes / 1024;
}

// What the process has while there is a model that has made a short pass, so that weights and whatever is loaded once
// are no part of the figure; the peers do the same.
static enum status_code measure_base(double *ret_base, struct status *status)
{
    struct bench bench;
    enum status_code code = bench_create("small", 1, SHORT, &bench, status);
    if (code != STATUS_OK)
        return code;
    turn(&bench);
    *ret_base = memory("VmRSS:");
    bench_destroy(&bench);
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    struct status status = {0};
    enum status_code code = isa_check(&status);
    double base = 0;
    if (code == STATUS_OK)
        code = measure_base(&base, &status);
    if (code == STATUS_OK)
        code = bench_create("small", SAMPLES, argc > 1 ? atol(argv[1]) : 0, &bench, &status);
    if (code == STATUS_OK) {
        turn(&bench);
        bench_answer(turn, &bench, memory("VmHWM:") - base);
    } else {
        fprintf(stderr, "bench_forward: %s\n", status.text);
    }
    bench_destroy(&bench);
    return code == STATUS_OK ? 0 : 1;
}
