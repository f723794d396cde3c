// SPDX-License-Identifier: MIT
#include "store_owner.h"
#include "base_clock.h"
#include "base_hash.h"
#include "store_path.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

// The start of a process in clock ticks since boot: field 22 of /proc/PID/stat, counted behind the name in brackets.
// 0 when it cannot be told; -1 for a dead process that nobody has waited for (state Z or X, field 3).
static int64_t process_start(int64_t process)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (size <= 0)
        return 0;
    text[size] = '\0';
    const char *at = strrchr(text, ')');
    if (at && at[1] == ' ' && (at[2] == 'Z' || at[2] == 'X'))
        return -1;
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoll(at, NULL, 10) : 0;
}

static void host_name(char ret_host[STORE_OWNER_TEXT])
{
    if (gethostname(ret_host, STORE_OWNER_TEXT) != 0)
        strcpy(ret_host, "unknown");
    ret_host[STORE_OWNER_TEXT - 1] = '\0';
}

static void machine_name(char ret_machine[STORE_MACHINE_SIZE])
{
    char boot[40] = "", space[STORE_MACHINE_SIZE - sizeof boot] = "";
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, boot, sizeof boot - 1) <= 0)
        boot[0] = '\0';
    if (fd >= 0)
        close(fd);
    if (readlink("/proc/self/ns/pid", space, sizeof space - 1) < 0)
        space[0] = '\0';
    snprintf(ret_machine, STORE_MACHINE_SIZE, "%.*s %s", (int)strcspn(boot, "\n"), boot, space);
}

static void new_token(char ret_token[STORE_TOKEN_SIZE])
{
    unsigned char seed[16];
    struct hash128 hash;
    if (getrandom(seed, sizeof seed, 0) == (ssize_t)sizeof seed) {
        hash = hash_128(seed, sizeof seed);
    } else {
        double facts[3] = {clock_wall(), clock_now(), (double)getpid()};
        hash = hash_128(facts, sizeof facts);
    }
    hash_text(hash, ret_token);
}

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

void store_owner_self(struct store_owner *ret_owner)
{
    *ret_owner = (struct store_owner){.process = getpid(), .started = process_start(getpid())};
    host_name(ret_owner->host);
    machine_name(ret_owner->machine);
    store_path_time(clock_wall(), false, ret_owner->since);
    // A job id is a number; whatever else stands there is cut where it would break the line.
    const char *job = environment("SLURM_JOB_ID");
    snprintf(ret_owner->job, sizeof ret_owner->job, "%.*s", (int)strcspn(job, "\r\n"), job);
    ret_owner->restarts = strtoll(environment("SLURM_RESTART_COUNT"), NULL, 10);
    new_token(ret_owner->token);
}

size_t store_owner_format(const struct store_owner *owner, char ret_text[OWNER_TEXT_SIZE])
{
    int length = snprintf(ret_text, OWNER_TEXT_SIZE,
                          "lgsweep lock 1\nhost: %s\nmachine: %s\nprocess: %" PRId64 "\nstarted: %" PRId64
                          "\nsince: %s\njob: %s\n"
                          "restarts: %" PRId64 "\nheartbeat: %d\nbeat: %020" PRIu64 "\ntoken: %s\nend\n",
                          owner->host, owner->machine, owner->process, owner->started, owner->since, owner->job,
                          owner->restarts, owner->heartbeat, owner->beat, owner->token);
    return (size_t)length < OWNER_TEXT_SIZE ? (size_t)length : OWNER_TEXT_SIZE - 1;
}

// The value behind "key: " in some line of `text`, cut to `size`; false when there is none.
static bool find_text(const char *text, const char *key, char *ret_value, size_t size)
{
    size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) != 0 || strncmp(line + length, ": ", 2) != 0)
            continue;
        const char *value = line + length + 2;
        snprintf(ret_value, size, "%.*s", (int)strcspn(value, "\n"), value);
        return true;
    }
    return false;
}

static bool find_number(const char *text, const char *key, int64_t *ret_value)
{
    char value[32];
    if (!find_text(text, key, value, sizeof value))
        return false;
    *ret_value = strtoll(value, NULL, 10);
    return true;
}

static bool parse(const char *text, struct store_owner *owner)
{
    int64_t heartbeat = 0, beat = 0;
    bool whole = strstr(text, "\nend\n") && find_text(text, "host", owner->host, sizeof owner->host) &&
                 find_text(text, "machine", owner->machine, sizeof owner->machine) &&
                 find_number(text, "process", &owner->process) && find_number(text, "started", &owner->started) &&
                 find_text(text, "since", owner->since, sizeof owner->since) &&
                 find_text(text, "job", owner->job, sizeof owner->job) &&
                 find_number(text, "restarts", &owner->restarts) && find_number(text, "heartbeat", &heartbeat) &&
                 find_number(text, "beat", &beat) && find_text(text, "token", owner->token, sizeof owner->token);
    owner->heartbeat = heartbeat != 0;
    owner->beat = (uint64_t)beat;
    return whole;
}

bool store_owner_read(const char *lock_path, struct store_owner *ret_owner, bool *ret_missing)
{
    char text[OWNER_TEXT_SIZE];
    int fd = open(lock_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // it may be a pipe
    *ret_missing = fd < 0 && errno == ENOENT;
    ssize_t size = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (size <= 0)
        return false;
    text[size] = '\0';
    struct store_owner owner = {0};
    if (!parse(text, &owner))
        return false;
    *ret_owner = owner;
    return true;
}

bool store_owner_runs(int64_t process)
{
    if (process <= 0 || (kill((pid_t)process, 0) != 0 && errno == ESRCH))
        return false;
    return process_start(process) >= 0;
}

enum owner_life store_owner_life(const struct store_owner *owner)
{
    char host[STORE_OWNER_TEXT], machine[STORE_MACHINE_SIZE];
    host_name(host);
    machine_name(machine);
    if (strcmp(host, owner->host) != 0 || strcmp(machine, owner->machine) != 0)
        return OWNER_ELSEWHERE;
    if (!store_owner_runs(owner->process))
        return OWNER_DEAD;
    int64_t started = process_start(owner->process);
    return started == 0 || started == owner->started ? OWNER_ALIVE : OWNER_DEAD;
}

bool store_owner_requeued(const struct store_owner *owner)
{
    const char *job = environment("SLURM_JOB_ID");
    int64_t restarts = strtoll(environment("SLURM_RESTART_COUNT"), NULL, 10);
    return *job && strcmp(job, owner->job) == 0 && restarts > owner->restarts;
}
