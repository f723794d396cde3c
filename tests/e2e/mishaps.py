# SPDX-License-Identifier: MIT
"""A run, or its publication, dies or meets a full disk at any of its system calls; see tests/support/mishap.c.

    .venv/bin/python tests/e2e/mishaps.py            some of the writes of the publication
    .venv/bin/python tests/e2e/mishaps.py --long     every one
"""
import collections
import errno
import os
import shutil
from pathlib import Path

from harness import LONG, PROGRAM, SMALL, claim, journal_results, lgsweep, main, same, status, write

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


if __name__ == "__main__":
    main()
