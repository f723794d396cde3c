// SPDX-License-Identifier: MIT
// Which instruction set the kernels use. All give the same bits; the choice is one of speed alone.
#pragma once
#include "base_status.h"
#include <stdbool.h>

// An array's initialiser: the variants of a symbol that kernel files define as SIMD_NAME(name), see base_simd.h.
#if defined __x86_64__
#define ISA_VARIANTS(name)                                                                                             \
    {                                                                                                                  \
        [ISA_PLAIN] = &name##_plain, [ISA_AVX2] = &name##_avx2, [ISA_AVX512] = &name##_avx512                          \
    }
#elif defined __aarch64__
#define ISA_VARIANTS(name)                                                                                             \
    {                                                                                                                  \
        [ISA_PLAIN] = &name##_plain, [ISA_NEON] = &name##_neon                                                         \
    }
#else
#define ISA_VARIANTS(name)                                                                                             \
    {                                                                                                                  \
        [ISA_PLAIN] = &name##_plain                                                                                    \
    }
#endif

enum isa { ISA_PLAIN, ISA_AVX2, ISA_AVX512, ISA_NEON, ISA_COUNT };

// The choice for this process, made at its first call: LGSWEEP_ISA (plain, avx2, avx512, neon) where it is set,
// compiled in and supported by the processor, else the best that is.
enum isa isa_current(void);
bool isa_supported(enum isa isa); // compiled in, and the processor and the system can run it
const char *isa_name(enum isa isa);

// STATUS_INVALID when LGSWEEP_ISA is set to an unknown or unsupported name; called by every command first.
enum status_code isa_check(struct status *status) MUST_CHECK;
