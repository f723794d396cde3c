// SPDX-License-Identifier: MIT
#include "nn_two_layer.h"
#include <assert.h>

const struct nn_encoding *nn_encoding(int kind)
{
    static const struct nn_encoding *const table[] = {
        [ENCODING_NONE] = &nn_encoding_none,
        [ENCODING_SINUSOIDAL] = &nn_encoding_sinusoidal,
        [ENCODING_ABSOLUTE] = &nn_encoding_absolute,
        [ENCODING_RELATIVE] = &nn_encoding_relative,
        [ENCODING_ALIBI] = &nn_encoding_alibi,
        [ENCODING_ROPE] = &nn_encoding_rope,
        [ENCODING_FIRE] = NULL,
    };
    _Static_assert(sizeof table / sizeof table[0] == ENCODING_KINDS, "a row for each encoding of spec");
    assert(kind >= 0 && kind < ENCODING_KINDS && table[kind]);
    return table[kind];
}

const char *nn_encoding_name(int encoding)
{
    return nn_encoding(encoding)->name;
}
