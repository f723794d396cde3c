// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>

// "Open MPI 4.1.4": the MPI library, as linked. May be called without comm_open.
void comm_version(char *ret_text, size_t size);
