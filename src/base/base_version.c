// SPDX-License-Identifier: MIT
#include "base_version.h"
#include <stdio.h>
#include <xxhash.h>

void base_version(char *ret_text, size_t size)
{
    unsigned hash = XXH_versionNumber();
    snprintf(ret_text, size, "xxHash %u.%u.%u", hash / 10000, hash / 100 % 100, hash % 100);
}
