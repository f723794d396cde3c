// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>

// "libzip 1.7.3": the zip library, as linked.
void npz_version(char *ret_text, size_t size);
