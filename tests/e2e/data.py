# SPDX-License-Identifier: MIT
"""Data: all of a trial's sets for numpy, and training on sets from a file."""
import os
import resource
import shutil
import signal
import warnings
import zipfile
from pathlib import Path

import h5py
import numpy as np
from harness import claim, journal_results, lgsweep, main, same, start, status, until, write

TAIL = """\
model: {kind: %s, width: 8, heads: 2, layers: 1}
train: {optimizer: adamw, learning_rate: 1e-2, epochs: 3, batch_size: 8}
evaluate: {points: 4, test_samples: 300, validation_samples: 250, test_length: [1x, 2x]}
"""
MADE = "task: {kind: accumulator, modulus: 3, train_length: 9, samples: 40, noise_rate: 0.2%s}\n" + TAIL
READ = "task: {kind: file, path: x.npz, train_length: 9, samples: 40, noise_rate: %s%s}\n" + TAIL
CURVES = ("train_loss", "train_error_clean", "flips_fitted", "validation_loss", "test_error", "final_test_loss",
          "signal_attention", "test_signal_attention")


def load(path="x.npz"):
    with np.load(path) as arrays:
        return {name: arrays[name] for name in arrays.files}


def curves(store):
    """What the trials with the noise of the sweep came to, by the name of the variable."""
    with h5py.File(store) as file:
        keep = file["trials/twin"][...] == 0
        return {name: file[f"trials/{name}"][...][keep] for name in CURVES}


def assert_same_curves(a, b):
    for name, values in curves(a).items():
        assert np.array_equal(values, curves(b)[name], equal_nan=True), name
    assert np.isfinite(curves(a)["train_loss"]).all()


@claim("data -o writes every set for numpy: labels follow from the tokens, flips from the labels before noise")
def writes_sets():
    text = lgsweep("data", write("a.yaml", MADE % ("", "rnn")), "-o", "x.npz").stdout
    assert "train 40, validation 250, test/9 300, test/18 300" in text, text
    x = load()
    assert x["train/tokens"].shape == (40, 9) and x["test/18/tokens"].shape == (300, 18)
    assert x["vocabulary"] == 6 and x["classes"] == 3 and x["train/tokens"].dtype == np.int32
    for name in ("train", "validation", "test/9", "test/18"):
        tokens = x[f"{name}/tokens"]
        states = np.cumsum(np.where(tokens >= 3, tokens - 3, 0), axis=1) % 3
        assert np.array_equal(x[f"{name}/clean"], states), name
        flips = (x[f"{name}/targets"] != states).mean()
        assert (0.1 < flips < 0.3) if name == "train" else flips == 0, (name, flips)


@claim("data -o packs sequences of different lengths, with masks and relevant positions, and vectors too")
def writes_other_shapes():
    task = "task: {kind: brackets, train_length: 9, samples: 40, length_distribution: uniform, begin_token: true}\n"
    lgsweep("data", write("a.yaml", task + TAIL % "rnn"), "-o", "x.npz")
    x = load()
    offsets, lengths = x["train/offsets"], np.diff(x["train/offsets"])
    assert offsets[0] == 0 and len(offsets) == 41 and lengths.min() < 6 and lengths.max() == 10
    assert len(x["train/tokens"]) == len(x["train/targets"]) == len(x["train/mask"]) == offsets[-1]
    assert (x["train/tokens"][offsets[:-1]] == 4).all() and (x["train/mask"][offsets[:-1]] == 0).all()
    assert x["train/mask"].sum() == offsets[-1] - 40 and x["test/19/tokens"].shape == (300, 19)
    opened = x["train/relevant"][:, 0]
    assert x["train/relevant"].shape == (offsets[-1], 1) and x["test/19/relevant"].shape == (300, 19, 1)
    assert np.array_equal(opened >= 0, x["train/clean"] > 0), "where a bracket is open it has opened"
    kinds = x["train/tokens"][np.repeat(offsets[:-1], lengths) + opened]
    assert np.array_equal(kinds[opened >= 0] + 1, x["train/clean"][opened >= 0])
    lgsweep("data", write("b.yaml", (task + TAIL % "rnn").replace("uniform", "fixed, supervision: final")), "-o", "y.npz")
    assert load("y.npz")["train/relevant"].shape == (40, 1) and load("y.npz")["train/targets"].shape == (40,)
    lgsweep("data", write("c.yaml", "task: {train_length: 5, dim: 4, samples: 30}\n"), "-o", "z.npz")
    z = load("z.npz")
    signal = np.take_along_axis(z["train/vectors"], z["train/relevant"][:, :, None], 1)[:, 0]
    assert z["train/vectors"].shape == (30, 5, 4) and np.array_equal(signal[:, 0] == 8, z["train/clean"] == 1)


@claim("data -o of a stream writes as many samples as --count says, and 10000 without")
def writes_stream():
    write("a.yaml", (MADE % ("", "rnn")).replace("epochs: 3", "data: stream, steps: 20"))
    lgsweep("data", "a.yaml", "-o", "x.npz", "--count", "123")
    few = load()["train/tokens"]
    lgsweep("data", "a.yaml", "-o", "x.npz", "--force")
    assert len(few) == 123 and len(load()["train/tokens"]) == 10000 and np.array_equal(few, load()["train/tokens"][:123])


@claim("data -o writes over nothing without --force, and the same bytes each time")
def keeps_files():
    lgsweep("data", write("a.yaml", MADE % ("", "rnn")), "-o", "x.npz")
    first = Path("x.npz").read_bytes()
    text = lgsweep("data", "a.yaml", "-o", "x.npz", code=2).stderr
    assert "x.npz is there already" in text and "--force" in text, text
    lgsweep("data", "a.yaml", "-o", "x.npz", "-f")
    assert Path("x.npz").read_bytes() == first and sorted(path.name for path in Path(".").iterdir()) == ["a.yaml", "x.npz"]
    assert "/nowhere/x.npz: No such file" in lgsweep("data", "a.yaml", "-o", "/nowhere/x.npz", code=2).stderr
    lgsweep("data", "a.yaml", "-o", "y.npz", "--split", "test", code=2)


THINGS = [
    ("a folder", lambda: os.mkdir("x.npz"), "is a folder"),
    ("a pipe", lambda: os.mkfifo("x.npz"), "no regular file"),
    ("a link to a pipe", lambda: (os.mkfifo("pipe"), os.symlink("pipe", "x.npz")), "no regular file"),
    ("a link that leads nowhere", lambda: os.symlink("nowhere", "x.npz"), "leads to no file"),
]


@claim("data -o leaves {} as it is, with --force too, and says so", THINGS)
def leaves_other_things(_, make, words):
    write("a.yaml", MADE % ("", "rnn"))
    make()
    before, mode = sorted(os.listdir()), os.lstat("x.npz").st_mode
    for force in ([], ["--force"]):
        text = lgsweep("data", "a.yaml", "-o", "x.npz", *force, code=2).stderr
        assert f"x.npz is " in text and words in text and "choose another name" in text, text
    assert sorted(os.listdir()) == before and os.lstat("x.npz").st_mode == mode


@claim("data -o writes to where a link leads, with --force alone")
def follows_links():
    write("a.yaml", MADE % ("", "rnn"))
    os.mkdir("there")
    write("there/y.npz", "old")
    os.symlink("there/y.npz", "x.npz")
    assert "--force" in lgsweep("data", "a.yaml", "-o", "x.npz", code=2).stderr
    lgsweep("data", "a.yaml", "-o", "x.npz", "--force")
    assert os.path.islink("x.npz") and os.listdir("there") == ["y.npz"] and len(load()["train/tokens"]) == 40


ROUND = [
    ("kind: addition", 15), ("kind: addition, operand_offset: 2, index_hints: 17", 24), ("kind: multiplication", 18),
    ("kind: modular", 9), ("kind: reverse_string", 8), ("kind: odds_first", 8), ("kind: duplicate_string", 12),
    ("kind: brackets", 4), ("kind: brackets, begin_token: true", 5), ("kind: automaton, automaton: flip_flop", 4),
    ("kind: stack_manipulation", 9),
]


@claim("data -o of the file that data -o wrote has what counts of it: {}", ROUND)
def comes_round(task, tokens):
    noisy = f"task: {{{task}, train_length: 4, samples: 40, noise_rate: 0.2%s}}\n" + TAIL % "rnn"
    for lengths in ("", ", length_distribution: uniform, min_length: 3"):
        write("a.yaml", (noisy % lengths).replace("[1x, 2x]", "1x"))
        lgsweep("data", "a.yaml", "-o", "x.npz", "--force")
        read = (READ % (0, "", "rnn")).replace("train_length: 9", f"train_length: {tokens}").replace("[1x, 2x]", "1x")
        lgsweep("data", write("b.yaml", read), "-o", "y.npz", "--force")
        x, y = load(), load("y.npz")
        for name in [*x, *y]:
            of, part = name.rpartition("/")[::2]
            counted = x.get(f"{of}/mask", 1) if part in ("targets", "clean") else 1
            assert np.array_equal(x[name] * counted, y[name] * counted) and x[name].dtype == y[name].dtype, name


TASKS = [("rnn", ""), ("transformer", ""), ("rnn", ", length_distribution: uniform, min_length: 3"), ("lstm", ", supervision: final")]


@claim("training on a file that data -o wrote has the bits of training on what it was written from: {}{}", TASKS)
def trains_on_its_file(kind, more):
    lgsweep("run", write("a.yaml", MADE % (more, kind)), "-o", "a.h5")
    lgsweep("data", "a.yaml", "-o", "x.npz")
    final = ", supervision: final" if "final" in more else ""
    lgsweep("data", write("b.yaml", READ % (0, final, kind)), "-o", "y.npz")
    assert Path("x.npz").read_bytes() == Path("y.npz").read_bytes()
    lgsweep("run", "b.yaml", "-o", "b.h5")
    assert_same_curves("a.h5", "b.h5")
    clean = load()
    for name in list(clean):
        if name.endswith("/clean"):
            clean[name.replace("clean", "targets")] = clean.pop(name)
    np.savez_compressed("x.npz", **clean)
    lgsweep("run", write("c.yaml", READ % (0.2, final, kind)), "-o", "c.h5")
    assert_same_curves("a.h5", "c.h5")


@claim("few of the sequences of different lengths come round and train as what they were written from: {}, {}", [(n, d) for n in (2, 5) for d in ("exponential", "uniform")])
def few_come_round(count, distribution):
    made = (MADE % (f", length_distribution: {distribution}, min_length: 2", "transformer")).replace("th: 9", "th: 40").replace("batch_size: 8", "batch_size: 2")
    lgsweep("data", write("a.yaml", made), "-o", "x.npz", "-n", count)
    assert np.diff(load()["train/offsets"]).max() < 40 and load()["test/80/tokens"].shape == (300, 80)
    read = (READ % (0, "", "transformer")).replace("th: 9", "th: 40").replace("samples: 40", f"samples: {count}").replace("batch_size: 8", "batch_size: 2")
    lgsweep("data", write("b.yaml", read), "-o", "y.npz")
    assert Path("x.npz").read_bytes() == Path("y.npz").read_bytes()
    lgsweep("run", write("a.yaml", made.replace("samples: 40", f"samples: {count}")), "-o", "a.h5")
    lgsweep("run", "b.yaml", "-o", "b.h5")
    assert_same_curves("a.h5", "b.h5")


STOPS = [("samples are made", signal.SIGTERM, "output"), ("the archive is written", signal.SIGTERM, "x.npz.tmp*"), ("the archive is written", signal.SIGINT, "x.npz.tmp*")]


@claim("data -o asked to stop while {} by {!r} leaves what was there", STOPS)
def stops(_, number, name):
    write("a.yaml", "task: {kind: accumulator, train_length: 256}\nmodel: {kind: rnn}\ntrain: {data: stream, steps: 20}\n")
    write("x.npz", "old")
    run = start("data", "a.yaml", "-o", "x.npz", "--force", "-n", "60000")
    until(lambda: list(Path(".").glob(name)), 60, "a file that is written")
    if name == "output":
        until(lambda: any("spool" in link for link in links(run.pid)), 60, "numbers that are kept")
    os.kill(run.pid, number)
    assert run.wait(60) == 75, run.returncode
    assert "stopped before x.npz was written" in Path("output").read_text() and Path("x.npz").read_text() == "old"
    assert sorted(os.listdir()) == ["a.yaml", "output", "x.npz"]


def links(pid):
    """What a process has open."""
    try:
        return [os.readlink(file) for file in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return []


@claim("data -o says where a limit on files or space is in its way")
def limited():
    write("a.yaml", MADE % ("", "rnn"))
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))}
    text = lgsweep("data", "a.yaml", "-o", "x.npz", code=75, **limit).stderr
    assert "ulimit -f" in text and "twice its size" in text and os.listdir() == ["a.yaml"], text


@claim("what a model writes symbol by symbol comes back from a file with the same bits, in tokens")
def trains_on_arithmetic():
    task = "task: {kind: addition, train_length: 3, samples: 40, length_distribution: uniform, noise_rate: 0.1}\n" + TAIL % "transformer"
    lgsweep("run", write("a.yaml", task), "-o", "a.h5")
    assert "test/12 300, test/21 300" in lgsweep("data", "a.yaml", "-o", "x.npz").stdout
    lgsweep("run", write("b.yaml", (READ % (0, "", "transformer")).replace("th: 9", "th: 12").replace("[1x, 2x]", "[12, 21]")), "-o", "b.h5")
    assert_same_curves("a.h5", "b.h5")
    mass = curves("b.h5")["test_signal_attention"]
    assert ((mass > 0) & (mass < 1)).all(), mass


def own_file(**changes):
    """A file that numpy writes: the class of a sequence is the parity of its ones."""
    random = np.random.default_rng(5)
    arrays = {}
    for name, count, length in (("train", 60, 9), ("validation", 250, 9), ("test/9", 300, 9), ("test/18", 300, 18)):
        arrays[f"{name}/tokens"] = random.integers(0, 2, (count, length), np.int64)
        arrays[f"{name}/targets"] = (arrays[f"{name}/tokens"].sum(1) % 2).astype(np.uint8)
    arrays.update(changes)
    np.savez_compressed("x.npz", **{name: value for name, value in arrays.items() if value is not None})


OWN = READ % (0.1, ", supervision: final", "lstm")


@claim("a file of numpy's trains, and all commands know its store when the file is gone")
def trains_on_own_file():
    own_file()
    lgsweep("run", write("a.yaml", "save: {weights: [last]}\n" + OWN), "-o", "a.h5", ranks=2)
    assert np.isfinite(curves("a.h5")["final_test_loss"]).all()
    with h5py.File("a.h5") as file:
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
