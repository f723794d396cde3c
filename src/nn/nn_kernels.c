// SPDX-License-Identifier: MIT
#include "nn_kernels.h"
#include "base_isa.h"
#include <assert.h>

extern const struct nn_kernels nn_kernels_plain, nn_kernels_avx2, nn_kernels_avx512;

const struct nn_kernels *nn_kernels(int isa)
{
    static const struct nn_kernels *const table[ISA_COUNT] = {
        [ISA_PLAIN] = &nn_kernels_plain,
#if defined __x86_64__ && !defined NN_DOUBLE
        [ISA_AVX2] = &nn_kernels_avx2,
        [ISA_AVX512] = &nn_kernels_avx512,
#endif
    };
#ifdef NN_DOUBLE
    isa = ISA_PLAIN;
#endif
    assert(table[isa]);
    return table[isa];
}
