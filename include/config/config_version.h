// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>

// "libyaml 0.2.5": the YAML library, as linked.
void config_version(char *ret_text, size_t size);
