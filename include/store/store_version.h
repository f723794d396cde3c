// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>

// "HDF5 1.10.8": the HDF5 library, as linked.
void store_version(char *ret_text, size_t size);
