// SPDX-License-Identifier: MIT
#include "store_version.h"
#include "store_h5.h"
#include <stdio.h>

void store_version(char *ret_text, size_t size)
{
    unsigned major = 0, minor = 0, release = 0;
    store_h5_begin();
    H5get_libversion(&major, &minor, &release);
    snprintf(ret_text, size, "HDF5 %u.%u.%u", major, minor, release);
}
