# SPDX-License-Identifier: MIT
"""kill -9 of a random process of a run (mpirun, coordinator, worker, trainer), a rerun at once, and so on; at the end the store
is that of an undisturbed run.

    .venv/bin/python tests/e2e/kill_and_resume.py [--rounds K] [--seed S]     4 rounds of the quickstart with one replicate
    .venv/bin/python tests/e2e/kill_and_resume.py --long                      50 rounds of the whole quickstart
"""
import os
import random
import signal
import sys
import time
from pathlib import Path

import h5py

from harness import LONG, claim, journal_results, lgsweep, main, processes, quickstart, same, start, stop, until


def option(name, default):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


ROUNDS, SEED = option("--rounds", 50 if LONG else 4), option("--seed", int(time.time()))


def published(store):
    """Identities in the published file."""
    if not Path(store).exists():
        return []
    with h5py.File(store) as file:
        return [str(identity) for identity in file["trials/identity"].asstr()[:]]


def acknowledged(store):
    """Identities with a result on disk: first the journal, for a publication may empty it in between."""
    journal = [identity[7::-1].hex() + identity[:7:-1].hex() for identity in journal_results(store)]
    return set(journal) | set(published(store))


def gone(pids):
    return lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids)


class Attempt:
    """One run, until it is over or a process of it was killed."""

    def __init__(self, sweep, store):
        self.store = store
        self.run = start("run", sweep, "-o", store, ranks=3)

    def over(self):
        return self.run.poll() is not None

    def wait(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.over():
            time.sleep(0.01)

    def kill(self, role):
        """Kills one process of the role; True if the whole run ends by it, which it does but for a trainer."""
        roles = processes(self.run)
        if not roles[role]:
            return False
        os.kill(random.choice(roles[role]), signal.SIGKILL)
        if role == "trainer":
            return False
        self.run.wait(10)
        until(gone([pid for pids in roles.values() for pid in pids]), 10, f"the end of the run after the {role} was killed")
        return True


def disturbed_run(sweep, store, kills):
    """Runs to the end with the given kills on the way; returns those that were left over."""
    attempt = Attempt(sweep, store)
    try:
        while kills and not attempt.over():
            attempt.wait(random.uniform(0.3, 2.5))
            before = acknowledged(store)
            if attempt.over():
                break
            ended = attempt.kill(kills.pop())
            lost = before - acknowledged(store)
            assert not lost, f"lost: {lost}"
            if ended:
                attempt = Attempt(sweep, store)
        assert attempt.run.wait(600) == 0, Path("output").read_text()[-2000:]
    finally:
        stop(attempt.run)
    identities = published(store)
    assert len(identities) == len(set(identities)), "a trial is there twice"
    return kills


@claim(f"after {ROUNDS} kills of mpirun, coordinator, worker or trainer the store is that of an undisturbed run (seed {SEED})")
def survives():
    random.seed(SEED)
    sweep = quickstart()
    lgsweep("run", sweep, "-o", "undisturbed.h5", ranks=2)
    kills = [random.choice(["mpirun", "coordinator", "worker", "trainer"]) for _ in range(ROUNDS)]
    while kills:
        store = f"disturbed-{len(kills)}.h5"
        kills = disturbed_run(sweep, store, kills)
        same("undisturbed.h5", store)
        assert len(published(store)) == len(published("undisturbed.h5"))


if __name__ == "__main__":
    main()
