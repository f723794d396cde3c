# SPDX-License-Identifier: MIT
"""Races lgsweep's kernels against torch and jax on one core: see tools/bench.

Every contender is a process that answers a line with a number of seconds by its steps per second over that time. They run
one at a time, in turn, so that whatever slows the core meets all of them; the probe runs before each.
"""
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "build" / "peers-venv" / "bin" / "python"
PEERS = "torch", "torch.compile", "jax.jit"
ROUNDS, SECONDS = 7, 2.0
# One core, one thread, and numpy's BLAS free to choose its kernels.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
ENVIRONMENT |= {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}


class Contender:
    def __init__(self, name, command, core, environment=()):
        self.name, self.rates, self.probes = name, [], []
        self.process = subprocess.Popen(["taskset", "-c", core, *map(str, command)], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**ENVIRONMENT, **dict(environment)})

    def ready(self):
        return self.process.stdout.readline().strip() == "ready"

    def run(self, probe):
        self.probes.append(probe)
        self.process.stdin.write(f"{SECONDS}\n")
        self.process.stdin.flush()
        self.rates.append(float(self.process.stdout.readline()))

    def line(self):
        return (f"{self.name:16s} {median(self.rates):8.1f} steps/s  ({min(self.rates):.1f} to {max(self.rates):.1f})"
                f"  core {median(self.probes):.2f} GHz ({min(self.probes):.2f} to {max(self.probes):.2f})")


def isas():
    """The instruction sets to time: what this processor chooses, and AVX2 beside AVX-512."""
    flags = Path("/proc/cpuinfo").read_text().split("\n\n")[0].split()
    names = [isa for isa, flag in (("avx512", "avx512vl"), ("avx2", "avx2")) if flag in flags]
    return names or ["plain"]


def main(size):
    core = str(max(os.sched_getaffinity(0)))
    probe = ["taskset", "-c", core, ROOT / "build" / "probe"]
    ours = [Contender(f"lgsweep {isa}", [ROOT / "build" / f"bench_{size}"], core, {"LGSWEEP_ISA": isa}) for isa in isas()]
    peers = [Contender(name, [PYTHON, ROOT / "tools" / "peers" / f"{size}.py", name], core) for name in PEERS]
    for contender in ours + peers:
        if not contender.ready():
            print(f"bench: {contender.name} does not start", file=sys.stderr)
            return 1
    for _ in range(ROUNDS):
        for contender in ours + peers:
            contender.run(float(subprocess.run(probe, capture_output=True, text=True, check=True).stdout))
    for contender in ours + peers:
        contender.process.stdin.close()
        contender.process.wait()
        print(contender.line())
    best = max(median(peer.rates) for peer in peers)
    print(f"ratio {median(ours[0].rates) / best:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
