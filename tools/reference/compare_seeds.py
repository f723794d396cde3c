# SPDX-License-Identifier: MIT
"""Holds accuracies in a store against a table with a row for each seed of an independent program: see tools/compare.

A cell is asserted where both sides spread little over their seeds (standard deviation at most SPREAD): then the means differ
by no more than ERRORS standard errors of the difference, or FLOOR. The other cells are shown.
"""
import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import xarray as xr

HERE = Path(__file__).resolve().parent
ERRORS, FLOOR, SPREAD, SEEDS = 4, 0.01, 0.03, 5


def of_state_tracking(row):
    tasks = {"parity": ("automaton", "parity"), "S3": ("automaton", "symmetric")}
    task, automaton = tasks.get(row["task"], (row["task"], None))
    chosen = {"task": task, "model": row["model"], "attention_noise": float(row["noise"]),
              "curriculum": "none" if row["curriculum"] == "none" else "schedule", "test_length": int(row["test_length"])}
    return chosen | ({"automaton": automaton} if automaton else {})


def of_addition(row):
    encodings = {"none": "none", "rope": "rope", "learned": "absolute"}
    name = row["variant"].removeprefix("random_").removesuffix("_hints")
    return {"encoding": encodings[name], "index_hints": 14 if row["variant"].endswith("_hints") else 0,
            "test_length": int(row["test_digits"])}


def of_chomsky(row):
    return {"automaton": row["task"], "model": row["model"]}


# name: table, columns that tell its cells apart, column of the accuracy, what they select in the store, its variable of errors
KINDS = {
    "state_tracking": ("state_tracking.csv", ("task", "model", "noise", "curriculum", "test_length"), "accuracy",
                       of_state_tracking, "final_test_error"),
    "addition": ("addition.csv", ("variant", "test_digits"), "exact_match", of_addition, "final_test_sequence_error"),
    "chomsky": ("chomsky_recurrent.csv", ("task", "model"), "accuracy", of_chomsky, "final_test_error"),
}


def by_cell(path, columns, value):
    """Cells in their order with the mean over what else differs, by seed; and a row of each."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    cells, example = defaultdict(lambda: defaultdict(list)), {}
    for row in rows:
        cell = tuple(row[name] for name in columns)
        cells[cell][row["seed"]].append(float(row[value]))
        example[cell] = row
    return {cell: np.array([np.mean(values) for values in seeds.values()]) for cell, seeds in cells.items()}, example


def chosen(store, variable, wanted):
    """Accuracy of each replicate where the coordinates are as wanted; dimensions not named are averaged over."""
    part = store[variable]
    for name, value in wanted.items():
        if name not in store.coords:
            if store.attrs.get(name) != value:
                return np.array([])
            continue
        (dimension,) = store[name].dims
        here = np.flatnonzero(part[name].values == value)
        if len(here) == 0:
            return np.array([])
        part = part.isel({dimension: here})
    values = part.stack(rest=[name for name in part.dims if name != "replicate"]).transpose("replicate", "rest").values
    values = values[:, ~np.isnan(values).all(axis=0)]
    return 1 - values.mean(axis=1) if values.size else np.array([])


def compare(kind, store_path):
    table, columns, value, select, variable = KINDS[kind]
    cells, example = by_cell(HERE / table, columns, value)
    asserted, faults = 0, []
    print(" ".join(f"{name:>18s}" for name in columns) + "     ours (deviation)   theirs (deviation)  difference    limit")
    with xr.open_dataset(store_path) as store:
        for cell, theirs in cells.items():
            ours = chosen(store, variable, select(example[cell]))
            if len(ours) < SEEDS or len(theirs) < SEEDS:
                faults.append(f"{' '.join(cell)}: {len(ours)} of our seeds and {len(theirs)} of theirs, fewer than {SEEDS}")
                continue
            difference, deviations = ours.mean() - theirs.mean(), (ours.std(ddof=1), theirs.std(ddof=1))
            limit = max(FLOOR, ERRORS * np.hypot(deviations[0] / np.sqrt(len(ours)), deviations[1] / np.sqrt(len(theirs))))
            held = max(deviations) <= SPREAD
            asserted += held
            wrong = held and abs(difference) > limit
            print(" ".join(f"{text:>18s}" for text in cell) + f"   {ours.mean():.4f} ({deviations[0]:.4f})    {theirs.mean():.4f} "
                  f"({deviations[1]:.4f})     {difference:+.4f}   {limit:.4f}{'' if held else '  shown'}{'  <' if wrong else ''}")
            if wrong:
                faults.append(f"{' '.join(cell)}: off by {difference:+.4f}, more than {limit:.4f}")
    print(f"{asserted} of {len(cells)} cells asserted")
    return faults + ([] if asserted else ["no cell has a small spread on both sides"])
