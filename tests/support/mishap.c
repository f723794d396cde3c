// SPDX-License-Identifier: MIT
// Preloaded into lgsweep by tests/e2e/mishaps.py: the process dies, or the disk is full, at a given system call.
//
//   MISHAP="COMMAND CALL NUMBER DEED"
//
// COMMAND is the word behind the program's name (run, publish); NUMBER counts the process's calls of CALL from 1; DEED
// is before, half (of a write) or after, and the process is killed there; pause, and it sleeps for some seconds before
// the call; or an errno with which this call and all later ones fail. With MISHAP_LOG=FILE the calls are only listed
// there. Writes count where they go to regular files.
#undef _FILE_OFFSET_BITS // so that both names of a call can be defined
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool concerned(const char *command)
{
    char line[4096] = "";
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, line, sizeof line - 1) : 0;
    if (fd >= 0)
        close(fd);
    return size > 0 && strcmp(line + strlen(line) + 1, command) == 0;
}

enum deed { NOTHING, HALF, FAIL };
enum { PAUSE = 3 }; // seconds

static void list(const char *call)
{
    int fd = open(getenv("MISHAP_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd >= 0)
        dprintf(fd, "%s\n", call);
    if (fd >= 0)
        close(fd);
}

// Dies here, or says what is to be done; errno is set for FAIL.
static enum deed at(const char *call, bool over)
{
    static atomic_int calls[2];
    char command[16], name[16], deed[16];
    int number;
    const char *plan = getenv("MISHAP");
    if (!plan || sscanf(plan, "%15s %15s %d %15s", command, name, &number, deed) != 4 || !concerned(command))
        return NOTHING;
    if (getenv("MISHAP_LOG")) {
        if (!over)
            list(call);
        return NOTHING;
    }
    if (strcmp(name, call) != 0)
        return NOTHING;
    int count = ++calls[over];
    if (count >= number && deed[0] >= '0' && deed[0] <= '9' && !over) {
        errno = atoi(deed);
        return FAIL;
    }
    if (count != number)
        return NOTHING;
    if (strcmp(deed, over ? "after" : "before") == 0)
        raise(SIGKILL);
    if (strcmp(deed, "pause") == 0 && !over)
        sleep(PAUSE);
    return strcmp(deed, "half") == 0 && !over ? HALF : NOTHING;
}

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static bool is_file(int fd)
{
    struct stat facts;
    int error = errno;
    bool regular = fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
    errno = error;
    return regular;
}

typedef ssize_t write_at(int fd, const void *data, size_t size, off64_t offset);

static ssize_t write_with(write_at *call, int fd, const void *data, size_t size, off64_t offset)
{
    bool counts = is_file(fd);
    enum deed deed = counts ? at("write", false) : NOTHING;
    if (deed == FAIL)
        return -1;
    ssize_t result = call(fd, data, deed == HALF ? size / 2 : size, offset);
    if (deed == HALF)
        raise(SIGKILL);
    if (counts)
        at("write", true);
    return result;
}

static ssize_t plain_write(int fd, const void *data, size_t size, off64_t offset)
{
    ssize_t (*call)(int, const void *, size_t) = next("write");
    (void)offset;
    return call(fd, data, size);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    return write_with(next("pwrite64"), fd, data, size, offset);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    return write_with(next("pwrite64"), fd, data, size, offset);
}

ssize_t write(int fd, const void *data, size_t size)
{
    return write_with(plain_write, fd, data, size, 0);
}

#define AROUND(name, call)                                                                                             \
    if (at(name, false) == FAIL)                                                                                       \
        return -1;                                                                                                     \
    int result = (call);                                                                                               \
    at(name, true);                                                                                                    \
    return result

int fdatasync(int fd)
{
    int (*call)(int) = next("fdatasync");
    AROUND("fdatasync", call(fd));
}

int fsync(int fd)
{
    int (*call)(int) = next("fsync");
    AROUND("fsync", call(fd));
}

int ftruncate64(int fd, off64_t size)
{
    int (*call)(int, off64_t) = next("ftruncate64");
    AROUND("ftruncate", call(fd, size));
}

int rename(const char *from, const char *to)
{
    int (*call)(const char *, const char *) = next("rename");
    AROUND("rename", call(from, to));
}

int unlink(const char *path)
{
    int (*call)(const char *) = next("unlink");
    AROUND("unlink", call(path));
}
