// SPDX-License-Identifier: MIT
#include "base_clock.h"
#include "base_isa.h"
#include "ops.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static double seconds_of(const struct op_row *row, struct op *op, enum isa isa, bool back)
{
    double best = INFINITY, total = 0;
    for (int repeat = 0; repeat < 200 && (repeat < 3 || total < 0.2); repeat++) {
        const double start = clock_now();
        (back ? row->kind->backward : row->kind->forward)(nn_kernels(isa), op);
        const double seconds = clock_now() - start;
        total += seconds;
        best = fmin(best, seconds);
    }
    return best;
}

static void print_time(const struct op_row *row, struct op_shape shape, enum isa isa)
{
    struct op op;
    char numbers[64];
    op_open(&op, row, shape);
    snprintf(numbers, sizeof numbers, shape.c ? "%ld %ld %ld" : shape.b ? "%ld %ld" : "%ld", shape.a, shape.b, shape.c);
    const double elements = (double)(op.m[0].rows * op.m[0].columns), forward = seconds_of(row, &op, isa, false);
    const double work = row->kind->work ? row->kind->work(&op) : 0;
    printf("%-38s %-13s %-6s %9.3f", row->name, numbers, isa_name(isa), forward / elements * 1e9);
    const double back = row->kind->backward ? seconds_of(row, &op, isa, true) : 0;
    printf(back > 0 ? " %9.3f" : "          ", back / elements * 1e9);
    if (work > 0)
        printf(" %8.1f", work / forward * 1e-9);
    if (work > 0 && back > 0)
        printf(" %8.1f", 2 * work / back * 1e-9);
    printf("\n");
    op_close(&op);
}

static void print_row(const struct op_row *row)
{
    for (int s = 0; s < OP_TIMED && row->timed[s].a > 0; s++)
        for (enum isa isa = 0; isa < ISA_COUNT; isa++)
            if (isa_supported(isa))
                print_time(row, row->timed[s], isa);
}

void op_print_times(const char *part)
{
    static const struct op_table *const tables[] = {OP_TABLES};
    printf("%-38s %-13s %-6s %9s %9s %8s %8s\n", "operation", "shape", "", "ns/number", "back", "GFLOP/s", "back");
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (int i = 0; i < tables[t]->count; i++)
            if (strstr(tables[t]->row[i].name, part))
                print_row(&tables[t]->row[i]);
}
