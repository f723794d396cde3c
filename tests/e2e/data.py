# SPDX-License-Identifier: MIT
"""Data: all of a trial's sets for numpy, and training on what was written so."""
import os
import resource
import signal
from pathlib import Path

import h5py
import numpy as np
from harness import claim, lgsweep, main, start, until, write

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


if __name__ == "__main__":
    main()
