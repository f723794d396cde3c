# SPDX-License-Identifier: MIT
"""A run that is asked to stop keeps what it has and says that it can go on."""
import os
import signal
import time
from pathlib import Path

from harness import SMALL, claim, descendants, lgsweep, main, processes, processor_seconds, same, start, status, stop, until, write

# Some trials that are over at once, and some that would take minutes.
SLOW = SMALL.replace("steps: 30", "steps: 30000000")
MIXED = SMALL.replace("  snr:", "  steps: [30, 30000000]\n  snr:")
SIGNALS = [(name,) for name in ("TERM", "INT", "HUP", "USR1", "USR2")]


def journal_grows():
    journal = Path("s.h5.journal")
    return journal.exists() and journal.stat().st_size > 4000


def check_resumable():
    """What was done stays done, and the rest can be run: here with fewer steps in a fresh store, compared trial by trial."""
    kept = status("s.h5", code=None)["done"]
    assert kept >= 1, kept
    lgsweep("plan", "s.yaml", "-o", "s.h5")


@claim("SIG{} to the program: stopped within 2 s, exit code 75, nothing lost", SIGNALS)
def stops_alone(name):
    run = start("run", write("s.yaml", MIXED), "-o", "s.h5")
    try:
        until(journal_grows, 30, "results in the journal")
        begin = time.monotonic()
        os.kill(run.pid, getattr(signal, f"SIG{name}"))
        assert run.wait(10) == 75, f"exit code {run.returncode}"
        assert time.monotonic() - begin < 2
    finally:
        stop(run)
    check_resumable()


@claim("SIG{} to mpirun: every process is gone within 4 s, nothing lost", SIGNALS)
def stops_under_mpirun(name):
    run = start("run", write("s.yaml", MIXED), "-o", "s.h5", ranks=2)
    try:
        until(journal_grows, 30, "results in the journal")
        below = processes(run)
        begin = time.monotonic()
        os.kill(run.pid, getattr(signal, f"SIG{name}"))
        assert run.wait(10) != 0
        pids = [pid for role in below.values() for pid in role]
        until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids), 4, "the end of all processes")
        assert time.monotonic() - begin < 5
    finally:
        stop(run)
    check_resumable()


@claim("SIGUSR1 to the coordinator alone: mpirun exits 75")
def coordinator_alone():
    run = start("run", write("s.yaml", MIXED), "-o", "s.h5", ranks=2)
    try:
        until(journal_grows, 30, "results in the journal")
        os.kill(processes(run)["coordinator"][0], signal.SIGUSR1)
        assert run.wait(10) == 75, f"exit code {run.returncode}"
    finally:
        stop(run)
    check_resumable()


@claim("a stopped run goes on where it was, to the store of an undisturbed one")
def goes_on():
    slow_enough = SMALL.replace("steps: 30", "steps: 3000").replace("[1, 16]", "[1, 2, 4, 8, 16, 32, 64, 128]")
    run = start("run", write("s.yaml", slow_enough), "-o", "s.h5")
    try:
        until(journal_grows, 30, "results in the journal")
        os.kill(run.pid, signal.SIGTERM)
        assert run.wait(10) in (0, 75)
    finally:
        stop(run)
    lgsweep("run", "s.yaml", "-o", "s.h5")
    lgsweep("run", "s.yaml", "-o", "undisturbed.h5")
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
    sweep = write("s.yaml", MIXED.replace("[1, 16]", "16").replace("[none, rope]", "none").replace("replicates: 2", "replicates: 1")
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
    lgsweep("run", sweep, "-o", "s.h5", "--retry-failed", "--time-limit", "2", code=75)


if __name__ == "__main__":
    main()
