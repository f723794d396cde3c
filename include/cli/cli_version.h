// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>

// The program's version, numerics, instruction set, and every linked library's version, to stdout.
void cli_print_version(void);
// "Open MPI 4.1.4; HDF5 1.10.8; …"
void cli_libraries(char *ret_text, size_t size);
// A text that differs between builds of other sources or flags: ranks compare it.
enum { CLI_BUILD_SIZE = 80 };
void cli_build_id(char ret_text[CLI_BUILD_SIZE]);
