# SPDX-License-Identifier: MIT
"""Files of one's own: training on what numpy wrote, and what is said of a file that does not do."""
import os
import shutil
import warnings
import zipfile
from pathlib import Path

import h5py
import numpy as np
from harness import claim, journal_results, lgsweep, main, same, start, status, until, write

OWN = """\
task: {kind: file, path: x.npz, train_length: 9, samples: 40, noise_rate: 0.1, supervision: final}
model: {kind: lstm, width: 8, heads: 2, layers: 1}
train: {optimizer: adamw, learning_rate: 1e-2, epochs: 3, batch_size: 8}
evaluate: {points: 4, test_samples: 300, validation_samples: 250, test_length: [1x, 2x]}
"""


def own_file(**changes):
    """A file that numpy writes: the class of a sequence is the parity of its ones."""
    random = np.random.default_rng(5)
    arrays = {}
    for name, count, length in (("train", 60, 9), ("validation", 250, 9), ("test/9", 300, 9), ("test/18", 300, 18)):
        arrays[f"{name}/tokens"] = random.integers(0, 2, (count, length), np.int64)
        arrays[f"{name}/targets"] = (arrays[f"{name}/tokens"].sum(1) % 2).astype(np.uint8)
    arrays.update(changes)
    np.savez_compressed("x.npz", **{name: value for name, value in arrays.items() if value is not None})




@claim("a file of numpy's trains, and all commands know its store when the file is gone")
def trains_on_own_file():
    own_file()
    lgsweep("run", write("a.yaml", "save: {weights: [last]}\n" + OWN), "-o", "a.h5", ranks=2)
    with h5py.File("a.h5") as file:
        assert np.isfinite(file["trials/final_test_loss"][...]).all()
        assert file.attrs["task"] == "file" and file.attrs["path"] == "x.npz" and file.attrs["file_hash"] != 0
        assert 0.4 < file["trials/chance_error"][0, 0] <= 0.5 and np.isnan(file["trials/bayes_error"][...]).all()
    weights = str(next(Path("a.h5.weights").iterdir()))
    loss = lgsweep("predict", weights, "--length", "18").stdout
    Path("x.npz").rename("moved.npz")
    assert "No such file" in lgsweep("predict", weights, code=2).stderr
    assert lgsweep("predict", weights, "--length", "18", "--data", "moved.npz").stdout == loss
    assert "the set test/9 has 300 sequences" in lgsweep("predict", weights, "--data", "moved.npz", "-n", "301", code=2).stderr
    assert "2 of 2 trials over" in lgsweep("status", "a.h5").stdout
    assert "T=18" in lgsweep("show", "a.h5").stdout
    lgsweep("publish", "a.h5")
    same("a.h5", "a.h5")
    assert "a.yaml:2:20:" in lgsweep("run", "a.yaml", "-o", "a.h5", code=2).stderr
    Path("moved.npz").rename("x.npz")
    assert "2 done before" in lgsweep("run", "a.yaml", "-o", "a.h5").stderr


@claim("test sequences of a file may differ in length, and some targets may not count")
def tests_on_ragged():
    random = np.random.default_rng(6)
    lengths = random.integers(1, 19, 300)
    offsets, tokens = np.append(0, np.cumsum(lengths)), random.integers(0, 2, lengths.sum())
    every = {f"{name}/targets": random.integers(0, 2, (count, 9)) for name, count in (("train", 60), ("validation", 250), ("test/9", 300))}
    mask = random.integers(0, 2, lengths.sum())
    mask[offsets[:-1]] = 1
    targets = np.where(mask == 1, tokens, -1)
    own_file(**every, **{"test/18/tokens": tokens, "test/18/offsets": offsets, "test/18/targets": targets, "test/18/mask": mask})
    lgsweep("run", write("a.yaml", "save: {weights: [last]}\n" + OWN.replace(", supervision: final", "")), "-o", "a.h5")
    lgsweep("predict", next(Path("a.h5.weights").iterdir()), "-l", "18", "-o", "p.csv")
    table = np.genfromtxt("p.csv", delimiter=",", names=True)
    assert len(table) == mask.sum() and np.array_equal(table["target"], targets[mask == 1])
    with h5py.File("a.h5") as file:
        errors = file["trials/final_test_error"][...][:, 1]
    assert np.isclose(errors, (table["class"] != table["target"]).mean(), atol=1e-6).any(), errors


@claim("a sweep may have a file beside other tasks")
def beside_other_tasks():
    own_file()
    write("a.yaml", OWN.replace("kind: file, ", "") + "grid: {task: [file, accumulator, brackets]}\n")
    lgsweep("run", "a.yaml", "-o", "a.h5")
    lgsweep("run", write("b.yaml", OWN), "-o", "b.h5")
    shared = lgsweep("diff", "a.h5", "b.h5", code=5).stdout
    assert shared.count("done | absent") == 4 and "absent | done" not in shared, shared


@claim("a store goes on with no other file, and a sweep may say which one it wants")
def other_file():
    own_file()
    lgsweep("run", write("a.yaml", OWN), "-o", "a.h5")
    with h5py.File("a.h5") as file:
        known = int(file.attrs["file_hash"])
    own_file(classes=np.array(2))
    text = lgsweep("run", "a.yaml", "-o", "a.h5", code=2).stderr
    assert "x.npz is not the file that a.h5 was made with, or has changed since; put that one back, or begin another store" in text, text
    assert "file_hash" not in text, text
    text = lgsweep("plan", write("b.yaml", f"{OWN}file_hash: {known}\n"), code=2).stderr
    assert "b.yaml:5:1:" in text and f"file_hash is {known}, but that of the file is" in text, text
    own_file()
    lgsweep("run", "b.yaml", "-o", "a.h5")


@claim("a file that is {} while a sweep runs ends it with one message, and the rest goes on once it is back", [("changed",), ("removed",)])
def changes_under_way(how):
    own_file()
    slow = OWN.replace("epochs: 3", "epochs: 400") + "replicates: 40\n"
    run = start("run", write("a.yaml", slow), "-o", "a.h5")
    until(lambda: os.path.exists("a.h5.journal") and len(journal_results("a.h5")) > 2, 60, "a few results")
    shutil.copy("x.npz", "kept.npz")
    if how == "removed":
        os.remove("x.npz")
    else:
        own_file(classes=np.array(2))
    assert run.wait(120) == 2
    text = Path("output").read_text()
    assert text.count("x.npz") == 1 and "while the sweep ran" in text and "run the same command to go on" in text, text
    os.rename("kept.npz", "x.npz")
    before = status("a.h5", code=None)
    assert before["failed"] == 0 and before["done"] < 80, before
    lgsweep("run", "a.yaml", "-o", "a.h5")
    with h5py.File("a.h5") as file:
        assert np.isfinite(file["trials/final_test_loss"][...]).all()


# What is wrong, what replaces a part of the sweep or of the file, and what is said.
BAD = [
    ("a missing file", ("x.npz", "y.npz"), {}, ["a.yaml:1:20:", "y.npz", "No such file or directory; it was looked for at /", "/y.npz: put it there"]),
    ("a sweep without its path", ("path: x.npz, ", ""), {}, ["a.yaml:1:8:", "path is missing"]),
    ("a missing validation set", None, {"validation/tokens": None}, ["a.yaml:1:20:", "has no array validation/tokens; add it"]),
    ("a test length without a set", ("2x", "3x"), {}, ["a.yaml:4:", "test length 27 has no set in x.npz; add test/27/tokens"]),
    ("targets of a wrong shape", None, {"train/targets": np.zeros((60, 3), int)}, ["(60, 3)", "(60,)", "(60, 9)"]),
    ("targets that are reals", None, {"train/targets": np.zeros(60)}, ["train/targets is float64", "int32"]),
    ("a target out of range", None, {"train/targets": np.full(60, 2), "classes": 2}, ["train/targets has 2 in sample 0", "from 0 to 1"]),
    ("a negative token", None, {"test/9/tokens": np.full((300, 9), -1)}, ["test/9/tokens has -1 in sample 0, position 0"]),
    ("an empty sequence", None, {"train/tokens": np.zeros(540, int), "train/offsets": np.repeat([0, 540], [2, 59])},
     ["train/offsets has 0 in sample 1", "at least one token"]),
    ("Fortran order", None, {"train/tokens": np.asfortranarray(np.zeros((60, 9), int))}, ["Fortran order; save numpy.ascontiguousarray"]),
    ("lists of lists", None, {"train/tokens": np.array([[0], [0, 1]], object)}, ["Python objects"]),
    ("samples that are not written", ("samples: 40, ", ""), {}, ["a.yaml:1:8:", "no default of samples; write samples: 60, as many"]),
    ("noise that is not written", ("noise_rate: 0.1, ", ""), {}, ["a.yaml:1:8:", "no default of noise_rate; write noise_rate: 0 "]),
    ("nothing of either", ("samples: 40, noise_rate: 0.1, ", ""), {}, ["a.yaml:1:8:", "write samples: 60, as many", ", and noise_rate: 0 "]),
    ("few validation sequences", None, {"validation/tokens": np.zeros((9, 9), int), "validation/targets": np.zeros(9, int)}, ["has 9 sequences; add some, until they are 200"]),
    ("positions named twice", None, {"train/relevant": np.full((60, 2), 3)}, ["train/relevant has 3 in sample 0", "none of them twice"]),
    ("a set of which no target counts", None, {"validation/mask": np.zeros(250, int)}, ["a.yaml:1:20:", "validation/mask is 0 everywhere"]),
    ("a shorter train length", ("train_length: 9", "train_length: 8"), {}, ["a.yaml:1:33:", "write train_length: 9"]),
    ("too many samples", ("samples: 40", "samples: 61"), {}, ["a.yaml:1:50:", "samples is 61", "has 60 sequences"]),
    ("too many test samples", ("test_samples: 300", "test_samples: 301"), {}, ["a.yaml:4:", "test_samples is 301", "has 300 sequences"]),
    ("the other supervision", (", supervision: final", ""), {}, ["one a sequence; write supervision: final"]),
    ("a stream", ("epochs: 3", "data: stream"), {}, ["a.yaml:3:", "take data: finite"]),
    ("noise twice", None, {"train/clean": np.zeros(60, int)}, ["a.yaml:1:", "write noise_rate: 0"]),
    ("lengths of its own", ("train_length: 9", "train_length: 9, length_distribution: uniform"), {}, ["a.yaml:1:", "are in its file"]),
]


@claim("a sweep on a file is refused with its line for {}", BAD)
def refused(_, change, arrays, words):
    own_file(**arrays)
    write("a.yaml", OWN.replace(*change) if change else OWN)
    assert not change or change[0] in OWN
    for command in ("plan", "run"):
        text = lgsweep(command, "a.yaml", code=2).stderr
        assert all(word in text for word in ["a.yaml:", *words]), text


def flow(text):
    return "{" + ", ".join(line for line in text.splitlines()) + "}\n"


FORMS = [
    ("as it is", lambda text: text),
    ("without a newline at its end", lambda text: text[:-1]),
    ("indented", lambda text: "# a sweep\n---\n" + "".join(f"   {line}\n" for line in text.splitlines())),
    ("with an end of its document", lambda text: f"{text}...\n"),
    ("with an end and comments", lambda text: f"{text}...\n\n# that is {{all}}\n"),
    ("in braces", flow),
    ("in braces with a last comma", lambda text: flow(text)[:-2] + ",\n}\n# over\n"),
    ("in braces after a mark", lambda text: "--- " + flow(text)),
    ("with CRLF", lambda text: text.replace("\n", "\r\n")),
]


@claim("a sweep on a file may be written {}", FORMS)
def written(_, form):
    own_file()
    Path("a.yaml").write_bytes(form(OWN).encode())
    lgsweep("run", "a.yaml", "-o", "a.h5")
    assert "2 done before" in lgsweep("run", "a.yaml", "-o", "a.h5").stderr
    lgsweep("run", write("b.yaml", OWN), "-o", "b.h5")
    with h5py.File("a.h5") as a, h5py.File("b.h5") as b:
        assert a.attrs["file_hash"] == b.attrs["file_hash"] and np.array_equal(a["trials/identity"][...], b["trials/identity"][...])


@claim("a sweep over several files is refused with the line of the axis")
def several_files():
    own_file()
    write("a.yaml", OWN.replace("path: x.npz, ", "") + "grid: {path: [x.npz, y.npz]}\n")
    text = lgsweep("plan", "a.yaml", code=2).stderr
    assert "a.yaml:5:8:" in text and "path is no axis" in text, text


@claim("sets and samples that no trial uses may be anything where the file says its vocabulary and classes")
def unused():
    tokens = np.zeros((300, 18), int)
    tokens[250:] = -7
    own_file(**{"test/18/tokens": tokens, "test/99/tokens": np.zeros((2, 2)), "vocabulary": 2, "classes": 2})
    text = OWN.replace("[1x, 2x]", "1x")
    lgsweep("run", write("a.yaml", text), "-o", "a.h5")
    lgsweep("run", write("b.yaml", OWN.replace("test_samples: 300", "test_samples: 250")), "-o", "b.h5")
    grid = OWN.replace("test_samples: 300, ", "") + "grid: {test_samples: [250, 251]}\n"
    assert "test/18/tokens has -7 in sample 250" in lgsweep("plan", write("c.yaml", grid), code=2).stderr
    grid = text.replace("train_length: 9, ", "").replace("1x", "2x") + "grid: {train_length: [9, 18]}\n"
    assert "test/18/tokens has -7" in lgsweep("plan", write("c.yaml", grid), code=2).stderr


@claim("arrays that nothing reads get a warning, with the name that may be meant")
def strays():
    own_file(**{"train/msak": np.ones(60, int), "notes": np.zeros(3)})
    text = lgsweep("plan", write("a.yaml", OWN)).stderr
    assert "a.yaml:1:20: warning: nothing reads the array 'train/msak' of x.npz; did you mean 'train/mask'?" in text, text
    assert "the array 'notes' of x.npz\n" in text, text


@claim("a file whose array is there twice is refused")
def twice():
    own_file()
    with zipfile.ZipFile("x.npz", "a") as archive, warnings.catch_warnings(action="ignore"):
        archive.writestr("train/tokens.npy", archive.read("test/9/tokens.npy"))
    text = lgsweep("plan", write("a.yaml", OWN), code=2).stderr
    assert "a.yaml:1:20: x.npz has train/tokens.npy twice" in text, text


@claim("a path that leads to {} is refused at once", [("a pipe",), ("a link to a pipe",), ("a folder",)])
def no_file(thing):
    os.mkdir("folder")
    os.mkfifo("pipe")
    os.symlink(thing.split()[-1], "x.npz")
    text = lgsweep("plan", write("a.yaml", OWN), code=2, timeout=60).stderr
    assert "a.yaml:1:20: x.npz is " in text and ("a folder" if thing == "a folder" else "no regular file") in text, text


@claim("a file that is damaged or none is refused with the line that names it: {}", [("half of it",), ("a text",), ("a flipped byte",)])
def damaged(how):
    own_file()
    data = bytearray(Path("x.npz").read_bytes())
    if how == "a flipped byte":
        data[len(data) // 3] ^= 0x55
    Path("x.npz").write_bytes(data[:len(data) // 2] if how == "half of it" else b"tokens" if how == "a text" else data)
    done = lgsweep("plan", write("a.yaml", OWN), code=None)
    assert done.returncode in (2, 5) and "a.yaml:1:20: x.npz" in done.stderr, done.stderr


if __name__ == "__main__":
    main()
