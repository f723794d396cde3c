// SPDX-License-Identifier: MIT
#include "comm_version.h"
#include <mpi.h>
#include <stdio.h>
#include <string.h>

void comm_version(char *ret_text, size_t size)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    snprintf(ret_text, size, "%.*s", (int)strcspn(text, ",\n"), text);
}
