// SPDX-License-Identifier: MIT
// No positions (NoPE): without a causal mask the model does not see the order of its tokens.
#include "nn_encoding.h"

const struct nn_encoding nn_encoding_none = {.name = "none"};
