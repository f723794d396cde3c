// SPDX-License-Identifier: MIT
// The child's birth and end.
#include "base_clock.h"
#include "trainer_private.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

extern char **environ;

static const double exit_patience = .5; // seconds for a child to leave by itself
enum { CHILD_SAFE = 10 };               // descriptors from here on collide with none of the child's

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void close_watched(const struct trainer *trainer, int *fd)
{
    if (*fd >= 0) // a process forked meanwhile may hold the pipe open, and it would go on being watched
        epoll_ctl(trainer->epoll, EPOLL_CTL_DEL, *fd, NULL);
    close_one(fd);
}

void close_pipes(struct trainer *trainer)
{
    close_one(&trainer->command);
    close_watched(trainer, &trainer->report);
    close_watched(trainer, &trainer->output);
}

// A launcher's variables would make the child, or a library in it, take itself for a rank.
static bool of_launcher(const char *variable)
{
    static const char *const prefixes[] = {"OMPI_", "PMIX_", "PMI_", "PMI2_", "ORTE_", "PRTE_", "OPAL_", "SLURM_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

// A new list of the variables that remain; NULL when memory is out.
static char **clean_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count] != NULL)
        count++;
    char **list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < count; i++)
        if (!of_launcher(environ[i]))
            list[kept++] = environ[i];
    return list;
}

struct child_ends {
    int command, report, output;
};

// The child's end of a channel moves to where it cannot collide with CHILD_IN and CHILD_OUT.
static int lift(int fd)
{
    int lifted = fcntl(fd, F_DUPFD_CLOEXEC, CHILD_SAFE);
    int error = errno;
    close(fd);
    errno = error;
    return lifted;
}

// Commands go through a socket, for it can be told not to raise SIGPIPE when the child is gone.
static bool open_channels(struct trainer *trainer, struct child_ends *ret_ends)
{
    int command[2] = {-1, -1}, report[2] = {-1, -1}, output[2] = {-1, -1};
    bool open = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, command) == 0 && pipe2(report, O_CLOEXEC) == 0 &&
                pipe2(output, O_CLOEXEC) == 0;
    trainer->command = command[0];
    trainer->report = report[0];
    trainer->output = output[0];
    *ret_ends = (struct child_ends){command[1] < 0 ? -1 : lift(command[1]), report[1] < 0 ? -1 : lift(report[1]),
                                    output[1] < 0 ? -1 : lift(output[1])};
    return open && ret_ends->command >= 0 && ret_ends->report >= 0 && ret_ends->output >= 0 &&
           fcntl(trainer->report, F_SETFL, O_NONBLOCK) == 0 && fcntl(trainer->output, F_SETFL, O_NONBLOCK) == 0;
}

static bool watch_channels(struct trainer *trainer)
{
    struct epoll_event report = {.events = EPOLLIN}, output = {.events = EPOLLIN};
    return epoll_ctl(trainer->epoll, EPOLL_CTL_ADD, trainer->report, &report) == 0 &&
           epoll_ctl(trainer->epoll, EPOLL_CTL_ADD, trainer->output, &output) == 0;
}

// The signals that ask a run to stop stay blocked until the child ignores them; a wrapper gets them as usual.
static int set_attributes(const struct trainer *trainer, posix_spawnattr_t *attributes)
{
    sigset_t mask, standard;
    sigemptyset(&mask);
    if (trainer->wrap == NULL) {
        static const int asking[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};
        for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
            sigaddset(&mask, asking[i]);
    }
    sigfillset(&standard);
    int error = posix_spawnattr_setsigmask(attributes, &mask);
    if (error == 0)
        error = posix_spawnattr_setsigdefault(attributes, &standard);
    if (error == 0)
        error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return error;
}

static int set_actions(const struct trainer *trainer, const struct child_ends *ends,
                       posix_spawn_file_actions_t *actions)
{
    int error = 0;
    if (trainer->wrap == NULL) {
        error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (error == 0)
            error = posix_spawn_file_actions_adddup2(actions, ends->output, STDOUT_FILENO);
        if (error == 0)
            error = posix_spawn_file_actions_adddup2(actions, ends->output, STDERR_FILENO);
    }
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(actions, ends->command, CHILD_IN);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(actions, ends->report, CHILD_OUT);
    if (error == 0)
        error = posix_spawn_file_actions_addclosefrom_np(actions, CHILD_OUT + 1);
    return error;
}

// The program by its open file, which works on when a new build has replaced it; by its name for a wrapper.
static int spawn(struct trainer *trainer, char *const *prefix, size_t prefix_count,
                 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char **variables)
{
    char program[4096] = "/proc/self/exe", parent[24];
    snprintf(parent, sizeof parent, "%ld", prefix_count > 0 ? 0L : (long)getpid());
    char **arguments = calloc(prefix_count + 4, sizeof *arguments);
    if (arguments == NULL)
        return ENOMEM;
    if (prefix_count > 0) {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        program[length > 0 ? length : 0] = '\0';
        memcpy(arguments, prefix, prefix_count * sizeof *arguments);
    }
    arguments[prefix_count] = prefix_count > 0 ? program : "lgsweep";
    arguments[prefix_count + 1] = "trainer";
    arguments[prefix_count + 2] = parent;
    int error = posix_spawnp(&trainer->pid, prefix_count > 0 ? arguments[0] : program, actions, attributes, arguments,
                             variables);
    if (error != 0)
        trainer->pid = 0;
    free(arguments);
    return error;
}

static int spawn_wrapped(struct trainer *trainer, const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes, char **variables)
{
    wordexp_t words;
    if (trainer->wrap == NULL)
        return spawn(trainer, NULL, 0, actions, attributes, variables);
    if (wordexp(trainer->wrap, &words, WRDE_NOCMD) != 0)
        return EINVAL;
    int error = spawn(trainer, words.we_wordv, words.we_wordc, actions, attributes, variables);
    wordfree(&words);
    return error;
}

static int spawn_with(struct trainer *trainer, const struct child_ends *ends, char **variables)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = set_actions(trainer, ends, &actions);
        if (error == 0)
            error = set_attributes(trainer, &attributes);
        if (error == 0)
            error = spawn_wrapped(trainer, &actions, &attributes, variables);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

enum status_code spawn_child(struct trainer *trainer, struct status *status)
{
    struct child_ends ends = {-1, -1, -1};
    char **variables = clean_environment();
    int error = 0;
    if (variables == NULL)
        error = ENOMEM;
    else if (!open_channels(trainer, &ends))
        error = errno;
    else
        error = spawn_with(trainer, &ends, variables);
    close_one(&ends.command);
    close_one(&ends.report);
    close_one(&ends.output);
    free(variables);
    if (error == 0 && !watch_channels(trainer)) {
        error = errno;
        reap_child(trainer, true);
    }
    if (error != 0) {
        close_pipes(trainer);
        return status_errno(status, error, "cannot start the trainer%s%s (--trainer inline does without)",
                            trainer->wrap != NULL ? " under " : "", trainer->wrap != NULL ? trainer->wrap : "");
    }
    trainer->ready = false;
    trainer->tail_size = 0;
    bytes_clear(&trainer->incoming);
    sched_getaffinity(0, sizeof trainer->affinity, &trainer->affinity);
    return STATUS_OK;
}

int reap_child(struct trainer *trainer, bool kill_it)
{
    int wait_status = 0;
    pid_t reaped = 0;
    double end = clock_now() + exit_patience;
    close_one(&trainer->command);
    while (trainer->pid > 0 && !kill_it && reaped == 0 && clock_now() < end) {
        reaped = waitpid(trainer->pid, &wait_status, WNOHANG);
        if (reaped == 0)
            clock_sleep(100e-6);
    }
    if (trainer->pid > 0 && reaped == 0) {
        kill(trainer->pid, SIGKILL);
        while (waitpid(trainer->pid, &wait_status, 0) < 0 && errno == EINTR)
            ;
    }
    trainer->pid = 0;
    bytes_clear(&trainer->outgoing);
    return wait_status;
}
