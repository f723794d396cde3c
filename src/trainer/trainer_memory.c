// SPDX-License-Identifier: MIT
// How much memory new trials can use, and how much there is in all: the machine, the control group and the process's
// own limit, whichever is least.
#include "trainer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// The number behind `name` at the start of a line of a file, or (name NULL) the file's first; NaN when there is none.
static double read_number(const char *path, const char *name)
{
    double value = NAN;
    char line[512];
    FILE *file = fopen(path, "re");
    while (file != NULL && isnan(value) && fgets(line, sizeof line, file) != NULL) {
        size_t length = name != NULL ? strlen(name) : 0;
        char *end = NULL;
        if (strncmp(line, name != NULL ? name : "", length) != 0)
            continue;
        unsigned long long number = strtoull(line + length, &end, 10);
        if (end != line + length)
            value = (double)number;
        else if (name == NULL)
            break;
    }
    if (file != NULL)
        fclose(file);
    return value;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

// What one control group leaves, or (usage NULL) what it has in all. Its file cache can be dropped, so that it counts
// as free.
static double group_rest(const char *folder, const char *limit, const char *usage, const char *cache)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, limit);
    double allowed = read_number(path, NULL);
    if (usage == NULL)
        return isnan(allowed) ? INFINITY : allowed;
    snprintf(path, sizeof path, "%s/%s", folder, usage);
    double used = read_number(path, NULL);
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    double cached = read_number(path, cache);
    if (isnan(allowed) || isnan(used))
        return INFINITY;
    return allowed - used + (isnan(cached) ? 0 : cached);
}

// The least of this process's control groups from its own up to the root. `prefix` marks its line in /proc/self/cgroup.
static double groups_rest(const char *prefix, const char *root, const char *limit, const char *usage, const char *cache)
{
    char line[512], folder[1100];
    double rest = INFINITY;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *path = strstr(line, prefix);
        if (path == NULL)
            continue;
        path += strlen(prefix);
        path[strcspn(path, "\n")] = '\0';
        for (char *end; (end = strrchr(path, '/')) != NULL; *end = '\0') {
            snprintf(folder, sizeof folder, "%s%s", root, path);
            rest = least(rest, group_rest(folder, limit, usage, cache));
        }
        rest = least(rest, group_rest(root, limit, usage, cache));
    }
    if (file != NULL)
        fclose(file);
    return rest;
}

static double process_rest(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return INFINITY;
    double used = read_number("/proc/self/statm", NULL) * (double)sysconf(_SC_PAGESIZE);
    return isnan(used) ? (double)limit.rlim_cur : (double)limit.rlim_cur - used;
}

double trainer_memory_available(void)
{
    double machine = read_number("/proc/meminfo", "MemAvailable:") * 1024;
    double rest = isnan(machine) ? INFINITY : machine;
    rest = least(rest, groups_rest("0::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"));
    rest = least(rest, groups_rest(":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                   "memory.usage_in_bytes", "total_inactive_file"));
    rest = least(rest, process_rest());
    return rest > 0 ? rest : 0;
}

double trainer_memory_machine(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    double all = pages > 0 && size > 0 ? (double)pages * (double)size : INFINITY;
    all = least(all, groups_rest("0::", "/sys/fs/cgroup", "memory.max", NULL, NULL));
    return least(all, groups_rest(":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", NULL, NULL));
}
