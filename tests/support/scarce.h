// SPDX-License-Identifier: MIT
// A process that may not map much more memory than it has, so that large allocations fail.
#pragma once
#include "support.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

// False where it cannot be arranged: sanitizers map terabytes.
static inline bool memory_is_scarce(size_t more, struct rlimit *ret_before)
{
#ifdef LGSWEEP_SANITIZE
    (void)more;
    (void)ret_before;
    return false;
#else
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1 || getrlimit(RLIMIT_AS, ret_before)) {
        if (file)
            fclose(file);
        return false;
    }
    fclose(file);
    struct rlimit limit = *ret_before;
    limit.rlim_cur = (rlim_t)(pages * sysconf(_SC_PAGESIZE)) + more;
    return !setrlimit(RLIMIT_AS, &limit);
#endif
}

static inline void memory_is_plenty(const struct rlimit *before)
{
    setrlimit(RLIMIT_AS, before);
}
