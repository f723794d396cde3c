# SPDX-License-Identifier: MIT
"""Races lgsweep's kernels against torch and jax on one core: see tools/bench.

The contenders run one at a time, in turn, for SECONDS each, so that whatever slows the core meets all of them; the probe
runs before each. Peers stay alive between their turns, since torch.compile takes long to start.
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
    def __init__(self, name):
        self.name, self.rates, self.probes = name, [], []

    def run(self, probe):
        self.probes.append(probe)
        self.rates.append(self.rate())

    def line(self):
        return (f"{self.name:16s} {median(self.rates):8.1f} steps/s  ({min(self.rates):.1f} to {max(self.rates):.1f})"
                f"  probe {median(self.probes):.2f} GHz ({min(self.probes):.2f} to {max(self.probes):.2f})")


class Ours(Contender):
    """bench_SIZE is a process each time; it prints `… steps/s R …`."""

    def __init__(self, size, isa, on_core):
        super().__init__(f"lgsweep {isa}")
        self.command = [*on_core, ROOT / "build" / "tools" / f"bench_{size}"]
        self.environment = ENVIRONMENT | {"LGSWEEP_ISA": isa, "SECS": str(SECONDS)}

    def rate(self):
        words = subprocess.run(self.command, capture_output=True, text=True, check=True, env=self.environment).stdout.split()
        return float(words[words.index("steps/s") + 1])

    def close(self):
        pass


class Peer(Contender):
    """A process that answers each line, a number of seconds, by its steps per second over that time."""

    def __init__(self, size, name, on_core):
        super().__init__(name)
        self.process = subprocess.Popen([*on_core, PYTHON, ROOT / "tools" / "peers" / f"{size}.py", name], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
        if self.process.stdout.readline().strip() != "ready":
            raise SystemExit(f"bench: {name} does not start:\n{self.process.stderr.read()[-2000:]}")

    def rate(self):
        self.process.stdin.write(f"{SECONDS}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def isas():
    """The instruction sets to time: what this processor chooses, and AVX2 beside AVX-512."""
    flags = Path("/proc/cpuinfo").read_text().split("\n\n")[0].split()
    names = [isa for isa, flag in (("avx512", "avx512vl"), ("avx2", "avx2")) if flag in flags]
    return names or ["plain"]


def main(size):
    on_core = ["taskset", "-c", str(max(os.sched_getaffinity(0)))]
    contenders = [Ours(size, isa, on_core) for isa in isas()] + [Peer(size, name, on_core) for name in PEERS]
    for _ in range(ROUNDS):
        for contender in contenders:
            probe = subprocess.run([*on_core, ROOT / "build" / "probe"], capture_output=True, text=True, check=True)
            contender.run(float(probe.stdout))
    for contender in contenders:
        contender.close()
        print(contender.line())
    best = max(median(one.rates) for one in contenders if isinstance(one, Peer))
    print(f"ratio {median(contenders[0].rates) / best:.2f}")


if __name__ == "__main__":
    main(sys.argv[1])
