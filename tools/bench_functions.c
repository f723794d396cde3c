// SPDX-License-Identifier: MIT
// bench_functions SECONDS: nanoseconds that exp and tanh take for 16 numbers in single precision with AVX-512, in
// lgsweep (base_simd.h, in line as the kernels have it) and in SLEEF (a call, as a library has it), a line each:
//   FUNCTION NANOSECONDS CONTENDER
#include "base_clock.h"
#include "base_simd.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1024, STRETCHES = 9 };

typedef simd vector_function(simd x);

struct contender {
    const char *function, *name;
    void (*run)(const float *x, float *y, vector_function *call);
    const char *symbol; // of SLEEF
};

static void run_exp(const float *x, float *y, vector_function *call)
{
    (void)call;
    for (int i = 0; i < COUNT; i += SIMD_WIDTH)
        simd_store(y + i, simd_exp(simd_load(x + i)));
}

static void run_tanh(const float *x, float *y, vector_function *call)
{
    (void)call;
    for (int i = 0; i < COUNT; i += SIMD_WIDTH)
        simd_store(y + i, simd_tanh(simd_load(x + i)));
}

static void run_call(const float *x, float *y, vector_function *call)
{
    for (int i = 0; i < COUNT; i += SIMD_WIDTH)
        simd_store(y + i, call(simd_load(x + i)));
}

static const struct contender contenders[] = {
    {"exp", "lgsweep", run_exp, NULL},
    {"exp", "SLEEF, 1.0 ulp", run_call, "Sleef_expf16_u10"},
    {"tanh", "lgsweep", run_tanh, NULL},
    {"tanh", "SLEEF, 1.0 ulp", run_call, "Sleef_tanhf16_u10"},
    {"tanh", "SLEEF, 3.5 ulp", run_call, "Sleef_tanhf16_u35"},
};

static double seconds_of(const struct contender *contender, vector_function *call, long turns)
{
    static float x[COUNT], y[COUNT];
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)(i - COUNT / 2) / 64;
    const double start = clock_cpu();
    for (long i = 0; i < turns; i++) {
        contender->run(x, y, call);
        __asm__ volatile("" ::"r"(y) : "memory"); // each turn's numbers are wanted
    }
    return (clock_cpu() - start) / (double)turns;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double nanoseconds(const struct contender *contender, vector_function *call, double seconds)
{
    double second[STRETCHES];
    const long turns = 1 + (long)(seconds / STRETCHES / seconds_of(contender, call, 100));
    for (int i = 0; i < STRETCHES; i++)
        second[i] = seconds_of(contender, call, turns);
    qsort(second, STRETCHES, sizeof *second, ascending);
    return second[STRETCHES / 2] * 1e9 * SIMD_WIDTH / COUNT;
}

int main(int argc, char **argv)
{
    void *sleef = dlopen("libsleef.so.3", RTLD_LAZY | RTLD_LOCAL);
    const double seconds = argc > 1 ? atof(argv[1]) : 0.2;
    for (size_t i = 0; i < sizeof contenders / sizeof *contenders; i++) {
        const struct contender *contender = &contenders[i];
        vector_function *call =
            sleef && contender->symbol ? (vector_function *)dlsym(sleef, contender->symbol) : (vector_function *)0;
        if (!contender->symbol || call)
            printf("%s %.3f %s\n", contender->function, nanoseconds(contender, call, seconds), contender->name);
    }
    return 0;
}
