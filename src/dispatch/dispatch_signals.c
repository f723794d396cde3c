// SPDX-License-Identifier: MIT
#include "dispatch_signals.h"
#include "base_clock.h"
#include <errno.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const double grace = .25; // seconds: one request may come as two signals, from a launcher and from a terminal

// A blocked signal comes even where it is ignored, so those that nohup or a shell has put aside are left out.
static void fill_asking(sigset_t *ret_set)
{
    static const int asking[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};
    struct sigaction action;
    sigemptyset(ret_set);
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
        if (sigaction(asking[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(ret_set, asking[i]);
}

enum status_code dispatch_signals_open(struct dispatch_signals *ret_signals, struct status *status)
{
    struct dispatch_signals signals = {.fd = -1};
    sigset_t asking;
    fill_asking(&asking);
    signals.fd = signalfd(-1, &asking, SFD_NONBLOCK | SFD_CLOEXEC);
    if (signals.fd < 0)
        return status_errno(status, errno, "cannot watch for signals");
    sigprocmask(SIG_BLOCK, &asking, &signals.before);
    *ret_signals = signals;
    return STATUS_OK;
}

int dispatch_signals_asked(struct dispatch_signals *signals)
{
    struct signalfd_siginfo information;
    while (read(signals->fd, &information, sizeof information) == sizeof information) {
        double now = clock_now();
        if (signals->asked == 0)
            signals->first = now;
        if (signals->asked == 0 || now > signals->first + grace)
            signals->asked++;
    }
    return signals->asked < 2 ? signals->asked : 2;
}

void dispatch_signals_close(struct dispatch_signals *signals)
{
    if (signals->fd < 0)
        return;
    dispatch_signals_asked(signals); // one that came too late must not end this process now
    close(signals->fd);
    signals->fd = -1;
    sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

enum status_code dispatch_follow_parent(int parent, struct status *status)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return status_errno(status, errno, "cannot follow the launcher's end");
    if (getppid() != parent) // it ended before the request
        return status_set(status, STATUS_STOPPED, "the launcher has ended");
    return STATUS_OK;
}
