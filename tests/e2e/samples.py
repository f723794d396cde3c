# SPDX-License-Identifier: MIT
"""Data that people read: the samples that data prints, and the lengths that it and predict take and tell."""
import re
from pathlib import Path

import numpy as np
from harness import claim, lgsweep, main, write

TAIL = """\
model: {kind: %s, width: 8, heads: 2, layers: 1}
train: {optimizer: adamw, learning_rate: 1e-2, epochs: 3, batch_size: 8}
evaluate: {points: 4, test_samples: 300, validation_samples: 250, test_length: [1x, 2x]}
"""
MADE = "task: {kind: accumulator, modulus: 3, train_length: 9, samples: 40, noise_rate: 0.2%s}\n" + TAIL


def rows(sample):
    """The words of each row of a printed sample, over all of its lines."""
    found = {}
    for line in sample.splitlines():
        if re.match(r"  [a-z]+ ", line):
            found.setdefault(line.split()[0], []).extend(line.split()[1:])
    return found


def load(path="x.npz"):
    with np.load(path) as arrays:
        return {name: arrays[name] for name in arrays.files}


@claim("data prints symbols over targets, and the labels before noise where it replaced them")
def prints_tokens():
    write("t.yaml", (MADE % ("", "rnn")).replace("train_length: 9", "train_length: 30"))
    text = lgsweep("data", "t.yaml", "-n", "6").stdout
    replaced = 0
    for sample in text.split("sample ")[1:]:
        found, state, states = rows(sample), 0, []
        for symbol in found["tokens"]:
            state = (state + (int(symbol) if symbol != "·" else 0)) % 3
            states.append(str(state))
        flips = [target for target, clean in zip(found["targets"], states) if target != clean]
        assert len(flips) == len(found.get("clean", [])), sample
        assert found.get("clean", []) == [clean for target, clean in zip(found["targets"], states) if target != clean], sample
        replaced += int(re.search(r"(\d+) of 30 targets replaced", sample)[1]) if flips else 0
    assert 15 < replaced < 60, text
    test = lgsweep("data", "t.yaml", "--split", "test", "--length", "12").stdout
    assert "300 samples of 12 tokens; chance error" in test and "replaced" not in test, test


READABLE = [
    ("brackets, begin_token: true", "^ ( ) [ ] . -"),
    ("brackets, supervision: final, query_token: true", "( [ ? *"),
    ("automaton, automaton: flip_flop, supervision: final", "hold w0 w1 *"),
    ("automaton, automaton: modular_arithmetic", "+ - * 4"),
]


@claim("data prints {} in symbols of their own", READABLE)
def prints_symbols(task, words):
    write("t.yaml", f"task: {{kind: {task}, train_length: 17}}\nmodel: {{kind: rnn}}\n")
    text = lgsweep("data", "t.yaml", "-n", "9").stdout
    assert set(words.split()) <= set(text.split()), text
    assert max(map(len, text.splitlines())) <= 80, text


@claim("data prints the relevant positions of each target under it")
def prints_relevant():
    write("t.yaml", "task: {kind: reverse_string, alphabet: 26, train_length: 12, samples: 9}\n" + TAIL % "transformer")
    for sample in lgsweep("data", "t.yaml").stdout.split("sample ")[1:]:
        found = rows(sample)
        letters = [found["tokens"][int(place)] for place in found["relevant"]]
        assert found["position"] == [str(t) for t in range(24)] and found["tokens"][12:] == ["_"] * 12, sample
        assert letters == found["tokens"][11::-1] and len(letters) == 12, sample


LENGTHS = [
    ("kind: addition, operand_offset: 5", 1, 7, "operand_offset is 5"),
    ("kind: addition, index_hints: 12", 12, 11, "index_hints is 12"),
    ("kind: solve_equation", 1, 3, "at least 3"),
    ("kind: solve_equation", 2, 3, "at least 3"),
    ("kind: binary_addition", 2, 4, "at least 4"),
    ("kind: automaton, automaton: modular_arithmetic, supervision: final", 8, 7, "odd length"),
    ("kind: reverse_string", 70000, 30, "at most as many"),
]


@claim("data refuses --length as predict does, and takes the next that can be made: {}, {}", LENGTHS)
def refuses_lengths(task, bad, good, words):
    tail = (TAIL % "rnn").replace("[1x, 2x]", "1x").replace("epochs: 3", "epochs: 1")
    write("a.yaml", f"save: {{weights: last}}\ntask: {{{task}, train_length: 9, samples: 10}}\n" + tail)
    lgsweep("run", "a.yaml", "-o", "a.h5")
    weights = next(Path("a.h5.weights").iterdir())
    told = lgsweep("data", "a.yaml", "--split", "test", "-l", str(bad), code=2)
    refusal = told.stderr[told.stderr.index("lgsweep: --length: "):]
    assert words in refusal and not told.stdout, told
    assert lgsweep("predict", weights, "-l", str(bad), code=2).stderr == refusal
    assert "sample 3" in lgsweep("data", "a.yaml", "--split", "test", "-l", str(good)).stdout
    assert "loss" in lgsweep("predict", weights, "-l", str(good)).stdout
    for command in (["data", "a.yaml"], ["data", "a.yaml", "--split", "train"], ["predict", weights, "--split", "validation"]):
        assert "--length goes with --split test" in lgsweep(*command, "-l", str(good), code=2).stderr


ROWS = [(f"kind: {task}",) for task in (
    "addition", "addition, operand_offset: 2, index_hints: 17", "multiplication", "modular", "reverse_string", "odds_first", "duplicate_string",
    "brackets", "brackets, begin_token: true", "automaton, automaton: flip_flop", "stack_manipulation")]


@claim("printed rows say something and end without blanks, and noise is counted among the targets that count: {}", ROWS)
def prints_rows(task):
    write("a.yaml", f"task: {{{task}, train_length: 8, samples: 40, noise_rate: 0.3}}\n" + TAIL % "rnn")
    text = lgsweep("data", "a.yaml", "-n", "9").stdout
    assert not re.search(r" $", text, re.M) and not re.search(r"^  (relevant|clean)$", text, re.M), text
    for sample in text.split("sample ")[1:]:
        found = rows(sample)
        noise = re.search(r"(\d+) of (\d+) targets replaced", sample)
        assert bool(noise) == ("clean" in found), sample
        assert not noise or int(noise[1]) == len(found["clean"]) and int(noise[2]) == len(found["targets"]) - found["targets"].count("."), sample


@claim("relevant positions of a sequence are marked under its tokens")
def marks_relevant():
    write("a.yaml", "task: {kind: brackets, supervision: final, train_length: 61, samples: 40}\n" + (TAIL % "rnn").replace("[1x, 2x]", "1x"))
    lgsweep("data", "a.yaml", "-o", "x.npz")
    place = load()["train/relevant"][:, 0]
    text = lgsweep("data", "a.yaml", "-n", "40").stdout
    assert not re.search(r" $", text, re.M) and (place >= 0).all(), text
    for sample, at in zip(text.split("sample ")[1:], place):
        lines = sample.splitlines()
        marked = [number for number, line in enumerate(lines) if line.startswith("  relevant")]
        assert len(marked) == 1 and lines[marked[0]].count("*") == 1, sample
        columns = [line for line in lines[:marked[0]] if line.startswith("  tokens")]
        before = sum(len(line.split()) - 1 for line in columns[:-1])
        assert before + len(columns[-1][:lines[marked[0]].index("*") + 1].split()) - 2 == at, sample


CURRICULA = [("schedule", "reverse_string", 12), ("validation, curriculum_start: 4", "automaton, automaton: flip_flop", 9)]


@claim("data on a stream with a curriculum says which samples these are: {}", CURRICULA)
def tells_of_curricula(curriculum, task, length):
    tail = TAIL.replace("epochs: 3", f"data: stream, steps: 40, curriculum: {curriculum}") % "rnn"
    write("a.yaml", f"task: {{kind: {task}, train_length: {length}}}\n" + tail)
    kind, start = curriculum.split(",")[0], 4 if "4" in curriculum else 2
    line = (f"curriculum {kind}: training begins with sequences of length {start} at most; "
            f"these are the stream's samples once it has reached train_length = {length}\n")
    text = lgsweep("data", "a.yaml").stdout
    assert line in text and f"sample 0  {length * (2 if 'string' in task else 1)} tokens" in text, text
    assert line in lgsweep("data", "a.yaml", "-o", "x.npz", "-n", "9").stdout
    assert (np.diff(load()["train/offsets"]) == length * (2 if "string" in task else 1)).all()
    assert "curriculum" not in lgsweep("data", "a.yaml", "--split", "test").stdout
    write("b.yaml", f"task: {{kind: {task}, train_length: {length}, length_distribution: uniform}}\n" + tail.replace("data: stream, ", ""))
    assert "curriculum" not in lgsweep("data", "b.yaml").stdout


@claim("predict tells lengths in the task's units and in tokens, and the shortest and longest where they differ")
def tells_lengths():
    task = "save: {weights: last}\ntask: {kind: %s, train_length: 4, samples: 40, length_distribution: uniform}\n" + (TAIL % "rnn").replace("[1x, 2x]", "1x")
    for kind, test, train in (("addition", "300 sequences of length 4 (15 tokens)", "6 to 15"), ("accumulator", "300 sequences of 4 tokens", "1 to 4")):
        lgsweep("run", write("a.yaml", task % kind), "-o", f"{kind}.h5")
        weights = next(Path(f"{kind}.h5.weights").iterdir())
        assert f"test/4: {test}\n" in lgsweep("predict", weights).stdout
        assert f"train: 40 sequences of {train} tokens\n" in lgsweep("predict", weights, "--split", "train").stdout


if __name__ == "__main__":
    main()
