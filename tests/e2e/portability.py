# SPDX-License-Identifier: MIT
"""Golden bits of 50 training steps of each model and encoding (tests/nn/test_bits*.c): at both optimisations of both
compilers, with libm's variants masked, and on processors that are emulated: x86-64 with AVX2, and 64-bit ARM."""
import os
import shutil
import subprocess

from harness import LIBM_MASKED, ROOT, claim, main

UNITS = "test_nn_bits", "test_nn_bits_models"
CROSS = "--cross-file", ROOT / "tools" / "cross" / "aarch64.ini"


def built(folder, compiler=None, options=()):
    """The units of a build in `folder`, made where it is missing."""
    folder = ROOT / folder
    if not (folder / "build.ninja").exists():
        shutil.rmtree(folder, ignore_errors=True)
        run("meson", "setup", folder, ROOT, "-Dcore=true", *options, env={"CC": compiler} if compiler else {})
    run("ninja", "-C", folder, *(f"tests/{unit}" for unit in UNITS))
    return [folder / "tests" / unit for unit in UNITS]


def run(*command, env=None):
    done = subprocess.run(list(map(str, command)), env={**os.environ, **(env or {})}, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=1200)
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout[-3000:]}"


@claim("{} -O{}", [(compiler, level) for compiler in ("gcc", "clang") for level in (2, 3)])
def compiled(compiler, level):
    for unit in built(f"build-core-{compiler}-O{level}", compiler, [f"-Doptimization={level}"]):
        run(unit)


@claim("with libm's variants masked")
def masked():
    for unit in built("build-core-gcc-O2", "gcc", ["-Doptimization=2"]):
        run(unit, env=LIBM_MASKED)


@claim("an emulated x86-64 processor with AVX2")
def emulated():
    for unit in built("build-core-gcc-O2", "gcc", ["-Doptimization=2"]):
        run("qemu-x86_64", "-cpu", "max", unit, "avx2")


@claim("an emulated 64-bit ARM processor, with the core built for it")
def arm():
    for unit in built("build-core-aarch64", options=CROSS):
        run("qemu-aarch64", unit, "neon")


if __name__ == "__main__":
    main()
