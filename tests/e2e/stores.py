# SPDX-License-Identifier: MIT
"""What a finished store is good for: other programs read it, a run goes on from it, an extended sweep adds to it."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import xarray as xr

from harness import ROOT, SMALL, claim, lgsweep, main, same, status, write


def finished(text=SMALL, store="s.h5", **options):
    lgsweep("run", write("s.yaml", text), "-o", store, **options)
    return store


@claim("xarray opens a store without further arguments: engine {}", [("h5netcdf",), ("netcdf4",)])
def opens_in_xarray(engine):
    with xr.open_dataset(finished(), engine=engine) as cube:
        assert cube.test_error.dims == ("snr", "encoding", "replicate", "test_length", "eval"), cube.test_error.dims
        picked = cube.test_error.sel(encoding="rope", snr=16.0)
        assert picked.shape == (2, 2, 5) and not np.isnan(picked).any()
        assert list(cube["encoding"].values) == ["none", "rope"]
        assert cube.snr.dtype == np.float64 and list(cube.test_length.values) == [4, 16]
        assert cube.attrs["noise_rate"] == 0.2 and cube.attrs["samples"] == 10
    with xr.open_dataset("s.h5", engine=engine, group="trials") as trials:
        assert trials.sizes["trial"] == 8 + 8  # and the twins at noise rate 0


@claim("{} reads a store", [("ncdump",), ("h5dump",)])
def opens_elsewhere(program):
    listing = subprocess.run([program, "-h" if program == "ncdump" else "-H", finished()], capture_output=True, text=True)
    assert listing.returncode == 0 and not listing.stderr, listing.stderr
    assert "test_error" in listing.stdout and "trials" in listing.stdout


@claim("other programs find the same in a store: {}", [("a small cube",), ("an axis of train lengths",), ("no cube",)])
def checks_out(which):
    text = {"a small cube": SMALL,
            "an axis of train lengths": SMALL.replace("grid:", "grid:\n  train_length: [4, 6]").replace(", train_length: 4", ""),
            "no cube": (ROOT / "sweeps" / "tests" / "bits.yaml").read_text()}[which]
    done = subprocess.run([sys.executable, ROOT / "tests" / "store" / "check_store.py", finished(text)], capture_output=True, text=True)
    assert done.returncode == 0 and "not ok" not in done.stdout, done.stdout + done.stderr


TABLES = """\
sweep: tables
replicates: 2
task: {kind: automaton, automaton: table, outputs: [0, 1], samples: 12, train_length: 4, noise_rate: 0}
model: {kind: rnn, width: 8, layers: 1}
train: {steps: 4}
evaluate: {points: 2, test_samples: 200, validation_samples: 200}
grid:
  table:
    - [[0, 1], [1, 0]]
    - 0 0 1; 0  1   1
  width: [4, 8]
""".replace("width: 8, ", "")


@claim("a setting that is a text is an axis of strings: engine {}", [("h5netcdf",), ("netcdf4",)])
def texts_are_strings(engine):
    done = subprocess.run([sys.executable, ROOT / "tests" / "store" / "check_store.py", finished(TABLES)], capture_output=True, text=True)
    assert done.returncode == 0 and "not ok" not in done.stdout, done.stdout + done.stderr
    with xr.open_dataset("s.h5", engine=engine) as cube:
        assert list(cube.table.values) == ["0 1; 1 0", "0 0 1; 0 1 1"] and cube.attrs["outputs"] == "0 1"
        assert cube.test_error.sel(table="0 1; 1 0", width=4).shape == (2, 1, 2)
    with xr.open_dataset("s.h5", engine=engine, group="trials") as trials:
        assert sorted(set(trials.table.values)) == ["0 0 1; 0 1 1", "0 1; 1 0"]


@claim("an axis of texts grows, is picked by value, shown, compared and verified like any other")
def texts_everywhere():
    finished(TABLES)
    larger = TABLES.replace("  width", "    - [[1, 1, 0], [0, 1, 1]]\n  width")
    assert ", 4 to run" in lgsweep("run", write("s.yaml", larger), "-o", "s.h5").stderr
    finished(larger, "fresh.h5")
    same("s.h5", "fresh.h5")
    written = larger.replace("[[0, 1], [1, 0]]", "00 1.0;+1 0").replace("0 0 1; 0  1   1", "[0 0 1, 0 1 1]")
    assert " 0 to run" in lgsweep("run", write("other.yaml", written), "-o", "s.h5").stderr
    same("s.h5", "fresh.h5")
    picked = lgsweep("data", "s.yaml", "--select", "table=0 0 1;   0 1 1, width=4", "-n", "1").stdout
    assert "sample 0" in picked
    assert lgsweep("data", "s.yaml", "--select", "table=[[0, 0, 01], [0, 1.0, 1]],width=4", "-n", "1").stdout == picked
    told = lgsweep("data", "s.yaml", "--select", "table=1 1,width=4", code=2).stderr
    assert "no such value on axis table; table is one of 0 1; 1 0, 0 0 1; 0 1 1, 1 1 0; 0 1 1" in told, told
    assert "table=1 1 0; 0 1 1" in lgsweep("plan", "s.yaml", "-o", "none.h5", "--list", "20").stdout
    assert "0 0 1; 0 1 1" in lgsweep("show", "s.h5").stdout
    told = lgsweep("run", write("s.yaml", larger.replace("outputs: [0, 1]", "outputs: [1, 0]")), "-o", "s.h5", code=2).stderr
    assert "outputs is 0 1 there and 1 0 here" in told, told


@claim("without mpirun, on one rank and on two the store is the same")
def ranks_by_every_launcher():
    finished()
    for ranks in (1, 2):
        finished(store=f"{ranks}.h5", ranks=ranks)
        same("s.h5", f"{ranks}.h5")


@claim("a finished store runs nothing again, with or without its journal")
def runs_nothing_again():
    shutil.copy(finished(), "before.h5")
    for _ in range(2):
        Path("s.h5.journal").unlink(missing_ok=True)
        assert ", 0 to run" in lgsweep("run", "s.yaml", "-o", "s.h5").stderr
        same("before.h5", "s.h5")


@claim("new values of an axis, replicates and test lengths are added, and nothing else runs")
def extension_runs_what_is_new():
    finished()
    before = status("s.h5")["done"]
    larger = SMALL.replace("[1, 16]", "[16, 4, 1]").replace("replicates: 2", "replicates: 3").replace("4x]", "4x, 5]")
    finished(larger)
    assert status("s.h5")["done"] > before
    finished(larger, "fresh.h5")
    same("s.h5", "fresh.h5")


@claim("reordered values run nothing")
def reordering_runs_nothing():
    finished()
    reordered = write("r.yaml", SMALL.replace("[1, 16]", "[16, 1]"))
    assert ", 0 to run" in lgsweep("plan", reordered, "-o", "s.h5").stdout
    lgsweep("run", reordered, "-o", "s.h5")
    with xr.open_dataset("s.h5") as cube:
        assert sorted(cube.snr.values) == [1, 16]


@claim("diff finds a changed value: another seed")
def diff_finds_differences():
    finished()
    finished(SMALL.replace("seed: 3", "seed: 4"), "other.h5")
    lgsweep("diff", "s.h5", "other.h5", code=5)


@claim("a reader that holds the store open does not disturb a run, nor the run the reader")
def reader_and_writer():
    with xr.open_dataset(finished()) as cube:
        finished(SMALL.replace("[1, 16]", "[1, 16, 64]"))
        assert cube.test_error.shape[0] == 2 and not np.isnan(cube.test_error).any()
    with xr.open_dataset("s.h5") as cube:
        assert cube.test_error.shape[0] == 3


@claim("a folder with spaces, accents and bytes that are no text holds a store")
def odd_folder():
    folder = os.fsdecode("测试 é".encode() + b" \xff")
    Path(folder).mkdir()
    finished(store=f"{folder}/s.h5")
    assert "16 of 16 trials" in lgsweep("status", f"{folder}/s.h5").stdout


@claim("numbers are read and written alike in a locale with decimal commas")
def locale_free():
    finished()
    finished(store="comma.h5", env={"LC_ALL": "de_DE.UTF-8"})
    same("s.h5", "comma.h5")


@claim("show and status print the finished store, also with NO_COLOR to a file")
def shows():
    finished()
    for command in ("show", "status"):
        out = lgsweep(command, "s.h5", env={"NO_COLOR": "1"}).stdout
        assert out.strip() and "\x1b" not in out and "\r" not in out


if __name__ == "__main__":
    main()
