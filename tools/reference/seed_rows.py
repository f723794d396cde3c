# SPDX-License-Identifier: MIT
"""A CSV of results, a row for each setting, seed and test length, that grows as they come: what it has is not run again."""
import csv
from pathlib import Path


class SeedRows:
    """`keys` name the columns that tell rows apart; the columns `values` follow them."""

    def __init__(self, path, note, keys, values):
        self.path, self.keys, self.columns = Path(path), keys, [*keys, *values]
        if not self.path.exists():
            self.path.write_text(f"# {note}\n{','.join(self.columns)}\n")
        with open(self.path, newline="") as file:
            rows = csv.DictReader(line for line in file if not line.startswith("#"))
            if rows.fieldnames != self.columns:
                raise SystemExit(f"{path}: has the columns {rows.fieldnames}, not {self.columns}; name another file")
            self.known = {tuple(row[name] for name in keys) for row in rows}

    def key(self, row):
        return tuple(str(row[name]) for name in self.keys)

    def missing(self, rows):
        """Those of `rows` (keys are enough) that are not in the file."""
        return [row for row in rows if self.key(row) not in self.known]

    def append(self, rows):
        """Adds what is missing in one write; floats with four digits, None as nothing."""
        new = self.missing(rows)
        with open(self.path, "a") as file:
            file.write("".join(",".join(written(row[name]) for name in self.columns) + "\n" for row in new))
        self.known.update(map(self.key, new))


def written(value):
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def names(text):
    """The parts of a,b,c as an option's value."""
    return text.split(",")


def seeds(text):
    """0-4 or 3 as an option's value."""
    parts = text.split("-")
    return range(int(parts[0]), int(parts[-1]) + 1)
