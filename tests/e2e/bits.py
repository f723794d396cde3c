# SPDX-License-Identifier: MIT
"""sweeps/tests/bits.yaml gives one digest: on every instruction set, with gcc and clang, with libm's variants masked."""
from pathlib import Path

from harness import LIBM_MASKED, ROOT, claim, lgsweep, main

GOLDEN = "a4a8fbcfc3d3380f7f627d3bce0b6b0e"
FLAGS = Path("/proc/cpuinfo").read_text().split("\n\n")[0].split()
ISAS = ["plain"] + [isa for isa, flag in (("avx2", "avx2"), ("avx512", "avx512vl")) if flag in FLAGS]
BUILDS = ("build", "build-clang")
ROWS = [(folder, isa, "") for folder in BUILDS for isa in ISAS] + [(folder, ISAS[-1], ", libm's variants masked") for folder in BUILDS]


@claim("{} with {} kernels{}: the golden digest", ROWS)
def golden(folder, isa, masked):
    program = ROOT / folder / "lgsweep"
    assert program.exists(), f"{folder} is not built: run tools/test clang first"
    lgsweep("run", ROOT / "sweeps" / "tests" / "bits.yaml", "-o", "bits.h5", ranks=2, program=program,
            env={"LGSWEEP_ISA": isa, **(LIBM_MASKED if masked else {})})
    digest = lgsweep("diff", "--digest", "bits.h5").stdout.split()[0]
    assert digest == GOLDEN, digest


@claim("stores of different instruction sets do not differ")
def no_difference():
    for isa in ISAS[-2:]:
        lgsweep("run", ROOT / "sweeps" / "tests" / "bits.yaml", "-o", f"{isa}.h5", ranks=2, env={"LGSWEEP_ISA": isa})
    lgsweep("diff", *(f"{isa}.h5" for isa in ISAS[-2:]))


if __name__ == "__main__":
    main()
