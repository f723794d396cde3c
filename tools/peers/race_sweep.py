# SPDX-License-Identifier: MIT
"""Races whole sweeps: the grid of sweeps/bench/encodings.yaml in lgsweep and in sweep.py, on all cores, in both orders. Last
`ratio R`, torch's wall time over lgsweep's. What one process a setting would take is measured on a few settings.
"""
import os
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import h5py
import numpy as np

from contenders import BUILD, ENVIRONMENT, PEERS, PYTHON, ROOT
from sweep import ENCODINGS, LENGTHS, NOISE_RATES

CORES = len(os.sched_getaffinity(0))
SETTINGS = len(ENCODINGS) * len(NOISE_RATES) * len(LENGTHS)
ALONE = [("none", 0.1, 8), ("relative", 0.1, 64), ("absolute", 0.1, 16), ("rope", 0.1, 32)]


def seconds(*commands):
    """Wall time until all of them, started together, are done."""
    begin = time.perf_counter()
    running = [subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, env=ENVIRONMENT, cwd=ROOT)
               for command in commands]
    if any([process.wait() for process in running]):
        raise SystemExit("bench: a sweep failed")
    return time.perf_counter() - begin


def lgsweep(folder, number):
    store = folder / f"{number}.h5"
    return seconds([ROOT / "tools" / "mpi", CORES, BUILD / "lgsweep", "run", "--quiet", "sweeps/bench/encodings.yaml", "-o", store])


def torch(folder, number):
    return seconds([PYTHON, PEERS / "sweep.py", folder / f"{number}.npz"])


def alone(folder):
    """Mean wall time of a setting in a process of its own, with a process on each core."""
    groups = [ALONE[i:i + CORES] for i in range(0, len(ALONE), CORES)]
    spent = sum(seconds(*([PYTHON, PEERS / "sweep.py", folder / f"{name}.npz", name, noise, length] for name, noise, length in group))
                for group in groups)
    return spent / len(groups)


def show_errors(store, arrays):
    """Both programs' mean final test errors over noise rates: the same science, of other draws."""
    with h5py.File(store) as file:
        ours = np.nanmean(np.squeeze(file["final_test_error"][...]).reshape(len(ENCODINGS), len(NOISE_RATES), len(LENGTHS)), 1)
    print("mean test error at " + ", ".join(f"T = {length}" for length in LENGTHS) + ": lgsweep | torch")
    for row, encoding in zip(ours, ENCODINGS):
        theirs = np.mean([arrays[f"{encoding}/{noise}/final_test_error"] for noise in NOISE_RATES], 0)
        print(f"  {encoding:9s}" + " ".join(f"{x:.3f}" for x in row) + " | " + " ".join(f"{x:.3f}" for x in theirs))


def main():
    with TemporaryDirectory() as name:
        folder = Path(name)
        ours, theirs = [lgsweep(folder, 1)], [torch(folder, 1)]
        theirs.append(torch(folder, 2))
        ours.append(lgsweep(folder, 2))
        show_errors(folder / "1.h5", np.load(folder / "1.npz"))
        one = alone(folder)
    print(f"{SETTINGS} settings on {CORES} cores, whole commands, in the order lgsweep, torch, torch, lgsweep:")
    print("lgsweep " + ", ".join(f"{x:.1f} s" for x in ours) + "; torch " + ", ".join(f"{x:.1f} s" for x in theirs))
    whole = one * SETTINGS / CORES
    print(f"a process for each setting: {one:.1f} s (mean of {len(ALONE)}), so {whole:.0f} s for all, {whole / np.mean(theirs):.1f} "
          f"times the torch program and {whole / np.mean(ours):.1f} times lgsweep")
    print(f"ratio {np.sum(theirs) / np.sum(ours):.2f}")


if __name__ == "__main__":
    main()
