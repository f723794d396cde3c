# SPDX-License-Identifier: MIT
"""The sweeps sweeps/tests/bits*.yaml give one digest each: on every instruction set, with gcc and clang, with libm's variants
masked."""
from pathlib import Path

from harness import LIBM_MASKED, ROOT, claim, lgsweep, main

GOLDEN = {"bits": "8687f71e60f29dd035e7b1aa3941558e", "bits_deep": "a05ce7d29c2be119f381933dd46b75c4"}
FLAGS = Path("/proc/cpuinfo").read_text().split("\n\n")[0].split()
ISAS = ["plain"] + [isa for isa, flag in (("avx2", "avx2"), ("avx512", "avx512vl")) if flag in FLAGS]
BUILDS = ("build", "build-clang")
KINDS = [(folder, isa, "") for folder in BUILDS for isa in ISAS] + [(folder, ISAS[-1], ", libm's variants masked") for folder in BUILDS]
ROWS = [(sweep, *kind) for sweep in GOLDEN for kind in KINDS]


@claim("{}: {} with {} kernels{}: the golden digest", ROWS)
def golden(sweep, folder, isa, masked):
    program = ROOT / folder / "lgsweep"
    assert program.exists(), f"{folder} is not built: run tools/test clang first"
    lgsweep("run", ROOT / "sweeps" / "tests" / f"{sweep}.yaml", "-o", "bits.h5", ranks=2, program=program,
            env={"LGSWEEP_ISA": isa, **(LIBM_MASKED if masked else {})})
    digest = lgsweep("diff", "--digest", "bits.h5").stdout.split()[0]
    assert digest == GOLDEN[sweep], digest


@claim("stores of different instruction sets do not differ")
def no_difference():
    for isa in ISAS[-2:]:
        lgsweep("run", ROOT / "sweeps" / "tests" / "bits.yaml", "-o", f"{isa}.h5", ranks=2, env={"LGSWEEP_ISA": isa})
    lgsweep("diff", *(f"{isa}.h5" for isa in ISAS[-2:]))


if __name__ == "__main__":
    main()
