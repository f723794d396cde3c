// SPDX-License-Identifier: MIT
#include "npz_version.h"
#include <stdio.h>
#include <zip.h>

void npz_version(char *ret_text, size_t size)
{
    snprintf(ret_text, size, "libzip %s", zip_libzip_version());
}
