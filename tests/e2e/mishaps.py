# SPDX-License-Identifier: MIT
"""A run, or its publication, dies or meets a full disk at any of its system calls; see tests/support/mishap.c.

    .venv/bin/python tests/e2e/mishaps.py            some of the writes of the publication
    .venv/bin/python tests/e2e/mishaps.py --long     every one
"""
import collections
import errno
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

from harness import (LONG, PROGRAM, SMALL, alive, claim, command, descendants, journal_results, lgsweep, main, same, start, status, stop,
                     until, write)

SHIM = PROGRAM.parent / "tests" / "libmishap.so"
STEPS = ["before", "after"]
WRITES = 500 if LONG else 12  # of a publication, spread over all


def mishap(plan, code, log=None):
    """A run with the mishap; how often it writes and syncs varies, so that it may be over before."""
    env = {"LD_PRELOAD": str(SHIM), "MISHAP": plan, **({"MISHAP_LOG": log} if log else {})}
    done = lgsweep("run", "s.yaml", "-o", "s.h5", env=env, code=None)
    assert done.returncode in (0, code), (plan, done.returncode, done.stderr)
    return done


def calls(command, sweep=SMALL):
    """How often the command makes each call in an undisturbed run."""
    Path("log").unlink(missing_ok=True)
    write("s.yaml", sweep)
    mishap(f"{command} none 1 before", 0, "log")
    return collections.Counter(Path("log").read_text().split())


def whole():
    write("s.yaml", SMALL)
    lgsweep("run", "s.yaml", "-o", "whole.h5")


def fresh():
    for name in os.listdir("."):
        if "s.h5" in name and name != "whole.h5":
            os.remove(name)


def resumes(plan):
    """What was safe is still there; the rerun ends with the same store and leaves nothing beside it."""
    before = set(journal_results("s.h5"))
    known = status("s.h5")["done"] if before or Path("s.h5").exists() else 0
    assert known >= len(before), plan
    text = lgsweep("run", "s.yaml", "-o", "s.h5").stderr
    assert not known or f"{known} done before" in text, (plan, text)
    same("whole.h5", "s.h5")
    assert sorted(os.listdir(".")) == ["log", "s.h5", "s.yaml", "whole.h5"], (plan, os.listdir("."))


def spread(count, most):
    return sorted({1 + i * (count - 1) // max(1, most - 1) for i in range(min(count, most))})


@claim("killed before, within or after any system call, a run goes on to the same store")
def dies():
    whole()
    for call, count in calls("run").items():
        for number in range(1, count + 1):
            for deed in STEPS + ["half"] * (call == "write"):
                fresh()
                mishap(f"run {call} {number} {deed}", -9)
                resumes(f"{call} {number} {deed}")


@claim("killed before, within or after any system call of the publication, it is published by the next run")
def publication_dies():
    whole()
    for call, count in calls("publish").items():
        for number in spread(count, WRITES):
            for deed in STEPS + ["half"] * (call == "write"):
                fresh()
                mishap(f"publish {call} {number} {deed}", 2)
                resumes(f"publish {call} {number} {deed}")


@claim("a disk that is full from any write of a run on: exit code 75, the path is named, nothing safe is lost")
def full():
    whole()
    for number in range(1, calls("run")["write"] + 1):
        fresh()
        done = mishap(f"run write {number} {errno.ENOSPC}", 75)
        assert not done.returncode or ("s.h5" in done.stderr and "space" in done.stderr), done.stderr
        resumes(f"write {number}")


@claim("a disk that is full from any write of the publication on: exit code 75, the older file stays, nothing is lost")
def publication_full():
    whole()
    shutil.copy("whole.h5", "s.h5")
    writes = calls("publish", SMALL.replace("[1, 16]", "[1, 16, 4]"))["write"]
    for number in spread(writes, WRITES):
        fresh()
        shutil.copy("whole.h5", "s.h5")
        done = mishap(f"publish write {number} {errno.ENOSPC}", 75)
        assert done.returncode and "s.h5" in done.stderr and "space" in done.stderr, done.stderr
        same("whole.h5", "s.h5")
        found = status("s.h5")
        assert found["done"] == found["planned"] > 0, found
        lgsweep("run", "s.yaml", "-o", "s.h5")
        assert status("s.h5")["journal_bytes"] == 0


@claim("an error of the disk while the journal is synced: the run ends, nothing safe is lost", [(errno.EIO,), (errno.EDQUOT,)])
def bad_disk(error):
    whole()
    for number in range(1, calls("run")["fdatasync"] + 1):
        fresh()
        done = mishap(f"run fdatasync {number} {error}", 75 if error == errno.EDQUOT else 2)
        assert not done.returncode or "s.h5.journal" in done.stderr, done.stderr
        resumes(f"fdatasync {number}")


# 64 trials of a tenth of a second: a first publication comes on the way.
LONGER = SMALL.replace("steps: 30", "steps: 40000").replace("[1, 16]", "[1, 2, 4, 8, 16, 32, 64, 128]")


def leftovers():
    return [name for name in os.listdir(".") if ".tmp-" in name]


@claim("a publication ends with the run that began it, and the next run, at once, has nothing to do with it")
def orphaned():
    os.environ.update(LD_PRELOAD=str(SHIM), MISHAP="publish rename 1 pause")
    run = start("run", write("s.yaml", LONGER), "-o", "s.h5")
    try:
        until(leftovers, 30, "a publication on the way")
        publisher = until(lambda: [pid for pid in descendants(run.pid) if b"publish" in Path(f"/proc/{pid}/cmdline").read_bytes()], 5,
                          "the publisher")
        run.kill()
        run.wait()
        until(lambda: not alive(publisher[0]), 1, "the end of the publisher")
    finally:
        stop(run)
        del os.environ["LD_PRELOAD"], os.environ["MISHAP"]
    known = status("s.h5")["done"]
    assert f"{known} done before" in lgsweep("run", "s.yaml", "-o", "s.h5").stderr
    assert not leftovers()
    lgsweep("run", "s.yaml", "-o", "whole.h5")
    same("whole.h5", "s.h5")


@claim("asked to stop while {0}, a run ends within 2 s, leaves no half file, and goes on to the same store",
       [("it trains and publishes", "[1, 2, 4, 8, 16, 32, 64, 128]"), ("it publishes at its end", "[1, 2, 4]")])
def stopped_publication(_, values):
    os.environ.update(LD_PRELOAD=str(SHIM), MISHAP="publish rename 1 pause")
    run = start("run", write("s.yaml", LONGER.replace("[1, 2, 4, 8, 16, 32, 64, 128]", values)), "-o", "s.h5")
    try:
        until(leftovers, 30, "a publication on the way")
        time.sleep(0.5)
        began = time.monotonic()
        os.kill(run.pid, signal.SIGTERM)
        assert run.wait(10) == 75, Path("output").read_text()
        assert time.monotonic() - began < 2
    finally:
        stop(run)
        del os.environ["LD_PRELOAD"], os.environ["MISHAP"]
    assert sorted(os.listdir(".")) == ["output", "s.h5.journal", "s.yaml"], os.listdir(".")
    lgsweep("run", "s.yaml", "-o", "s.h5")
    lgsweep("run", "s.yaml", "-o", "whole.h5")
    same("whole.h5", "s.h5")


def killed_run():
    """Leaves a journal, and the lock of a dead process; returns its token."""
    run = start("run", write("s.yaml", LONGER), "-o", "s.h5")
    try:
        until(lambda: len(journal_results("s.h5")) >= 10, 30, "results in the journal")
        run.kill()
    finally:
        stop(run)
    return re.search(r"^token: (\w+)$", Path("s.h5.lock").read_text(), re.M)[1]


@claim("a late publication of a killed run {0}", [("is refused once another run has begun", "fsync", 4),
                                                  ("that has begun to rename is waited for", "rename", 0)])
def late(_, call, code):
    token = killed_run()
    env = {**os.environ, "LD_PRELOAD": str(SHIM), "MISHAP": f"publish {call} 1 pause"}
    publisher = subprocess.Popen(command(["publish", "--token", token, "s.h5"]), env=env, stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: Path(f"/proc/{publisher.pid}/wchan").read_text().endswith("nanosleep"), 10, "the pause")
        began = time.monotonic()
        lgsweep("run", "s.yaml", "-o", "s.h5", "--time-limit", "1", code=75)
        waited = time.monotonic() - began > 2.5
        assert waited == (call == "rename"), time.monotonic() - began
        assert publisher.wait(10) == code, publisher.stderr.read()
    finally:
        stop(publisher)
    lgsweep("run", "s.yaml", "-o", "s.h5")
    lgsweep("run", "s.yaml", "-o", "whole.h5")
    same("whole.h5", "s.h5")
    assert not leftovers()


if __name__ == "__main__":
    main()
