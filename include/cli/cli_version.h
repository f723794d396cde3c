// SPDX-License-Identifier: MIT
#pragma once

// The program's version, numerics, instruction set, and every linked library's version, to stdout.
void cli_print_version(void);
// The program's version and a build id that differs between builds of other sources or flags: ranks compare it.
const char *cli_build_id(void);
