# SPDX-License-Identifier: MIT
"""Weights: saved beside the store at the steps asked for, read by other programs, started from, looked at by predict."""
import json
import re
import struct
from pathlib import Path

import h5py
import numpy as np
from harness import claim, lgsweep, main, write

FIRST = """sweep: first
replicates: 2
save: {weights: [0, 7, last]}
task: {samples: 40, train_length: 4, dim: 12}
model: {kind: %s}
train: {steps: 40, learning_rate: 0.05}
evaluate: {points: 5, test_samples: 200, validation_samples: 200}
grid: {encoding: [none, rope], noise_rate: [0.1]}
"""
SECOND = FIRST.replace("save: {weights: [0, 7, last]}\n", "").replace("first", "second")


def read(path):
    """A safetensors file without a library of its own: tensors and metadata."""
    data = Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    notes = header.pop("__metadata__")
    at = 8 + size
    assert at % 8 == 0 and max(row["data_offsets"][1] for row in header.values()) == len(data) - at
    return {name: np.frombuffer(data[at + row["data_offsets"][0]:at + row["data_offsets"][1]], "<f4").reshape(row["shape"])
            for name, row in header.items()}, notes


def files(store, step):
    return sorted(Path(f"{store}.weights").glob(f"*-{step}.safetensors"))


def final_errors(store):
    """final_test_error of each trial by its identity."""
    with h5py.File(store) as file:
        trials = file["trials"]
        return dict(zip((name.decode() for name in trials["identity"][...]), trials["final_test_error"][...][:, 0]))


KINDS = ["two_layer", "transformer, layers: 1, width: 12, heads: 2", "lstm, layers: 1, width: 9"]


@claim("{}: weights are saved at the first step, one between and the last, and nothing else", [(kind,) for kind in KINDS])
def saved(kind):
    lgsweep("run", write("a.yaml", FIRST % kind), "-o", "a.h5", ranks=2)
    errors = final_errors("a.h5")
    assert {path.name for path in Path("a.h5.weights").iterdir()} == {f"{name}-{step}.safetensors" for name in errors for step in (0, 7, 40)}
    for path in files("a.h5", 7):
        tensors, notes = read(path)
        assert notes["step"] == "7" and notes["trial"] == path.name.split("-")[0] and "samples=40\n" in notes["settings"]
        assert tensors and all(np.isfinite(value).all() for value in tensors.values())
        before, _ = read(str(path).replace("-7.", "-0."))
        assert any((before[name] != value).any() for name, value in tensors.items())


@claim("{}: predict has the store's error, and writes every prediction", [(kind,) for kind in KINDS])
def predicted(kind):
    lgsweep("run", write("a.yaml", FIRST % kind), "-o", "a.h5")
    for path in files("a.h5", 40)[:3]:
        said = lgsweep("predict", path, "-o", "p.csv").stdout
        rows = np.genfromtxt("p.csv", delimiter=",", names=True)
        error = float(np.mean(rows["class"] != rows["target"]))
        assert len(rows) == 200 and f"error {error:.4f}" in said, said
        assert abs(error - final_errors("a.h5")[path.name.split("-")[0]]) < 1e-6
        assert "test/64: 50 sequences" in lgsweep("predict", path, "--length", 64, "--count", 50).stdout


@claim("{}: a sweep starts from the weights of another, with the same draws for a longer train length", [(kind,) for kind in KINDS])
def started_from(kind):
    lgsweep("run", write("a.yaml", FIRST % kind), "-o", "a.h5")
    start = SECOND.replace("task:", "init: {from: a.h5, with: {train_length: 4, steps: 40}}\ntask:")
    text = start.replace("train_length: 4, dim", "train_length: 8, dim").replace("{steps: 40,", "{steps: 0,") % kind
    lgsweep("run", write("b.yaml", text.replace("noise_rate: [0.1]", "noise_rate: [0.1], test_length: [4]")), "-o", "b.h5", ranks=2)
    assert sorted(final_errors("a.h5").values()) == sorted(final_errors("b.h5").values())
    assert not Path("b.h5.weights").exists()
    lgsweep("publish", "b.h5", code=None)
    lgsweep("show", "b.h5")
    Path("a.h5.weights").rename("gone")  # what is done stays readable
    lgsweep("show", "b.h5")


@claim("missing weights are told before anything trains, with the line and what to do")
def missing():
    text = SECOND.replace("task:", "init: {from: nowhere.h5}\ntask:") % "two_layer"
    said = lgsweep("run", write("b.yaml", text), "-o", "b.h5", code=2).stderr
    assert "b.yaml:3:1: 8 trials have no weights to start from" in said and "nowhere.h5.weights/" in said and "with" in said, said
    assert not Path("b.h5").exists()


def started(text="init: {from: a.h5, with: {train_length: 4}}"):
    """A sweep with weights, and the text of one that starts from them at a longer train length."""
    lgsweep("run", write("a.yaml", FIRST % "two_layer"), "-o", "a.h5")
    return (SECOND.replace("task:", f"{text}\ntask:") % "two_layer").replace("train_length: 4, dim", "train_length: 8, dim")


def change(path, position, byte=None):
    """Flips a bit of the file, or sets a byte."""
    data = bytearray(Path(path).read_bytes())
    data[position] = data[position] ^ 1 if byte is None else byte
    Path(path).write_bytes(data)


@claim("weights that are not what their name says are refused before anything trains, and nothing is left behind")
def exchanged():
    text = write("b.yaml", started())
    first, second = files("a.h5", 40)[:2]
    good = first.read_bytes()
    for bad, words in ((second.read_bytes(), "another trial or step"), (good[:-8], "is no safetensors file"),
                       (good.replace(b'"numerics":"', b'"numerics":"9'), "no safetensors"), (b"", "ends early")):
        first.write_bytes(bad)
        said = lgsweep("run", text, "-o", "b.h5", code=None)
        assert said.returncode in (2, 5) and words in said.stderr and "b.yaml:3:1:" in said.stderr, said.stderr
        assert not list(Path().glob("b.h5*"))
    first.write_bytes(good)
    change(first, -3)  # a number: only its checksum tells
    said = lgsweep("run", text, "-o", "b.h5", code=3).stderr
    assert "contradict their checksum" in said, said


@claim("weights that `save` asks for too late are told of, and made on request")
def late():
    lgsweep("run", write("a.yaml", FIRST.replace("save: {weights: [0, 7, last]}\n", "") % "two_layer"), "-o", "a.h5")
    before = final_errors("a.h5")
    said = lgsweep("run", write("a.yaml", FIRST % "two_layer"), "-o", "a.h5").stderr
    assert "8 of them without the weights that `save` asks for" in said and not Path("a.h5.weights").exists(), said
    lgsweep("run", "a.yaml", "-o", "a.h5", "--retrain-unsaved")
    assert len(files("a.h5", 40)) == 8 and final_errors("a.h5") == before
    assert "without the weights" not in lgsweep("run", "a.yaml", "-o", "a.h5", "--retrain-unsaved").stderr


RAGGED = """sweep: ragged
replicates: 2
save: {weights: [7, last]}
task: {task: accumulator, train_length: 8, length_distribution: uniform}
model: {model: rnn, layers: 1, width: 8}
train: {data: stream, batch_size: 16, budget: tokens, budget_tokens: 2000, curriculum: schedule}
evaluate: {points: 5, test_samples: 200, validation_samples: 200}
grid: {noise_rate: [0]}
"""


@claim("where the budget is of tokens, the last weights are called so, and a sweep starts from them")
def last():
    lgsweep("run", write("a.yaml", RAGGED), "-o", "a.h5", ranks=2)
    errors = final_errors("a.h5")
    assert {path.name for path in Path("a.h5.weights").iterdir()} == {f"{name}-{step}.safetensors" for name in errors for step in (7, "last")}
    for path in files("a.h5", "last"):
        _, notes = read(path)
        with h5py.File("a.h5") as file:
            assert int(notes["step"]) in file["trials/step"][:, -1] and (file["trials/tokens_seen"][:, -1] >= 2000).all()
    assert "without the weights" not in lgsweep("run", "a.yaml", "-o", "a.h5", "--retrain-unsaved").stderr
    text = RAGGED.replace("save: {weights: [7, last]}", "init: {from: a.h5, with: {budget: tokens, curriculum: schedule}}")
    text = text.replace("budget: tokens, budget_tokens: 2000, curriculum: schedule", "budget_tokens: 2000, steps: 0")
    lgsweep("run", write("b.yaml", text), "-o", "b.h5", ranks=2)
    assert sorted(final_errors("b.h5").values()) == sorted(errors.values())
    assert "after its last step" in lgsweep("show", "b.h5", "--trial", next(iter(final_errors("b.h5")))).stdout


@claim("a step of `save` that training does not reach is told")
def unreached():
    text = (FIRST % "two_layer").replace("[0, 7, last]", "[0, 41, last]")
    said = lgsweep("plan", write("a.yaml", text)).stderr
    assert "a.yaml:3:1: warning: 'save' names step 41, but training ends at step 40" in said, said


@claim("steps of `save` that a budget of tokens ends before are told at the end of a run, in one line, and of earlier runs too")
def unreached_by_budget():
    text = RAGGED.replace("[7, last]", "[0, 5000, last]")
    said = lgsweep("run", write("a.yaml", text), "-o", "a.h5").stderr
    with h5py.File("a.h5") as file:
        made = file["trials/step"][:, -1]
    told = "lgsweep: `save` names step 5000, which budgets of tokens or operations may end before: "
    assert f"{told}2 trials ended after {min(made)} to {max(made)} steps\n" in said and said.count(told) == 1, said
    assert f"{told}2 of earlier runs have no weights of it\n" in lgsweep("run", "a.yaml", "-o", "a.h5", "--retrain-unsaved").stderr
    said = lgsweep("run", write("b.yaml", text.replace("[0]", "[0, 0.5]") + "twins: false\n"), "-o", "a.h5").stderr
    assert f"{told}2 trials ended after " in said and " steps, and 2 of earlier runs have no weights of it\n" in said, said
    for reached in (RAGGED, text.replace(", 5000", f", {min(made)}")):
        assert "names step" not in lgsweep("run", write("c.yaml", reached), "-o", "c.h5").stderr
        Path("c.h5").unlink()


@claim("a folder that cannot take weights is told before anything trains; what a killed trainer left there goes")
def folder():
    Path("a.h5.weights").write_text("")
    said = lgsweep("run", write("a.yaml", FIRST % "two_layer"), "-o", "a.h5", code=2).stderr
    assert "a.h5.weights" in said and "folder" in said, said
    Path("a.h5.weights").unlink()
    Path("a.h5.weights").mkdir()
    Path("a.h5.weights/x-7.safetensors.tmp-123").write_text("half")
    lgsweep("run", "a.yaml", "-o", "a.h5")
    assert not list(Path("a.h5.weights").glob("*.tmp-*"))


ADDITION = """sweep: addition
save: {weights: [last]}
task: {kind: addition, samples: 40, train_length: 2, noise_rate: 0}
model: {kind: %s}
train: {steps: 20, learning_rate: 0.01}
evaluate: {points: 3, test_samples: 200, validation_samples: 200}
"""


# A model that is right so far has read the true symbols: the first wrong one is the same in both ways.
@claim("{}: an answer of the model's own outputs is as the predictions say up to its first error",
       [("transformer, layers: 1, width: 12, heads: 2, encoding: alibi",), ("lstm, layers: 1, width: 9",)])
def generated(kind):
    lgsweep("run", write("a.yaml", ADDITION % kind), "-o", "a.h5")
    for length in (2, 5):
        said = lgsweep("predict", files("a.h5", 20)[0], "--generate", "--length", length, "-o", "p.csv").stdout
        rows = np.genfromtxt("p.csv", delimiter=",", names=True)
        wrong, right = rows["generated"] != rows["target"], 0
        for sample in range(200):
            of = rows["sample"] == sample
            upto = int(np.argmax(wrong[of])) if wrong[of].any() else of.sum() - 1
            assert (rows["generated"][of][:upto + 1] == rows["class"][of][:upto + 1]).all(), (sample, said)
            right += not wrong[of].any()
        assert f"outputs: error {wrong.mean():.4f}" in said and f"exact matches {right}\n" in said, said


@claim("--generate is refused where a target is not the next token")
def not_generated():
    lgsweep("run", write("a.yaml", FIRST % "two_layer"), "-o", "a.h5")
    said = lgsweep("predict", files("a.h5", 40)[0], "--generate", code=2).stderr
    assert "next tokens" in said, said


@claim("predict refuses what run refuses, and never writes over the weights")
def careful():
    kind = "transformer, layers: 1, width: 12, heads: 2, random_positions: 64"
    lgsweep("run", write("a.yaml", FIRST.replace("[none, rope]", "[rope]") % kind), "-o", "a.h5")
    path = files("a.h5", 40)[0]
    good = path.read_bytes()
    for arguments, words in ((("-l", 65), "random_positions"), (("-o", path), "the file of the weights"),
                             (("--split", "train", "-n", 41), "40 sequences"), (("-l", 70000), "70000")):
        said = lgsweep("predict", path, *arguments, code=2).stderr
        assert words in said, said
    for old, new, words in ((b"heads=2", b"heads=5", "heads"), (b"width=12", b"width=16", "not those of its trial"),
                            (b'"step":"40"', b'"step":"-4"', "no count")):
        assert old in good
        path.write_bytes(good.replace(old, new))
        said = lgsweep("predict", path, code=None)
        assert said.returncode in (2, 5) and words in said.stderr, said.stderr
    path.write_bytes(good)
    change(path, -1, 0x7F), change(path, -2, 0xFF)  # NaN
    assert "checksum" in lgsweep("predict", path, code=5).stderr


@claim("predict tells what is wrong with a file")
def refused():
    said = lgsweep("predict", "no.safetensors", code=2).stderr
    assert "no.safetensors" in said and "No such file" in said, said
    Path("bad.safetensors").write_bytes(b"\0" * 20)
    said = lgsweep("predict", "bad.safetensors", code=5).stderr
    assert "bad.safetensors is no safetensors file" in said, said


@claim("the same weights, bit by bit, inline and from a child")
def same_weights():
    for name, how in (("a", ()), ("b", ("--trainer", "inline"))):
        lgsweep("run", write("a.yaml", FIRST % KINDS[0]), "-o", f"{name}.h5", *how)
    for path in Path("a.h5.weights").iterdir():
        assert path.read_bytes() == Path("b.h5.weights", path.name).read_bytes()


if __name__ == "__main__":
    main()
