// SPDX-License-Identifier: MIT
#include "store_path.h"
#include "store_owner.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// As the kernel does. NAME_ADDED: the longest of ".lock.TOKEN", ".journal.new" and the hidden ".NAME.tmp-PID".
enum { LINKS_LIMIT = 40, NAME_LIMIT = 255, PATH_LIMIT = 4096, NAME_ADDED = 40 };

char *store_path_join(const char *path, const char *suffix)
{
    char *joined = malloc(strlen(path) + strlen(suffix) + 1);
    return joined ? strcat(strcpy(joined, path), suffix) : NULL;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *store_path_temporary(const char *store_path, int64_t process)
{
    char *path = NULL;
    const char *name = last_name(store_path);
    if (asprintf(&path, "%.*s.%s.tmp-%lld", (int)(name - store_path), store_path, name, (long long)process) < 0)
        return NULL;
    return path;
}

char *store_path_folder(const char *path)
{
    const char *name = last_name(path);
    if (name == path)
        return strdup(".");
    size_t length = name - path > 1 ? (size_t)(name - path - 1) : 1;
    return strndup(path, length);
}

// Where the link at `path` leads, from here; NULL when it is none, or memory is out.
static char *follow(const char *path)
{
    char text[PATH_LIMIT], *joined = NULL;
    ssize_t length = readlink(path, text, sizeof text - 1);
    if (length <= 0)
        return NULL;
    text[length] = '\0';
    if (text[0] == '/')
        return strdup(text);
    return asprintf(&joined, "%.*s%s", (int)(last_name(path) - path), path, text) < 0 ? NULL : joined;
}

char *store_path_target(const char *path)
{
    char *target = strdup(path);
    for (int links = 0; target && links < LINKS_LIMIT; links++) {
        char *next = follow(target);
        if (!next)
            break;
        free(target);
        target = next;
    }
    return target;
}

char *store_path_beside(const char *store_path, const char *suffix)
{
    char *target = store_path_target(store_path);
    char *joined = target ? store_path_join(target, suffix) : NULL;
    free(target);
    return joined;
}

enum status_code store_path_check(const char *store_path, struct status *status)
{
    struct stat facts;
    char *target = store_path_target(store_path);
    if (!target)
        return status_set(status, STATUS_MEMORY, "no memory for a path");
    size_t length = strlen(last_name(target)), whole = strlen(target);
    free(target);
    if (length == 0)
        return status_set(status, STATUS_INVALID, "'%s' names no file; choose a name for the store with -o",
                          store_path);
    if (length > NAME_LIMIT - NAME_ADDED)
        return status_set(status, STATUS_INVALID,
                          "the store's name has %zu bytes, and the names beside it would be too long; choose one of at "
                          "most %d with -o",
                          length, NAME_LIMIT - NAME_ADDED);
    if (whole >= PATH_LIMIT - NAME_ADDED)
        return status_set(status, STATUS_INVALID,
                          "the store's path has %zu bytes, and those beside it would be too long", whole);
    if (stat(store_path, &facts) == 0 && !S_ISREG(facts.st_mode))
        return status_set(status, STATUS_INVALID, "%s is %s; choose a file for the store with -o", store_path,
                          S_ISDIR(facts.st_mode) ? "a folder" : "no regular file");
    return STATUS_OK;
}

bool store_path_exists(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0;
}

static enum status_code sync_opened(const char *path, int flags, struct status *status)
{
    int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0)
        return store_path_errno(status, errno, "cannot open", path);
    int error = fsync(fd) != 0 ? errno : 0;
    close(fd);
    // Some file systems do not sync folders, and say so; their renames are durable or cannot be made so.
    if (error && !(flags & O_DIRECTORY && (error == EINVAL || error == ENOTSUP)))
        return store_path_errno(status, error, "cannot sync", path);
    return STATUS_OK;
}

enum status_code store_path_sync_file(const char *path, struct status *status)
{
    return sync_opened(path, O_RDONLY, status);
}

enum status_code store_path_sync_folder(const char *path, struct status *status)
{
    char *folder = store_path_folder(path);
    if (!folder)
        return status_set(status, STATUS_MEMORY, "no memory for a path");
    enum status_code code = sync_opened(folder, O_RDONLY | O_DIRECTORY, status);
    free(folder);
    return code;
}

static void remove_if_stale(int folder, const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
        return;
    char *end;
    long long process = strtoll(name + length, &end, 10);
    if (process <= 0 || *end || process == getpid())
        return;
    if (!store_owner_runs(process))
        unlinkat(folder, name, 0);
}

void store_path_remove_stale(const char *store_path)
{
    char *target = store_path_target(store_path), *prefix = NULL;
    char *folder = target ? store_path_folder(target) : NULL;
    DIR *names = folder ? opendir(folder) : NULL;
    if (names && asprintf(&prefix, ".%s.tmp-", last_name(target)) >= 0) {
        for (struct dirent *entry = readdir(names); entry; entry = readdir(names))
            remove_if_stale(dirfd(names), entry->d_name, prefix);
        free(prefix);
    }
    if (names)
        closedir(names);
    free(folder);
    free(target);
}

enum status_code store_path_errno(struct status *status, int error, const char *operation, const char *path)
{
    if (error == EFBIG)
        return status_set(status, STATUS_FULL, "%s %s: %s (a limit on the size of files: see ulimit -f)", operation,
                          path, strerror(error));
    enum status_code code = status_errno(status, error, "%s %s", operation, path);
    if (code == STATUS_FULL && status)
        status_set(status, code, "%s; free some space and run again: what is finished is safe", status->text);
    return code;
}

char *store_path_time(double seconds, bool utc, char ret_text[STORE_TIME_SIZE])
{
    time_t whole = (time_t)seconds;
    struct tm parts;
    if (utc ? !gmtime_r(&whole, &parts) : !localtime_r(&whole, &parts))
        memset(&parts, 0, sizeof parts);
    strftime(ret_text, STORE_TIME_SIZE, utc ? "%Y-%m-%dT%H:%M:%SZ" : "%Y-%m-%d %H:%M:%S", &parts);
    return ret_text;
}
