# SPDX-License-Identifier: MIT
"""A run that is asked to stop keeps what it has and says that it can go on."""
import os
import signal
import time

from harness import (SMALL, claim, descendants, journal_results, lgsweep, main, processes, processor_seconds, same, start, status, stop,
                     until, write)

# 64 trials of some tenths of a second; and one kind that would take minutes beside one that is over at once.
MANY = SMALL.replace("steps: 30", "steps: 100000").replace("[1, 16]", "[1, 2, 4, 8, 16, 32, 64, 128]")
SLOW = SMALL.replace("steps: 30", "steps: 300000000")
SIGNALS = [(name,) for name in ("TERM", "INT", "HUP", "USR1", "USR2")]


def journal_grows():
    return len(journal_results("s.h5")) >= 3


def check_resumable(before):
    """What was on disk when the signal came is still there, and not all of it."""
    found = status("s.h5")
    assert before <= len(set(journal_results("s.h5"))) < found["planned"], (before, found)
    assert before <= found["done"] and not found["failed"] and not found["running"], found


@claim("SIG{} to the program: stopped within 5 s, exit code 75, nothing lost", SIGNALS)
def stops_alone(name):
    run = start("run", write("s.yaml", MANY), "-o", "s.h5")
    try:
        until(journal_grows, 30, "results in the journal")
        before, begin = len(journal_results("s.h5")), time.monotonic()
        os.kill(run.pid, getattr(signal, f"SIG{name}"))
        assert run.wait(10) == 75, f"exit code {run.returncode}"
        assert time.monotonic() - begin < 9
    finally:
        stop(run)
    check_resumable(before)


@claim("SIG{} to mpirun: every process is gone within 9 s, nothing lost", SIGNALS)
def stops_under_mpirun(name):
    run = start("run", write("s.yaml", MANY), "-o", "s.h5", ranks=2)
    try:
        until(journal_grows, 30, "results in the journal")
        before, below, begin = len(journal_results("s.h5")), processes(run), time.monotonic()
        os.kill(run.pid, getattr(signal, f"SIG{name}"))
        assert run.wait(10) != 0
        pids = [pid for role in below.values() for pid in role]
        until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids), 8, "the end of all processes")
        assert time.monotonic() - begin < 9
    finally:
        stop(run)
    check_resumable(before)


@claim("SIGUSR1 to the coordinator alone: mpirun exits 75")
def coordinator_alone():
    run = start("run", write("s.yaml", MANY), "-o", "s.h5", ranks=2)
    try:
        until(journal_grows, 30, "results in the journal")
        before = len(journal_results("s.h5"))
        os.kill(processes(run)["coordinator"][0], signal.SIGUSR1)
        assert run.wait(10) == 75, f"exit code {run.returncode}"
    finally:
        stop(run)
    check_resumable(before)


@claim("a stopped run goes on where it was, to the store of an undisturbed one")
def goes_on():
    run = start("run", write("s.yaml", MANY), "-o", "s.h5", ranks=2)
    try:
        until(journal_grows, 30, "results in the journal")
        os.kill(run.pid, signal.SIGTERM)
        run.wait(10)
    finally:
        stop(run)
    kept = len(journal_results("s.h5"))
    assert f", {kept} done before" in lgsweep("run", "s.yaml", "-o", "s.h5", ranks=2).stderr
    lgsweep("run", "s.yaml", "-o", "undisturbed.h5", ranks=2)
    same("s.h5", "undisturbed.h5")


@claim("two runs on one store: the second exits 4 and names host, process and start of the first")
def second_run_is_refused():
    run = start("run", write("s.yaml", SLOW), "-o", "s.h5")
    try:
        until(lambda: descendants(run.pid), 30, "a trainer")
        text = lgsweep("run", "s.yaml", "-o", "s.h5", code=4).stderr
        assert os.uname().nodename in text and str(run.pid) in text and time.strftime("%Y-%m-%d") in text, text
    finally:
        stop(run)


@claim("a trial whose trainer is killed three times fails alone, with the signal; --retry-failed tries it again")
def killed_trainer():
    sweep = write("s.yaml", SMALL.replace(", steps: 30", "").replace("  snr: [1, 16]", "  steps: [30, 300000000]").replace("[none, rope]", "none").replace("replicates: 2", "replicates: 1")
                  .replace("sweep: small", "sweep: small\ntwins: false"))
    run = start("run", sweep, "-o", "s.h5")
    try:
        for _ in range(3):
            until(lambda: any(processor_seconds(pid) > 0.3 for pid in descendants(run.pid)), 30, "a trainer at work")
            for pid in descendants(run.pid):
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.1)
        assert run.wait(20) == 3, f"exit code {run.returncode}"
    finally:
        stop(run)
    found = status("s.h5")
    assert found["done"] == 1 and found["failed"] == 1 and found["failures"][0]["attempts"] == 3, found
    assert "9" in found["failures"][0]["reason"] or "KILL" in found["failures"][0]["reason"].upper(), found
    lgsweep("run", sweep, "-o", "s.h5", code=3)
    again = lgsweep("run", sweep, "-o", "s.h5", "--retry-failed", "--time-limit", "2", code=2).stderr
    assert "1 to run" in again, again  # and the limit is too short for it


if __name__ == "__main__":
    main()
