// SPDX-License-Identifier: MIT
#include "nn_kernels.h"
#include "base_isa.h"
#include <assert.h>

extern const struct nn_kernels nn_kernels_plain, nn_kernels_avx2, nn_kernels_avx512, nn_kernels_neon;

const struct nn_kernels *nn_kernels(int isa)
{
#ifdef NN_DOUBLE
    static const struct nn_kernels *const table[ISA_COUNT] = {[ISA_PLAIN] = &nn_kernels_plain};
    isa = ISA_PLAIN;
#else
    static const struct nn_kernels *const table[ISA_COUNT] = ISA_VARIANTS(nn_kernels);
#endif
    assert(table[isa]);
    return table[isa];
}
