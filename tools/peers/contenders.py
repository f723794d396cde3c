# SPDX-License-Identifier: MIT
"""Contenders of a race: processes that stay alive on one core and work in turn, when they are asked.

A contender prints "ready FIGURE" and then answers each line, a number of seconds, by its turns per second over that time; see
bench_answer in tools/bench_size.h. Processor and peak are measured right before each turn, so that what slows the core is seen.
"""
import os
import subprocess
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
BUILD, PEERS = ROOT / "build", ROOT / "tools" / "peers"
PYTHON = BUILD / "peers-venv" / "bin" / "python"
# One core, one thread, and every library free to choose its kernels.
CHOICES = "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "BLIS_ARCH_TYPE", "LGSWEEP_ISA"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in CHOICES}
ENVIRONMENT |= {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS")}
ON_CORE = ["taskset", "-c", str(max(os.sched_getaffinity(0)))]


def isas():
    """The instruction sets to time, the widest first."""
    flags = Path("/proc/cpuinfo").read_text().split("\n\n")[0].split()
    return [isa for isa, flag in (("avx512", "avx512vl"), ("avx2", "avx2")) if flag in flags] or ["plain"]


def number(*command):
    """What a program prints, NaN where it fails."""
    done = subprocess.run([*ON_CORE, *command], capture_output=True, text=True)
    return float(done.stdout) if done.returncode == 0 else float("nan")


class Contender:
    def __init__(self, name, command, isa=None):
        self.name, self.isa = name, isa or isas()[0]
        self.rates, self.probes, self.shares = [], [], []
        environment = ENVIRONMENT | ({"LGSWEEP_ISA": isa} if isa else {})
        self.process = subprocess.Popen([*ON_CORE, *map(str, command)], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        ready, _, figure = self.process.stdout.readline().partition(" ")
        if ready != "ready":
            raise SystemExit(f"bench: {name} does not start:\n{self.process.stderr.read()[-2000:]}")
        self.figure = float(figure)

    def run(self, seconds, flops=0):
        """`flops` of a turn, for the share of the peak."""
        self.probes.append(number(BUILD / "probe"))
        peak = number(BUILD / "peak", self.isa)
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        self.rates.append(float(self.process.stdout.readline()))
        self.shares.append(self.rates[-1] * flops / 1e9 / peak)

    def rate(self):
        return median(self.rates)

    def probe(self):
        return f"probe {median(self.probes):.2f} GHz ({min(self.probes):.2f} to {max(self.probes):.2f})"

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def ours(program, *arguments):
    """lgsweep with each instruction set."""
    return [Contender(f"lgsweep {isa}", [BUILD / "tools" / program, *arguments], isa) for isa in isas()]


def rounds(contenders, count, seconds, flops=0):
    for _ in range(count):
        for contender in contenders:
            contender.run(seconds, flops)
    for contender in contenders:
        contender.close()
