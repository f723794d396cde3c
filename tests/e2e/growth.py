# SPDX-License-Identifier: MIT
"""A finished store and a sweep file that has changed: only what is new runs, and what was there stays bit for bit."""
from pathlib import Path

import h5py
import numpy

from harness import SMALL, claim, lgsweep, main, same, status, write

# 2 snr × 2 encodings × 2 replicates
CHANGES = [
    ("a value more on an axis", "[1, 16]", "[1, 16, 4]", 4, 8),
    ("a value in the middle of an axis", "[none, rope]", "[none, alibi, rope]", 4, 8),
    ("replicates more", "replicates: 2", "replicates: 4", 8, 8),
    ("a test length more", "[1x, 4x]", "[1x, 4x, 20]", 8, 8),
    ("a test length before the others", "[1x, 4x]", "[2, 1x, 4x]", 8, 8),
    ("an axis in another order", "[1, 16]", "[16, 1]", 0, 8),
    ("axes in another order", "  snr: [1, 16]\n  encoding: [none, rope]", "  encoding: [none, rope]\n  snr: [1, 16]", 0, 8),
    ("test lengths in another order", "[1x, 4x]", "[4x, 1x]", 0, 8),
    ("a value less on an axis", "[1, 16]", "[16]", 0, 4),
    ("replicates less", "replicates: 2", "replicates: 1", 0, 4),
    ("a test length less", "[1x, 4x]", "[4x]", 0, 8),
    ("an axis with one value made a setting", "  snr: [1, 16]\n", "", 0, 4),
    ("another name", "sweep: small", "sweep: other", 0, 8),
    ("comments", "seed: 3", "seed: 3 # as before\n# and more", 0, 8),
]
BASE = SMALL.replace("sweep: small", "sweep: small\ntwins: false")


def training(store):
    """identity → everything of its training, as bytes."""
    with h5py.File(store) as file:
        trials, found = file["trials"], {}
        names = [name for name, item in trials.items() if isinstance(item, h5py.Dataset) and item.ndim and item.dtype.kind in "fiu"
                 and not any(scale.name.endswith("/test_length") for dimension in item.dims for scale in dimension.values())
                 and len(item) == len(trials["identity"]) and name not in ("trial", "attempts")]
        for row, identity in enumerate(trials["identity"].asstr()[:]):
            found[identity] = {name: numpy.asarray(trials[name][row]).tobytes() for name in names if "layout" not in name}
        return found


def run(text, expected, code=0):
    done = lgsweep("run", write("s.yaml", text), "-o", "s.h5", code=code)
    assert f", {expected} to run" in done.stderr, done.stderr
    return done


@claim("{0}: {3} trainings run", CHANGES)
def changed(what, old, new, expected, kept):
    assert old in BASE
    text = BASE.replace(old, new)
    if what == "an axis with one value made a setting":
        text = text.replace("train_length: 4", "train_length: 4, snr: 16")
    run(BASE, 8)
    before = training("s.h5")
    run(text, expected)
    after = training("s.h5")
    assert all(after[identity].items() >= fields.items() for identity, fields in before.items())
    assert len(after) == 8 + (expected if "length" not in what else 0)
    run(text, 0)
    lgsweep("run", "s.yaml", "-o", "afresh.h5")
    if kept == 8:
        rows = lgsweep("diff", "afresh.h5", "s.h5", code=None)
        assert rows.returncode == 0 or "less" in what, rows.stdout
    else:
        assert set(training("afresh.h5")) < set(after)
    run(BASE, 0)  # and back again: nothing was forgotten


@claim("a changed setting is refused with both values, whether the journal or the published file tells of it", [(True,), (False,)])
def refused(in_journal):
    text = BASE.replace("steps: 30", "steps: 100000").replace("[1, 16]", "[1, 2, 4, 8, 16]") if in_journal else BASE
    if in_journal:
        lgsweep("run", write("s.yaml", text), "-o", "s.h5", "--time-limit", "1", code=75)
        assert Path("s.h5.journal").exists() and not Path("s.h5").exists()
        before = Path("s.h5.journal").read_bytes()
    else:
        run(BASE, 8)
        before = Path("s.h5").read_bytes()
    text = lgsweep("run", write("s.yaml", text.replace("learning_rate: 0.2", "learning_rate: 0.25")), "-o", "s.h5", code=2).stderr
    assert text.count(" there and ") == 1 and "learning_rate is 0.2 there and 0.25 here" in text, text
    assert before == (Path("s.h5.journal") if in_journal else Path("s.h5")).read_bytes()


@claim("what grew in three runs is what one run makes")
def grown():
    for old, new in [("x", "x"), ("[1, 16]", "[1, 16, 4]"), ("replicates: 2", "replicates: 3"), ("[1x, 4x]", "[1x, 4x, 20]")]:
        text = (text if old != "x" else BASE).replace(old, new)
        lgsweep("run", write("s.yaml", text), "-o", "s.h5")
    lgsweep("run", "s.yaml", "-o", "once.h5")
    same("once.h5", "s.h5")
    with h5py.File("once.h5") as once, h5py.File("s.h5") as grew:
        assert (once["test_error"][...].tobytes(), once["test_error"].shape) == (grew["test_error"][...].tobytes(), grew["test_error"].shape)
    assert status("s.h5")["complete"]


if __name__ == "__main__":
    main()
