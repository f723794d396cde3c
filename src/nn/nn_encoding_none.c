// SPDX-License-Identifier: MIT
// No positions (NoPE): the model does not see the order of its tokens.
#include "nn_two_layer.h"

const struct nn_encoding nn_encoding_none = {.name = "none"};
