// SPDX-License-Identifier: MIT
// peak avx512|avx2: the GFLOP/s in single precision that this core reaches with nothing but fused multiply-adds in
// registers, the median of nine short stretches of its own processor time. What a kernel reaches is told as a share of
// it.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Twelve chains: more than the latency of an addition on two units needs.
enum { CHAINS = 12, TURNS = 400000, STRETCHES = 9 };

// One addition to each of registers 2 … 13.
#define TURN(width)                                                                                                    \
    ".irp chain, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13\n\t"                                                           \
    "vfmadd231ps %%" width "0, %%" width "1, %%" width "\\chain\n\t"                                                   \
    ".endr"
#define CLOBBERS "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13"

#ifdef __x86_64__
static void turn_avx512(void)
{
    __asm__ volatile("vzeroall" ::: "xmm0", "xmm1", CLOBBERS); // numbers of any other kind may take longer
    for (int i = 0; i < TURNS; i++)
        __asm__ volatile(TURN("zmm")::: CLOBBERS);
}

static void turn_avx2(void)
{
    __asm__ volatile("vzeroall" ::: "xmm0", "xmm1", CLOBBERS); // numbers of any other kind may take longer
    for (int i = 0; i < TURNS; i++)
        __asm__ volatile(TURN("ymm")::: CLOBBERS);
}
#endif

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double gflops(void (*turn)(void), int lanes)
{
    double second[STRETCHES];
    turn();
    for (int i = 0; i < STRETCHES; i++) {
        const double begin = seconds();
        turn();
        second[i] = seconds() - begin;
    }
    qsort(second, STRETCHES, sizeof *second, ascending);
    return 2.0 * lanes * CHAINS * TURNS / second[STRETCHES / 2] * 1e-9;
}

int main(int argc, char **argv)
{
    const char *isa = argc > 1 ? argv[1] : "";
#ifdef __x86_64__
    if (strcmp(isa, "avx512") == 0 && __builtin_cpu_supports("avx512f"))
        return printf("%.2f\n", gflops(turn_avx512, 16)) < 0;
    if (strcmp(isa, "avx2") == 0 && __builtin_cpu_supports("fma"))
        return printf("%.2f\n", gflops(turn_avx2, 8)) < 0;
#endif
    fprintf(stderr, "peak: this processor does not have '%s'; avx512 and avx2 are known\n", isa);
    return 1;
}
