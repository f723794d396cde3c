# SPDX-License-Identifier: MIT
"""What the coordinator costs while trials are trained, and that all cores train."""
import time

from harness import SMALL, claim, main, processes, processor_seconds, start, stop, until, write

SLOW = SMALL.replace("steps: 30", "steps: 300000000")
SECONDS = 20


def share_of_a_core(pids):
    """Each process's share over SECONDS."""
    before = [processor_seconds(pid) for pid in pids]
    time.sleep(SECONDS)
    return [(processor_seconds(pid) - was) / SECONDS for pid, was in zip(pids, before)]


@claim("over 20 s the coordinator and an idle worker take under 2 % of a core each, and both trainers train")
def waits_asleep():
    run = start("run", write("s.yaml", SLOW), "-o", "s.h5", ranks=2)
    try:
        until(lambda: len(processes(run)["trainer"]) >= 2, 30, "two trainers")
        time.sleep(2)
        roles = processes(run)
        ranks, trainers = roles["coordinator"] + roles["worker"], roles["trainer"]
        shares = share_of_a_core(ranks + trainers)
        print(f"  coordinator {shares[0]:.2%}, worker {shares[1]:.2%}, trainers " + " ".join(f"{s:.0%}" for s in shares[2:]))
        assert max(shares[:2]) < 0.02, shares
        assert all(share > 0.25 for share in shares[2:]) and len(shares) == 4, shares
    finally:
        stop(run)


if __name__ == "__main__":
    main()
