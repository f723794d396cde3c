// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>

// "xxHash 0.8.1": the libraries of this layer, as linked (Random123 is headers without a version).
void base_version(char *ret_text, size_t size);
