// SPDX-License-Identifier: MIT
// Publications as child processes: `lgsweep publish STORE.h5 --token …`.
#include "base_clock.h"
#include "run.h"
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static enum status_code start(struct run *run, double now, struct status *status)
{
    struct run_publisher *publisher = &run->publisher;
    char *words[] = {"lgsweep",
                     "publish",
                     "--sweep",
                     (char *)publisher->sweep_path,
                     "--token",
                     (char *)store_token(run->store),
                     "--", // the path may begin with a dash
                     (char *)publisher->store_path,
                     NULL};
    int error = posix_spawn(&publisher->pid, "/proc/self/exe", NULL, NULL, words, environ);
    if (error) {
        publisher->pid = 0;
        return status_errno(status, error, "cannot start the publication of %s", publisher->store_path);
    }
    publisher->begun = now;
    store_publish_begun(run->store, now);
    return STATUS_OK;
}

// Notes the end of the child; false while it still runs.
static bool reap(struct run *run, bool wait, double now)
{
    int how = 0;
    pid_t pid;
    do
        pid = waitpid(run->publisher.pid, &how, wait ? 0 : WNOHANG);
    while (pid < 0 && errno == EINTR);
    if (pid == 0)
        return false;
    bool good = pid > 0 && WIFEXITED(how) && WEXITSTATUS(how) == 0;
    run->publisher.pid = 0;
    store_publish_ended(run->store, now, good);
    if (good)
        run->trouble = (struct status){0};
    else if (pid > 0 && WIFSIGNALED(how))
        status_set(&run->trouble, STATUS_SYSTEM, "the publication of %s ended by signal %d", run->publisher.store_path,
                   WTERMSIG(how));
    else
        status_set(
            &run->trouble, pid > 0 && WIFEXITED(how) && WEXITSTATUS(how) == EXIT_STOPPED ? STATUS_FULL : STATUS_SYSTEM,
            "the publication of %s failed; everything finished is safe in its journal", run->publisher.store_path);
    return true;
}

void run_publish_poll(struct run *run, double now)
{
    if (run->publisher.pid) {
        reap(run, false, now);
        return;
    }
    struct status status = {0};
    if (store_publish_due(run->store, now) && start(run, now, &status))
        run->trouble = status;
}

void run_publish_stop(struct run *run)
{
    if (!run->publisher.pid)
        return;
    kill(run->publisher.pid, SIGKILL);
    reap(run, true, clock_now());
}

// Waits for the child, unless it is asked to stop.
static enum status_code await(struct run *run, struct dispatch_signals *signals, struct status *status)
{
    for (;;) {
        if (dispatch_signals_asked(signals)) {
            run_publish_stop(run);
            return status_set(status, STATUS_STOPPED,
                              "stopped before %s was complete; nothing finished is lost; run the same command to go on",
                              run->publisher.store_path);
        }
        if (!run->publisher.pid || reap(run, false, clock_now()))
            return STATUS_OK;
        clock_sleep(1e-3);
    }
}

enum status_code run_publish_last(struct run *run, struct dispatch_signals *signals, struct status *status)
{
    enum status_code code = await(run, signals, status);
    if (code == STATUS_OK)
        code = store_sync(run->store, status);
    if (code == STATUS_OK)
        code = start(run, clock_now(), status);
    if (code == STATUS_OK)
        code = await(run, signals, status);
    if (code)
        return code;
    if (run->trouble.code) {
        *status = run->trouble;
        return status->code;
    }
    return store_finish(run->store, status);
}
