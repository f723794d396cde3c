// SPDX-License-Identifier: MIT
// bench_products CONTENDER SECONDS: GFLOP/s of the matrix products of a training step, a line each:
//   SIZE NAME ROWS COLUMNS DEPTH RATE
// CONTENDER is lgsweep or the name of a library, which is loaded when it is there; exit code 2 where it is not. A
// product whose numbers are wrong is an error. Times are the process's, so that others on the core do not count.
#include "base_clock.h"
#include "base_isa.h"
#include "bench_rivals.h"
#include "nn_kernels.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 128, HEADS = 4, STRETCHES = 5, LARGEST = 4096 * 1024 };

// Per size: what a chunk of TOKENS tokens takes, what the whole batch would take at once, and one head's attention.
#define SHAPES(size, width, samples, length)                                                                           \
    {size, "widen", PLAIN, TOKENS, 4 * (width), width}, {size, "narrow", PLAIN, TOKENS, width, 4 * (width)},           \
        {size, "weights", FIRST_TRANSPOSED, width, 4 * (width), TOKENS},                                               \
        {size, "whole", PLAIN, (samples) * (length), 4 * (width), width},                                              \
        {size, "scores", SECOND_TRANSPOSED, length, length, (width) / HEADS},                                          \
        {size, "mixing", PLAIN, length, (width) / HEADS, length},
static const struct shape shapes[] = {SHAPES("small", 64, 64, 32) SHAPES("medium", 128, 64, 64)
                                          SHAPES("large", 256, 32, 128)};

// Weights are packed once a step in lgsweep, so not here; queries are transposed for each product of scores, so here
// too.
static bool packed_once(const struct shape *shape)
{
    return shape->kind == PLAIN && strcmp(shape->name, "mixing") != 0;
}

static void multiply_ours(const struct contender *self, const struct shape *shape, const float *a, const float *b,
                          float *c)
{
    const struct nn_kernels *kernels = nn_kernels((int)isa_current());
    const long rows = shape->rows, columns = shape->columns, depth = shape->depth;
    struct nn_product product = {.rows = rows,
                                 .columns = columns,
                                 .depth = depth,
                                 .a = a,
                                 .a_row = shape->kind == FIRST_TRANSPOSED ? 1 : depth,
                                 .a_depth = shape->kind == FIRST_TRANSPOSED ? rows : 1,
                                 .b = b,
                                 .b_stride = columns,
                                 .b_group = NN_LANES,
                                 .c = c,
                                 .c_stride = columns,
                                 .from_c = shape->kind == FIRST_TRANSPOSED};
    if (shape->kind == SECOND_TRANSPOSED)
        kernels->pack_transposed(b, depth, depth, columns, 1, self->packed);
    if (shape->kind == SECOND_TRANSPOSED || packed_once(shape)) {
        product.b = self->packed;
        product.b_stride = NN_LANES;
        product.b_group = NN_LANES * depth;
    }
    kernels->multiply(&product);
}

static void prepare_ours(struct contender *self, const struct shape *shape, const float *b)
{
    if (packed_once(shape))
        nn_kernels((int)isa_current())->pack(b, shape->columns, shape->depth, shape->columns, 1, self->packed);
}

static double seconds_of(struct contender *self, const struct shape *shape, float *const matrix[3], long turns)
{
    const double start = clock_cpu();
    for (long i = 0; i < turns; i++)
        self->multiply(self, shape, matrix[0], matrix[1], matrix[2]);
    return (clock_cpu() - start) / (double)turns;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double rate(struct contender *self, const struct shape *shape, float *const matrix[3], double seconds)
{
    double second[STRETCHES];
    const long turns = 1 + (long)(seconds / STRETCHES / seconds_of(self, shape, matrix, 3));
    for (int i = 0; i < STRETCHES; i++)
        second[i] = seconds_of(self, shape, matrix, turns);
    qsort(second, STRETCHES, sizeof *second, ascending);
    return 2.0 * (double)(shape->rows * shape->columns * shape->depth) / second[STRETCHES / 2] * 1e-9;
}

// One product from zero against sums in double, at elements spread over the whole.
static bool right(struct contender *self, const struct shape *shape, float *const matrix[3])
{
    const float *a = matrix[0], *b = matrix[1], *c = matrix[2];
    const long count = shape->rows * shape->columns, stride = count > 1000 ? count / 997 : 1;
    memset(matrix[2], 0, (size_t)count * sizeof *c);
    self->multiply(self, shape, a, b, matrix[2]);
    for (long i = 0; i < count; i += stride) {
        const long row = i / shape->columns, column = i % shape->columns;
        double sum = 0;
        for (long k = 0; k < shape->depth; k++)
            sum += (double)(shape->kind == FIRST_TRANSPOSED ? a[k * shape->rows + row] : a[row * shape->depth + k]) *
                   (double)(shape->kind == SECOND_TRANSPOSED ? b[column * shape->depth + k]
                                                             : b[k * shape->columns + column]);
        if (!(fabs(sum - (double)c[i]) < 1e-5 * (double)shape->depth))
            return false;
    }
    return true;
}

static int run(struct contender *self, float *const matrix[3], double seconds)
{
    for (long i = 0; i < LARGEST; i++)
        for (int m = 0; m < 2; m++)
            matrix[m][i] = (float)((i * (7 + 4 * m)) % 31 - 15) / 16;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *shape = &shapes[i];
        if (self->prepare)
            self->prepare(self, shape, matrix[1]);
        if (!right(self, shape, matrix)) {
            fprintf(stderr, "bench_products: %s gets %s %s wrong\n", self->name, shape->size, shape->name);
            return 1;
        }
        printf("%s %s %ld %ld %ld %.3f\n", shape->size, shape->name, shape->rows, shape->columns, shape->depth,
               rate(self, shape, matrix, seconds));
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct contender self = {.name = argc > 1 ? argv[1] : ""};
    float *memory = aligned_alloc(64, 4 * LARGEST * sizeof *memory);
    float *const matrix[3] = {memory, memory + LARGEST, memory + 2 * LARGEST};
    if (!memory)
        return 1;
    self.packed = memory + 3 * LARGEST;
    if (strcmp(self.name, "lgsweep") == 0) {
        self.multiply = multiply_ours;
        self.prepare = prepare_ours;
    } else if (!rival_load(&self)) {
        return 2;
    }
    const int code = run(&self, matrix, argc > 2 ? atof(argv[2]) : 0.1);
    free(memory);
    return code;
}
