# SPDX-License-Identifier: MIT
"""Holds a store against the table of an independent program: see tools/compare."""
import csv
import sys
from pathlib import Path

import numpy as np
import xarray as xr

import compare_seeds

HERE = Path(__file__).resolve().parent
NUMBERS = ("mean", "standard_deviation", "seeds", "train_error")
ERRORS = 4          # allowed distance of a cell, in standard errors of the difference …
FLOOR = 0.01        # … or this, where that is larger
MEAN_LIMIT = 0.015  # boundary: allowed mean absolute difference over the cells
LEVEL = 0.25        # boundary: the error at which the exponent is measured
TABLES = {"boundary": "two_layer.csv", "lengths": "signal_two_layer.csv", "encoder": "signal_encoder.csv"}


def read_table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def selectors(row):
    """The row's coordinates, typed as the store has them."""
    typed = {}
    for name, text in row.items():
        if name not in NUMBERS:
            typed[name] = typed_value(text)
    return typed


def typed_value(text):
    if text in ("true", "false"):
        return int(text == "true")
    try:
        return float(text)
    except ValueError:
        return text


def by_setting(store, table):
    """A dimension that several settings share (zip) under the name of the one that the table has."""
    names = [name for name in table[0] if name in store.coords and name not in store.dims and store[name].ndim == 1]
    return store.swap_dims({store[name].dims[0]: name for name in names})


def replicates(variable, row):
    """The replicates of one cell of the cube, without those that are missing."""
    wanted = {name: value for name, value in selectors(row).items() if name in variable.dims}
    values = variable.sel(wanted).values.reshape(-1).astype(float)
    return values[~np.isnan(values)]


def compare_cells(store, table):
    """Prints a line for each cell; returns (differences, what is wrong)."""
    names = [name for name in table[0] if name not in NUMBERS]
    print(" ".join(f"{name:>12s}" for name in names) + "      ours    theirs  difference  std. error  train error")
    differences, faults = [], []
    for row in table:
        ours = replicates(store.final_test_error, row)
        train = replicates(store.final_train_error, row)
        cell = ", ".join(f"{name} {row[name]}" for name in names)
        if len(ours) < 10:
            faults.append(f"{cell}: {len(ours)} replicates, fewer than 10")
            continue
        difference = ours.mean() - float(row["mean"])
        error = np.sqrt(ours.var(ddof=1) / len(ours) + float(row["standard_deviation"])**2 / int(row["seeds"]))
        wrong = abs(difference) > max(ERRORS * error, FLOOR)
        print(" ".join(f"{row[name]:>12s}" for name in names) + f"  {ours.mean():8.4f}  {float(row['mean']):8.4f}  "
              f"{difference:+10.4f}  {error:10.4f}  {train.mean():11.4f}{'  <' if wrong else ''}")
        differences.append(difference)
        if wrong:
            faults.append(f"{cell}: off by {difference:+.4f}, {abs(difference) / error:.1f} standard errors")
    print(f"mean absolute difference {np.abs(differences).mean():.4f} over {len(differences)} cells")
    return differences, faults


def exponent(errors, samples, norms):
    """a of snr_norm ~ N^-a where the error is LEVEL; errors is (samples, norms). NaN if a row does not cross it."""
    crossing = []
    for row in errors:
        below = np.flatnonzero((row[:-1] >= LEVEL) & (row[1:] < LEVEL))
        if len(below) == 0:
            return np.nan
        i = below[0]
        share = (row[i] - LEVEL) / (row[i] - row[i + 1])
        crossing.append(np.log(norms[i]) + share * np.log(norms[i + 1] / norms[i]))
    return -np.polyfit(np.log(samples), crossing, 1)[0]


def compare_exponents(store, table, rng):
    """Prints both exponents with bootstrap intervals; returns what is wrong."""
    errors = store.final_test_error.squeeze().transpose("samples", "snr", "replicate")
    norms = np.sqrt(errors.snr.values / float(store.attrs["dim"]))
    samples = errors.samples.values
    ours = errors.values.astype(float)
    shape = ours.shape[:2]
    mean, deviation, seeds = (np.array([float(row[name]) for row in table]).reshape(shape) for name in NUMBERS[:3])
    resampled = [ours[:, :, rng.integers(ours.shape[2], size=ours.shape[2])].mean(2) for _ in range(2000)]
    redrawn = [rng.normal(mean, deviation / np.sqrt(seeds)) for _ in range(2000)]
    a = []
    for name, value, draws in (("ours", ours.mean(2), resampled), ("theirs", mean, redrawn)):
        spread = np.array([exponent(draw, samples, norms) for draw in draws])
        low, high = np.nanquantile(spread, [0.025, 0.975])
        a.append((exponent(value, samples, norms), np.nanstd(spread)))
        print(f"exponent a at error {LEVEL}: {name:7s}{a[-1][0]:.3f}  95 % interval {low:.3f} to {high:.3f}")
    (our_a, our_error), (their_a, their_error) = a
    within = abs(our_a - their_a) <= ERRORS * np.hypot(our_error, their_error)
    return [] if within else [f"the exponents differ by {our_a - their_a:+.3f}"]


def compare_means(kind, store_path):
    """Returns what is wrong."""
    table = read_table(HERE / TABLES[kind])
    with xr.open_dataset(store_path) as file:
        store = by_setting(file, table)
        differences, faults = compare_cells(store, table)
        if kind == "boundary":
            if not np.abs(differences).mean() <= MEAN_LIMIT:
                faults.append(f"the mean absolute difference is above {MEAN_LIMIT}")
            if float(store.final_train_error.max()) != 0:
                faults.append("some training error is not 0")
            faults += compare_exponents(store, table, np.random.default_rng(0))
    return faults


def main(kind, store_path):
    faults = compare_means(kind, store_path) if kind in TABLES else compare_seeds.compare(kind, store_path)
    for fault in faults:
        print(f"beyond the limits: {fault}")
    print("differs" if faults else "agrees")
    return 1 if faults else 0


if __name__ == "__main__":
    kinds = [*TABLES, *compare_seeds.KINDS]
    if len(sys.argv) != 3 or sys.argv[1] not in kinds:
        print(f"usage: tools/compare {'|'.join(kinds)} STORE.h5", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
